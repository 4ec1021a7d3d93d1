import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { Method } from '../domain/method.ts';

/** A method that the operator has switched off for all merchants. */
export interface SwitchedOff {
  readonly environment: Environment;
  readonly method: Method;
  /** The operator's own words for customers, or null. */
  readonly text: string | null;
}

/** A switch holds within 10 s, as it does for creates (access.ts). */
const FRESH_MS = 9_000;
/** While D1 fails, a known state is used up to this age. */
const STALE_MS_MAX = 60 * 60 * 1_000;

const cache = new BoundedCache<readonly SwitchedOff[]>({ sizeMax: 1, ageMsMax: STALE_MS_MAX });

/** Clears the cache, for tests that change D1 directly. */
export function forgetSwitchedOff(): void {
  cache.clear();
}

/**
 * What customers' pages need, from this isolate's memory if it read D1 in the last seconds. While D1
 * fails, the last known state, else none: a page must not wait for a database.
 */
export async function switchedOffMethods(
  env: Pick<Env, 'DB'>,
  environment: Environment,
  nowMs: number,
): Promise<readonly SwitchedOff[]> {
  const known = cache.fresh('', nowMs, FRESH_MS)?.value ?? (await readAll(env, nowMs));
  return known.filter((one) => one.environment === environment);
}

async function readAll(env: Pick<Env, 'DB'>, nowMs: number): Promise<readonly SwitchedOff[]> {
  const sql = 'SELECT environment, method, text FROM switched_off_methods';
  try {
    const read = () => prepare(env.DB, { sql, params: [] }).all<SwitchedOff>();
    const { results } = await readInTime(read);
    cache.set('', results, nowMs);
    return results;
  } catch (error) {
    log('warn', 'switched_off_unknown', { error: errorText(error) });
    const stale = cache.get('', nowMs)?.value ?? [];
    // No other page waits for D1 within the next seconds.
    cache.set('', stale, nowMs);
    return stale;
  }
}
