import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { type BookClient, bookOf } from './client.ts';

/** Questions to the books of all merchants: an index of all ids would cost each payment a row. */

/**
 * Merchants of an environment that one request asks. A Worker may make 1,000 calls, and a merchant
 * may have several volumes.
 */
const TENANTS_MAX = 400;

/** How many were asked. */
export interface Asked {
  readonly asked: number;
  /** False when there are more merchants than TENANTS_MAX: those whose keys were used last were asked. */
  readonly isComplete: boolean;
}

/** Calls `ask` for each book, those of tenants that were active last first. Throws when a call throws. */
export async function askBooks<Found>(
  env: Env,
  environments: readonly Environment[],
  ask: (book: BookClient, tenant: Tenant) => Promise<readonly Found[]>,
): Promise<Asked & { readonly found: readonly Found[] }> {
  const sql = `SELECT merchants.id AS merchantId, place.value AS environment
      , (SELECT json_group_array(volume) FROM book_volumes
        WHERE merchant_id = merchants.id AND environment = place.value) AS volumes
    FROM merchants CROSS JOIN json_each(?1) AS place
    ORDER BY (SELECT MAX(last_used_at_ms) FROM api_keys
        WHERE api_keys.merchant_id = merchants.id AND api_keys.environment = place.value) DESC,
      merchants.created_at_ms DESC, merchants.id
    LIMIT ?2`;
  const statement = { sql, params: [JSON.stringify(environments), TENANTS_MAX + 1] };
  const { results } = await prepare(env.DB, statement).all<Tenant & { readonly volumes: string }>();
  const tenants = results.slice(0, TENANTS_MAX);
  const books = tenants.flatMap(({ volumes, ...tenant }) =>
    [0, ...(JSON.parse(volumes) as number[])].map((volume) => ({ tenant, volume })),
  );
  const answers = await concurrently(books, ({ tenant, volume }) =>
    ask(bookOf(env, tenant, volume), tenant),
  );
  return {
    asked: tenants.length,
    isComplete: results.length === tenants.length,
    found: answers.flat(),
  };
}
