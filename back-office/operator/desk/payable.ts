import { chargedMinor, type Intent, reportedAttempt } from '../../../src/domain/intent.ts';

/** What the customer pays or paid, in minor units; without commission while the method is open. */
export function payableMinor(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  const { terms } = intent;
  return attempt === null ? terms.amountMinor : chargedMinor(terms, attempt.method);
}
