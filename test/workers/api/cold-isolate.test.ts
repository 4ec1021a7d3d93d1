import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { keyRing } from '../../../src/engine/config.ts';
import { generateApiKey } from '../../../src/engine/merchants/api-key.ts';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import type { KeyRing } from '../../../src/kit/crypto/key-ring.ts';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  MINUTE_MS,
  postExpress,
  postHosted,
  SECOND_MS,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: while D1 hangs, an isolate that has just started accepts a key by its data center's copy, and
 * by no other (docs/operations.md#when-d1-is-down). Method: D1 without answers, whose time limit passes
 * at once; an isolate that forgets what it knows; the runtime's own cache.
 */

useGateway();

const cache = (caches as unknown as { readonly default: Cache }).default;
const KEYS: KeyRing = keyRing('DATA_ENCRYPTION_KEYS', env.DATA_ENCRYPTION_KEYS);
const FOREIGN: KeyRing = keyRing('test', `t1:${btoa('f'.repeat(32))}`);

let operations = watchCache();
beforeEach(() => {
  operations = watchCache();
});

function watchCache() {
  return {
    match: vi.spyOn(cache, 'match'),
    put: vi.spyOn(cache, 'put'),
    delete: vi.spyOn(cache, 'delete'),
  };
}

const counts = () => Object.values(operations).map(({ mock }) => mock.calls.length);

/** The address of the copy that the background stores or deletes after the call. */
async function copiedBy(kind: 'put' | 'delete', send: () => Promise<unknown>): Promise<string> {
  const { mock } = operations[kind];
  const before = mock.calls.length;
  await send();
  await expect.poll(() => mock.settledResults[before]?.type).toBe('fulfilled');
  return String(mock.calls[before]?.[0]);
}

function read(apiKey = ALPHA.apiKeys.sandbox): Promise<Response> {
  const environment = apiKey.startsWith('kfl_live_') ? 'production' : 'sandbox';
  return call(statusPath('none', environment), { apiKey });
}

/** Another isolate of the data center has answered a call with the key. */
function inUse(apiKey = ALPHA.apiKeys.sandbox): Promise<string> {
  return copiedBy('put', async () => expect((await read(apiKey)).status).toBe(404));
}

/** D1 has no answer for an isolate that knows nothing. */
function hangOnColdIsolate(): void {
  forgetDirectory();
  const hang = () => new Promise<never>(() => undefined);
  const statement = { first: hang, all: hang, run: hang };
  vi.spyOn(env.DB, 'prepare').mockReturnValue({ bind: () => statement } as never);
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback, _ms, ...args) =>
    setTimeout(callback, 0, ...args),
  );
}

