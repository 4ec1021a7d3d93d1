import type { Intent, OtherPayment } from '../../engine/domain/intent.ts';
import { isReceiptOf, receiptsOf } from '../../engine/domain/receipt.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { reportConflictsOf } from '../../engine/intent/receipt-conflicts.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { Unavailable } from '../../kit/platform/unavailable.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { holdersOfReceipts, SHARDS } from '../../lists/receipt-index/client.ts';
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

interface ComparisonLimits {
  /** Receipts of a page. */
  readonly rows: number;
  /** Calls of objects, apart from retries. */
  readonly calls: number;
}

/**
 * Of one environment in a daily run. A Worker may make a thousand calls, of which the run's self-check
 * takes 220 and its erasures 600.
 */
const LIMITS: ComparisonLimits = { rows: 1_000, calls: 80 };

interface Recorded extends ReceiptHolder {
  readonly recordedAtMs: number;
}

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

/**
 * The daily comparison of an environment. A conflict is recorded on both payments, once. A payment whose
 * object is out of reach keeps no other from being compared. Throws Unavailable in the end if there was one.
 */
export async function compareManualReceipts(
  env: Env,
  environment: Environment,
  nowMs: number,
  limits = LIMITS,
): Promise<void> {
  const failed = await compareSince(env, environment, nowMs - COMPARED_MS, limits);
  if (failed > 0) {
    throw new Unavailable(`receipts that were not compared: ${failed}`);
  }
}

/** Returns how many comparisons failed. */
async function compareSince(
  env: Env,
  environment: Environment,
  sinceMs: number,
  { rows, calls }: ComparisonLimits,
): Promise<number> {
  let callsLeft = calls;
  let failed = 0;
  for await (const page of recordedSince(env, environment, sinceMs, rows)) {
    const keys = page.map(({ key }) => key);
    const holders = Map.groupBy(await holdersOf(env, environment, keys), ({ key }) => key);
    callsLeft -= SHARDS;
    for (const recorded of page) {
      if (callsLeft <= 0) {
        const { recordedAtMs: fromMs } = recorded;
        log('warn', 'comparison_stopped', { environment, fromMs });
        return failed;
      }
      const found = others(holders.get(recorded.key) ?? [], recorded);
      // Most receipts have one payment, which is not asked.
      if (found.length > 0) {
        // Each payment is read, and may get a command.
        callsLeft -= 2 * (1 + found.length);
        failed += (await isCompared(env, { environment, ...recorded }, found)) ? 0 : 1;
      }
    }
  }
  return failed;
}

/**
 * Pages of the receipts that were recorded since. The oldest come first, because a later run does not
 * compare them any more.
 */
async function* recordedSince(
  env: Env,
  environment: Environment,
  sinceMs: number,
  rows: number,
): AsyncGenerator<readonly Recorded[]> {
  const sql = `SELECT recorded_at_ms AS recordedAtMs, key, merchant_id AS merchantId,
      unique_id AS uniqueId FROM manual_receipts
    WHERE environment = ?1 AND (recorded_at_ms, key, merchant_id, unique_id) > (?2, ?3, ?4, ?5)
    ORDER BY recorded_at_ms, key, merchant_id, unique_id LIMIT ?6`;
  let last: Recorded = { recordedAtMs: sinceMs, key: '', merchantId: '', uniqueId: '' };
  for (;;) {
    const params = [environment, last.recordedAtMs, last.key, last.merchantId, last.uniqueId, rows];
    const { results } = await prepare(env.DB, { sql, params }).all<Recorded>();
    yield results;
    const next = results.at(-1);
    if (next === undefined || results.length < rows) {
      return;
    }
    last = next;
  }
}

async function isCompared(
  env: Env,
  payment: Tenant & OtherPayment,
  found: readonly OtherPayment[],
): Promise<boolean> {
  try {
    await reportConflictsOf(env, payment, found);
    return true;
  } catch (error) {
    const objectName = await objectNameOf(payment);
    log('warn', 'receipts_not_compared', { objectName, error: errorText(error) });
    return false;
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
