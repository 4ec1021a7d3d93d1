import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { configOf } from '../../src/config.ts';
import { linkId, signLink } from '../../src/crypto/link-token.ts';
import worker from '../../src/index.ts';
import {
  cbeReport,
  decideAtRails,
  nbgReport,
  playRails,
  SCENE_SECRETS,
  SCENES,
  send,
} from './rails-scenes.ts';
import {
  attemptNow,
  attemptToken,
  callbackPath,
  client,
  clientIn,
  configureRails,
  EBIRR,
  ebirrReport,
  envWith,
  everythingStored,
  intentNow,
  loggedEvents,
  NBG,
  noRail,
  objectIds,
  PHONE,
  payExpress,
  report,
  secretsOf,
} from './rails-support.ts';
import {
  ALPHA,
  answerOf,
  call,
  consume,
  logged,
  ORIGIN,
  statusPath,
  useGateway,
} from './support.ts';

/**
 * Goal: docs/promises.md#9 and docs/decisions.md#31: what arrives at a rail's address changes a
 * payment only when it proves something about it, tells the operator once when it does not, and
 * never unsays what was said. Method: payments in production, and callbacks that nobody, or
 * somebody else, has sent.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

const KEYS = () => configOf(env).linkSigningKeys;

/** An eBirr payment in flight. */
async function pending(): Promise<void> {
  noRail();
  await payExpress({ method: 'E_BIRR' });
}

const paid = async (changes: object = {}) => ebirrReport(await attemptNow(), changes);
// ---------------------------------------------------------------------------------------------
// Addresses that are not the attempt's

/** Another character in the last place but one, which is all of the MAC. */
function forged(token: string): string {
  return token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1);
}

const STRANGERS = (): ReturnType<typeof KEYS> => [
  { keyId: 't1', base64: btoa('another key with the same id, 32') },
];

const here = (attemptIndex = 0) => ({ objectId: client().objectId, attemptIndex });

const WRONG_ADDRESSES: readonly [string, () => Promise<string>][] = [
  ['another rail that is configured', () => callbackPath('stk-push')],
  ['another rail that is not', () => callbackPath('telebirr-h5')],
  ['a rail of no name that we know', () => callbackPath('visa')],
  ['the rail in other letters', () => callbackPath('EBIRR')],
  ['the simulator, for a payment in production', () => callbackPath('simulator')],
  ['the method’s name', () => callbackPath('e_birr')],
  ['CBE’s one address, as if it had tokens', () => callbackPath('cbe-birr')],
  ['an attempt that is not there', () => callbackPath('ebirr', client(), 1)],
  ['a payment that is not there', () => callbackPath('ebirr', client('order-2'))],
  ['a changed token', async () => `/rails/ebirr/${forged(await attemptToken())}`],
  ['a token without its MAC', async () => `/rails/ebirr/${(await attemptToken()).slice(0, 47)}`],
  [
    'a token by another key',
    async () => `/rails/ebirr/${await signLink(STRANGERS(), 'attempt', here())}`,
  ],
  [
    'the checkout page’s token',
    async () => `/rails/ebirr/${await signLink(KEYS(), 'checkout', here())}`,
  ],
  ['an order id', async () => `/rails/ebirr/${await linkId(KEYS(), here())}`],
  ['the attempt’s reference', async () => `/rails/ebirr/${(await attemptNow()).reference}`],
  ['no token', async () => '/rails/ebirr/'],
];

test.each(WRONG_ADDRESSES)('404, and nothing is touched: %s', async (_name, pathOf) => {
  await pending();
  const path = await pathOf();
  const body = await paid();
  const before = { stored: await everythingStored(), ids: objectIds() };
  expect(await report(path, body)).toMatchObject({ status: 404 });
  expect(await everythingStored()).toEqual(before.stored);
  // One that a link of ours names may have been looked for.
  const looked = objectIds().filter((id) => !before.ids.includes(id));
  expect([[], [client('order-2').objectId]]).toContainEqual(looked);
  expect(loggedEvents('rail_callback_refused')).toEqual([]);
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [] });
});

