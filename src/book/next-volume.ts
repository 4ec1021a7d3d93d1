import { accountOf } from '../account/client.ts';
import { errorText, log } from '../platform/log.ts';
import { identityOf } from './schema.ts';

/** About 4 GB, of the 10 GB that an object may have: payments and refunds still grow afterwards. */
export const VOLUME_PAYMENTS_MAX = 4_000_000;

/**
 * Asks the account to open the next volume once this one has grown to its size. Counts the payments
 * that have ended by the totals: the others are few. Never throws: the next call asks again.
 */
export async function openNextVolume(sql: SqlStorage, env: Env): Promise<void> {
  const { payments } = sql
    .exec<{ payments: number | null }>('SELECT SUM(payments) AS payments FROM payment_day')
    .one();
  if ((payments ?? 0) < VOLUME_PAYMENTS_MAX) {
    return;
  }
  const { volume, ...tenant } = identityOf(sql);
  try {
    await accountOf(env, tenant).openVolume(volume + 1);
  } catch (error) {
    log('warn', 'book_volume_not_opened', { ...tenant, volume, error: errorText(error) });
  }
}
