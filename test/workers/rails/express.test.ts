import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import {
  ALPHA,
  type Body,
  CREATE_PATHS,
  call,
  expressBody,
  hostedBody,
  postForm,
  reportsAreSent,
  statusPath,
  useGateway,
} from '../support.ts';
import { playRails, SCENE_SECRETS, send } from './scenes.ts';
import {
  attemptNow,
  client,
  clientIn,
  configureRails,
  EBIRR,
  envWith,
  everythingStored,
  intentNow,
  NBG_IN_PRODUCTION,
  noRail,
  openHosted,
  PHONE,
  type RailAnswer,
  type RailCall,
  railServer,
  secretsOf,
} from './support.ts';

/**
 * Goal: a customer who cannot pay by a rail learns it before anything is stored
 * (docs/decisions.md#3, #13, #23). After a FAILURE answer no page is left on which the first charge
 * could be paid as well (docs/decisions.md#16). Method: numbers, currencies and answers that a rail
 * rejects.
 */

configureRails({ ...SCENE_SECRETS, RAIL_E_BIRR_SANDBOX: EBIRR });
const caught = useGateway();

/** Ethio telecom's and Safaricom's numbers, as people write them and as providers get them. */
const NUMBERS = { 2519: '0911223344', 2517: '+251711223344' } as const;

async function express(
  changes: Body,
  {
    environment = 'production',
    bindings = env,
  }: { environment?: Environment; bindings?: Env } = {},
) {
  const { status, text } = await send(bindings, CREATE_PATHS.express[environment], {
    apiKey: ALPHA.apiKeys[environment],
    idempotencyKey: 'try-1',
    body: expressBody(changes),
  });
  return { status, text, envelope: JSON.parse(text) };
}

// ---------------------------------------------------------------------------------------------
// Phones

let calls: RailCall[] = [];
beforeEach(() => {
  calls = noRail();
});

const REJECTED: readonly [Method, string, number][] = [
  ['E_BIRR', NUMBERS[2517], 9],
  ['M_PESA', NUMBERS[2519], 7],
];

test.each(REJECTED)(
  'decisions.md#3: rejects express by %s from %s',
  async (method, phone, start) => {
    const problem = `Must begin with ${start}, such as 0${start}11223344: ${method} charges no other numbers.`;
    const places: readonly [string, Body][] = [
      ['phoneNumber', { phoneNumber: phone }],
      // A phone other than the named one must not be charged.
      ['phoneNumber', { phoneNumber: phone, customerInfo: { phone: PHONE } }],
      ['customerInfo.phone', { customerInfo: { phone } }],
    ];
    for (const [path, changes] of places) {
      const { status, envelope } = await express({ method, ...changes });
      expect({ status, ...envelope }).toMatchObject({
        status: 400,
        message: `${path}: ${problem.charAt(0).toLowerCase()}${problem.slice(1, -1)}`,
        validationErrors: { [path]: problem },
      });
    }
    expect(await everythingStored()).toEqual({});
    expect([calls, caught.reports, caught.projections]).toEqual([[], [], []]);
  },
);

const ACCEPTED: readonly [string, Body, Parameters<typeof express>[1]?][] = [
  ['E_BIRR', { phoneNumber: NUMBERS[2519] }],
  ['M_PESA', { phoneNumber: NUMBERS[2517] }],
  // The first named phone is charged.
  ['M_PESA', { phoneNumber: NUMBERS[2517], customerInfo: { phone: PHONE } }],
  // CBE's page asks for its own phone.
  ['CBE', { phoneNumber: NUMBERS[2517] }],
  ['CBE', { phoneNumber: NUMBERS[2519] }],
  // A method without a phone ignores one.
  ['ETS_SWITCH', { phoneNumber: NUMBERS[2517] }],
  // The operator's setting applies.
  [
    'E_BIRR',
    { phoneNumber: NUMBERS[2517] },
    {
      bindings: envWith(
        secretsOf({ RAIL_E_BIRR_PRODUCTION: { ...EBIRR, phonePrefixes: ['2517'] } }),
      ),
    },
  ],
  // The sandbox accepts every number.
  ['E_BIRR', { phoneNumber: NUMBERS[2517] }, { environment: 'sandbox' }],
  ['M_PESA', { phoneNumber: NUMBERS[2519] }, { environment: 'sandbox' }],
];

test.each(ACCEPTED)('accepts express by %s with %j', async (method, changes, where) => {
  playRails();
  const { status, envelope } = await express({ method, ...changes }, where);
  expect({ status, ...envelope.content }).toMatchObject({ status: 'SUCCESS' });
  expect(await attemptNow(clientIn(where?.environment ?? 'production'))).toMatchObject({ method });
});

