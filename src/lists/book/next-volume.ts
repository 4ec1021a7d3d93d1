import { registerOf } from '../../engine/register/client.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { identityOf } from './schema.ts';

/** About 4 of the 10 GB that an object may have, because payments and refunds grow afterwards. */
export const VOLUME_PAYMENTS_MAX = 4_000_000;

/**
 * Asks the register to open the next volume once this one is full. The totals give the number of
 * ended payments; open ones are few. Never throws, because the next call asks again.
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
    await registerOf(env, tenant).openVolume(volume + 1);
  } catch (error) {
    log('warn', 'book_volume_not_opened', { ...tenant, volume, error: errorText(error) });
  }
}
