import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import { linkId, signLink } from '../../../src/kit/crypto/link-token.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import worker from '../../support/gateway.ts';
import { bookSql } from '../support/book.ts';
import {
  ALPHA,
  abortObjects,
  answerOf,
  booksAreFed,
  call,
  logged,
  ORIGIN,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';
import {
  cbeReport,
  decideAtRails,
  nbgReport,
  payAgain,
  playRails,
  SCENE_SECRETS,
  SCENES,
  send,
} from './scenes.ts';
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
  objectIdOf,
  objectIds,
  PHONE,
  payExpress,
  report,
  secretsOf,
} from './support.ts';

/**
 * Goal: docs/promises.md#9 and docs/decisions.md#31: a callback changes a payment only when it
 * proves something about it; otherwise the operator learns of it once. A later callback never
 * reverts an outcome. Method: payments in production, and callbacks that are forged, misdirected or
 * repeated.
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
// Wrong addresses

/** Changes the last character but one, which belongs to the MAC. */
function forged(token: string): string {
  return token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1);
}

const STRANGERS = (): ReturnType<typeof KEYS> => [
  { keyId: 't1', base64: btoa('another key with the same id, 32') },
];

const here = (index = 0) => ({ objectName: client().objectName, index });

const WRONG_ADDRESSES: readonly [string, () => Promise<string>][] = [
  ['another rail that is configured', () => callbackPath('stk-push')],
  ['another rail that is not configured', () => callbackPath('telebirr-h5')],
  ['an unknown rail', () => callbackPath('visa')],
  ['the rail in other letter case', () => callbackPath('EBIRR')],
  ['the simulator, for a payment in production', () => callbackPath('simulator')],
  ['the method’s name', () => callbackPath('e_birr')],
  ['CBE’s single address with a token appended', () => callbackPath('cbe-birr')],
  ['an unknown attempt', () => callbackPath('ebirr', client(), 1)],
  ['an unknown payment', () => callbackPath('ebirr', client('order-2'))],
  ['a changed token', async () => `/rails/ebirr/${forged(await attemptToken())}`],
  ['a token without its MAC', async () => `/rails/ebirr/${(await attemptToken()).slice(0, 47)}`],
  [
    'a token signed with another key',
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

test.each(WRONG_ADDRESSES)('answers 404 and touches nothing: %s', async (_name, pathOf) => {
  await pending();
  const path = await pathOf();
  const body = await paid();
  const before = { stored: await everythingStored(), ids: objectIds() };
  // Only the form of the simulator's page belongs to a customer, who gets a page.
  const text = path.startsWith('/rails/simulator/') ? /^<!doctype html>/i : 'Unknown callback';
  expect(await report(path, body)).toEqual({ status: 404, text: expect.stringMatching(text) });
  expect(await everythingStored()).toEqual(before.stored);
  // A payment that our own link names may have been read.
  const looked = objectIds().filter((id) => !before.ids.includes(id));
  expect([[], [objectIdOf(client('order-2'))]]).toContainEqual(looked);
  expect(loggedEvents('rail_callback_refused')).toEqual([]);
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [] });
});