test.each([
  ['E_BIRR', NUMBERS[2517], NUMBERS[2519], english.problem.phone_not_taken],
  ['M_PESA', NUMBERS[2519], NUMBERS[2517], english.phoneHintMpesa],
] as const)(
  'decisions.md#3: hosted by %s from %j shows the page again, without an attempt',
  async (method, phone, other, problem) => {
    const path = await openHosted({ methods: ['E_BIRR', 'M_PESA', 'CBE'] });
    const before = await everythingStored();
    const refused = await postForm(`${path}/attempts`, { method, phone, attempts: '0' });
    await refused.body?.cancel();
    expect(refused.status).toBe(303);
    const page = await call(refused.headers.get('location') ?? '', { apiKey: null });
    const text = await page.text();
    expect(text).toContain(problem);
    // The choice and the typed number are still there.
    expect(text).toMatch(new RegExp(`<input[^>]*value="${method}"[^>]*checked`));
    expect(text).toContain(phone);
    expect(await everythingStored()).toEqual(before);
    expect([calls, caught.reports]).toEqual([[], []]);
    playRails();
    const again = await postForm(`${path}/attempts`, { method, phone: other, attempts: '0' });
    expect(again.status).toBe(303);
    expect((await intentNow()).attempts).toHaveLength(1);
  },
);

/** An Ethio telecom number that the customer's form shows and does not let them change. */
const LOCKED = { customerInfo: { phone: '911223344', isPhoneUpdatable: false } };

async function hosted(changes: Body, environment: Environment = 'production') {
  const { status, text } = await send(env, CREATE_PATHS.hosted[environment], {
    apiKey: ALPHA.apiKeys[environment],
    body: hostedBody(changes),
  });
  return { status, envelope: JSON.parse(text) };
}

const methodsOf = async (environment: Environment = 'production') =>
  (await intentNow(clientIn(environment))).terms.methods.map(({ method }) => method);

test('decisions.md#3: a locked phone leaves out the methods that cannot charge it', async () => {
  playRails();
  const path = await openHosted({ methods: ['M_PESA', 'E_BIRR', 'ETS_SWITCH'], ...LOCKED });
  expect(await methodsOf()).toEqual(['ETS_SWITCH', 'E_BIRR']);
  const form = { method: 'E_BIRR', phone: '', attempts: '0' };
  expect((await postForm(`${path}/attempts`, form)).status).toBe(303);
  expect(await attemptNow()).toMatchObject({ method: 'E_BIRR', phone: '251911223344' });
});

test('decisions.md#3: rejects a payment whose locked phone no method can charge', async () => {
  const { status, envelope } = await hosted({ methods: ['M_PESA'], ...LOCKED });
  expect({ status, fields: Object.keys(envelope.validationErrors) }).toEqual({
    status: 400,
    fields: ['customerInfo.phone'],
  });
  expect(await everythingStored()).toEqual({});
  expect(await hosted({ methods: ['M_PESA'], ...LOCKED }, 'sandbox')).toMatchObject({
    status: 200,
  });
  expect(await methodsOf('sandbox')).toEqual(['M_PESA']);
});

// ---------------------------------------------------------------------------------------------
// Currencies

test.each([
  ['E_BIRR', NUMBERS[2519]],
  ['M_PESA', NUMBERS[2517]],
  ['CBE', NUMBERS[2519]],
] as const)('decisions.md#13: %s rejects dollars', async (method, phoneNumber) => {
  const { status, envelope } = await express({ method, phoneNumber, currency: 'USD' });
  expect(status).toBe(400);
  expect(envelope.validationErrors).toEqual({ currency: `${method} cannot take USD.` });
  expect(await everythingStored()).toEqual({});
});

test('decisions.md#13: EthSwitch accepts dollars by cards, but not by NBG', async () => {
  calls = playRails();
  const body = { method: 'ETS_SWITCH', currency: 'USD' };
  const nbg = envWith(secretsOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG_IN_PRODUCTION }));
  expect(await express(body, { bindings: nbg })).toMatchObject({
    status: 400,
    envelope: { validationErrors: { currency: 'ETS_SWITCH cannot take USD.' } },
  });
  expect(calls).toEqual([]);
  expect(await express(body)).toMatchObject({ status: 200 });
  expect(new URLSearchParams(calls[0]?.text).get('currency')).toBe('840');
});

