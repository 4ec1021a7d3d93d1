import { BoundedCache } from '../bounded-cache.ts';
import type { Bindings } from '../config.ts';
import type { Branding } from '../domain/intent.ts';
import { type Environment, METHODS, type Method } from '../domain/method.ts';
import type { CommissionRate } from '../domain/money.ts';
import { errorText, log } from '../log.ts';
import { apiKeyDigest, parseApiKey } from './api-key.ts';

/** One method that the operator offers and the merchant has enabled, and what it costs. */
export interface MerchantMethod {
  readonly method: Method;
  readonly rate: CommissionRate;
}

/** What a valid key opens. */
export interface MerchantAccess {
  readonly merchantId: string;
  readonly merchantName: string;
  /** For new payments; null when neither colour nor logo is set. */
  readonly branding: Branding | null;
  readonly environment: Environment;
  /** SHA-256 of the key: names it in rate limits and logs. */
  readonly keyDigest: string;
  /** The enabled methods, in the order of METHODS; whether a rail serves them is not said here. */
  readonly methods: readonly MerchantMethod[];
}

export type AuthenticationResult =
  | { readonly type: 'granted'; readonly access: MerchantAccess }
  /** Missing, malformed, unknown or revoked key, or a suspended merchant: 401. */
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
/** Longest wait for another request's query of the same key before asking D1 oneself. */
const LOOKUP_CLAIM_MS = 250;
const LOOKUP_POLL_MS = 5;
/** Banks change a few times a year. */
const BANKS_AGE_MS_MAX = 60_000;

const accesses = new BoundedCache<MerchantAccess>({
  sizeMax: ACCESSES_MAX,
  ageMsMax: ACCESS_AGE_MS_MAX,
});
const misses = new BoundedCache<true>({ sizeMax: MISSES_MAX, ageMsMax: MISS_AGE_MS_MAX });
const refreshes = new BoundedCache<true>({ sizeMax: ACCESSES_MAX, ageMsMax: REFRESH_CLAIM_MS });
const lookups = new BoundedCache<true>({ sizeMax: MISSES_MAX, ageMsMax: LOOKUP_CLAIM_MS });
const bankLists = new BoundedCache<ReadonlyMap<string, Bank>>({
  sizeMax: 1,
  ageMsMax: BANKS_AGE_MS_MAX,
});

/** Forgets everything read so far, as a new isolate would: for tests that change D1 under it. */
export function forgetDirectory(): void {
  for (const cache of [accesses, misses, refreshes, lookups, bankLists]) {
    cache.clear();
  }
}

/**
 * Who sends `apiKey` to an endpoint of `environment` (decision 9). `nowMs` is the request's clock.
 * A key used in the last seconds costs no query; text that is no key never reaches D1. Throws when
 * D1 is needed and does not answer.
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
  if (known === undefined && lookups.get(digest, nowMs) !== undefined) {
    known = await awaitOther(digest, nowMs);
  }
  // Nothing is awaited between the look at `lookups` and the claim that this call makes.
  if (known === undefined) {
    return lookUp(env, digest, nowMs);
  }
  const isAgeing = nowMs - known.readAtMs >= ACCESS_REFRESH_AFTER_MS;
  if (isAgeing && refreshes.get(digest, nowMs) === undefined) {
    refreshes.set(digest, true, nowMs);
    ctx.waitUntil(refresh(env, digest, nowMs));
  }
  return known.access;
}

interface Remembered {
  readonly access: MerchantAccess | null;
  readonly readAtMs: number;
}

function remembered(digest: string, nowMs: number): Remembered | undefined {
  const hit = accesses.get(digest, nowMs);
  if (hit !== undefined) {
    return { access: hit.value, readAtMs: hit.readAtMs };
  }
  const miss = misses.get(digest, nowMs);
  return miss === undefined ? undefined : { access: null, readAtMs: miss.readAtMs };
}

/**
 * What another request learns that is asking D1 about the same key just now; undefined when there
 * is none or it takes too long. The wait is by this request's own timer: a promise of another
 * request may die with that request and would hang this one.
 */
