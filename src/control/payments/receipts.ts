import type { Intent, OtherPayment } from '../../engine/domain/intent.ts';
import { isReceiptOf, receiptsOf } from '../../engine/domain/receipt.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { reportConflictsOf } from '../../engine/intent/receipt-conflicts.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { holdersOfReceipts } from '../../lists/receipt-index/client.ts';
import type { ReceiptHolder } from '../../lists/receipt-index/open-index.ts';

/**
 * A receipt counts for one payment of all merchants of an environment (docs/decisions.md#44). Within a
 * merchant its book compares receipts with each change. Over merchants only a receipt that an operator
 * records by hand is compared, by the index of receipts: before the payment takes it, after that, and
 * daily for a while, because a provider may report the receipt for another payment later.
 */

/** How many other payments with the same receipt are read. */
const OTHERS_MAX = 10;

/** The daily run compares receipts that were recorded since. */
const COMPARED_MS = 30 * 24 * 60 * 60 * 1_000;
/** More in one environment and time are compared by the next run. */
const COMPARED_MAX = 1_000;

/**
 * Another payment that has this receipt, of any merchant of the environment, or null. Stores first
 * that the payment is about to have it: of two payments at the same moment, the later one sees the
 * other, and the daily run compares it even if this process dies. Throws Unavailable when D1, the index
 * or a payment's object does not answer.
 */
export async function otherPaymentWithReceipt(
  env: Env,
  { environment, merchantId, uniqueId }: Intent['terms'],
  receipt: string,
  nowMs: number,
): Promise<OtherPayment | null> {
  const keys = await receiptKeys(env, environment, receipt);
  const insert = {
    sql: `INSERT INTO manual_receipts (environment, key, merchant_id, unique_id, recorded_at_ms)
      SELECT ?1, value, ?2, ?3, ?4 FROM json_each(?5) WHERE true
      ON CONFLICT DO UPDATE SET recorded_at_ms = ?4`,
    params: [environment, merchantId, uniqueId, nowMs, JSON.stringify(keys)],
  };
  await readInTime(() => prepare(env.DB, insert).run());
  const found = others(await holdersOf(env, environment, keys), { merchantId, uniqueId });
  const payments = await Promise.all(
    found.map(async (other) => {
      const client = await intentByUniqueId(env, { environment, ...other }, other.uniqueId);
      return client.read();
    }),
  );
  // A row may be older than its payment: the provider may have named another receipt since.
  const index = payments.findIndex((intent) =>
    intent?.attempts.some((attempt) => isReceiptOf(receipt, attempt)),
  );
  return found[index] ?? null;
}

/** Compares the receipts of a payment that was recorded by hand with all others. */
export async function compareReceipts(env: Env, { attempts, terms }: Intent): Promise<void> {
  const { environment, merchantId, uniqueId } = terms;
  const receipts = attempts.flatMap(receiptsOf);
  const keys = await Promise.all(receipts.map((receipt) => receiptKeys(env, environment, receipt)));
  const holders = await holdersOf(env, environment, keys.flat());
  await reportConflictsOf(env, { environment, merchantId, uniqueId }, others(holders, terms));
}

/** The daily comparison. A conflict is recorded on both payments, once. */
export async function compareManualReceipts(env: Env, nowMs: number): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const sql = `SELECT key, merchant_id AS merchantId, unique_id AS uniqueId FROM manual_receipts
      WHERE environment = ? AND recorded_at_ms > ? ORDER BY recorded_at_ms DESC LIMIT ?`;
    const params = [environment, nowMs - COMPARED_MS, COMPARED_MAX];
    const { results } = await prepare(env.DB, { sql, params }).all<ReceiptHolder>();
    const holders = await holdersOf(env, environment, [...new Set(results.map(({ key }) => key))]);
    for (const recorded of results) {
      const found = holders.filter(({ key }) => key === recorded.key);
      await reportConflictsOf(env, { environment, ...recorded }, others(found, recorded));
    }
  }
}

/** The payments with one of these keys, as the index and the operators' recordings have them. */
async function holdersOf(
  env: Env,
  environment: Environment,
  keys: readonly string[],
): Promise<readonly ReceiptHolder[]> {
  if (keys.length === 0) {
    return [];
  }
  const sql = `SELECT key, merchant_id AS merchantId, unique_id AS uniqueId FROM manual_receipts
    WHERE environment = ? AND key IN (SELECT value FROM json_each(?))`;
  const statement = { sql, params: [environment, JSON.stringify(keys)] };
  const recorded = await readInTime(() => prepare(env.DB, statement).all<ReceiptHolder>());
  return [...recorded.results, ...(await holdersOfReceipts(env, environment, keys))];
}

/** Whether a payment of any merchant has the receipt. Throws ObjectUnavailable. */
export async function isReceiptKnown(
  env: Env,
  environment: Environment,
  receipt: string,
): Promise<boolean> {
  const keys = await receiptKeys(env, environment, receipt);
  return (await holdersOfReceipts(env, environment, keys)).length > 0;
}

/** Each payment once, without the one that is compared. */
function others(holders: readonly ReceiptHolder[], own: OtherPayment): readonly OtherPayment[] {
  const nameOf = ({ merchantId, uniqueId }: OtherPayment) => `${merchantId}/${uniqueId}`;
  const found = new Map(holders.map(({ key: _, ...payment }) => [nameOf(payment), payment]));
  found.delete(nameOf(own));
  return [...found.values()].slice(0, OTHERS_MAX);
}
