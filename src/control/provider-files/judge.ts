import type { IntentStatus } from '../../engine/domain/intent.ts';
import type { Method } from '../../engine/domain/method.ts';
import { type CommissionRate, commissionMinor } from '../../engine/domain/money.ts';
import type { Currency } from '../../kit/money.ts';
import type { FileLine } from './lines.ts';

/** What a line of a provider's file is, beside what Kefel knows. A finding, never a proof. Pure. */

/** `missing` is a paid payment without a line. */
export const OUTCOMES = [
  'matched',
  'refund',
  'refund_differs',
  'amount_differs',
  'fee_differs',
  'double',
  'not_paid',
  'not_ours',
  'missing',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The provider has taken the money of these payments, even if something else differs. */
export const ARRIVED: readonly Outcome[] = ['matched', 'amount_differs', 'fee_differs'];
/** These need no person. */
export const SETTLED: readonly Outcome[] = ['matched', 'refund'];

/** What a merchant's book has of a payment. */
export interface PaymentFacts {
  readonly merchantId: string;
  readonly uniqueId: string;
  readonly status: IntentStatus;
  readonly method: Method | null;
  readonly currency: Currency;
  /** What the customer paid: the commission too, where the customer bears it. */
  readonly chargedMinor: number;
  readonly transactionId: string | null;
  readonly paidAtMs: number | null;
  /** What customers got back by each refund that succeeded. */
  readonly returnedMinor: readonly number[];
}

export interface Judged {
  readonly outcome: Outcome;
  readonly payment: PaymentFacts | null;
  /** What the line should say: the amount, or the fee; null where nothing differs. */
  readonly expectedMinor: number | null;
}

export interface Known {
  readonly method: Method;
  /** The payments that the line may be about. */
  readonly payments: readonly PaymentFacts[];
  /** The amounts of the other lines about each of them, of the same type. */
  readonly othersOf: (payment: PaymentFacts) => readonly number[];
  /** What the provider takes by contract; null: unknown. */
  readonly fee: CommissionRate | null;
}

export function judge(line: FileLine, known: Known): Judged {
  const [payment, second] = known.payments;
  if (payment === undefined) {
    return { outcome: 'not_ours', payment: null, expectedMinor: null };
  }
  if (second !== undefined) {
    return { outcome: 'double', payment, expectedMinor: null };
  }
  return line.type === 'refund'
    ? judgeRefund(line, payment, known)
    : judgePayment(line, payment, known);
}

function judgePayment(line: FileLine, payment: PaymentFacts, known: Known): Judged {
  if (payment.status !== 'succeeded') {
    return { outcome: 'not_paid', payment, expectedMinor: null };
  }
  // Paid by another method as well: the provider reported this one too late, or never.
  if (payment.method !== known.method || known.othersOf(payment).length > 0) {
    return { outcome: 'double', payment, expectedMinor: null };
  }
  if (line.currency !== payment.currency || line.amountMinor !== payment.chargedMinor) {
    return { outcome: 'amount_differs', payment, expectedMinor: payment.chargedMinor };
  }
  const feeMinor = expectedFeeMinor(line, known.fee);
  return feeMinor === null
    ? { outcome: 'matched', payment, expectedMinor: null }
    : { outcome: 'fee_differs', payment, expectedMinor: feeMinor };
}

/** By the contract, else as the file names it. Null: nothing differs. */
function expectedFeeMinor(line: FileLine, fee: CommissionRate | null): number | null {
  const feeMinor = fee === null ? line.feeMinor : commissionMinor(line.amountMinor, fee);
  const takenMinor = line.netMinor === null ? null : line.amountMinor - line.netMinor;
  const isOther = (named: number | null) => named !== null && named !== feeMinor;
  return isOther(line.feeMinor) || isOther(takenMinor) ? feeMinor : null;
}

/** Each refund of Kefel explains one line of its amount. */
function judgeRefund(line: FileLine, payment: PaymentFacts, { othersOf }: Known): Judged {
  const isSame = (amountMinor: number) => amountMinor === line.amountMinor;
  const refunds = line.currency === payment.currency ? payment.returnedMinor.filter(isSame) : [];
  if (refunds.length === 0) {
    return { outcome: 'refund_differs', payment, expectedMinor: payment.returnedMinor[0] ?? 0 };
  }
  const isDouble = othersOf(payment).filter(isSame).length >= refunds.length;
  return { outcome: isDouble ? 'double' : 'refund', payment, expectedMinor: null };
}