test.each([['ebirr'], ['stk-push'], ['ethswitch-cards'], ['ethswitch-nbg'], ['cbe-birr']])(
  'decisions.md#22: an attempt on the simulator does not accept callbacks of %s',
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

// CBE names no receipt.
test.each(SCENES.filter(({ railId }) => railId !== 'cbe-birr'))(
  'decisions.md#31: a second success of $railId with another receipt is kept, found and shown',
  async (scene) => {
    playRails();
    await scene.begin();
    await scene.report('paid');
    const [first] = (await intentNow(scene.payment())).attempts;
    payAgain();
    await abortObjects();
    expect((await scene.report('paid')).status).toBe(200);
    // The provider repeats what it has reported.
    await scene.report('paid');
    const { status, attempts, anomalies, terms } = await intentNow(scene.payment());
    const second = `${first?.receipt?.slice(0, -2)}22`;
    expect([status, attempts[0]?.receipt]).toEqual(['succeeded', first?.receipt]);
    expect(anomalies).toMatchObject([
      { kind: 'second_receipt', attemptId: first?.id, receipt: second },
    ]);
    const { environment } = terms;
    const apiKey = ALPHA.apiKeys[environment];
    const { envelope } = await answerOf(call(statusPath('order-1', environment), { apiKey }));
    expect(envelope.content).toMatchObject({
      anomalies: [{ type: 'second_receipt', transactionId: first?.reference, receipt: second }],
    });
    await booksAreFed(caught);
    const book = await readerOf(env, tenantOf(ALPHA, environment));
    for (const receipt of [first?.receipt ?? '', second]) {
      expect((await book.search(receipt)).map(({ uniqueId }) => uniqueId)).toEqual(['order-1']);
    }
  },
);

test('a forged token reaches no object, not even to read it', async () => {
  await pending();
  const before = objectIds();
  const nowhere = '0'.repeat(64);
  const link = { objectName: nowhere, index: 0 };
  await report(`/rails/ebirr/${await signLink(STRANGERS(), 'attempt', link)}`, await paid());
  expect(objectIds()).toEqual(before);
});

// ---------------------------------------------------------------------------------------------
// Callbacks by GET, which one provider's accounts can be configured for

test('GET of eBirr’s address leads a browser to the payment’s page and proves nothing', async () => {
  await pending();
  const { reference } = await attemptNow();
  const query = new URLSearchParams({
    referenceId: reference,
    responseCode: '2001',
    errorCode: '0',
    state: 'APPROVED',
  });
  const path = await callbackPath('ebirr');
  const response = await call(`${path}?${query}`, { apiKey: null });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toContain('/checkout/');
  expect((await attemptNow()).status).toBe('processing');
  expect(loggedEvents('rail_callback_refused')).toEqual([]);
  expect(loggedEvents('rail_answer_not_stored')).toEqual([]);
});

test.each(['stk-push', 'ethswitch-nbg', 'cbe-birr', 'simulator', 'visa'])(
  'GET of a callback address at %s gets 405 and changes nothing',
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
  ['an unknown attempt', () => callbackPath('ethswitch-cards', client(), 1), 'GET', 404],
  ['the gateway’s old name', () => callbackPath('ethswitch'), 'GET', 405],
  ['HEAD', () => callbackPath('ethswitch-cards'), 'HEAD', 405],
  ['PUT', () => callbackPath('ethswitch-cards'), 'PUT', 405],
])('only the card gateway accepts GET: %s', async (_name, pathOf, method, status) => {
  await pending();
  const before = await everythingStored();
  const response = await call(`${await pathOf()}?orderNumber=1`, { method, apiKey: null });
  await response.body?.cancel();
  expect(response.status).toBe(status);
  expect(await everythingStored()).toEqual(before);
});

/** The parameters that the gateway adds to the address for the attempt in flight. */
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
  'the card gateway’s callback by %s only triggers a status query',
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
])('rejects the card gateway’s callback by GET %s without a status query', async (...row) => {
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
// Rejected

const REFUSED: readonly [string, () => Promise<object | string>, string, number][] = [
  ['text instead of JSON', async () => `<paid phone="${PHONE}"/>`, 'unreadable', 400],
  ['an empty body', async () => '', 'unreadable', 400],
  ['another order', () => paid({ referenceId: 'ORDER-0001' }), 'other_order', 403],
  ['another amount', () => paid({ txAmount: '1.00' }), 'wrong_amount', 403],
  ['an unknown state', () => paid({ responseCode: '2002' }), 'unknown_state', 422],
];

test.each(REFUSED)(
  'promises.md#9: rejects it and informs only the operator: %s',
  async (_name, bodyOf, suspicion, status) => {
    await pending();
    const path = await callbackPath('ebirr');
    const before = await intentNow();
    for (let times = 0; times < 3; times += 1) {
      expect((await report(path, await bodyOf())).status).toBe(status);
    }
    // Each one is logged with the payment's id; of its content, at most a code.
    const { uuid } = before.terms;
    const line = { event: 'rail_callback_refused', uuid, rail: 'ebirr', suspicion };
    expect(loggedEvents('rail_callback_refused')).toEqual([line, line, line]);
    for (const secret of [PHONE, EBIRR.apiKey, path.split('/')[3] ?? '', 'RCS_']) {
      expect(logged.join('\n')).not.toContain(secret);
    }
    // Recorded once on the payment, which is otherwise unchanged; the merchant gets no event.
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
    await booksAreFed(caught);
    const tenant = tenantOf(ALPHA, 'production');
    expect(await bookSql('SELECT status, anomalies FROM payment', tenant)).toEqual([
      { status: 'processing', anomalies: 1 },
    ]);
    // A genuine callback still pays it.
    expect((await report(path, await paid())).status).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
  },
);

/** Larger than any honest callback, with and without a content-length. */
const HUGE = JSON.stringify({ filler: `${PHONE} `.repeat(6_000) });

test.each<[string, () => string | ReadableStream]>([
  ['announced', () => HUGE],
  ['not announced', () => new Blob([HUGE]).stream()],
])(
  'answers 413 and touches nothing for a body that is too large, its length %s',
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
  ['the configured address', '192.0.2.7', 200, 'succeeded'],
  ['another address', '192.0.2.8', 403, 'processing'],
  ['no address', undefined, 403, 'processing'],
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

test('a refused callback changes the merchant’s status call only by the anomaly', async () => {
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
        type: 'refused_callback',
        transactionId: (await attemptNow()).reference,
        refundUniqueId: null,
        excessMinor: null,
        reviewedAt: null,
        createdAt: new Date().toISOString(),
        receipt: null,
      },
    ],
  });
});

