import type { Method } from '../../../src/engine/domain/method.ts';
import { projectionMessage } from '../book/fixture.ts';
import { applyToBook, fireBookAlarm } from '../support/book.ts';
import { advance, reportsAreSent, SECOND_MS, type TestMerchant, tenantOf } from '../support.ts';

/** What a merchant's book hears of an open payment whose attempts did not reach the provider. */
export async function bookHears(
  method: Method,
  merchant: TestMerchant,
  number: number,
  failed: number,
): Promise<void> {
  const counts = { ended: failed, succeeded: 0, unreached: failed, neverReached: failed };
  const row = { attempts: [{ method, ...counts }], updatedAtMs: Date.now() };
  const tenant = tenantOf(merchant, 'production');
  await applyToBook(projectionMessage(tenant, number, row));
  advance(5 * SECOND_MS);
  await fireBookAlarm(tenant);
  await reportsAreSent();
}
