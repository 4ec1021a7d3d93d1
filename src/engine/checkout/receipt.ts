import type { Attempt } from '../domain/attempt.ts';
import type { Intent } from '../domain/intent.ts';
import { maskedPhone } from '../domain/phone.ts';
import { isReceiptOf, receiptsOf } from '../domain/receipt.ts';
import type { Refund, RefundStatus } from '../domain/refund.ts';
import { sumOf } from '../domain/refund-amounts.ts';
import { RECEIPT_LIFETIME_MS } from '../domain/schedule.ts';
import { chargedMinor } from '../domain/terms.ts';

/** What the receipt of a paid payment says. */
export type Receipt = Readonly<ReturnType<typeof receiptOf>>;

/** A canceled refund never left the merchant, so the customer need not know of it. */
const SHOWN: Readonly<Record<RefundStatus, 'underway' | 'returned' | 'failed' | null>> = {
  pending: 'underway',
  processing: 'underway',
  unresolved: 'underway',
  requires_action: 'underway',
  succeeded: 'returned',
  failed: 'failed',
  canceled: null,
};

/** The receipt of a payment that `attempt` paid. */
export function receiptOf(intent: Intent, attempt: Attempt) {
  const { terms, attempts, refunds } = intent;
  const ownChargeMinor = chargedMinor(terms, attempt.method);
  // A customer may have paid by two attempts, and either can be refunded. If both have one receipt,
  // the customer may have paid only once.
  const others = attempts.filter(
    (other) =>
      other.id !== attempt.id &&
      other.status === 'succeeded' &&
      !receiptsOf(other).some((receipt) => isReceiptOf(receipt, attempt)),
  );
  const paidMinor = others.reduce(
    (sum, other) => sum + chargedMinor(terms, other.method),
    ownChargeMinor,
  );
  const { returnedMinor } = sumOf(refunds.filter(({ status }) => status === 'succeeded'));
  const netMinor = Math.max(0, paidMinor - returnedMinor);
  return {
    method: attempt.method,
    /** The number that paid; null where the provider asks for it on its own page. */
    phone: attempt.phone === null ? null : maskedPhone(attempt.phone),
    paidAtMs: attempt.updatedAtMs,
    paidMinor,
    /** What the customer has paid, less what was returned. Money on its way is not returned yet. */
    netMinor,
    hasPaidTwice: others.length > 0 && netMinor > ownChargeMinor,
    refunds: refunds.flatMap(shownRefund),
    /** Null: the merchant has set none, or the payment is older than the setting. */
    business: terms.business ?? null,
    openUntilMs: attempt.updatedAtMs + RECEIPT_LIFETIME_MS,
  };
}

function shownRefund({ status, returnedMinor, updatedAtMs }: Refund) {
  const shown = SHOWN[status];
  return shown === null ? [] : [{ shown, returnedMinor, atMs: updatedAtMs }];
}
