import { evictAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { OpenAlerts } from '../../../src/control/alerts/open-alerts.ts';
import { ATTEMPTS_MAX, UNCOUNTED_ATTEMPTS_MAX } from '../../../src/engine/domain/attempt.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import { OUTAGE_ENDS_AFTER_MS } from '../../../src/engine/domain/method-outage.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { plantedError } from '../../support/output/planted.ts';
import { projectionMessage } from '../book/fixture.ts';
import { applyToBook } from '../support/book.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  CREATE_PATHS,
  call,
  createHosted,
  expressBody,
  hostedBody,
  MINUTE_MS,
  pathOf,
  postForm,
  reportsAreSent,
  SECOND_MS,
  type TestMerchant,
  tenantOf,
  useGateway,
} from '../support.ts';
import { bookHears } from './outage-reports.ts';
import { decideAtRails, MPESA_PHONE, playRails, SCENE_SECRETS, telebirrReport } from './scenes.ts';
import {
  attemptNow,
  callbackPath,
  choose,
  client,
  clientIn,
  configureRails,
  intentNow,
  openHosted,
  payExpress,
  railServer,
  report,
} from './support.ts';

/**
 * Goal: docs/decisions.md#66: a method whose provider is down says so, and its failures use up no
 * attempts. Method: payments by telebirr's web payment, which needs a token first, while its server
 * resets each connection, and what pages and answers then say.
 */

configureRails(SCENE_SECRETS);
useGateway();

const METHODS = ['TELE_BIRR', 'CBE', 'ETS_SWITCH'] as const;
const WORDS = {
  en: 'Not working at the moment',
  am: 'በአሁኑ ጊዜ አይሠራም',
  om: 'Yeroo ammaa hin hojjetu',
  ti: 'ኣብዚ እዋን ኣይሰርሕን',
} as const;

const providerIsDown = () => railServer(() => Promise.reject(new Error('reset')));

let orders = 0;

/** The path of a new payment's page. */
async function open(merchant: TestMerchant = ALPHA, environment: Environment = 'production') {
  orders += 1;
  const { envelope } = await answerOf(
    call(CREATE_PATHS.hosted[environment], {
      method: 'POST',
      apiKey: merchant.apiKeys[environment],
      body: hostedBody({ paymentIntentUniqueId: `order-${orders}`, methods: METHODS }),
    }),
  );
  return new URL(String(envelope.content)).pathname;
}

async function express(changes: object = {}, merchant = ALPHA) {
  orders += 1;
  const uniqueId = `order-${orders}`;
  const { envelope } = await answerOf(
    call(CREATE_PATHS.express.production, {
      method: 'POST',
      apiKey: merchant.apiKeys.production,
      body: expressBody({ method: 'TELE_BIRR', paymentIntentUniqueId: uniqueId, ...changes }),
    }),
  );
  return envelope;
}

/** The methods in the order of the page, those that are said not to work in brackets. */
async function listOn(path: string, language: keyof typeof WORDS = 'en'): Promise<string> {
  const headers = { 'accept-language': language };
  const html = await (await call(path, { apiKey: null, headers })).text();
  return html
    .split('<input type="radio"')
    .slice(1)
    .map((row) => {
      const method = /value="([A-Z_]+)"/.exec(row)?.[1];
      const canChoose = !row.slice(0, row.indexOf('>')).includes('disabled');
      const shown = row.includes(WORDS[language]) ? `(${method})` : method;
      return canChoose ? shown : `${shown} off`;
    })
    .join(' ');
}

const ALL_WORK = 'TELE_BIRR CBE ETS_SWITCH';
const TELEBIRR_DOWN = 'CBE ETS_SWITCH (TELE_BIRR)';

/** Each of so many customers tries telebirr once. */
async function failFor(merchant: TestMerchant, times = 3): Promise<void> {
  providerIsDown();
  for (let index = 0; index < times; index += 1) {
    const { status } = await choose(await open(merchant), 'TELE_BIRR');
    expect(status).toBe(303);
  }
}

test.each(Object.keys(WORDS) as (keyof typeof WORDS)[])(
  'after three payments that did not reach it, the page offers the method last, in %s',
  async (language) => {
    await failFor(ALPHA, 2);
    expect(await listOn(await open(), language)).toBe(ALL_WORK);
    await failFor(ALPHA, 1);
    expect(await listOn(await open(), language)).toBe(TELEBIRR_DOWN);
  },
);

