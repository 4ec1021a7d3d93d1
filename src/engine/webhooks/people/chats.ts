import { prepare, runBatch } from '../../../kit/platform/database.ts';
import type { Tenant } from '../../../kit/tenant.ts';
import { TELEGRAM_SCHEME } from '../endpoints.ts';
import { clearEndpoint, recordFailure } from '../failing-endpoints.ts';
import { forgetSettingsOf } from '../settings.ts';

/** The endpoints of a chat, which may be several merchants'. */

/** A chat of more endpoints than these is a prank. */
const ENDPOINTS_OF_CHAT_MAX = 100;

/** A group became a supergroup, which has another id. */
export async function moveChat(
  env: Env,
  tenant: Tenant | null,
  from: string,
  to: string,
): Promise<void> {
  const sql = 'UPDATE webhook_endpoints SET url = ?2 WHERE url = ?1 AND language IS NOT NULL';
  await runBatch(env.DB, [{ sql, params: [TELEGRAM_SCHEME + from, TELEGRAM_SCHEME + to] }]);
  if (tenant !== null) {
    forgetSettingsOf(tenant);
  }
}

/** The bot was removed from the chat, or blocked: its endpoints are paused, which merchants see. */
export async function pauseChat(env: Env, chatId: string, atMs: number): Promise<void> {
  const error = 'the bot was blocked, or removed from the chat';
  for (const { endpoint, ...tenant } of await endpointsOf(env, chatId)) {
    await recordFailure(env.DB, tenant, { endpoint, error, atMs, hasLeft: true });
    forgetSettingsOf(tenant);
  }
}

/** The bot is back. */
export async function resumeChat(env: Env, chatId: string): Promise<void> {
  for (const { endpoint, ...tenant } of await endpointsOf(env, chatId)) {
    await runBatch(env.DB, [clearEndpoint(tenant, endpoint)]);
    forgetSettingsOf(tenant);
  }
}

async function endpointsOf({ DB }: Env, chatId: string) {
  const { results } = await prepare(DB, {
    sql: `SELECT id AS endpoint, merchant_id AS merchantId, environment FROM webhook_endpoints
      WHERE url = ?1 AND language IS NOT NULL LIMIT ${ENDPOINTS_OF_CHAT_MAX}`,
    params: [TELEGRAM_SCHEME + chatId],
  }).all<Tenant & { readonly endpoint: string }>();
  return results;
}
