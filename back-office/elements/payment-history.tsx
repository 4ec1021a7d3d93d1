import type { ComponentChildren } from 'preact';
import type { Attempt, AttemptStatus, Intent, IntentStatus } from '../../src/domain/intent.ts';
import { partyOf } from '../../src/domain/party.ts';
import { phoneText } from '../../src/domain/phone.ts';
import { awaitsProof } from '../../src/domain/time.ts';
import type { HistoryDetail, HistoryEntry, RefundDetail } from '../../src/intent/protocol.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  copyRow,
  type FactRow,
  Facts,
  Section,
  Table,
  untrustedRow,
  WhenExactly,
} from '../ui/elements.tsx';
import type { PageView } from '../ui/page.tsx';
import { shownText } from '../ui/untrusted-text.ts';
import { operatorText } from './operator-text.ts';
import { moneyIn } from './payment-elements.tsx';

type Call = Pick<PageView, 'language'>;

const TONES: Readonly<Record<AttemptStatus, BadgeTone>> = {
  processing: 'wait',
  unresolved: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
};

/** Every attempt, the latest first. */
export function Attempts(props: {
  readonly call: Call;
  readonly intent: Intent;
  /** Defaults to true. */
  readonly isPhoneShown?: boolean;
  /** What the reader can do about an attempt. */
  readonly actions?: (attempt: Attempt) => ComponentChildren;
}) {
  const { call, intent, isPhoneShown = true, actions } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <Section id="attempts" title={text.attempts} class="part">
      {intent.attempts.length === 0 && <p class="empty">{text.noAttempts}</p>}
      <div class="cards">
        {intent.attempts
          .map((attempt, index) => (
            <AttemptCard
              call={call}
              attempt={isPhoneShown ? attempt : { ...attempt, phone: null }}
              number={String(index + 1)}
            >
              {actions?.(attempt)}
            </AttemptCard>
          ))
          .reverse()}
      </div>
    </Section>
  );
}

function AttemptCard(props: {
  readonly call: Call;
  readonly attempt: Attempt;
  readonly number: string;
  readonly children: ComponentChildren;
}) {
  const { call, attempt, number } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const method = CHECKOUT_TEXTS[call.language].methodName[attempt.method];
  const isPending = attempt.status === 'processing' || attempt.status === 'unresolved';
  const when = (label: string, atMs: number | null, isShown = true): FactRow =>
    atMs !== null && isShown ? [label, <WhenExactly call={call} atMs={atMs} />] : null;
  return (
    <article class="card">
      <div class="card-head">
        <h3>{text.attempt(number, method)}</h3>
        <Badge tone={TONES[attempt.status]}>{text.attemptStatus[attempt.status]}</Badge>
      </div>
      <Facts
        rows={[
          copyRow(call, `reference-${number}`, text.reference, attempt.reference),
          untrustedRow(text.phone, attempt.phone && phoneText(attempt.phone)),
          copyRow(call, `rail-${number}`, text.railReference, attempt.railReference),
          copyRow(call, `receipt-${number}`, text.receipt, attempt.receipt),
          copyRow(call, `issuer-${number}`, text.issuerReceipt, attempt.issuerReceipt),
          untrustedRow(text.providerCode, attempt.providerCode),
          attempt.failureReason === null
            ? null
            : [text.reason, text.failure[attempt.failureReason]],
          attempt.manualResolutionId === null ? null : [text.byHand, byHandText(text, attempt)],
          when(text.startedAt, attempt.startedAtMs),
          when(text.updatedAt, attempt.updatedAtMs, attempt.updatedAtMs !== attempt.startedAtMs),
          when(text.windowEndsAt, attempt.deadlineAtMs, isPending),
          when(text.nextCheckAt, attempt.checkAtMs, isPending),
        ]}
      />
      {props.children}
    </article>
  );
}

/** Whether a provider has confirmed what an operator recorded. */
function byHandText(
  { byOperator, unproved }: DashboardMessages['payment'],
  attempt: Attempt,
): string {
  return awaitsProof(attempt) ? `${byOperator} · ${unproved}` : byOperator;
}

