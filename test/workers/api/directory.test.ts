import {
  applyD1Migrations,
  createExecutionContext,
  type D1Migration,
  reset,
  waitOnExecutionContext,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../../src/control/merchants/change-keys.ts';
import {
  offerMethod,
  setCommission,
  setLimit,
  setMethodEnabled,
} from '../../../src/control/merchants/methods.ts';
import { createMerchant } from '../../../src/control/merchants/provision.ts';
import { configOf } from '../../../src/engine/config.ts';
import type { MerchantAccess } from '../../../src/engine/merchants/access.ts';
import { apiKeyDigest, generateApiKey } from '../../../src/engine/merchants/api-key.ts';
import { authenticate, banks, forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import type { SqlStatement } from '../../../src/kit/platform/database.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { expectLog } from '../../support/output/expected-log.ts';

const NO_RATE = { basisPoints: 0, fixedMinor: 0 };
const TENANT = { environment: 'sandbox', merchantId: 'm1' } as const;
const START_MS = 1_000_000;
const ORIGIN = 'https://pay.kefel.test';

/**
 * Goal: the directory of API keys knows exactly when a key ends, and rarely queries D1. Method: a
 * database that counts its queries and can be made to fail.
 */

let queries = 0;
/** Counted apart: written after the response, on requests that had to query D1. */
let writes = 0;
let fails = false;
let writesFail = false;
function countingEnv(): Env {
  const DB = new Proxy(env.DB, {
    get(database, name) {
      if (name === 'prepare') {
        return (sql: string) => {
          const isWrite = /^\s*UPDATE/.test(sql);
          queries += isWrite ? 0 : 1;
          writes += isWrite ? 1 : 0;
          if (fails || (isWrite && writesFail)) {
            throw new Error('D1 is away');
          }
          return database.prepare(sql);
        };
      }
      return Reflect.get(database, name);
    },
  });
  return { ...env, DB };
}

async function run(statements: readonly SqlStatement[]): Promise<void> {
  await env.DB.batch(statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)));
}

async function ask(apiKey: string, nowMs: number): Promise<MerchantAccess | null> {
  const ctx = createExecutionContext();
  const digest = await apiKeyDigest(apiKey);
  const access = await authenticate({ env: countingEnv(), ctx, url: ORIGIN, digest, nowMs });
  await waitOnExecutionContext(ctx);
  return access;
}

async function banksAt(nowMs: number) {
  const ctx = createExecutionContext();
  const list = await banks({ env: countingEnv(), ctx, url: ORIGIN, nowMs });
  await waitOnExecutionContext(ctx);
  return list;
}

function newKey(environment: Environment = 'sandbox'): Promise<string> {
  return generateApiKey(configOf(env).dataEncryptionKeys, environment);
}

let apiKey = '';

beforeEach(async () => {
  forgetDirectory();
  queries = 0;
  writes = 0;
  fails = false;
  writesFail = false;
  const migrations: D1Migration[] = (env as unknown as { TEST_MIGRATIONS: D1Migration[] })
    .TEST_MIGRATIONS;
  await applyD1Migrations(env.DB, migrations);
  apiKey = await newKey();
  await run([
    ...createMerchant({ id: 'm1', name: 'One', methods: [], createdAtMs: 1 }),
    setCommission(TENANT, 'TELE_BIRR', { basisPoints: 250, fixedMinor: 7 }),
    offerMethod(TENANT, 'TELE_BIRR', true),
    offerMethod(TENANT, 'M_PESA', true),
    offerMethod(TENANT, 'CBE', true),
    setMethodEnabled(TENANT, 'CBE', false),
    await createApiKey(TENANT, { apiKey, name: 'k', createdAtMs: 1 }),
  ]);
});
afterEach(reset);

function lastUsedAtMs(): Promise<number | null> {
  return env.DB.prepare('SELECT last_used_at_ms FROM api_keys').first('last_used_at_ms');
}