test.each([['ebirr'], ['stk-push'], ['ethswitch-cards'], ['ethswitch-nbg'], ['cbe-birr']])(
  'decisions.md#22: an attempt on the simulator is none of %s’s',
  async (railId) => {
    noRail();
    await payExpress({ method: 'E_BIRR', testMode: { testModeType: 'ACTUAL_TEST' } }, 'sandbox');
    const sandbox = clientIn('sandbox');
    const attempt = await attemptNow(sandbox);
    expect(attempt.railId).toBe('simulator');
    const before = await everythingStored();
    const answer = await report(await callbackPath(railId, sandbox), ebirrReport(attempt));
    expect(answer.status).toBe(404);
    expect(await everythingStored()).toEqual(before);
  },
);

test('a token that somebody guessed reaches no object, not even to look', async () => {
  await pending();
  const before = objectIds();
  const nowhere = '0'.repeat(64);
  const link = { objectId: nowhere, attemptIndex: 0 };
  await report(`/rails/ebirr/${await signLink(STRANGERS(), 'attempt', link)}`, await paid());
  expect(objectIds()).toEqual(before);
});

// ---------------------------------------------------------------------------------------------
// By GET, which one rail's accounts may be set to

test.each(['ebirr', 'stk-push', 'ethswitch-nbg', 'cbe-birr', 'simulator', 'visa'])(
  'GET of a callback address at %s is 405 and changes nothing',
  async (railId) => {
    await pending();
    const before = await everythingStored();
    const path = await callbackPath(railId);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await call(`${path}?orderNumber=1`, { method, apiKey: null });
      await response.body?.cancel();
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    }
    expect(await everythingStored()).toEqual(before);
    expect(loggedEvents('rail_callback_refused')).toEqual([]);
  },
);

test.each([
  ['an attempt of another rail', () => callbackPath('ethswitch-cards'), 'GET', 404],
  ['an attempt that is not there', () => callbackPath('ethswitch-cards', client(), 1), 'GET', 404],
  ['the gateway’s old name', () => callbackPath('ethswitch'), 'GET', 405],
  ['HEAD', () => callbackPath('ethswitch-cards'), 'HEAD', 405],
  ['PUT', () => callbackPath('ethswitch-cards'), 'PUT', 405],
])('GET is the card gateway’s, and no more: %s', async (_name, pathOf, method, status) => {
  await pending();
  const before = await everythingStored();
  const response = await call(`${await pathOf()}?orderNumber=1`, { method, apiKey: null });
  await response.body?.cancel();
  expect(response.status).toBe(status);
  expect(await everythingStored()).toEqual(before);
});

/** What the gateway puts into the address, of the attempt in flight. */
async function cardsWords(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const { reference, railReference } = await attemptNow();
  const known = { orderNumber: reference, mdOrder: railReference ?? '' };
  return `${new URLSearchParams({ ...known, operation: 'deposited', status: '1', ...changes })}`;
}

const BY = {
  GET: (path: string, words: string) => call(`${path}?${words}`, { apiKey: null }),
  POST: (path: string, words: string) =>
    call(path, {
      method: 'POST',
      apiKey: null,
      body: words,
      contentType: 'application/x-www-form-urlencoded',
    }),
};

test.each(['GET', 'POST'] as const)(
  'the card gateway’s callback by %s is not believed: the gateway is asked',
  async (way) => {
    const calls = playRails();
    await payExpress({ method: 'ETS_SWITCH' });
    const path = await callbackPath('ethswitch-cards');
    const say = async () => (await BY[way](path, await cardsWords())).status;
    expect(await say()).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'processing' });
    decideAtRails('paid');
    expect(await say()).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'succeeded' });
    expect(await attemptNow()).toMatchObject({ receipt: '632509123456' });
    expect(calls.map(({ url }) => url.split('/').at(-1))).toEqual([
      'register.do',
      'getOrderStatusExtended.do',
      'getOrderStatusExtended.do',
    ]);
  },
);

test.each([
  ['of another order', { orderNumber: 'H7K2M9QX4T0B8ZC3VN5D' }, 'other_order'],
  ['of another page', { mdOrder: 'e-2' }, 'other_order'],
])('the card gateway’s callback by GET %s is refused, and nobody is asked', async (...row) => {
  const [, changes, suspicion] = row;
  const calls = playRails();
  await payExpress({ method: 'ETS_SWITCH' });
  decideAtRails('paid');
  const path = await callbackPath('ethswitch-cards');
  expect((await BY.GET(path, await cardsWords(changes))).status).toBe(400);
  expect(calls).toHaveLength(1);
  expect(loggedEvents('rail_callback_refused')).toMatchObject([
    { rail: 'ethswitch-cards', suspicion },
  ]);
  expect(await intentNow()).toMatchObject({
    status: 'processing',
    anomalies: [{ kind: 'refused_callback' }],
  });
});

