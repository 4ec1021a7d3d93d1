import { type Intent, reportedAttempt } from '../../engine/domain/intent.ts';
import { chargedMinor } from '../../engine/domain/terms.ts';
import { needsPersonFromMs } from '../../engine/domain/time.ts';
import type { AboutPayment } from '../../lists/book/attention-items.ts';
import type { Needs } from '../../lists/book/attention-reasons.ts';

export { type Needs, reasonsOf } from '../../lists/book/attention-reasons.ts';

export function needsOf({ attempts, anomalies, late }: Intent, nowMs: number): Needs {
  const needsPerson = (attempt: Intent['attempts'][number]) =>
    attempt.status === 'unresolved' && needsPersonFromMs(attempt) <= nowMs;
  return {
    unresolvedAttempts: attempts.filter(needsPerson).length,
    anomalies: anomalies.length,
    proposedAttempts: attempts.filter(({ proposal }) => proposal !== null).length,
    late,
  };
}

/** What the customer pays or paid, in minor units; without commission while the method is open. */
export function payableMinor(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  const { terms } = intent;
  return attempt === null ? terms.amountMinor : chargedMinor(terms, attempt.method);
}

/** What lists show of a payment that its object has answered with. */
export function aboutOf(intent: Intent): AboutPayment {
  const { kind, currency } = intent.terms;
  const attempt = reportedAttempt(intent);
  return {
    ...{ kind, currency, method: attempt?.method ?? null, amountMinor: payableMinor(intent) },
    transactionIds: attempt === null ? [] : [attempt.reference],
  };
}