describe('decisions.md#9: the directory', () => {
  test('grants a valid key its merchant and enabled methods', async () => {
    expect(await ask(apiKey, START_MS)).toEqual({
      merchantId: 'm1',
      merchantName: 'One',
      merchantNumber: 1,
      branding: null,
      business: null,
      environment: 'sandbox',
      keyDigest: await apiKeyDigest(apiKey),
      keyName: 'k',
      permissions: null,
      methods: [
        { method: 'TELE_BIRR', rate: { basisPoints: 250, fixedMinor: 7 } },
        { method: 'M_PESA', rate: NO_RATE },
      ],
      limits: {},
      appSchemes: [],
      bookVolume: 0,
      switchedOff: [],
      isInMaintenance: false,
    });
  });

  test('names the newest volume of the merchant and environment', async () => {
    const sql = 'INSERT INTO book_volumes VALUES (?1, ?2, ?3, 1)';
    await run([
      { sql, params: ['m1', 'sandbox', 1] },
      { sql, params: ['m1', 'sandbox', 2] },
      { sql, params: ['m1', 'production', 3] },
    ]);
    expect(await ask(apiKey, START_MS)).toMatchObject({ bookVolume: 2 });
  });

  test('grants a merchant without methods', async () => {
    const key = await newKey('production');
    await run([
      await createApiKey(
        { ...TENANT, environment: 'production' },
        { apiKey: key, name: 'k', createdAtMs: 1 },
      ),
    ]);
    expect(await ask(key, START_MS)).toMatchObject({ environment: 'production', methods: [] });
  });

  test('rejects unknown keys by one query a second', async () => {
    const unknown = await newKey();
    expect(await ask(unknown, START_MS)).toBeNull();
    expect(await ask(unknown, START_MS + 999)).toBeNull();
    expect(queries).toBe(1);
    await run([await createApiKey(TENANT, { apiKey: unknown, name: 'k', createdAtMs: 1 })]);
    expect(await ask(unknown, START_MS + 1000)).not.toBeNull();
  });

  test('rejects a suspended merchant', async () => {
    await run([{ sql: "UPDATE merchants SET status = 'suspended'", params: [] }]);
    expect(await ask(apiKey, START_MS)).toBeNull();
  });

  test('does not query D1 while the entry is fresh, and refreshes it in the background from 4 s on', async () => {
    await ask(apiKey, START_MS);
    for (let ms = 0; ms < 4000; ms += 500) {
      await ask(apiKey, START_MS + ms);
    }
    expect(queries).toBe(1);
    await run([setMethodEnabled(TENANT, 'CBE', true)]);
    const stale = await ask(apiKey, START_MS + 4000);
    expect(stale).toMatchObject({ methods: { length: 2 } });
    expect(queries).toBe(2);
    expect(await ask(apiKey, START_MS + 4001)).toMatchObject({ methods: { length: 3 } });
    expect(queries).toBe(2);
  });

  test('applies a revocation within 10 s, with and without traffic', async () => {
    await ask(apiKey, START_MS);
    await run([revokeApiKey(TENANT, await apiKeyDigest(apiKey), START_MS)]);
    expect(await ask(apiKey, START_MS + 3999)).not.toBeNull();
    expect(await ask(apiKey, START_MS + 4000)).not.toBeNull();
    expect(await ask(apiKey, START_MS + 4001)).toBeNull();
    forgetDirectory();
    expect(await ask(apiKey, START_MS + 4002)).toBeNull();
  });

  test('does not use an entry that is 9 s old', async () => {
    await ask(apiKey, START_MS);
    await run([revokeApiKey(TENANT, await apiKeyDigest(apiKey), START_MS)]);
    expect(await ask(apiKey, START_MS + 9000)).toBeNull();
  });

  test('survives an outage of D1 for up to five minutes', async () => {
    expectLog('api_key_refresh_failed');
    await ask(apiKey, START_MS);
    fails = true;
    for (let ms = 8_999; ms < 300_000; ms += 3_000) {
      expect(await ask(apiKey, START_MS + ms)).not.toBeNull();
    }
    expect(await ask(apiKey, START_MS + 299_999)).not.toBeNull();
    const late = await ask(apiKey, START_MS + 300_000).then(() => null, String);
    expect(late).toContain('DatabaseUnavailable');
    expect(late).toContain('D1 is away');
  });

  test('refuses a key that expires during an outage', async () => {
    expectLog('api_key_refresh_failed');
    await run([{ sql: 'UPDATE api_keys SET expires_at_ms = ?1', params: [START_MS + 60_000] }]);
    await ask(apiKey, START_MS);
    fails = true;
    expect(await ask(apiKey, START_MS + 59_999)).not.toBeNull();
    expect(await ask(apiKey, START_MS + 60_000)).toBeNull();
  });

  test('applies a revocation at the first request after an outage', async () => {
    expectLog('api_key_refresh_failed');
    await ask(apiKey, START_MS);
    await run([revokeApiKey(TENANT, await apiKeyDigest(apiKey), START_MS)]);
    fails = true;
    expect(await ask(apiKey, START_MS + 60_000)).not.toBeNull();
    fails = false;
    expect(await ask(apiKey, START_MS + 66_000)).toBeNull();
  });

  test('does not grant a key that D1 refused before the outage', async () => {
    await ask(apiKey, START_MS);
    await run([revokeApiKey(TENANT, await apiKeyDigest(apiKey), START_MS)]);
    expect(await ask(apiKey, START_MS + 9_000)).toBeNull();
    fails = true;
    const later = await ask(apiKey, START_MS + 11_000).then(() => null, String);
    expect(later).toContain('DatabaseUnavailable');
  });

  test('lets no request wait for the query of another', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => ask(apiKey, START_MS)));
    expect(results.every((access) => access !== null)).toBe(true);
    expect(queries).toBe(50);
  });

  test('enables a method only while the operator offers it and the merchant enables it', async () => {
    const methodsNow = async () => {
      forgetDirectory();
      const access = await ask(apiKey, START_MS);
      return access?.methods.map(({ method }) => method) ?? [];
    };
    await run([offerMethod(TENANT, 'M_PESA', false)]);
    expect(await methodsNow()).toEqual(['TELE_BIRR']);
    await run([
      setMethodEnabled(TENANT, 'CBE', true),
      setMethodEnabled(TENANT, 'TELE_BIRR', false),
    ]);
    expect(await methodsNow()).toEqual(['CBE']);
    await run([offerMethod(TENANT, 'M_PESA', true), offerMethod(TENANT, 'E_BIRR', true)]);
    expect(await methodsNow()).toEqual(['CBE', 'M_PESA', 'E_BIRR']);
    // A price alone offers nothing, and a merchant cannot enable a method that was never offered.
    await run([
      setCommission(TENANT, 'ETS_SWITCH', { basisPoints: 100, fixedMinor: 0 }),
      setMethodEnabled(TENANT, 'TELE_BIRR_USSD', true),
    ]);
    expect(await methodsNow()).toEqual(['CBE', 'M_PESA', 'E_BIRR']);
  });

  test("returns the tenant's own limits from the same query", async () => {
    await run([
      setLimit(TENANT, 'ETB', 5_000_000),
      setLimit(TENANT, 'USD', 1),
      setLimit(TENANT, 'USD', null),
      setLimit({ ...TENANT, environment: 'production' }, 'USD', 7),
    ]);
    expect(await ask(apiKey, START_MS)).toMatchObject({ limits: { ETB: 5_000_000 } });
    expect(queries).toBe(1);
    for (const amountMinorMax of [0, -1, 1.5, 100_000_000_000]) {
      await expect(run([setLimit(TENANT, 'ETB', amountMinorMax)])).rejects.toThrow();
    }
  });

  test('rejects a revoked key after the clock was set back, and remembers a valid one', async () => {
    const other = await newKey();
    await run([await createApiKey(TENANT, { apiKey: other, name: 'other', createdAtMs: 1 })]);
    await ask(apiKey, START_MS);
    await ask(other, START_MS);
    await run([revokeApiKey(TENANT, await apiKeyDigest(apiKey), 2)]);
    const backMs = START_MS - 3_000;
    expect(await ask(apiKey, backMs)).toBeNull();
    const farBackMs = START_MS - 600_000;
    await ask(other, farBackMs);
    queries = 0;
    expect(await ask(other, farBackMs + 1_000)).not.toBeNull();
    expect(queries).toBe(0);
  });

  test('rejects a key from the moment it expires, cached or not', async () => {
    const endsAtMs = START_MS + 3_000;
    await run([{ sql: 'UPDATE api_keys SET expires_at_ms = ?1', params: [endsAtMs] }]);
    expect(await ask(apiKey, START_MS)).not.toBeNull();
    expect(await ask(apiKey, endsAtMs - 1)).not.toBeNull();
    expect(await ask(apiKey, endsAtMs)).toBeNull();
    expect(queries).toBe(1);
    forgetDirectory();
    expect(await ask(apiKey, endsAtMs)).toBeNull();
  });

  test('records a use at most every five minutes, and never while the entry is fresh', async () => {
    for (let ms = 0; ms < 4_000; ms += 500) {
      await ask(apiKey, START_MS + ms);
    }
    expect([queries, writes, await lastUsedAtMs()]).toEqual([1, 1, START_MS]);
    for (let ms = 10_000; ms < 300_000; ms += 10_000) {
      await ask(apiKey, START_MS + ms);
    }
    expect([writes, await lastUsedAtMs()]).toEqual([1, START_MS]);
    await ask(apiKey, START_MS + 300_000);
    expect([writes, await lastUsedAtMs()]).toEqual([2, START_MS + 300_000]);
  });

  test('records a use also when the entry of a busy key is refreshed', async () => {
    for (let ms = 0; ms <= 305_000; ms += 5_000) {
      await ask(apiKey, START_MS + ms);
    }
    expect([writes, await lastUsedAtMs()]).toEqual([2, START_MS + 300_000]);
  });

  test('answers although a use cannot be recorded, and writes nothing for unknown keys', async () => {
    expectLog('api_key_use_not_recorded');
    writesFail = true;
    expect(await ask(apiKey, START_MS)).not.toBeNull();
    expect(writes).toBe(1);
    expect(await ask(await newKey(), START_MS)).toBeNull();
    expect(writes).toBe(1);
  });

  test('decisions.md#28: lists the banks, queried once a minute', async () => {
    const list = await banksAt(START_MS);
    expect(list.size).toBe(33);
    expect(list.get('CBE')).toEqual({
      code: 'CBE',
      name: 'Commercial Bank of Ethiopia',
      supportsWithdrawal: true,
    });
    expect(list.get('NBE')?.supportsWithdrawal).toBe(false);
    await banksAt(START_MS + 59_999);
    expect(queries).toBe(1);
    await banksAt(START_MS + 60_000);
    expect(queries).toBe(2);
  });

  test('lists the banks of the last five minutes while D1 fails, and does not ask it each time', async () => {
    expectLog('banks_refresh_failed');
    await banksAt(START_MS);
    fails = true;
    expect((await banksAt(START_MS + 60_000)).size).toBe(33);
    expect((await banksAt(START_MS + 64_999)).size).toBe(33);
    expect(queries).toBe(2);
    expect((await banksAt(START_MS + 299_999)).size).toBe(33);
    await expect(banksAt(START_MS + 300_000)).rejects.toThrow('D1 is away');
  });
});
