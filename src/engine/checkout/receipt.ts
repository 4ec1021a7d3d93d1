import type { Attempt } from '../domain/attempt.ts';
import type { Intent } from '../domain/intent.ts';
import { phoneEndText } from '../domain/phone.ts';
import { isReceiptOf, isSameReceipt, receiptsOf } from '../domain/receipt.ts';
import type { Refund, RefundStatus } from '../domain/refund.ts';
import { sumOf } from '../domain/refund-amounts.ts';
import { RECEIPT_LIFETIME_MS } from '../domain/schedule.ts';
import { chargedMinor, type IntentTerms } from '../domain/terms.ts';

/** What the receipt of a paid payment says. */
export type Receipt = Readonly<ReturnType<typeof receiptOf>>;

export type PaymentOnReceipt = Readonly<ReturnType<typeof paymentOf>>;

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
  // A customer may have paid by two attempts, and either can be refunded. If both have one receipt,
  // the customer may have paid only once.
  const others = attempts.filter(
    (other) =>
      other.id !== attempt.id &&
      other.status === 'succeeded' &&
      !receiptsOf(other).some((receipt) => isReceiptOf(receipt, attempt)),
  );
  const payments = [attempt, ...others].map((paid) => paymentOf(terms, paid));
  const paidMinor = payments.reduce((sum, payment) => sum + payment.chargedMinor, 0);
  const { returnedMinor } = sumOf(refunds.filter(({ status }) => status === 'succeeded'));
  const netMinor = Math.max(0, paidMinor - returnedMinor);
  return {
    /** One, or each of several payments by which the customer paid more than once. */
    payments,
    paidMinor,
    /** What the customer has paid, less what was returned. Money on its way is not returned yet. */
    netMinor,
    hasPaidTwice: others.length > 0 && netMinor > chargedMinor(terms, attempt.method),
    refunds: refunds.flatMap(shownRefund),
    /** Null: the merchant has set none, or the payment is older than the setting. */
    business: terms.business ?? null,
    openUntilMs: attempt.updatedAtMs + RECEIPT_LIFETIME_MS,
  };
}

function paymentOf(terms: IntentTerms, attempt: Attempt) {
  const { method, phone, receipt, issuerReceipt, updatedAtMs } = attempt;
  return {
    method,
    /** The number that paid; null where the provider asks for it on its own page. */
    phone: phone === null ? null : phoneEndText(phone),
    paidAtMs: updatedAtMs,
    chargedMinor: chargedMinor(terms, method),
    /** As the provider's message to the customer names it; null where it has named none. */
    receipt,
    /** As the customer's wallet or bank names it, if that is another one. */
    walletReceipt: isSameReceipt(issuerReceipt ?? '', receipt) ? null : issuerReceipt,
  };
}

function shownRefund({ status, returnedMinor, updatedAtMs }: Refund) {
  const shown = SHOWN[status];
  return shown === null ? [] : [{ shown, returnedMinor, atMs: updatedAtMs }];
}