test('decisions.md#13: a hosted payment in dollars offers only methods that accept them', async () => {
  const path = await openHosted({ currency: 'USD', methods: [] });
  expect((await intentNow()).terms.methods.map(({ method }) => method)).toEqual(['ETS_SWITCH']);
  const form = { method: 'E_BIRR', phone: NUMBERS[2519], attempts: '0' };
  const refused = await postForm(`${path}/attempts`, form);
  await refused.body?.cancel();
  expect(refused.status).toBe(303);
  expect(await intentNow()).toMatchObject({ status: 'open', attempts: [] });
  // The same after the operator has replaced the gateway: the currency is never converted.
  const nbg = envWith(secretsOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG_IN_PRODUCTION }));
  const sent = await send(nbg, `${path}/attempts`, {
    body: `${new URLSearchParams({ method: 'ETS_SWITCH', attempts: '0' })}`,
    contentType: 'application/x-www-form-urlencoded',
  });
  expect(sent.status).toBe(303);
  expect(await intentNow()).toMatchObject({ status: 'open', attempts: [] });
  expect(calls).toEqual([]);
});

test.each([
  ['ETB', 'ebirr'],
  ['USD', 'simulator'],
])('decisions.md#22: a test in %s by eBirr goes to %s', async (currency, railId) => {
  const testMode = { testModeType: 'ACTUAL_TEST' };
  const phoneNumber = NUMBERS[2519];
  const changes = { method: 'E_BIRR', currency, testMode, phoneNumber };
  expect((await express(changes, { environment: 'sandbox' })).status).toBe(200);
  expect(await attemptNow(clientIn('sandbox'))).toMatchObject({ railId });
  await reportsAreSent();
  expect(calls).toHaveLength(railId === 'ebirr' ? 1 : 0);
});

// ---------------------------------------------------------------------------------------------
// A start that is rejected

const REFUSALS: readonly [string, Body, RailAnswer, string][] = [
  [
    'cards: credentials',
    { method: 'ETS_SWITCH' },
    () => new Response('', { status: 401 }),
    'misconfigured',
  ],
  [
    'cards: too many',
    { method: 'ETS_SWITCH' },
    () => new Response('', { status: 429 }),
    'rail_unavailable',
  ],
  [
    'M-PESA: no token',
    { method: 'M_PESA', phoneNumber: NUMBERS[2517] },
    () => Response.json({ resultCode: '999991' }, { status: 400 }),
    'misconfigured',
  ],
  [
    'M-PESA: cannot be reached',
    { method: 'M_PESA', phoneNumber: NUMBERS[2517] },
    () => Promise.reject(new Error('reset')),
    'rail_unavailable',
  ],
];

test.each(REFUSALS)(
  'decisions.md#16: %s: answers FAILURE, and leaves no page to pay on',
  async (_name, changes, answer, failureReason) => {
    railServer(answer);
    const { status, text, envelope } = await express(changes);
    expect(status).toBe(200);
    const { reference: transactionId } = await attemptNow();
    expect(envelope.content).toEqual({
      paymentUrl: null,
      transactionId,
      status: 'FAILURE',
      message: 'The payment was refused',
      failureReason,
    });
    expect(await intentNow()).toMatchObject({ status: 'failed', failureReason });
    expect((await client().events()).map(({ type }) => type)).toEqual(['payment_failed']);
    // A repeat gets the same answer, without a provider call.
    calls = noRail();
    expect(await express(changes)).toMatchObject({ status: 200, text });
    const read = await call(statusPath('order-1', 'production'), {
      apiKey: ALPHA.apiKeys.production,
    });
    expect(await read.json()).toMatchObject({ content: { status: 'FAILED' } });
    expect(calls).toEqual([]);
  },
);

test('decisions.md#16: no answer is not a rejection: answers SUCCESS and queries the provider', async () => {
  railServer(() => Promise.reject(new Error('reset')));
  const { envelope } = await express({ method: 'ETS_SWITCH' });
  expect(envelope.content).toMatchObject({ status: 'SUCCESS', paymentUrl: null });
  expect(await attemptNow()).toMatchObject({ status: 'processing', redirectUrl: null });
});

test('a test system’s rejection leaves no page to pay on either', async () => {
  railServer(() => new Response('', { status: 401 }));
  const testMode = { testModeType: 'ACTUAL_TEST' };
  const { envelope } = await express(
    { method: 'ETS_SWITCH', testMode },
    { environment: 'sandbox' },
  );
  expect(envelope.content).toMatchObject({ status: 'FAILURE', paymentUrl: null });
});