// ---------------------------------------------------------------------------------------------
// Refused

const REFUSED: readonly [string, () => Promise<object | string>, string, number][] = [
  ['no JSON', async () => `<paid phone="${PHONE}"/>`, 'unreadable', 400],
  ['an empty body', async () => '', 'unreadable', 400],
  ['another order', () => paid({ referenceId: 'ORDER-0001' }), 'other_order', 403],
  ['another amount', () => paid({ txAmount: '1.00' }), 'wrong_amount', 403],
  ['a state of no meaning', () => paid({ responseCode: '2002' }), 'unknown_state', 422],
];

test.each(REFUSED)(
  'promises.md#9: refused, told to the operator and to nobody else: %s',
  async (_name, bodyOf, suspicion, status) => {
    await pending();
    const path = await callbackPath('ebirr');
    const before = await intentNow();
    for (let times = 0; times < 3; times += 1) {
      expect((await report(path, await bodyOf())).status).toBe(status);
    }
    // Each in the log, with what names the payment; of what came, at most a code.
    const { uuid } = before.terms;
    const line = { event: 'rail_callback_refused', uuid, rail: 'ebirr', suspicion };
    expect(loggedEvents('rail_callback_refused')).toEqual([line, line, line]);
    for (const secret of [PHONE, EBIRR.apiKey, path.split('/')[3] ?? '', 'RCS_']) {
      expect(logged.join('\n')).not.toContain(secret);
    }
    // Once on the payment, which is otherwise as it was; the merchant hears nothing.
    const after = await intentNow();
    const { id: attemptId } = await attemptNow();
    const anomalies = [{ kind: 'refused_callback', attemptId, atMs: Date.now() }];
    expect(after).toEqual({
      ...before,
      anomalies,
      version: before.version + 1,
      updatedAtMs: Date.now(),
    });
    expect(await client().events()).toEqual([]);
    expect(caught.webhooks).toEqual([]);
    // The operator's list.
    await consume('kefel-projections', caught.projections.splice(0));
    const rows = await env.DB.prepare('SELECT status, anomalies FROM payment').all();
    expect(rows.results).toEqual([{ status: 'processing', anomalies: 1 }]);
    // It is still paid by the right one.
    expect((await report(path, await paid())).status).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
  },
);

/** More than anything honest has, announced or not. */
const HUGE = JSON.stringify({ filler: `${PHONE} `.repeat(6_000) });

test.each<[string, () => string | ReadableStream]>([
  ['announced', () => HUGE],
  ['not announced', () => new Blob([HUGE]).stream()],
])(
  'a body that is too large, its length %s: 413, and nothing is touched',
  async (_name, bodyOf) => {
    await pending();
    const before = await everythingStored();
    const path = await callbackPath('ebirr');
    expect((await report(path, bodyOf())).status).toBe(413);
    expect(await everythingStored()).toEqual(before);
    expect(logged.join('\n')).not.toContain(PHONE);
    expect((await report(path, await paid())).status).toBe(200);
  },
);

test.each([
  ['the address that was told', '192.0.2.7', 200, 'succeeded'],
  ['another', '192.0.2.8', 403, 'processing'],
  ['nowhere', undefined, 403, 'processing'],
])('NBG reports from %s', async (_name, address, status, expected) => {
  playRails();
  const nbg = SCENES.find(({ railId }) => railId === 'ethswitch-nbg');
  await nbg?.begin();
  const payment = clientIn('sandbox');
  const settings = { ...NBG, callbackAddresses: ['192.0.2.7'] };
  const sent = await send(
    envWith(secretsOf({ RAIL_ETS_SWITCH_SANDBOX: settings })),
    await callbackPath('ethswitch-nbg', payment),
    {
      body: nbgReport(await attemptNow(payment), 'paid'),
      headers: address === undefined ? {} : { 'cf-connecting-ip': address },
    },
  );
  expect(sent.status).toBe(status);
  expect(await intentNow(payment)).toMatchObject({ status: expected });
  const suspicions = loggedEvents('rail_callback_refused').map(({ suspicion }) => suspicion);
  expect(suspicions).toEqual(status === 200 ? [] : ['not_authentic']);
});

