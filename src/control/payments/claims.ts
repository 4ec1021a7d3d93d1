import type { Intent } from '../../engine/domain/intent.ts';
import { isReceiptOf } from '../../engine/domain/receipt.ts';
import { claimSearchKey } from '../../engine/domain/search-key.ts';
import { isPending } from '../../engine/domain/time.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { paymentsWithId } from './search.ts';

/** What a customer claims of an attempt, and who else has that number. */
export interface Claim {
  readonly attemptId: string;
  readonly receipt: string;
  /** Other payments of the environment, of all merchants. Null: a book or D1 does not answer. */
  readonly others: readonly ClaimedElsewhere[] | null;
}

/** A payment that has the number as a receipt, or whose customer claims it, too. */
export interface ClaimedElsewhere {
  readonly merchantId: string;
  readonly uniqueId: string;
  readonly isReceipt: boolean;
}

/** More would not help the operator; bounds the page. */
const OTHERS_MAX = 10;

/**
 * The claims about attempts without an outcome, each compared with the books of all merchants, because
 * anyone can type the number of another customer's receipt.
 */
export function claimsOf(env: Env, intent: Intent): Promise<Claim[]> {
  const claims = intent.attempts
    .filter(isPending)
    .flatMap(({ id, claimedReceipts = [] }) =>
      claimedReceipts.map((receipt) => ({ attemptId: id, receipt })),
    );
  return Promise.all(
    claims.map(async (claim) => ({
      ...claim,
      others: await othersWith(env, intent, claim.receipt),
    })),
  );
}

async function othersWith(env: Env, intent: Intent, receipt: string): Promise<Claim['others']> {
  const { environment, uuid, merchantId, uniqueId } = intent.terms;
  try {
    const keys = await receiptKeys(env, environment, receipt);
    const claimed = keys.map(claimSearchKey);
    const { found } = await paymentsWithId(env, [environment], receipt);
    const others = found
      .filter((row) => row.uuid !== uuid)
      .map((row) => ({
        merchantId: row.merchantId,
        uniqueId: row.uniqueId,
        isReceipt: keys.some((key) => row.keys.includes(key)),
        isClaim: claimed.some((key) => row.keys.includes(key)),
      }))
      .filter(({ isReceipt, isClaim }) => isReceipt || isClaim)
      .map(({ isClaim: _, ...other }) => other);
    // Another attempt of this payment may have been paid by it.
    const own = intent.attempts.some((attempt) => isReceiptOf(receipt, attempt))
      ? [{ merchantId, uniqueId, isReceipt: true }]
      : [];
    return [...own, ...others].slice(0, OTHERS_MAX);
  } catch (error) {
    log('warn', 'claim_not_compared', { uuid, error: errorText(error) });
    return null;
  }
}
