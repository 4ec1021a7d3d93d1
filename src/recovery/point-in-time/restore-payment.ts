import { action, entryBy } from '../../control/operator/call.ts';
import { pathPart, recoveryTimeField, tenantIn } from '../../control/operator/fields.ts';
import { operationProblem } from '../../control/operator/problems.ts';
import { uniqueIdField } from '../../engine/api/schema/fields.ts';
import { hasEnded } from '../../engine/domain/intent.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { BOOKMARK_TOLERANCE_MS } from '../../engine/intent/protocol.ts';
import { registerOf } from '../../engine/register/client.ts';
import { runRecorded } from '../../kit/audit/log.ts';
import { body } from '../../kit/http/strict-body.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';

/**
 * Sets one payment back to a time of the last 30 days, for a damaged record. Refused when it would
 * forget money or a message. Answers with the bookmark that undoes it.
 */
export const restorePayment = action(
  body({ at: recoveryTimeField }),
  async (call, target, { at: atMs }) => {
    const tenant = tenantIn(target);
    const uniqueId = pathPart(uniqueIdField, target.uniqueId);
    const client = await intentByUniqueId(call.env, tenant, uniqueId);
    const restore = async (isVouchedFor: boolean) => {
      const found = await client.restoreTo(atMs, isVouchedFor);
      if (found.type === 'not_offered') {
        throw operationProblem('recovery_not_offered');
      }
      if (found.type === 'remembers') {
        throw operationProblem('payment_remembers', { what: found.what });
      }
      return found;
    };
    const entry = entryBy(call, {
      ...tenant,
      action: 'payment.restored',
      target: uniqueId,
      detail: { atMs },
    });
    const restored = await runRecorded(call.env.DB, entry, async () => {
      const first = await restore(false);
      return first.type === 'unreadable' ? restoreUnreadable() : first;
    });
    // The restart aborts the object, so the call never gets an answer.
    await client.restart().catch(() => undefined);
    // Recovery does not bring back the alarm, which every commit sets. Without it the next request
    // does, and the operator needs the bookmark in any case.
    await client.execute([]).catch((error: unknown) => {
      log('warn', 'alarm_not_set', { objectName: client.objectName, error: errorText(error) });
    });
    return { undoBookmark: restored.undoBookmark };

    async function restoreUnreadable() {
      const what = await bookMemoryAfter(call.env, tenant, uniqueId, atMs - BOOKMARK_TOLERANCE_MS);
      if (what !== null) {
        throw operationProblem('payment_remembers', { what });
      }
      const again = await restore(true);
      if (again.type === 'unreadable') {
        throw new Error('an unreadable payment was not restored');
      }
      return again;
    }
  },
);

/**
 * What the merchant's book says about a payment whose record cannot be read; null: nothing happened
 * after the time. Of a payment that has not ended, the book may lack attempts.
 */
async function bookMemoryAfter(
  env: Env,
  tenant: Tenant,
  uniqueId: string,
  atMs: number,
): Promise<string | null> {
  for (const { volume } of await registerOf(env, tenant).volumes()) {
    const book = bookOf(env, tenant, volume);
    const row = await book.ask('paymentOf', uniqueId);
    if (row !== null) {
      if (((await book.ask('holdChangedAtMs', uniqueId)) ?? 0) > atMs) {
        return 'an operator held or released it later';
      }
      const isOver = hasEnded(row.status) && row.openRefunds === 0 && row.unresolvedAttempts === 0;
      return isOver && row.updatedAtMs <= atMs
        ? null
        : 'its record cannot be read, and its book shows a change later, or that it has not ended';
    }
  }
  return 'its record cannot be read, and its book does not have it';
}