describe('while D1 hangs', () => {
  test('a cold isolate accepts 50 creates with a key that its data center knows', async () => {
    await inUse();
    hangOnColdIsolate();
    const creates = Array.from({ length: 50 }, (_, index) => {
      const post = index % 2 === 0 ? postHosted : postExpress;
      return post({ paymentIntentUniqueId: `order-${index}` });
    });
    const answers = await Promise.all(creates);
    expect(answers.map(({ status }) => status)).toEqual(creates.map(() => 200));
  });

  test('a cold isolate accepts splits when its data center knows the banks', async () => {
    const splitPayment = [
      { bank: 'CBE', creditAccount: '1000', splitType: 'PERCENTAGE', amount: 1 },
    ];
    await inUse();
    await copiedBy('put', () => call('/api/v1/payment/banks'));
    hangOnColdIsolate();
    expect((await postHosted({ splitPayment })).status).toBe(200);
    expect((await postHosted({ splitPayment, paymentIntentUniqueId: 'order-2' })).status).toBe(200);
  });

  test('later calls wait neither for D1 nor for the cache', async () => {
    await inUse();
    hangOnColdIsolate();
    await postHosted();
    const [matches] = counts();
    vi.mocked(globalThis.setTimeout).mockRestore();
    for (let calls = 0; calls < 20; calls += 1) {
      advance(100);
      expect((await read()).status).toBe(404);
    }
    expect(counts()[0]).toBe(matches);
  });

  test('a key of which the data center has no copy is answered 503', async () => {
    await inUse(BETA.apiKeys.sandbox);
    hangOnColdIsolate();
    const { status, headers } = await postHosted();
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('a copy is used for five minutes since D1 was read', async () => {
    await inUse();
    hangOnColdIsolate();
    advance(5 * MINUTE_MS - 1);
    expect((await postHosted()).status).toBe(200);
    advance(1);
    expect((await postHosted({ paymentIntentUniqueId: 'order-2' })).status).toBe(503);
    forgetDirectory();
    expect((await postHosted({ paymentIntentUniqueId: 'order-3' })).status).toBe(503);
  });

  test('a key that has expired since is answered 401', async () => {
    const expiresAtMs = Date.now() + MINUTE_MS;
    await env.DB.exec(`UPDATE api_keys SET expires_at_ms = ${expiresAtMs}`);
    await inUse();
    hangOnColdIsolate();
    advance(MINUTE_MS);
    expect((await read()).status).toBe(401);
  });

  test('a revoked key that D1 has refused is answered 503, wherever it was', async () => {
    await inUse();
    await env.DB.exec('UPDATE api_keys SET revoked_at_ms = 1');
    forgetDirectory();
    await copiedBy('delete', async () => expect((await read()).status).toBe(401));
    hangOnColdIsolate();
    expect((await read()).status).toBe(503);
  });

  test('a key that was revoked during the outage is refused as soon as D1 answers', async () => {
    await inUse();
    await env.DB.exec('UPDATE api_keys SET revoked_at_ms = 1');
    advance(20 * SECOND_MS);
    hangOnColdIsolate();
    expect((await read()).status).toBe(404);
    vi.mocked(env.DB.prepare).mockRestore();
    advance(10 * SECOND_MS);
    expect((await read()).status).toBe(401);
  });

  test('an invented key is answered 401 without the cache, and without D1', async () => {
    const apiKey = await generateApiKey(FOREIGN, 'sandbox');
    expect((await read(apiKey)).status).toBe(401);
    hangOnColdIsolate();
    expect((await read(apiKey)).status).toBe(401);
    expect(counts()).toEqual([0, 0, 0]);
    expect(env.DB.prepare).not.toHaveBeenCalled();
  });

  const TAMPERED: readonly (readonly [
    string,
    (copy: string, address: string) => Promise<string>,
  ])[] = [
    [
      'altered',
      async (copy) => copy.slice(0, -9) + (copy.at(-9) === 'A' ? 'B' : 'A') + copy.slice(-8),
    ],
    ['cut', async (copy) => copy.slice(0, 20)],
    ['empty', async () => ''],
    ['in plain text', async (copy, address) => opened(copy, address)],
    [
      'sealed by another key',
      async (copy, address) => seal(FOREIGN, await opened(copy, address), contextOf(address)),
    ],
    ['of another key', async () => textAt(await inUse(BETA.apiKeys.sandbox))],
    ['of the other environment', async () => textAt(await inUse(ALPHA.apiKeys.production))],
    [
      'of the future',
      async (copy, address) => resealed(copy, address, { readAtMs: Date.now() + MINUTE_MS }),
    ],
    ['of long ago', async (copy, address) => resealed(copy, address, { readAtMs: 0 })],
  ];

  test.each(TAMPERED)('a copy that is %s is not used', async (_name, tamper) => {
    const address = await inUse();
    const text = await tamper(await textAt(address), address);
    const headers = { 'cache-control': 'max-age=300' };
    await cache.put(address, new Response(text, { headers }));
    hangOnColdIsolate();
    expect((await read()).status).toBe(503);
  });

  test('a copy with another time is used, as the cases above expect', async () => {
    const address = await inUse();
    const text = await resealed(await textAt(address), address, { readAtMs: Date.now() - 1 });
    const headers = { 'cache-control': 'max-age=300' };
    await cache.put(address, new Response(text, { headers }));
    hangOnColdIsolate();
    expect((await read()).status).toBe(404);
  });

  test.each([
    ['version', { VERSION: { ...env.VERSION, id: 'other' } }],
    ['jurisdiction', { OBJECT_JURISDICTION: 'eu' }],
  ])('a copy of another %s of the gateway is not used', async (_name, changes) => {
    await inUse();
    hangOnColdIsolate();
    const bindings = { ...env, ...changes } as Env;
    expect((await call(statusPath('none'), { bindings })).status).toBe(503);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('no cache'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('503 in time when the cache %s, too', async (_name, match) => {
    await inUse();
    hangOnColdIsolate();
    operations.match.mockImplementation(match);
    expect((await read()).status).toBe(503);
  });
});

describe('while D1 answers', () => {
  test('a key in use costs one copy a minute, and no look into the cache', async () => {
    await inUse();
    for (let ms = 0; ms < MINUTE_MS - SECOND_MS; ms += SECOND_MS) {
      expect((await read()).status).toBe(404);
      advance(SECOND_MS);
    }
    expect(counts()).toEqual([0, 1, 0]);
    advance(10 * SECOND_MS);
    await inUse();
    expect(counts()).toEqual([0, 2, 0]);
  });

  test('a changed setting is in the copy as soon as an isolate has read it', async () => {
    await inUse();
    await env.DB.exec(`UPDATE api_keys SET permissions = '["payments_read"]'`);
    advance(10 * SECOND_MS);
    await inUse();
    hangOnColdIsolate();
    expect([(await postHosted()).status, (await read()).status]).toEqual([403, 404]);
  });

  test('a cache that fails disturbs no call', async () => {
    operations.put.mockRejectedValue(new Error('no cache'));
    expect((await postHosted()).status).toBe(200);
    await expect.poll(() => operations.put.mock.settledResults.at(-1)?.type).toBe('rejected');
  });
});

async function textAt(address: string): Promise<string> {
  return (await cache.match(address))?.text() ?? '';
}

function contextOf(address: string): string {
  return new URL(address).pathname.slice(1);
}

async function opened(copy: string, address: string): Promise<string> {
  const text = await unseal(KEYS, copy, contextOf(address));
  expect(text).not.toBeNull();
  return text ?? '';
}

async function resealed(copy: string, address: string, changes: object): Promise<string> {
  const text = JSON.stringify({ ...JSON.parse(await opened(copy, address)), ...changes });
  return seal(KEYS, text, contextOf(address));
}
