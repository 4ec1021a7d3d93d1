import type { ComponentChildren } from 'preact';
import type { Attempt, AttemptStatus } from '../../src/engine/domain/attempt.ts';
import type { Intent, IntentStatus } from '../../src/engine/domain/intent.ts';
import { partyOf } from '../../src/engine/domain/party.ts';
import { phoneText } from '../../src/engine/domain/phone.ts';
import type { MerchantRequester } from '../../src/engine/domain/refund.ts';
import { awaitsProof } from '../../src/engine/domain/time.ts';
import type {
  HistoryDetail,
  HistoryEntry,
  RefundDetail,
} from '../../src/engine/intent/protocol.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  copyFact,
  type FactRow,
  Facts,
  Section,
  TechnicalDetails,
  untrustedRow,
  WhenExactly,
} from '../ui/elements.tsx';
import { Timeline as Steps, type TimelineItem } from '../ui/layout.tsx';
import { shownText } from '../ui/untrusted-text.ts';
import { useOperatorText } from './operator-text.ts';
import { isLeft, useMoney } from './payment-elements.tsx';

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
  /** Whether details for developers are folded. */
  readonly isFolded?: boolean;
  /** What the reader can do about an attempt. */
  readonly actions?: (attempt: Attempt) => ComponentChildren;
}) {
  const { intent, isPhoneShown = true, isFolded = false, actions } = props;
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
              isFolded={isFolded}
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
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}) {
  const { attempt, number, isFolded } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const method = useTexts(CHECKOUT_TEXTS).methodName[attempt.method];
  const isPending = attempt.status === 'processing' || attempt.status === 'unresolved';
  const when = (label: string, atMs: number | null, isShown = true): FactRow =>
    atMs !== null && isShown ? [label, <WhenExactly atMs={atMs} />] : null;
  const details = (
    <Facts
      rows={[
        copyFact(`reference-${number}`, text.reference, attempt.reference),
        untrustedRow(text.phone, attempt.phone && phoneText(attempt.phone)),
        copyFact(`receipt-${number}`, text.receipt, attempt.receipt),
        copyFact(`rail-${number}`, text.railReference, attempt.railReference),
        copyFact(`issuer-${number}`, text.issuerReceipt, attempt.issuerReceipt),
        untrustedRow(text.providerCode, attempt.providerCode),
        when(text.startedAt, attempt.startedAtMs),
        when(text.updatedAt, attempt.updatedAtMs, attempt.updatedAtMs !== attempt.startedAtMs),
      ]}
    />
  );
  return (
    <article class="card">
      <div class="card-head">
        <h3>{text.attempt(number, method)}</h3>
        <AttemptBadge attempt={attempt} />
      </div>
      <Facts
        rows={[
          attempt.failureReason === null
            ? null
            : [text.reason, text.failure[attempt.failureReason]],
          attempt.manualResolutionId === null ? null : [text.byHand, byHandText(text, attempt)],
          when(text.windowEndsAt, attempt.deadlineAtMs, isPending),
          when(text.nextCheckAt, attempt.checkAtMs, isPending),
        ]}
      />
      {isFolded ? <TechnicalDetails>{details}</TechnicalDetails> : details}
      {props.children}
    </article>
  );
}

function AttemptBadge(props: { readonly attempt: Pick<Attempt, 'status' | 'failureReason'> }) {
  const { status, failureReason } = props.attempt;
  const { payment, payments } = useTexts(DASHBOARD_TEXTS);
  return isLeft(status, failureReason) ? (
    <Badge tone="plain">{payments.left}</Badge>
  ) : (
    <Badge tone={TONES[status]}>{payment.attemptStatus[status]}</Badge>
  );
}

/** Whether a provider has confirmed what an operator recorded. */
function byHandText(
  { byOperator, unproved }: DashboardMessages['payment'],
  attempt: Attempt,
): string {
  return awaitsProof(attempt) ? `${byOperator} · ${unproved}` : byOperator;
}

/** Every transition, oldest first: what, who caused it, the details, and when. */
export function Timeline(props: {
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  /** Of members and API keys, by their ids. */
  readonly names?: ReadonlyMap<string, string>;
}) {
  const { intent, history, names = new Map() } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="timeline" title={text.timeline}>
      <Steps items={history.map((entry) => useItem(intent, entry, names))} />
    </Section>
  );
}

function useItem(
  intent: Intent,
  entry: HistoryEntry,
  names: ReadonlyMap<string, string>,
): TimelineItem {
  const { command, detail, atMs } = entry;
  const { actor } = useTexts(DASHBOARD_TEXTS).payment;
  const details = useDetailText(intent, detail, names);
  const status = detail?.attemptStatus;
  return {
    title: <Transition entry={entry} />,
    details: details && <span class="breaks">{details}</span>,
    time: (
      <>
        {actor[detail?.actor ?? partyOf(command, intent.terms.kind)]} · <WhenExactly atMs={atMs} />
      </>
    ),
    tone: status && !isLeft(status, detail?.reason) ? TONES[status] : 'plain',
  };
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

function useDetailText(
  intent: Intent,
  detail: HistoryDetail | null,
  names: ReadonlyMap<string, string>,
): string | null {
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
    detail.requester !== undefined && useRequesterText(detail.requester, names),
    detail.operator !== undefined && useOperatorPart(detail),
    detail.proposed === true && text.proposed,
    detail.note,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : shownText(parts.join(' · '));
}

/** The member or API key, without a name if it is unknown. */
export function useRequesterText(
  by: MerchantRequester,
  names: ReadonlyMap<string, string>,
): string {
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const name = names.get(by.type === 'member' ? by.memberId : by.keyId);
  if (name === undefined) {
    return text.requester[by.type];
  }
  return by.type === 'member' ? name : text.requesterKey(name);
}

function useOperatorPart(detail: HistoryDetail): string {
  const { operator = '', operatorProved = false, operatorProvedBy } = detail;
  const { actor } = useTexts(DASHBOARD_TEXTS).payment;
  return `${actor.operator}: ${useOperatorText(operator, operatorProved, operatorProvedBy)}`;
}

/** Which refund, how much, and its outcome. */
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
