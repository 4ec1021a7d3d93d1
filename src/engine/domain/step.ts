import type { Attempt, FailureReason } from './attempt.ts';
import { ATTEMPTS_MAX, countedAttempts } from './attempt.ts';
import type { Rejection } from './command.ts';
import type { Anomaly, EventType, Intent, IntentStatus } from './intent.ts';
import type { Refund } from './refund.ts';
import { expiryAtMs } from './restored-hold.ts';

/** The parts of a transition: an intent in progress, and the changes that all transitions share. */

export interface Step {
  readonly intent: Intent;
  /** The time of the transition. */
  readonly nowMs: number;
  readonly events: readonly EventType[];
  readonly rejection: Rejection | null;
}

export function start(intent: Intent, nowMs: number): Step {
  return { intent, nowMs, events: [], rejection: null };
}

export function reject(step: Step, rejection: Rejection): Step {
  return { ...step, rejection };
}

export function end(
  step: Step,
  status: Extract<IntentStatus, 'succeeded' | 'failed' | 'expired' | 'canceled'>,
  failureReason: FailureReason | null = null,
): Step {
  const { intent } = step;
  const event = EVENT_OF[status];
  const ended = { ...intent, status, failureReason, endedAtMs: intent.endedAtMs ?? step.nowMs };
  return announce({ ...step, intent: ended }, event);
}

/** Null announces nothing. */
export function announce(step: Step, event: EventType | null): Step {
  return event === null ? step : { ...step, events: [...step.events, event] };
}

const EVENT_OF = {
  succeeded: 'payment_succeeded',
  failed: 'payment_failed',
  expired: 'payment_expired',
  canceled: null,
} as const satisfies Record<string, EventType | null>;

/** The attempt in flight ended unpaid: the intent reopens or fails (docs/decisions.md#30). */
export function reopenOrFail(step: Step, reason: FailureReason): Step {
  const { terms, attempts } = step.intent;
  if (terms.kind === 'express' || countedAttempts(attempts) >= ATTEMPTS_MAX) {
    return end(step, 'failed', reason);
  }
  // An intent that reopens after its time expires in the same commit.
  const reopened = withStatus(step, 'open');
  return step.nowMs >= expiryAtMs(step.intent) ? end(reopened, 'expired') : reopened;
}

export function find(intent: Intent, attemptId: string): Attempt | null {
  return intent.attempts.find((attempt) => attempt.id === attemptId) ?? null;
}

export function withStatus(step: Step, status: IntentStatus): Step {
  return { ...step, intent: { ...step.intent, status } };
}

export function withAttempt(step: Step, changed: Attempt): Step {
  const attempts = step.intent.attempts.map((attempt) =>
    attempt.id === changed.id ? changed : attempt,
  );
  return { ...step, intent: { ...step.intent, attempts } };
}

export function withRefund(step: Step, changed: Refund): Step {
  const refunds = step.intent.refunds.map((refund) =>
    refund.id === changed.id ? changed : refund,
  );
  return { ...step, intent: { ...step.intent, refunds } };
}

export function hasAnomaly(step: Step, kind: Anomaly['kind'], attempt: Attempt): boolean {
  return step.intent.anomalies.some(
    (anomaly) => anomaly.kind === kind && anomaly.attemptId === attempt.id,
  );
}

export function withAnomaly(step: Step, anomaly: Omit<Anomaly, 'atMs'>): Step {
  return withAnomalies(step, [...step.intent.anomalies, { ...anomaly, atMs: step.nowMs }]);
}

export function withAnomalies(step: Step, anomalies: readonly Anomaly[]): Step {
  return { ...step, intent: { ...step.intent, anomalies } };
}
