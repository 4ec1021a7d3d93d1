import { BoundedCache, type CacheEntry } from '../../kit/platform/bounded-cache.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Bindings } from '../config.ts';
import { type KnownKey, type MerchantAccess, readKey } from './access.ts';

export interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

type BankRow = Omit<Bank, 'supportsWithdrawal'> & { readonly supportsWithdrawal: number };

/** A revocation takes effect within 10 s (docs/decisions.md#9); this leaves 1 s to spare. */
const ACCESS_AGE_MS_MAX = 9_000;
/** While D1 fails, a cached key grants up to this age (docs/operations.md#when-d1-is-down). */
const ACCESS_STALE_MS_MAX = 5 * 60 * 1_000;
/** After a failed read, requests with a cached key do not wait for another one for this long. */
const OUTAGE_MS = 5_000;
/**
 * From this age on, a cached key is refreshed in the background, so that a busy key never waits.
 */
const ACCESS_REFRESH_AFTER_MS = 4_000;
/** If the runtime cancels a refresh, the next one may start after this time. */
const REFRESH_CLAIM_MS = 2_000;
/** A new key works within a second, and a flood of one wrong key costs one query a second. */
const MISS_AGE_MS_MAX = 1_000;
/** About 1 KB each: a few MB of an isolate's 128. */
const ACCESSES_MAX = 2_000;
/** In a separate cache, so that a flood of wrong keys cannot evict the valid ones. */
const MISSES_MAX = 2_000;
/** The last use of a key is stored at most this often, so that not every request writes. */
const KEY_USE_EVERY_MS = 5 * 60 * 1_000;
/** Banks change a few times a year. */
const BANKS_AGE_MS_MAX = 60_000;

const keys = new BoundedCache<KnownKey>({
  sizeMax: ACCESSES_MAX,
  ageMsMax: ACCESS_STALE_MS_MAX,
});
/** Keys whose last read failed. */
const outages = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: OUTAGE_MS });
const misses = new BoundedCache<true>({ sizeMax: MISSES_MAX, ageMsMax: MISS_AGE_MS_MAX });
const refreshes = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: REFRESH_CLAIM_MS });
const bankLists = new BoundedCache<ReadonlyMap<string, Bank>>({
  sizeMax: 1,
  ageMsMax: BANKS_AGE_MS_MAX,
});

/** Clears the caches, for tests that change D1 directly. */
export function forgetDirectory(): void {
  for (const cache of [keys, outages, misses, refreshes, bankLists]) {
    cache.clear();
  }
}

