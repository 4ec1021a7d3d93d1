import {
  attemptInFlight,
  hasEnded,
  type Intent,
  reportedAttempt,
} from '../../../src/engine/domain/intent.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import {
  keptMinor,
  netSharesMinor,
  refundedOf,
} from '../../../src/engine/domain/refund-amounts.ts';
import { chargedMinor, commissionOf } from '../../../src/engine/domain/terms.ts';

/** What customer and merchant pay and receive, in minor units. Pure. */
export interface Amounts {
  readonly amountMinor: number;
  /** `unpaid` payments have ended; `payable` ones have not. */
  readonly stage: 'paid' | 'payable' | 'unpaid';
  /** What the customer pays or paid. Null while it depends on the method, and when unpaid. */
  readonly chargedMinor: number | null;
  readonly commissionMinor: number | null;
  readonly isCommissionPaidByCustomer: boolean;
  /** What the merchant receives, splits included. Null as above. */
  readonly netMinor: number | null;
  /** The part that goes to other beneficiaries, reduced by refunds. */
  readonly sharesMinor: number;
  /** What was returned of it, without commission. */
  readonly refundedMinor: number;
  /** What the merchant keeps of `netMinor` after refunds, splits included. Null as above. */
  readonly keptMinor: number | null;
}

export function amountsOf(intent: Intent): Amounts {
  const { terms, status } = intent;
  const isPaid = status === 'succeeded';
  const isUnpaid = hasEnded(status) && !isPaid;
  const method = isPaid ? reportedAttempt(intent)?.method : attemptInFlight(intent)?.method;
  const candidates = isUnpaid ? [] : methodsOf(intent, method);
  const commissions = new Set(candidates.map((one) => commissionOf(terms, one)));
  const [first] = candidates;
  const isKnown = first !== undefined && commissions.size === 1;
  const charged = isKnown ? chargedMinor(terms, first) : null;
  const commission = isKnown ? commissionOf(terms, first) : null;
  const netMinor = charged === null || commission === null ? null : charged - commission;
  const refunded = refundedOf(intent);
  return {
    amountMinor: terms.amountMinor,
    stage: isPaid ? 'paid' : isUnpaid ? 'unpaid' : 'payable',
    // If the merchant pays the commission, the customer pays the same amount with any method.
    chargedMinor: !isUnpaid && !terms.commissionPaidByCustomer ? terms.amountMinor : charged,
    commissionMinor: commission,
    isCommissionPaidByCustomer: terms.commissionPaidByCustomer,
    netMinor,
    sharesMinor: netSharesMinor(intent).reduce((sum, shareMinor) => sum + shareMinor, 0),
    refundedMinor: refunded.amountMinor,
    keptMinor: isKnown ? keptMinor(terms, first, refunded) : null,
  };
}

function methodsOf({ terms }: Intent, chosen: Method | undefined): readonly Method[] {
  return chosen === undefined ? terms.methods.map(({ method }) => method) : [chosen];
}