test.each<[string, string, () => Promise<Request>]>([
  [
    'at the attempt’s own address',
    'E_BIRR',
    async () => request(await callbackPath('ebirr'), await paid()),
  ],
  [
    'at CBE’s address',
    'CBE',
    async () =>
      request('/rails/cbe-birr', await cbeReport((await attemptNow()).railReference ?? '')),
  ],
  [
    'by GET',
    'ETS_SWITCH',
    async () => request(`${await callbackPath('ethswitch-cards')}?${await cardsWords()}`),
  ],
])('processes a callback although the provider disconnects: %s', async (_name, method, make) => {
  playRails();
  await payExpress({ method });
  decideAtRails('paid');
  const sent = (await make()) as Parameters<typeof worker.fetch>[0];
  const ctx = createExecutionContext();
  const waitUntil = vi.spyOn(ctx, 'waitUntil');
  const answered = worker.fetch(sent, env, ctx);
  // The platform keeps a request alive only for promises passed to waitUntil.
  await expect.poll(() => waitUntil).toHaveBeenCalled();
  await waitOnExecutionContext(ctx);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect((await answered).status).toBe(200);
});

function request(path: string, body?: object): Request {
  const posted = body && { method: 'POST', body: JSON.stringify(body) };
  return new Request(`${ORIGIN}${path}`, posted);
}

// ---------------------------------------------------------------------------------------------
// Repeated and contradicting callbacks

const eventTypes = async (payment = client()) => (await payment.events()).map(({ type }) => type);

test.each(SCENES)('$railId: a repeated success changes nothing', async (scene) => {
  playRails();
  await scene.begin();
  const send = await scene.prepareReport('paid');
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

test.each(SCENES)(
  '$railId: a failure after the success is an anomaly, recorded once',
  async (scene) => {
    playRails();
    await scene.begin();
    await scene.report('paid');
    const before = await intentNow(scene.payment());
    for (let times = 0; times < 3; times += 1) {
      expect((await scene.report('failed')).status).toBe(200);
    }
    const { id: attemptId } = await attemptNow(scene.payment());
    expect(await intentNow(scene.payment())).toEqual({
      ...before,
      anomalies: [{ kind: 'contradicting_failure', attemptId, atMs: Date.now() }],
      version: before.version + 1,
    });
    expect(await eventTypes(scene.payment())).toEqual(['payment_succeeded']);
  },
);

test.each(SCENES)(
  '$railId: a success after the failure counts as paid',
  async ({ begin, payment, report }) => {
    playRails();
    await begin();
    expect((await report('failed')).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({ status: 'failed' });
    expect((await report('paid')).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({
      status: 'succeeded',
      late: true,
      anomalies: [],
    });
    const paid = { status: 'succeeded', failureReason: null };
    expect(await attemptNow(payment())).toMatchObject(paid);
    expect(await eventTypes(payment())).toEqual(['payment_failed', 'payment_succeeded']);
    // A second failure changes nothing.
    await report('failed');
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded' });
    expect(await eventTypes(payment())).toEqual(['payment_failed', 'payment_succeeded']);
  },
);