test('the method stays choosable, and one start that reaches the provider ends it', async () => {
  await failFor(ALPHA);
  const path = await open();
  expect(await listOn(path)).toBe(TELEBIRR_DOWN);
  playRails();
  expect((await choose(path, 'TELE_BIRR')).location).toContain('telebirr.rail.test');
  expect(await listOn(await open())).toBe(ALL_WORK);
});

test('it ends by itself, so that no method is condemned', async () => {
  await failFor(ALPHA);
  advance(OUTAGE_ENDS_AFTER_MS);
  expect(await listOn(await open())).toBe(ALL_WORK);
});

test('the page proposes another method than the one that has just failed', async () => {
  await failFor(ALPHA, 2);
  const path = await open();
  await choose(path, 'TELE_BIRR');
  expect(await listOn(path)).toBe(TELEBIRR_DOWN);
  const html = await (await call(path, { apiKey: null })).text();
  expect(html).not.toMatch(/<input type="radio"[^>]*value="TELE_BIRR"[^>]* checked/);
});

test('what one merchant’s payments show marks the method for that merchant alone', async () => {
  await failFor(ALPHA, 9);
  expect(await listOn(await open(BETA))).toBe(ALL_WORK);
  await failFor(BETA, 2);
  expect(await listOn(await open(BETA))).toBe(TELEBIRR_DOWN);
});

test('a customer who tries one payment again and again marks nothing', async () => {
  providerIsDown();
  const path = await open();
  for (let attempts = 0; attempts < 5; attempts += 1) {
    await choose(path, 'TELE_BIRR', attempts);
  }
  expect(await listOn(await open())).toBe(ALL_WORK);
});

test('after a lost answer the next start asks for a token first, which shows the outage', async () => {
  playRails();
  await payExpress({ method: 'M_PESA', phoneNumber: MPESA_PHONE });
  providerIsDown();
  const lost = { paymentIntentUniqueId: 'lost', method: 'M_PESA', phoneNumber: MPESA_PHONE };
  expect(await payExpress(lost)).toMatchObject({ status: 'SUCCESS', failureReason: null });
  const next = { ...lost, paymentIntentUniqueId: 'next' };
  expect(await payExpress(next)).toMatchObject({ failureReason: 'rail_unavailable' });
});

test.each<[string, () => Response | Promise<never>]>([
  ['an unclear answer', () => Promise.reject(new Error('reset'))],
  ['wrong credentials', () => new Response('', { status: 401 })],
])('%s says nothing about the provider', async (_, answer) => {
  railServer(answer);
  for (let index = 0; index < 4; index += 1) {
    await choose(await open(), 'ETS_SWITCH');
  }
  expect(await listOn(await open())).toBe(ALL_WORK);
});

test('neither the sandbox nor its simulator marks anything', async () => {
  const simulated = { testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' } };
  for (let index = 0; index < 4; index += 1) {
    const uniqueId = `simulated-${index}`;
    const changes = { ...simulated, amount: 100.07, paymentIntentUniqueId: uniqueId };
    await payExpress({ ...changes, method: 'TELE_BIRR' }, 'sandbox');
  }
  await failFor(ALPHA);
  expect(await listOn(await open(ALPHA, 'sandbox'))).toBe(ALL_WORK);
});

test('an express answer warns, with the time, until one payment reaches the provider', async () => {
  const sinceMs = Date.now();
  await failFor(ALPHA);
  advance(5 * SECOND_MS);
  providerIsDown();
  const { content, warnings } = await express();
  expect(content).toMatchObject({ status: 'FAILURE', failureReason: 'rail_unavailable' });
  const since = new Date(sinceMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
  expect(warnings).toEqual([expect.stringContaining('TELE_BIRR is not working at the moment')]);
  expect(Date.parse(/since (\S+),/.exec(String(warnings))?.[1] ?? '')).toBe(
    Date.parse(`${since}:00.000Z`) + (sinceMs % MINUTE_MS) - (sinceMs % SECOND_MS),
  );
  expect((await express({ method: 'CBE', phoneNumber: '251911223344' })).warnings).toBeUndefined();
  playRails();
  expect((await express()).warnings).toHaveLength(1);
  expect((await express()).warnings).toBeUndefined();
});

test('while D1 and the operator’s object are down, what the isolate knows counts', async () => {
  await failFor(ALPHA);
  const path = await open();
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw plantedError('D1 is down');
  });
  const away = vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(() => {
    throw plantedError('the object is away');
  });
  advance(MINUTE_MS);
  expect(await listOn(path)).toBe(TELEBIRR_DOWN);
  expect(away).toHaveBeenCalled();
});

/** The page after the one that has asked the operator's object. */
async function listLater(path: string): Promise<string> {
  advance(MINUTE_MS);
  await listOn(path);
  return listOn(path);
}

