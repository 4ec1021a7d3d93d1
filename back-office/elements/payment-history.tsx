import type { ComponentChildren } from 'preact';
import type { Attempt, AttemptStatus, Intent, IntentStatus } from '../../src/domain/intent.ts';
import { partyOf } from '../../src/domain/party.ts';
import { phoneText } from '../../src/domain/phone.ts';
import { awaitsProof } from '../../src/domain/time.ts';
import type { HistoryDetail, HistoryEntry, RefundDetail } from '../../src/intent/protocol.ts';
import { useTexts } from '../../src/ui/texts.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  copyFact,
  type FactRow,
  Facts,
  Section,
  Table,
  untrustedRow,
  WhenExactly,
} from '../ui/elements.tsx';
import { shownText } from '../ui/untrusted-text.ts';
import { useOperatorText } from './operator-text.ts';
import { useMoney } from './payment-elements.tsx';

const TONES: Readonly<Record<AttemptStatus, BadgeTone>> = {
  processing: 'wait',
  unresolved: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
};

/** Every attempt, the latest first. */
export function Attempts(props: {
  readonly intent: Intent;
  /** Defaults to true. */
  readonly isPhoneShown?: boolean;
  /** What the reader can do about an attempt. */
  readonly actions?: (attempt: Attempt) => ComponentChildren;
}) {
  const { intent, isPhoneShown = true, actions } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="attempts" title={text.attempts} class="part">
      {intent.attempts.length === 0 && <p class="empty">{text.noAttempts}</p>}
      <div class="cards">
        {intent.attempts
          .map((attempt, index) => (
            <AttemptCard
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
  readonly attempt: Attempt;
  readonly number: string;
  readonly children: ComponentChildren;
}) {
  const { attempt, number } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const method = useTexts(CHECKOUT_TEXTS).methodName[attempt.method];
  const isPending = attempt.status === 'processing' || attempt.status === 'unresolved';
  const when = (label: string, atMs: number | null, isShown = true): FactRow =>
    atMs !== null && isShown ? [label, <WhenExactly atMs={atMs} />] : null;
  return (
    <article class="card">
      <div class="card-head">
        <h3>{text.attempt(number, method)}</h3>
        <Badge tone={TONES[attempt.status]}>{text.attemptStatus[attempt.status]}</Badge>
      </div>
      <Facts
        rows={[
          copyFact(`reference-${number}`, text.reference, attempt.reference),
          untrustedRow(text.phone, attempt.phone && phoneText(attempt.phone)),
          copyFact(`rail-${number}`, text.railReference, attempt.railReference),
          copyFact(`receipt-${number}`, text.receipt, attempt.receipt),
          copyFact(`issuer-${number}`, text.issuerReceipt, attempt.issuerReceipt),
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
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
}) {
  const { intent, history } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="timeline" title={text.timeline} class="part timeline">
      <Table
        caption={text.timeline}
        columns={[text.time, text.what, text.cause, text.details]}
        rows={history.map((entry) => [
          <WhenExactly atMs={entry.atMs} />,
          <Transition entry={entry} />,
          text.actor[entry.detail?.actor ?? partyOf(entry.command, intent.terms.kind)],
          <span class="breaks">
            {useDetailText(intent, entry.detail) ?? <span class="quiet">—</span>}
          </span>,
        ])}
        empty={text.timeline}
      />
    </Section>
  );
}

/** The command, and the new status where it changed. */
function Transition({ entry }: { readonly entry: HistoryEntry }) {
  const { command, fromStatus, toStatus } = entry;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <span>
      {text.command[command]}
      {fromStatus !== toStatus && (
        <strong class="change">
          {fromStatus === null
            ? useStatusText(toStatus)
            : text.became(useStatusText(fromStatus), useStatusText(toStatus))}
        </strong>
      )}
    </span>
  );
}

/** The history keeps text: a status that this release does not know is shown as it is. */
function useStatusText(status: string): string {
  const known = useTexts(DASHBOARD_TEXTS).statuses;
  return Object.hasOwn(known, status) ? known[status as IntentStatus] : status;
}

function useDetailText(intent: Intent, detail: HistoryDetail | null): string | null {
  if (detail === null) {
    return null;
  }
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { attemptIndex, method, attemptStatus, reason, receipt, providerCode, anomaly } = detail;
  const parts = [
    attemptIndex !== undefined &&
      (method === undefined
        ? text.aboutAttempt(String(attemptIndex + 1))
        : text.attempt(String(attemptIndex + 1), useTexts(CHECKOUT_TEXTS).methodName[method])),
    attemptStatus !== undefined && text.attemptStatus[attemptStatus],
    reason !== undefined && text.failure[reason],
    receipt !== undefined && `${text.receipt}: ${receipt}`,
    providerCode !== undefined && `${text.providerCode}: ${providerCode}`,
    anomaly !== undefined && text.anomalyTitle[anomaly],
    detail.late === true && text.lateTitle,
    ...(detail.refund === undefined ? [] : useRefundParts(intent, detail.refund)),
    detail.operator !== undefined && useOperatorPart(detail),
    detail.proposed === true && text.proposed,
    detail.note,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : shownText(parts.join(' · '));
}

function useOperatorPart({ operator = '', operatorProved = false }: HistoryDetail): string {
  const { actor } = useTexts(DASHBOARD_TEXTS).payment;
  return `${actor.operator}: ${useOperatorText(operator, operatorProved)}`;
}

/** Which refund, how much, and what became of it. */
function useRefundParts(
  { refunds, terms }: Intent,
  { id, amountMinor, status, reason, railReference, providerCode, proposed }: RefundDetail,
): readonly (string | false)[] {
  const { refunds: text, payment } = useTexts(DASHBOARD_TEXTS);
  const number = refunds.findIndex((refund) => refund.id === id) + 1;
  const reasons: Readonly<Record<string, string>> = { ...text.failure, ...text.action };
  return [
    `${text.one(String(number))}: ${useMoney(terms.currency)(amountMinor)}`,
    text.status[status],
    reason !== undefined && (reasons[reason] ?? reason),
    railReference !== undefined && `${payment.railReference}: ${railReference}`,
    providerCode !== undefined && `${payment.providerCode}: ${providerCode}`,
    proposed === true && text.proposed,
  ];
}
