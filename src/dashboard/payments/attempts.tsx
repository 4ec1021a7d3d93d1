import type { ComponentChildren } from 'preact';
import type { Attempt, AttemptStatus, Intent } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { Badge, type BadgeTone, Facts } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { Untrusted, WhenExactly } from './elements.tsx';

const TONES: Readonly<Record<AttemptStatus, BadgeTone>> = {
  processing: 'wait',
  unresolved: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
};

/** Every try of the customer's, the latest first. */
export function Attempts(props: { readonly call: DashboardCall; readonly intent: Intent }) {
  const { call, intent } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <section class="part" aria-labelledby="attempts">
      <h2 id="attempts">{text.attempts}</h2>
      {intent.attempts.length === 0 && <p class="empty">{text.noAttempts}</p>}
      <div class="cards">
        {intent.attempts
          .map((attempt, index) => (
            <AttemptCard call={call} attempt={attempt} number={String(index + 1)} />
          ))
          .reverse()}
      </div>
    </section>
  );
}

function AttemptCard(props: {
  readonly call: DashboardCall;
  readonly attempt: Attempt;
  readonly number: string;
}) {
  const { call, attempt, number } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const method = CHECKOUT_TEXTS[call.language].methodName[attempt.method];
  const isPending = attempt.status === 'processing' || attempt.status === 'unresolved';
  const when = (label: string, atMs: number | null, isShown = true): Row | null =>
    atMs !== null && isShown ? [label, <WhenExactly call={call} atMs={atMs} />] : null;
  const rows: (Row | null)[] = [
    named(text.reference, attempt.reference),
    named(text.phone, attempt.phone),
    named(text.railReference, attempt.railReference),
    named(text.receipt, attempt.receipt),
    named(text.railWords, attempt.railWords),
    attempt.failureReason === null ? null : [text.reason, text.failure[attempt.failureReason]],
    attempt.handSettlementId === null ? null : [text.byHand, text.byOperator],
    when(text.startedAt, attempt.startedAtMs),
    when(text.updatedAt, attempt.updatedAtMs, attempt.updatedAtMs !== attempt.startedAtMs),
    when(text.windowEndsAt, attempt.deadlineAtMs, isPending),
    when(text.nextCheckAt, attempt.checkAtMs, isPending),
  ];
  return (
    <article class="card">
      <div class="card-head">
        <h3>{text.attempt(number, method)}</h3>
        <Badge tone={TONES[attempt.status]}>{text.attemptStatus[attempt.status]}</Badge>
      </div>
      <Facts rows={rows.filter((row) => row !== null)} />
    </article>
  );
}

type Row = readonly [label: string, value: ComponentChildren];

function named(label: string, value: string | null): Row | null {
  return value === null ? null : [label, <Untrusted text={value} />];
}
