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
/** While D1 fails, what is cached counts up to this age (docs/operations.md#when-d1-is-down). */
const STALE_MS_MAX = 5 * 60 * 1_000;
/** After a failed read, requests that the cache can answer do not wait for another one so long. */
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
  ageMsMax: STALE_MS_MAX,
});
/** Keys whose last read failed, by digest; and the banks. */
const outages = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: OUTAGE_MS });
const misses = new BoundedCache<true>({ sizeMax: MISSES_MAX, ageMsMax: MISS_AGE_MS_MAX });
const refreshes = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: REFRESH_CLAIM_MS });
const bankLists = new BoundedCache<readonly Bank[]>({ sizeMax: 1, ageMsMax: STALE_MS_MAX });

/** Clears the caches, for tests that change D1 directly. */
export function forgetDirectory(): void {
  for (const cache of [keys, outages, misses, refreshes, bankLists]) {
    cache.clear();
  }
}

/** Where a caller leaves and finds the data center's copies. */
interface Caller {
  readonly env: Bindings;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  /** An address of the gateway's own. */
  readonly url: string;
  readonly nowMs: number;
}

/** The name of the banks beside the digests of keys. */
const BANKS = 'banks';

/**
 * All banks by code, at most 60 s old, or five minutes while D1 fails. Throws DatabaseUnavailable when
 * nothing is that new.
 */
export async function banks(caller: Caller): Promise<ReadonlyMap<string, Bank>> {
  const list = await bankList(caller);
  return new Map(list.map((bank) => [bank.code, bank]));
}

async function bankList(caller: Caller): Promise<readonly Bank[]> {
  const { env, ctx, nowMs } = caller;
  const known = bankLists.get(BANKS, nowMs);
  const isEnough =
    outages.get(BANKS, nowMs) !== undefined ||
    bankLists.fresh(BANKS, nowMs, BANKS_AGE_MS_MAX) !== undefined;
  if (known !== undefined && isEnough) {
    return known.value;
  }
  const sql = `SELECT code, name, supports_withdrawal AS supportsWithdrawal
    FROM banks ORDER BY code`;
  try {
    const { results } = await readInTime(() => prepare(env.DB, { sql, params: [] }).all<BankRow>());
    const list = results.map((row) => ({
      ...row,
      supportsWithdrawal: row.supportsWithdrawal === 1,
    }));
    outages.delete(BANKS);
    bankLists.set(BANKS, list, nowMs);
    ctx.waitUntil(updateCopy(caller, BANKS, list));
    return list;
  } catch (error) {
    outages.set(BANKS, true, nowMs);
    const last = known ?? (await lastKnown(bankLists, caller, BANKS));
    if (last === undefined) {
      throw error;
    }
    log('warn', 'banks_refresh_failed', { error: errorText(error) });
    return last.value;
  }
}

/** A request with a genuine key of this digest. */
interface Lookup extends Caller {
  readonly digest: string;
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
      const last = stale ?? accessIn(await lastKnown(keys, lookup, digest), nowMs);
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

/** What the data center's copy says, or what another request has read meanwhile. */
async function lastKnown<Value>(cache: BoundedCache<Value>, caller: Caller, name: string) {
  const { env, url, nowMs } = caller;
  const { readCopy } = await import('./data-center-copy.ts');
  const copy = await readCopy<Value>({ env, url, name }, nowMs);
  if (copy !== undefined && cache.get(name, nowMs) === undefined) {
    cache.set(name, copy.value, copy.readAtMs);
  }
  return cache.get(name, nowMs);
}

/** In the background and only after a query. Null: D1 has no such key. */
async function updateCopy({ env, url, nowMs }: Caller, name: string, value: object | null) {
  const { storeCopy, deleteCopy } = await import('./data-center-copy.ts');
  const place = { env, url, name };
  await (value === null ? deleteCopy(place) : storeCopy(place, value, nowMs));
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
  // Without the last use, which would be one more change.
  ctx.waitUntil(updateCopy(lookup, digest, key && { ...key, lastUsedAtMs: null }));
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
