import { accountOf } from '../account/client.ts';
import type { Tenant } from '../domain/intent.ts';
import { errorText, log } from '../platform/log.ts';

/** About 4 GB, of the 10 GB that an object may have: payments and refunds still grow afterwards. */
export const VOLUME_PAYMENTS_MAX = 4_000_000;

type Growth = Tenant & { readonly volume: number; readonly payments: number };

/**
 * Asks the account to open the next volume once this one has grown to its size. Counts the payments
 * that have ended by the totals: the others are few. Never throws: the next alarm asks again.
 */
export async function openNextVolume(sql: SqlStorage, env: Env): Promise<void> {
  const { volume, payments, ...tenant } = sql
    .exec(
      `SELECT environment, merchant_id AS merchantId, volume,
        (SELECT COALESCE(SUM(payments), 0) FROM payment_day) AS payments FROM book`,
    )
    .one() as unknown as Growth;
  if (payments < VOLUME_PAYMENTS_MAX) {
    return;
  }
  try {
    await accountOf(env, tenant).openVolume(volume + 1);
  } catch (error) {
    log('warn', 'book_volume_not_opened', { ...tenant, volume, error: errorText(error) });
  }
}
