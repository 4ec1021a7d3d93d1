import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { forgetRails } from '../../../src/engine/rails/settings.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import {
  ALPHA,
  advance,
  answerOf,
  type Body,
  CREATE_PATHS,
  call,
  expressBody,
  hostedBody,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { TELEBIRR, telebirrReport } from './scenes.ts';
import {
  attemptNow,
  callbackPath,
  choose,
  client,
  clientIn,
  configureRails,
  everythingStored,
  fireAlarmOf,
  intentNow,
  openHosted,
  type RailCall,
  railServer,
  report,
  secretsOf,
} from './support.ts';

/**
 * Goal: a merchant's app gets what opens its order in telebirr's app, once and only where the operator
 * has switched the form on; how the payment ends is telebirr's word alone (docs/decisions.md#67).
 */

const SECRETS = {
  RAIL_TELE_BIRR_PRODUCTION: { ...TELEBIRR, inApp: true },
  RAIL_TELE_BIRR_SANDBOX: { ...TELEBIRR, miniApp: true },
};
configureRails(SECRETS);
useGateway();

const RECEIVE_CODE = `TELEBIRR$BUYGOODS$${TELEBIRR.merchantCode}$100.5$0800001$10m`;
const OPENING = {
  appId: TELEBIRR.merchantAppId,
  shortCode: TELEBIRR.merchantCode,
  receiveCode: RECEIVE_CODE,
  rawRequest: null,
};

let calls: RailCall[] = [];
/** telebirr's answer to an order, by what it is about. */
let answerOrder: (order: object) => Response | Promise<Response>;
let isPaid = false;

const success = (biz_content: object) =>
  Response.json({ result: 'SUCCESS', code: '0', biz_content });

beforeEach(() => {
  isPaid = false;
  answerOrder = (order) => success({ ...order, receiveCode: RECEIVE_CODE, prepay_id: '0800001' });
  calls = railServer(({ url, text }) => {
    if (url.endsWith('/token')) {
      return Response.json({ token: 'Bearer telebirr' });
    }
    const { merch_order_id } = JSON.parse(text).biz_content;
    if (!url.endsWith('/queryOrder')) {
      return answerOrder({ merch_order_id });
    }
    const order_status = isPaid ? 'PAY_SUCCESS' : 'WAIT_PAY';
    return success({
      merch_order_id,
      order_status,
      total_amount: '100.50',
      trans_id: 'CJD7GBOXIP',
    });
  });
});

/** The calls besides those for tokens. */
const orders = () => calls.filter(({ url }) => !url.endsWith('/token'));

const IN_APP = { method: 'TELE_BIRR', telebirrForm: 'IN_APP' };

function pay(changes: Body = IN_APP, environment: Environment = 'production') {
  return answerOf(
    call(CREATE_PATHS.express[environment], {
      method: 'POST',
      apiKey: ALPHA.apiKeys[environment],
      headers: { 'idempotency-key': 'try-1' },
      body: expressBody(changes),
    }),
  );
}

test('the answer has what the app needs, also when it is repeated', async () => {
  const first = await pay();
  expect(first.envelope.content).toEqual({
    paymentUrl: null,
    transactionId: (await attemptNow()).reference,
    status: 'SUCCESS',
    message: 'The payment was accepted',
    failureReason: null,
    telebirr: OPENING,
  });
  expect(first.envelope).not.toHaveProperty('warnings');
  const repeated = await pay();
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(repeated.text).toBe(first.text);
  expect(orders().map(({ url }) => new URL(url).pathname)).toEqual([
    '/payment/v1/inapp/createOrder',
  ]);
  expect(await attemptNow()).toMatchObject({ status: 'processing', redirectUrl: null });
});

test('without telebirrForm the answer and the page are those of before', async () => {
  const { envelope } = await pay({ method: 'TELE_BIRR' });
  expect(envelope.content).not.toHaveProperty('telebirr');
  expect(envelope.content).toMatchObject({ paymentUrl: expect.stringContaining('/paygate?') });
  expect(orders().map(({ url }) => new URL(url).pathname)).toEqual([
    '/payment/v1/merchant/preOrder',
  ]);
});

test.each([
  ['MINI_APP', { ...IN_APP, telebirrForm: 'MINI_APP' }],
  ['another method', { method: 'CBE', telebirrForm: 'IN_APP' }],
])(
  '%s is refused before anything is stored: the operator has not switched it on',
  async (_what, body) => {
    const { status, envelope } = await pay(body);
    expect([status, Object.keys(Object(envelope.validationErrors))]).toEqual([
      400,
      [body.method === 'CBE' ? 'method' : 'telebirrForm'],
    ]);
    expect(await everythingStored()).toEqual({});
    expect(calls).toEqual([]);
  },
);