/** Every transition, oldest first: when, what, who caused it, and the details. */
export function Timeline(props: {
  readonly call: Call;
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
}) {
  const { call, intent, history } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <Section id="timeline" title={text.timeline} class="part timeline">
      <Table
        caption={text.timeline}
        columns={[text.time, text.what, text.cause, text.details]}
        rows={history.map((entry) => [
          <WhenExactly call={call} atMs={entry.atMs} />,
          <Transition call={call} entry={entry} />,
          text.actor[entry.detail?.actor ?? partyOf(entry.command, intent.terms.kind)],
          <span>{detailText(call, intent, entry.detail) ?? <span class="quiet">—</span>}</span>,
        ])}
        empty={text.timeline}
      />
    </Section>
  );
}

/** The command, and the new status where it changed. */
function Transition({ call, entry }: { readonly call: Call; readonly entry: HistoryEntry }) {
  const { command, fromStatus, toStatus } = entry;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <span>
      {text.command[command]}
      {fromStatus !== toStatus && (
        <strong class="change">
          {fromStatus === null
            ? statusText(call, toStatus)
            : text.became(statusText(call, fromStatus), statusText(call, toStatus))}
        </strong>
      )}
    </span>
  );
}

/** The history keeps text: a status that this release does not know is shown as it is. */
function statusText({ language }: Call, status: string): string {
  const known = DASHBOARD_TEXTS[language].statuses;
  return Object.hasOwn(known, status) ? known[status as IntentStatus] : status;
}

function detailText(call: Call, intent: Intent, detail: HistoryDetail | null): string | null {
  if (detail === null) {
    return null;
  }
  const { language } = call;
  const text = DASHBOARD_TEXTS[language].payment;
  const { attemptIndex, method, attemptStatus, reason, receipt, providerCode, anomaly } = detail;
  const parts = [
    attemptIndex !== undefined &&
      (method === undefined
        ? text.aboutAttempt(String(attemptIndex + 1))
        : text.attempt(String(attemptIndex + 1), CHECKOUT_TEXTS[language].methodName[method])),
    attemptStatus !== undefined && text.attemptStatus[attemptStatus],
    reason !== undefined && text.failure[reason],
    receipt !== undefined && `${text.receipt}: ${receipt}`,
    providerCode !== undefined && `${text.providerCode}: ${providerCode}`,
    anomaly !== undefined && text.anomalyTitle[anomaly],
    detail.late === true && text.lateTitle,
    ...(detail.refund === undefined ? [] : refundParts(call, intent, detail.refund)),
    detail.operator !== undefined && operatorPart(language, detail),
    detail.proposed === true && text.proposed,
    detail.note,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : shownText(parts.join(' · '));
}

function operatorPart(
  language: Call['language'],
  { operator = '', operatorProved = false }: HistoryDetail,
): string {
  const { actor } = DASHBOARD_TEXTS[language].payment;
  return `${actor.operator}: ${operatorText(language, operator, operatorProved)}`;
}

/** Which refund, how much, and what became of it. */
function refundParts(
  call: Call,
  { refunds, terms }: Intent,
  { id, amountMinor, status, reason, railReference, providerCode, proposed }: RefundDetail,
): readonly (string | false)[] {
  const { refunds: text, payment } = DASHBOARD_TEXTS[call.language];
  const number = refunds.findIndex((refund) => refund.id === id) + 1;
  const reasons: Readonly<Record<string, string>> = { ...text.failure, ...text.action };
  return [
    `${text.one(String(number))}: ${moneyIn(call, terms.currency)(amountMinor)}`,
    text.status[status],
    reason !== undefined && (reasons[reason] ?? reason),
    railReference !== undefined && `${payment.railReference}: ${railReference}`,
    providerCode !== undefined && `${payment.providerCode}: ${providerCode}`,
    proposed === true && text.proposed,
  ];
}
