import { BoundedCache } from '../bounded-cache.ts';
import type { Bindings } from '../config.ts';
import { prepare } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import { errorText, log } from '../log.ts';
import { type KnownKey, type MerchantAccess, readKey } from './access.ts';
import { apiKeyDigest, parseApiKey } from './api-key.ts';
import { API_KEY_USE_EVERY_MS, markApiKeyUsed } from './keys.ts';

export type AuthenticationResult =
  | { readonly type: 'granted'; readonly access: MerchantAccess }
  /** Missing, malformed, unknown, revoked or expired key, or a suspended merchant: 401. */
  | { readonly type: 'unauthorised' }
  /** A valid key of the other environment: 403. */
  | { readonly type: 'wrong_environment' };

export interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

/** A revocation takes effect within 10 s (issue 2): older answers are not used, with 1 s to spare. */
const ACCESS_AGE_MS_MAX = 9_000;
/** From this age on an answer is renewed behind the request, so that a busy key never waits. */
const ACCESS_REFRESH_AFTER_MS = 4_000;
/** A renewal that was cut short with its request is begun again after this. */
const REFRESH_CLAIM_MS = 2_000;
/** A key works a second after it was made, and a flood of one wrong key costs one query a second. */
const MISS_AGE_MS_MAX = 1_000;
/** An access is about 1 KB: a few MB of an isolate's 128. */
const ACCESSES_MAX = 2_000;
/** Apart from the accesses, so that a flood of wrong keys cannot push out the right ones. */
const MISSES_MAX = 2_000;
/** Longest wait for another request's query of the same key. */
const LOOKUP_WAIT_MS = 250;
/** Banks change a few times a year. */
const BANKS_AGE_MS_MAX = 60_000;

const keys = new BoundedCache<KnownKey>({
  sizeMax: ACCESSES_MAX,
  ageMsMax: ACCESS_AGE_MS_MAX,
});
const misses = new BoundedCache<true>({ sizeMax: MISSES_MAX, ageMsMax: MISS_AGE_MS_MAX });
const refreshes = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: REFRESH_CLAIM_MS });
/** Queries on their way: they settle, and never reject, once their result is remembered. */
const lookups = new BoundedCache<Promise<void>>({ sizeMax: MISSES_MAX, ageMsMax: LOOKUP_WAIT_MS });
const bankLists = new BoundedCache<ReadonlyMap<string, Bank>>({
  sizeMax: 1,
  ageMsMax: BANKS_AGE_MS_MAX,
});

/** Forgets everything read so far, as a new isolate would: for tests that change D1 under it. */
export function forgetDirectory(): void {
  for (const cache of [keys, misses, refreshes, lookups, bankLists]) {
    cache.clear();
  }
}

/**
 * Who sends `apiKey` to an endpoint of `environment` (docs/decisions.md#9). `nowMs` is the
 * request's clock. A key used in the last seconds costs no query; text that is no key never reaches
 * D1. Throws when D1 is needed and does not answer.
 */
export async function authenticate(
  env: Bindings,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  apiKey: string | null,
  environment: Environment,
  nowMs: number,
): Promise<AuthenticationResult> {
  if (apiKey === null || parseApiKey(apiKey) === null) {
    return { type: 'unauthorised' };
  }
  const digest = await apiKeyDigest(apiKey);
  const access = await accessOf(env, ctx, digest, nowMs);
  if (access === null) {
    return { type: 'unauthorised' };
  }
  if (access.environment !== environment) {
    return { type: 'wrong_environment' };
  }
  return { type: 'granted', access };
}

/** All banks by code; at most 60 s old. Throws when D1 is needed and does not answer. */
export async function banks(env: Bindings, nowMs: number): Promise<ReadonlyMap<string, Bank>> {
  const known = bankLists.get('', nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const { results } = await env.DB.prepare(
    'SELECT code, name, supports_withdrawal FROM banks ORDER BY code',
  ).all<{ code: string; name: string; supports_withdrawal: number }>();
  const list = new Map(
    results.map(({ code, name, supports_withdrawal }) => [
      code,
      { code, name, supportsWithdrawal: supports_withdrawal === 1 },
    ]),
  );
  bankLists.set('', list, nowMs);
  return list;
}

async function accessOf(
  env: Bindings,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  digest: string,
  nowMs: number,
): Promise<MerchantAccess | null> {
  let known = remembered(digest, nowMs);
  const lookup = lookups.get(digest, nowMs)?.value;
  if (known === undefined && lookup !== undefined) {
    // By this request's own timer: the other request, and its query with it, may be canceled.
    await Promise.race([lookup, scheduler.wait(LOOKUP_WAIT_MS)]);
    known = remembered(digest, nowMs);
  }
  if (known === undefined) {
    return lookUp(env, ctx, digest, nowMs);
  }
  const isAgeing = nowMs - known.readAtMs >= ACCESS_REFRESH_AFTER_MS;
  if (isAgeing && refreshes.get(digest, nowMs) === undefined) {
    refreshes.set(digest, true, nowMs);
    ctx.waitUntil(refresh(env, ctx, digest, nowMs));
  }
  return known.access;
}

interface Remembered {
  readonly access: MerchantAccess | null;
  readonly readAtMs: number;
}

function remembered(digest: string, nowMs: number): Remembered | undefined {
  const hit = keys.get(digest, nowMs);
  if (hit !== undefined) {
    const { access, expiresAtMs } = hit.value;
    const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
    return { access: isOver ? null : access, readAtMs: hit.readAtMs };
  }
  const miss = misses.get(digest, nowMs);
  return miss === undefined ? undefined : { access: null, readAtMs: miss.readAtMs };
}

async function lookUp(
  env: Bindings,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  digest: string,
  nowMs: number,
): Promise<MerchantAccess | null> {
  const reading = readAndRemember(env, ctx, digest, nowMs);
  const settled = reading.then(ignore, ignore);
  lookups.set(digest, settled, nowMs);
  // The query goes on for the requests that wait for it when this client hangs up.
  ctx.waitUntil(settled);
  try {
    return (await reading)?.access ?? null;
  } finally {
    lookups.delete(digest);
  }
}

function ignore(): void {}

/** Renews what is known of a key. A failure is only logged: the answer in use has seconds left. */
async function refresh(
  env: Bindings,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  digest: string,
  nowMs: number,
): Promise<void> {
  try {
    await readAndRemember(env, ctx, digest, nowMs);
  } catch (error) {
    log('warn', 'api_key_refresh_failed', { error: errorText(error) });
  } finally {
    refreshes.delete(digest);
  }
}

async function readAndRemember(
  env: Bindings,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  digest: string,
  nowMs: number,
): Promise<KnownKey | null> {
  const key = await readKey(env, digest, nowMs);
  if (key === null) {
    keys.delete(digest);
    misses.set(digest, true, nowMs);
  } else {
    keys.set(digest, key, nowMs);
    ctx.waitUntil(noteUse(env, digest, key, nowMs));
  }
  return key;
}

/**
 * Writes down that a key is in use: behind the request, and only where D1 was asked about the key
 * anyway, so that a warm request costs nothing. A failure is only logged.
 */
async function noteUse(env: Bindings, digest: string, key: KnownKey, nowMs: number): Promise<void> {
  if (nowMs - (key.lastUsedAtMs ?? 0) < API_KEY_USE_EVERY_MS) {
    return;
  }
  try {
    await prepare(env.DB, markApiKeyUsed(digest, nowMs)).run();
  } catch (error) {
    log('warn', 'api_key_use_not_noted', { error: errorText(error) });
  }
}
