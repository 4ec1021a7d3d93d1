import type { Kept } from '../../engine/domain/erasure.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare, runBatch, type SqlStatement } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { Unavailable } from '../../kit/platform/unavailable.ts';
import { PAYMENT_SECTIONS } from '../../lists/book/attention.ts';
import { bookOf } from '../../lists/book/client.ts';
import { eraseFromBackup } from '../../recovery/payments/erase.ts';
import { markErased, postpone, type RequestedPayment } from './requests.ts';

/**
 * Erases payments on their customer's request. The order lets a crash anywhere be repeated: the
 * payment's object first, because it decides; the backups and D1's rows after it, because it might
 * write them again; the merchant's book last, because a search finds the payment by it.
 */

export interface Erased {
  readonly erased: number;
  /** Kept for a reason, or failed. A later run continues with them. */
  readonly kept: number;
  readonly failed: number;
}

/** Never throws because of a payment: one that fails is due again tomorrow. */
export async function erasePayments(
  env: Env,
  payments: readonly RequestedPayment[],
  nowMs: number,
): Promise<Erased> {
  const counts = { erased: 0, kept: 0, failed: 0 };
  const waiting = await needingOperator(env, payments);
  for (const outcome of await concurrently(payments, async (payment) => {
    try {
      const kept = waiting.has(payment.uuid)
        ? ({ reason: 'needs_attention', untilMs: null } as const)
        : await erasePayment(env, payment);
      const statements =
        kept === null ? markErased(payment, nowMs) : [postpone(payment, kept, nowMs)];
      await runBatch(env.DB, statements);
      return kept === null ? 'erased' : 'kept';
    } catch (error) {
      const objectName = await objectNameOf({ ...payment.tenant, uniqueId: payment.uniqueId });
      log('warn', 'erasure_failed', { objectName, error: errorText(error) });
      await runBatch(env.DB, [postpone(payment, null, nowMs)]).catch(() => undefined);
      return 'failed';
    }
  })) {
    counts[outcome] += 1;
  }
  return counts;
}

/** Why the payment is kept; null: nothing of the customer is left. */
async function erasePayment(env: Env, payment: RequestedPayment): Promise<Kept | null> {
  const { tenant, volume, id, uniqueId, refundAgeDaysMax } = payment;
  const client = await intentByUniqueId(env, tenant, uniqueId);
  const result = await client.erase({ refundAgeDaysMax });
  if (result.type === 'kept') {
    return result;
  }
  await eraseFromBackup(env, tenant, { volume, id, uniqueId });
  await runBatch(env.DB, remains(payment, client.objectName));
  if (!(await bookOf(env, tenant, volume).erase(id, uniqueId))) {
    throw new Unavailable('the index of receipts is out of reach');
  }
  return null;
}

/** What D1 has about a payment. Its items of the attention list hold no personal data. */
function remains(
  { tenant, uniqueId, uuid }: RequestedPayment,
  objectName: string,
): readonly SqlStatement[] {
  return [
    { sql: 'DELETE FROM dead_letters WHERE object_name = ?1', params: [objectName] },
    {
      sql: `DELETE FROM manual_receipts
        WHERE environment = ?1 AND merchant_id = ?2 AND unique_id = ?3`,
      params: [tenant.environment, tenant.merchantId, uniqueId],
    },
    { sql: "UPDATE payment_reviews SET note = '…' WHERE uuid = ?1", params: [uuid] },
  ];
}

/**
 * The uuids of payments whose money the operator has not looked at, or whose provider's report waits
 * as a dead letter: an erased payment could not be settled any more.
 */
async function needingOperator(
  env: Env,
  payments: readonly RequestedPayment[],
): Promise<ReadonlySet<string>> {
  const asked = await Promise.all(
    payments.map(async ({ tenant, uniqueId, uuid }) => ({
      uuid,
      objectName: await objectNameOf({ ...tenant, uniqueId }),
    })),
  );
  const sql = `SELECT value ->> 'uuid' AS uuid FROM json_each(?1)
    WHERE EXISTS (SELECT 1 FROM attention_item INDEXED BY attention_item_by_payment
        WHERE payment_uuid = value ->> 'uuid' AND section IN (${PAYMENT_SECTIONS}))
      OR EXISTS (SELECT 1 FROM dead_letters INDEXED BY dead_letters_by_object
        WHERE object_name = value ->> 'objectName' AND status = 'waiting'
          AND kind IN ('result', 'unknown'))`;
  const statement = { sql, params: [JSON.stringify(asked)] };
  const { results } = await prepare(env.DB, statement).all<{ uuid: string }>();
  return new Set(results.map(({ uuid }) => uuid));
}
