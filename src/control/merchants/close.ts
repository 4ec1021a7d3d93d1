import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { runAudited } from '../../kit/audit/log.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { action, entryBy } from '../operator/call.ts';
import { lineField, REASON_CHARACTERS_MAX } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';
import { WHOLE_EXPORT } from './export-payments.ts';
import { knownMerchant } from './merchant-rows.ts';

/**
 * Closes a suspended merchant, which cannot be undone: its keys and endpoints end. The back office then
 * removes its members. Payments stay for their time: open ones end as they would, and their own
 * callbackUrl still gets their events. Problem 409 before all production payments were exported.
 */
export const closeMerchant = action(
  body({ reason: lineField(REASON_CHARACTERS_MAX) }),
  async (call, target, { reason }) => {
    const { env, nowMs } = call;
    const { id, status } = await knownMerchant(call, target);
    if (status === 'active') {
      throw operationProblem('merchant_not_suspended');
    }
    if (status === 'suspended' && !(await isExported(env.DB, id))) {
      throw operationProblem('merchant_not_exported');
    }
    const change = {
      sql: `UPDATE merchants SET closed_at_ms = ?2
        WHERE id = ?1 AND status = 'suspended' AND closed_at_ms IS NULL`,
      params: [id, nowMs],
    };
    const entry = entryBy<'merchant.closed'>(call, {
      merchantId: id,
      environment: null,
      action: 'merchant.closed',
      target: id,
      detail: { reason: withoutPhoneNumbers(reason) },
    });
    return { isChanged: await runAudited(env.DB, [change], entry, endings(id, nowMs)) };
  },
);

/** Whether an operator exported all production payments after the merchant was suspended. */
async function isExported(db: D1Database, merchantId: string): Promise<boolean> {
  const sql = `SELECT 1 FROM audit_log
    WHERE merchant_id = ?1 AND action = 'payments.exported' AND environment = 'production'
      AND actor_kind = 'operator' AND json_extract(detail, '$.complete') = ?2
      AND id > (SELECT max(id) FROM audit_log
        WHERE merchant_id = ?1 AND action = 'merchant.suspended')
    LIMIT 1`;
  const params = [merchantId, Number(WHOLE_EXPORT.complete)];
  return (await prepare(db, { sql, params }).first()) !== null;
}

/** What ends with a closed merchant. The secrets that sign for a payment's own callbackUrl stay. */
function endings(merchantId: string, nowMs: number): readonly SqlStatement[] {
  const isClosed = `merchant_id = ?1
    AND EXISTS (SELECT 1 FROM merchants WHERE id = ?1 AND closed_at_ms IS NOT NULL)`;
  const params = [merchantId];
  return [
    {
      sql: `UPDATE api_keys SET revoked_at_ms = ?2 WHERE ${isClosed} AND revoked_at_ms IS NULL`,
      params: [merchantId, nowMs],
    },
    { sql: `DELETE FROM webhook_secrets WHERE ${isClosed} AND endpoint_id IS NOT NULL`, params },
    {
      sql: `DELETE FROM failing_endpoints WHERE ${isClosed}
        AND endpoint IN (SELECT id FROM webhook_endpoints WHERE merchant_id = ?1)`,
      params,
    },
    { sql: `DELETE FROM webhook_endpoints WHERE ${isClosed}`, params },
  ];
}