test('the merchant’s status call says the same before and after a refused callback, but for the anomaly', async () => {
  await pending();
  const status = async () => {
    const apiKey = ALPHA.apiKeys.production;
    const { envelope } = await answerOf(call(statusPath('order-1', 'production'), { apiKey }));
    return envelope.content as Record<string, unknown>;
  };
  const before = await status();
  await report(await callbackPath('ebirr'), await paid({ txAmount: '1.00' }));
  const after = await status();
  expect(after).toEqual({
    ...before,
    sequence: Number(before.sequence) + 1,
    lastUpdateDate: new Date().toISOString(),
    anomalies: [
      {
        kind: 'refused_callback',
        transactionId: (await attemptNow()).reference,
        at: new Date().toISOString(),
      },
    ],
  });
});

test.each<[string, string, () => Promise<Request>]>([
  ['by its own address', 'E_BIRR', async () => request(await callbackPath('ebirr'), await paid())],
  [
    'by CBE’s',
    'CBE',
    async () => request('/rails/cbe-birr', cbeReport((await attemptNow()).railReference ?? '')),
  ],
  [
    'by GET',
    'ETS_SWITCH',
    async () => request(`${await callbackPath('ethswitch-cards')}?${await cardsWords()}`),
  ],
])('a rail that hangs up has been heard: %s', async (_name, method, make) => {
  playRails();
  await payExpress({ method });
  decideAtRails('paid');
  const sent = (await make()) as Parameters<typeof worker.fetch>[0];
  const ctx = createExecutionContext();
  const waitUntil = vi.spyOn(ctx, 'waitUntil');
  const answered = worker.fetch(sent, env, ctx);
  // The platform keeps a request alive only so long as its promises were handed over.
  await vi.waitFor(() => expect(waitUntil).toHaveBeenCalled());
  await waitOnExecutionContext(ctx);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect((await answered).status).toBe(200);
});

function request(path: string, body?: object): Request {
  const posted = body && { method: 'POST', body: JSON.stringify(body) };
  return new Request(`${ORIGIN}${path}`, posted);
}

// ---------------------------------------------------------------------------------------------
// Said before, and said otherwise

const eventTypes = async (payment = client()) => (await payment.events()).map(({ type }) => type);

test.each(SCENES)('$railId: the same success again is no news', async (scene) => {
  playRails();
  await scene.begin();
  const send = await scene.writes('paid');
  const first = await send();
  expect(first.status).toBe(200);
  expect(await intentNow(scene.payment())).toMatchObject({ status: 'succeeded', late: false });
  const before = { stored: await everythingStored(), sent: caught.webhooks.length };
  for (let times = 0; times < 3; times += 1) {
    expect(await send()).toEqual(first);
  }
  await Promise.all([send(), send()]);
  expect({ stored: await everythingStored(), sent: caught.webhooks.length }).toEqual(before);
  expect(await eventTypes(scene.payment())).toEqual(['payment_succeeded']);
});

test.each(SCENES)('$railId: a failure after the success is an anomaly, once', async (scene) => {
  playRails();
  await scene.begin();
  await scene.says('paid');
  const before = await intentNow(scene.payment());
  for (let times = 0; times < 3; times += 1) {
    expect((await scene.says('failed')).status).toBe(200);
  }
  const { id: attemptId } = await attemptNow(scene.payment());
  expect(await intentNow(scene.payment())).toEqual({
    ...before,
    anomalies: [{ kind: 'contradicting_failure', attemptId, atMs: Date.now() }],
    version: before.version + 1,
  });
  expect(await eventTypes(scene.payment())).toEqual(['payment_succeeded']);
});

test.each(SCENES)(
  '$railId: a success after the failure is money, whatever was said',
  async ({ begin, payment, says }) => {
    playRails();
    await begin();
    expect((await says('failed')).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({ status: 'failed' });
    expect((await says('paid')).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({
      status: 'succeeded',
      late: true,
      anomalies: [],
    });
    const paid = { status: 'succeeded', failureReason: null };
    expect(await attemptNow(payment())).toMatchObject(paid);
    expect(await eventTypes(payment())).toEqual(['payment_failed', 'payment_succeeded']);
    // And the failure once more changes nothing about that.
    await says('failed');
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded' });
    expect(await eventTypes(payment())).toEqual(['payment_failed', 'payment_succeeded']);
  },
);