/** All banks by code, at most 60 s old. Throws DatabaseUnavailable. */
export async function banks(env: Bindings, nowMs: number): Promise<ReadonlyMap<string, Bank>> {
  const known = bankLists.get('', nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const sql = `SELECT code, name, supports_withdrawal AS supportsWithdrawal
    FROM banks ORDER BY code`;
  const { results } = await readInTime(() => prepare(env.DB, { sql, params: [] }).all<BankRow>());
  const list = new Map(
    results.map((row) => [row.code, { ...row, supportsWithdrawal: row.supportsWithdrawal === 1 }]),
  );
  bankLists.set('', list, nowMs);
  return list;
}

/** A request with a genuine key of this digest. */
interface Lookup {
  readonly env: Bindings;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  /** Of the request. */
  readonly url: string;
  readonly digest: string;
  readonly nowMs: number;
}

/**
 * What a key gives access to (docs/decisions.md#9), or null for an unknown, revoked or expired key, or
 * of a suspended merchant. A key that was used in the last seconds costs no query. Throws
 * DatabaseUnavailable when D1 fails and neither this isolate nor its data center's cache has the key.
 */
export async function authenticate(lookup: Lookup): Promise<MerchantAccess | null> {
  const { ctx, digest, nowMs } = lookup;
  let known = cached(digest, nowMs);
  // A key that D1 granted in the last minutes: enough only while D1 fails.
  const stale = known === undefined ? accessIn(keys.get(digest, nowMs), nowMs) : undefined;
  if (stale !== undefined && outages.get(digest, nowMs) !== undefined) {
    known = stale;
  }
  if (known === undefined) {
    try {
      // Also while another request reads the same key: one must not await another's promise.
      return (await readAndCache(lookup))?.access ?? null;
    } catch (error) {
      const last = stale ?? accessIn(await copyOf(lookup), nowMs);
      if (last === undefined) {
        throw error;
      }
      log('warn', 'api_key_refresh_failed', { error: errorText(error) });
      return last.access;
    }
  }
  const needsRefresh = nowMs - known.readAtMs >= ACCESS_REFRESH_AFTER_MS;
  if (needsRefresh && refreshes.get(digest, nowMs) === undefined) {
    refreshes.set(digest, true, nowMs);
    ctx.waitUntil(refresh(lookup));
  }
  return known.access;
}

interface CachedAccess {
  readonly access: MerchantAccess | null;
  readonly readAtMs: number;
}

function cached(digest: string, nowMs: number): CachedAccess | undefined {
  const hit = accessIn(keys.fresh(digest, nowMs, ACCESS_AGE_MS_MAX), nowMs);
  if (hit !== undefined) {
    return hit;
  }
  const miss = misses.get(digest, nowMs);
  return miss === undefined ? undefined : { access: null, readAtMs: miss.readAtMs };
}

function accessIn(hit: CacheEntry<KnownKey> | undefined, nowMs: number): CachedAccess | undefined {
  if (hit === undefined) {
    return undefined;
  }
  const { access, expiresAtMs } = hit.value;
  const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
  return { access: isOver ? null : access, readAtMs: hit.readAtMs };
}

/** The key as the data center's cache has it, or as another request has read it meanwhile. */
async function copyOf({ digest, nowMs, ...place }: Lookup) {
  const { readCopy } = await import('./data-center-copy.ts');
  const copy = await readCopy<KnownKey>({ ...place, name: digest }, nowMs);
  if (copy !== undefined && keys.get(digest, nowMs) === undefined) {
    keys.set(digest, copy.value, copy.readAtMs);
  }
  return keys.get(digest, nowMs);
}

/** Brings the data center's copy up to date, in the background and only after a query. */
async function updateCopy({ digest, nowMs, ...place }: Lookup, key: KnownKey | null) {
  const { storeCopy, deleteCopy } = await import('./data-center-copy.ts');
  const copied = { ...place, name: digest };
  // Without the last use, which would be one more change.
  const value = { ...key, lastUsedAtMs: null };
  await (key === null ? deleteCopy(copied) : storeCopy(copied, value, nowMs));
}

/** Refreshes a cached key. Only logs a failure: the cached key stays valid for a while. */
async function refresh(lookup: Lookup): Promise<void> {
  try {
    await readAndCache(lookup);
  } catch (error) {
    log('warn', 'api_key_refresh_failed', { error: errorText(error) });
  } finally {
    refreshes.delete(lookup.digest);
  }
}

async function readAndCache(lookup: Lookup): Promise<KnownKey | null> {
  const { env, ctx, digest, nowMs } = lookup;
  let key: KnownKey | null;
  try {
    key = await readKey(env, digest, nowMs);
  } catch (error) {
    outages.set(digest, true, nowMs);
    throw error;
  }
  outages.delete(digest);
  ctx.waitUntil(updateCopy(lookup, key));
  if (key === null) {
    keys.delete(digest);
    misses.set(digest, true, nowMs);
  } else {
    keys.set(digest, key, nowMs);
    ctx.waitUntil(recordUse(lookup, key));
  }
  return key;
}

/**
 * Records that a key is in use, in the background and only after a query for the key, so that
 * cached requests cost nothing. Only logs a failure.
 */
async function recordUse({ env, digest, nowMs }: Lookup, key: KnownKey): Promise<void> {
  if (nowMs - (key.lastUsedAtMs ?? 0) < KEY_USE_EVERY_MS) {
    return;
  }
  // Changes no row when another isolate has recorded a recent or later use.
  const sql = `UPDATE api_keys SET last_used_at_ms = ?2
    WHERE digest = ?1 AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?3)`;
  try {
    await prepare(env.DB, { sql, params: [digest, nowMs, nowMs - KEY_USE_EVERY_MS] }).run();
  } catch (error) {
    log('warn', 'api_key_use_not_recorded', { error: errorText(error) });
  }
}