test('an isolate without such a start hears of it from the merchants’ books', async () => {
  await bookHears('TELE_BIRR', ALPHA, 91, 4);
  const [ofAlpha, ofBeta] = [await open(), await open(BETA)];
  expect(await listLater(ofAlpha)).toBe(ALL_WORK);
  await bookHears('TELE_BIRR', ALPHA, 92, 4);
  await expect.poll(() => listLater(ofAlpha)).toBe(TELEBIRR_DOWN);
  expect(await listOn(ofBeta)).toBe(ALL_WORK);
  await bookHears('TELE_BIRR', BETA, 93, 2);
  await expect.poll(() => listLater(ofBeta)).toBe(TELEBIRR_DOWN);
  // The simulator is never down.
  expect(await listOn(await open(ALPHA, 'sandbox'))).toBe(ALL_WORK);
});

test('two books that disagree: a payment of one merchant ends what the other’s book says', async () => {
  await bookHears('TELE_BIRR', ALPHA, 91, 9);
  const path = await open();
  await expect.poll(() => listLater(path)).toBe(TELEBIRR_DOWN);
  const paid = { status: 'succeeded', method: 'TELE_BIRR' } as const;
  const times = { updatedAtMs: Date.now(), endedAtMs: Date.now() };
  const tenant = tenantOf(BETA, 'production');
  await applyToBook(projectionMessage(tenant, 94, { ...paid, ...times }));
  await reportsAreSent();
  await expect.poll(() => listLater(path)).toBe(ALL_WORK);
});

test('an isolate asks the operator’s object at most twice a minute, and never for a create', async () => {
  playRails();
  const asked = vi.spyOn(OpenAlerts.prototype, 'outages');
  await openHosted();
  expect(asked).not.toHaveBeenCalled();
  for (let index = 0; index < 5; index += 1) {
    await express();
    await listOn(await open());
  }
  await expect.poll(() => asked.mock.calls.length).toBe(1);
  advance(30 * SECOND_MS);
  await express();
  await expect.poll(() => asked.mock.calls.length).toBe(2);
});

async function failTimes(path: string, from: number, times: number, method: Method) {
  for (let attempts = from; attempts < from + times; attempts += 1) {
    expect((await choose(path, method, attempts)).status).toBe(303);
  }
}

test('twenty attempts that never reached the provider do not count, also after an eviction', async () => {
  providerIsDown();
  const path = await openHosted({ methods: METHODS });
  await failTimes(path, 0, 12, 'TELE_BIRR');
  await evictAllDurableObjects();
  await failTimes(path, 12, UNCOUNTED_ATTEMPTS_MAX - 12, 'TELE_BIRR');
  expect(await intentNow()).toMatchObject({ status: 'open' });
  // The gateway's server rejects them: these count.
  railServer(() => new Response('', { status: 401 }));
  await failTimes(path, UNCOUNTED_ATTEMPTS_MAX, ATTEMPTS_MAX - 1, 'ETS_SWITCH');
  expect((await intentNow()).status).toBe('open');
  const last = UNCOUNTED_ATTEMPTS_MAX + ATTEMPTS_MAX - 1;
  // The callback address of the thirtieth attempt finds it.
  playRails();
  await choose(path, 'TELE_BIRR', last);
  decideAtRails('paid');
  const attempt = await attemptNow();
  expect((await intentNow()).attempts).toHaveLength(last + 1);
  const reported = await telebirrReport(attempt, 'paid');
  const answered = await report(await callbackPath('telebirr-h5', client(), last), reported);
  expect(answered.status).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded', paidAttemptId: attempt.id });
});

test('the tenth attempt that counts ends the payment, with others before it', async () => {
  providerIsDown();
  const path = await openHosted({ methods: METHODS });
  await failTimes(path, 0, 3, 'TELE_BIRR');
  railServer(() => new Response('', { status: 401 }));
  await failTimes(path, 3, ATTEMPTS_MAX, 'ETS_SWITCH');
  expect(await intentNow()).toMatchObject({ status: 'failed', failureReason: 'misconfigured' });
});

test('a merchant tries the limit in the sandbox', async () => {
  const path = pathOf(await createHosted({ amount: 100.07 }));
  for (let attempts = 0; attempts < ATTEMPTS_MAX + 1; attempts += 1) {
    const form = { method: 'TELE_BIRR', attempts: String(attempts) };
    await (await postForm(`${path}/attempts`, form)).body?.cancel();
  }
  const { status, attempts } = await intentNow(clientIn('sandbox'));
  expect([status, attempts.length]).toEqual(['open', ATTEMPTS_MAX + 1]);
});