test('a notification and the query behind it make it paid', async () => {
  await pay();
  const path = await callbackPath('telebirr-h5');
  const notification = await telebirrReport(await attemptNow(), 'paid');
  expect(await report(path, notification)).toMatchObject({ status: 503 });
  expect(await intentNow()).toMatchObject({ status: 'processing' });
  isPaid = true;
  expect(await report(path, notification)).toMatchObject({ status: 200 });
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
});

test('the payment’s page waits for the app, and a return to it queries telebirr', async () => {
  await pay();
  const { checkoutUrl } = (await answerOf(statusCall())).envelope.content as {
    checkoutUrl: string;
  };
  const { pathname } = new URL(checkoutUrl);
  const text = await (await call(pathname, { apiKey: null })).text();
  expect(text).toContain(english.pushLeadNoPhone('telebirr'));
  expect(text).not.toContain(english.redirectWait('telebirr'));
  isPaid = true;
  advance(SECOND_MS);
  await (await call(`${pathname}/returned`, { apiKey: null })).body?.cancel();
  await fireAlarmOf();
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

function statusCall() {
  return call('/api/v1/payment/checkout/order-1', { apiKey: ALPHA.apiKeys.production });
}

test('a refusal is a FAILURE that opens nothing', async () => {
  answerOrder = () => Response.json({ errorCode: '60200098' }, { status: 400 });
  const { envelope } = await pay();
  expect(envelope.content).toMatchObject({
    status: 'FAILURE',
    failureReason: 'misconfigured',
    paymentUrl: null,
    telebirr: null,
  });
  expect(await attemptNow()).toMatchObject({ status: 'failed', providerCode: '60200098' });
});

test.each([
  ['no answer', () => Promise.reject(new Error('reset'))],
  ['a code of another amount', () => success({ receiveCode: RECEIVE_CODE.replace('100', '200') })],
])('%s is pending, opens nothing and is not asked for again', async (_what, answer) => {
  answerOrder = answer;
  const first = await pay();
  expect(first.envelope.content).toMatchObject({ status: 'SUCCESS', telebirr: null });
  expect((await pay()).text).toBe(first.text);
  expect(orders()).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing' });
});

test('a hosted payment keeps the page, and is told that it has no such field', async () => {
  const body = hostedBody({ methods: ['TELE_BIRR'], telebirrForm: 'IN_APP' });
  const { envelope } = await answerOf(
    call(CREATE_PATHS.hosted.production, {
      method: 'POST',
      apiKey: ALPHA.apiKeys.production,
      body: { ...body, paymentIntentUniqueId: 'hosted-1' },
    }),
  );
  expect(envelope.warnings).toEqual([expect.stringMatching(/^telebirrForm .*express/)]);
  const path = await openHosted({ methods: ['TELE_BIRR'] });
  const { location } = await choose(path, 'TELE_BIRR');
  expect(location).toContain('/paygate?');
});

const SANDBOX = 'sandbox';
const ACTUAL = { testMode: { testModeType: 'ACTUAL_TEST' } };
const NO_APP =
  'telebirrForm has no effect in the simulator: telebirr is null. Open the paymentUrl instead.';

test('the sandbox goes to the test system where it has the form', async () => {
  const { envelope } = await pay({ ...IN_APP, telebirrForm: 'MINI_APP', ...ACTUAL }, SANDBOX);
  expect(envelope.content).toMatchObject({
    telebirr: { ...NO_SDK, rawRequest: expect.stringContaining('prepay_id=0800001&') },
  });
  expect(envelope.warnings).toEqual([
    expect.stringMatching(/^telebirrForm would be refused in production: TELE_BIRR /),
  ]);
});

const NO_SDK = { appId: null, shortCode: null, receiveCode: null };

test.each([
  ['without the form at the test system', ACTUAL],
  ['simulated', { testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' } }],
])('the sandbox, %s, has its own page instead, and says so', async (_what, mode) => {
  const { envelope } = await pay({ ...IN_APP, ...mode }, SANDBOX);
  expect(envelope.content).toMatchObject({
    paymentUrl: expect.stringMatching(/\/(simulator|checkout)\//),
    telebirr: null,
  });
  expect(envelope.warnings).toEqual([NO_APP]);
  expect(calls).toEqual([]);
  expect(await attemptNow(clientIn(SANDBOX))).toMatchObject({ railId: 'simulator' });
});

test('an operator who switches the form off ends no payment under way', async () => {
  await pay();
  isPaid = true;
  const notification = await telebirrReport(await attemptNow(), 'paid');
  Object.assign(env, secretsOf({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR }));
  forgetRails();
  expect(await report(await callbackPath('telebirr-h5'), notification)).toMatchObject({
    status: 200,
  });
  expect((await client().read())?.status).toBe('succeeded');
  Object.assign(env, secretsOf(SECRETS));
  forgetRails();
});