async function awaitOther(digest: string, nowMs: number): Promise<Remembered | undefined> {
  const pollsMax = LOOKUP_CLAIM_MS / LOOKUP_POLL_MS;
  for (let poll = 0; poll < pollsMax && lookups.get(digest, nowMs) !== undefined; poll++) {
    await scheduler.wait(LOOKUP_POLL_MS);
    const known = remembered(digest, nowMs);
    if (known !== undefined) {
      return known;
    }
  }
  return undefined;
}

async function lookUp(
  env: Bindings,
  digest: string,
  nowMs: number,
): Promise<MerchantAccess | null> {
  lookups.set(digest, true, nowMs);
  try {
    const access = await readAccess(env, digest);
    remember(digest, access, nowMs);
    return access;
  } finally {
    lookups.delete(digest);
  }
}

/** Renews what is known of a key. A failure is only logged: the answer in use has seconds left. */
async function refresh(env: Bindings, digest: string, nowMs: number): Promise<void> {
  try {
    remember(digest, await readAccess(env, digest), nowMs);
  } catch (error) {
    log('warn', 'api_key_refresh_failed', { error: errorText(error) });
  } finally {
    refreshes.delete(digest);
  }
}

function remember(digest: string, access: MerchantAccess | null, readAtMs: number): void {
  if (access === null) {
    accesses.delete(digest);
    misses.set(digest, true, readAtMs);
  } else {
    accesses.set(digest, access, readAtMs);
  }
}

interface AccessRow {
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly brand_colour: string | null;
  readonly brand_logo_digest: string | null;
  readonly environment: Environment;
  /** NULL, like the commission, when no method is enabled. */
  readonly method: Method | null;
  readonly commission_basis_points: number | null;
  readonly commission_fixed_minor: number | null;
}

/** One row for each enabled method, and one with nulls when there is none. */
const ACCESS_SQL = `
  SELECT
    merchants.id AS merchant_id,
    merchants.name AS merchant_name,
    merchant_branding.colour AS brand_colour,
    merchant_branding.logo_digest AS brand_logo_digest,
    api_keys.environment,
    merchant_methods.method,
    merchant_methods.commission_basis_points,
    merchant_methods.commission_fixed_minor
  FROM api_keys
  JOIN merchants ON merchants.id = api_keys.merchant_id
  LEFT JOIN merchant_branding ON merchant_branding.merchant_id = merchants.id
  LEFT JOIN merchant_methods
    ON merchant_methods.merchant_id = api_keys.merchant_id
    AND merchant_methods.environment = api_keys.environment
    AND merchant_methods.enabled = 1
    AND merchant_methods.offered = 1
  WHERE api_keys.digest = ?1
    AND api_keys.revoked_at_ms IS NULL
    AND merchants.status = 'active'`;

async function readAccess(env: Bindings, digest: string): Promise<MerchantAccess | null> {
  const { results } = await env.DB.prepare(ACCESS_SQL).bind(digest).all<AccessRow>();
  const first = results[0];
  if (first === undefined) {
    return null;
  }
  return {
    merchantId: first.merchant_id,
    merchantName: first.merchant_name,
    branding: brandingOf(first),
    environment: first.environment,
    keyDigest: digest,
    methods: methodsOf(results),
  };
}

function brandingOf(row: AccessRow): Branding | null {
  const { brand_colour: colour, brand_logo_digest: logoDigest } = row;
  return colour === null && logoDigest === null ? null : { colour, logoDigest };
}

function methodsOf(rows: readonly AccessRow[]): readonly MerchantMethod[] {
  return METHODS.flatMap((method) => {
    const row = rows.find((candidate) => candidate.method === method);
    if (row === undefined) {
      return [];
    }
    const rate = {
      basisPoints: row.commission_basis_points ?? 0,
      fixedMinor: row.commission_fixed_minor ?? 0,
    };
    return [{ method, rate }];
  });
}
