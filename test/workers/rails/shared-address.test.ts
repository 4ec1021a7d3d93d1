import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { attemptReferenceFrom } from '../../../src/engine/domain/identifiers.ts';
import { forgetRails } from '../../../src/engine/rails/settings.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { fireRegisterAlarm, registerRows } from '../support/register.ts';
import {
  ALPHA,
  advance,
  answerOf,
  CREATE_PATHS,
  call,
  consumeAll,
  DAY_MS,
  expressBody,
  postForm,
  tenantOf,
  useGateway,
} from '../support.ts';
import { cbe, cbeReport, decideAtRails, playRails, send } from './scenes.ts';
import {
  attemptNow,
  CARDS,
  choose,
  clientIn,
  configureRails,
  envWith,
  everythingStored,
  intentNow,
  loggedEvents,
  openHosted,
  payExpress,
  type RailCall,
  report,
  secretsOf,
} from './support.ts';

/**
 * Goal: docs/promises.md#9 for reports at a shared address that name the payment only by our
 * reference (docs/decisions.md#35): the short transaction ids of CBE, and the account's address at the
 * card gateway. The reference names the merchant, whose register leads to the payment.
 */

const shortCbe = (environment: Environment) => ({
  ...cbe(environment),
  transactionIdCharactersMax: 36,
});

const TOKEN = 'the-token-of-production-which-nobody-may-see';
const SANDBOX_TOKEN = 'the-token-of-the-sandbox-which-nobody-may-see';
const SECRETS = {
  RAIL_CBE_PRODUCTION: shortCbe('production'),
  RAIL_CBE_SANDBOX: shortCbe('sandbox'),
  RAIL_ETS_SWITCH_PRODUCTION: { ...CARDS, callbackToken: TOKEN },
  RAIL_ETS_SWITCH_SANDBOX: { ...CARDS, callbackToken: SANDBOX_TOKEN },
};
configureRails(SECRETS);
const caught = useGateway();

let calls: RailCall[] = [];
beforeEach(() => {
  calls = playRails();
});

const addressWith = (token: string) => `/rails/ethswitch-cards/account/${token}`;

type Attempt = Awaited<ReturnType<typeof attemptNow>>;

interface Row {
  readonly name: string;
  readonly method: 'CBE' | 'ETS_SWITCH';
  /** Sends the provider's report that this attempt, or another one, was paid. */
  readonly reportPaid: (
    attempt: Pick<Attempt, 'reference' | 'railReference'>,
    environment?: Environment,
  ) => Promise<{ readonly status: number }>;
}

const cardsQuery = ({ reference, railReference }: Pick<Attempt, 'reference' | 'railReference'>) =>
  `orderNumber=${reference}&mdOrder=${railReference}&operation=deposited&status=1`;

const cardsAddress = (environment: Environment = 'production') =>
  addressWith(environment === 'production' ? TOKEN : SANDBOX_TOKEN);

const ROWS: readonly Row[] = [
  {
    name: 'CBE with short ids',
    method: 'CBE',
    reportPaid: async ({ reference }, environment = 'production') =>
      report('/rails/cbe-birr', await cbeReport(reference, { secret: cbe(environment).secret })),
  },
  {
    name: 'cards by GET',
    method: 'ETS_SWITCH',
    reportPaid: (attempt, environment) =>
      call(`${cardsAddress(environment)}?${cardsQuery(attempt)}`, { apiKey: null }),
  },
  {
    name: 'cards by POST with the parameters in the query',
    method: 'ETS_SWITCH',
    reportPaid: (attempt, environment) =>
      report(`${cardsAddress(environment)}?${cardsQuery(attempt)}`, ''),
  },
  {
    name: 'cards by POST with the parameters in the body',
    method: 'ETS_SWITCH',
    reportPaid: (attempt, environment) => report(cardsAddress(environment), cardsQuery(attempt)),
  },
];

async function pending(method: Row['method'], environment: Environment = 'production') {
  const testMode = { testModeType: 'ACTUAL_TEST' };
  await payExpress({ method, testMode }, environment);
  return attemptNow(clientIn(environment));
}

test('CBE’s short id is the attempt’s reference', async () => {
  const { reference, railReference } = await pending('CBE');
  expect(railReference).toBe(reference);
  expect(reference).toMatch(/^[0-9A-Z]{20}$/);
});

test.each(ROWS)('$name: a report makes the payment paid at once', async (row) => {
  const attempt = await pending(row.method);
  await consumeAll(caught);
  decideAtRails('paid');
  expect((await row.reportPaid(attempt)).status).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded', anomalies: [] });
});

test.each(ROWS)('$name: a report alone proves nothing', async ({ method, reportPaid }) => {
  const attempt = await pending(method);
  await consumeAll(caught);
  const { status } = await reportPaid(attempt);
  // CBE has to report again; the card gateway is queried anyway.
  expect(status).toBe(method === 'CBE' ? 503 : 200);
  expect(await intentNow()).toMatchObject({ status: 'processing' });
});

test.each(ROWS)('$name: needs no look-up in a list', async ({ method, reportPaid }) => {
  const attempt = await pending(method);
  decideAtRails('paid');
  expect((await reportPaid(attempt)).status).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

test.each(ROWS)(
  '$name: the provider is not called while the register is out of reach',
  async ({ method }) => {
    const away = vi.spyOn(env.MERCHANT_REGISTER, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    const testMode = { testModeType: 'ACTUAL_TEST' };
    await expect(payExpress({ method, testMode })).rejects.toThrow('service_unavailable');
    const path = await openHosted({ methods: [method], paymentIntentUniqueId: 'hosted' });
    const page = await choose(path, method);
    expect(page.location).toContain('failed=1');
    expect(calls).toEqual([]);
    away.mockRestore();
    await choose(path, method);
    expect((await intentNow(clientIn('production', 'hosted'))).attempts).toHaveLength(1);
  },
);

test.each(['CBE', 'ETS_SWITCH'] as const)(
  '%s: a report counts by its order, and only once it is authentic',
  async (method) => {
    const attempt = await pending(method);
    await consumeAll(caught);
    const before = await everythingStored();
    const limited = envWith({ RATE_LIMITS: 'on' });
    const reportWith = async (secret: string) =>
      method === 'CBE'
        ? send(limited, '/rails/cbe-birr', { body: await cbeReport(attempt.reference, { secret }) })
        : send(limited, addressWith(secret), { body: cardsQuery(attempt) });
    const genuine = method === 'CBE' ? cbe('production').secret : TOKEN;
    const limit = vi.spyOn(env.CALLBACK_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
    expect((await reportWith('forged'.repeat(8))).status).toBe(401);
    expect(limit).not.toHaveBeenCalled();
    expect(await reportWith(genuine)).toMatchObject({ status: 429, text: 'Too many callbacks' });
    const rail = method === 'CBE' ? 'cbe-birr' : 'ethswitch-cards';
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key: `${rail}/${attempt.reference}` });
    expect(await everythingStored()).toEqual(before);
  },
);

test.each([...new Set(ROWS.map(({ method }) => method))])(
  '%s: a repeated call writes no reference and does not need the register (decisions.md#35)',
  async (method) => {
    const pay = (idempotencyKey: string | null) =>
      answerOf(
        call(CREATE_PATHS.express.production, {
          method: 'POST',
          apiKey: ALPHA.apiKeys.production,
          body: expressBody({ phoneNumber: '0911223344', method }),
          headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
        }),
      );
    const path = await openHosted({ methods: [method], paymentIntentUniqueId: 'hosted' });
    await choose(path, method);
    const first = await pay('one');
    expect(first.status).toBe(200);
    const references = await registerRows('attempt_references', tenantOf(ALPHA, 'production'));
    expect(references).toHaveLength(2);
    const provider = calls.length;
    vi.spyOn(env.MERCHANT_REGISTER, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    expect((await pay('one')).text).toBe(first.text);
    expect((await pay(null)).status).toBe(409);
    expect((await pay('another')).status).toBe(409);
    // A second click on the page that the customer saw first.
    expect((await choose(path, method)).location).not.toContain('failed=1');
    vi.restoreAllMocks();
    expect(await registerRows('attempt_references', tenantOf(ALPHA, 'production'))).toEqual(
      references,
    );
    expect(calls).toHaveLength(provider);
  },
);

test('a reference that another payment has is not used', async () => {
  const register = registerOf(env, tenantOf(ALPHA));
  expect(await register.holdReference('6B031F901000000000AB', 'order-1')).toBe(true);
  expect(await register.holdReference('6B031F901000000000AB', 'order-1')).toBe(true);
  expect(await register.holdReference('6B031F901000000000AB', 'order-2')).toBe(false);
  expect(await register.paymentOfReference('6B031F901000000000AB')).toBe('order-1');
  expect(await register.paymentOfReference('6B031F901000000000AC')).toBeNull();
});

test('the register forgets references when no object can have their payments any more', async () => {
  const register = registerOf(env, tenantOf(ALPHA));
  const reference = attemptReferenceFrom(Date.now(), 1, new Uint8Array(20));
  await register.holdReference(reference, 'order-1');
  advance((366 + 400) * DAY_MS);
  await fireRegisterAlarm();
  expect(await register.paymentOfReference(reference)).toBe('order-1');
  advance(DAY_MS);
  await fireRegisterAlarm();
  expect(await register.paymentOfReference(reference)).toBeNull();
});

test.each(ROWS)('$name: not acknowledged while D1 fails', async ({ method, reportPaid }) => {
  const attempt = await pending(method);
  await consumeAll(caught);
  decideAtRails('paid');
  const before = await everythingStored();
  const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  expect((await reportPaid(attempt)).status).toBe(503);
  expect(await everythingStored()).toEqual(before);
  prepare.mockRestore();
  expect((await reportPaid(attempt)).status).toBe(200);
});

test.each([
  ['an invented merchant', 'ABCDEFGHJK0123456789'],
  ['another merchant', '6B031F902000000000AB'],
  ['no payment', '6B031F901000000000AB'],
])('a report for a reference of %s reaches no payment', async (_name, reference) => {
  for (const row of ROWS) {
    const attempt = await pending(row.method).catch(() => attemptNow());
    const before = { stored: await everythingStored(), calls: calls.length };
    expect((await row.reportPaid({ ...attempt, reference })).status).toBe(404);
    expect({ stored: await everythingStored(), calls: calls.length }).toEqual(before);
  }
  expect(loggedEvents('rail_callback_refused')).toHaveLength(ROWS.length);
});

test.each(ROWS)('promises.md#8: $name: the sandbox proves nothing in production', async (row) => {
  const attempt = await pending(row.method);
  await consumeAll(caught);
  const before = await everythingStored();
  expect((await row.reportPaid(attempt, 'sandbox')).status).toBe(404);
  expect(await everythingStored()).toEqual(before);
});

test.each(ROWS)('$name: works in the sandbox', async ({ method, reportPaid }) => {
  const attempt = await pending(method, 'sandbox');
  await consumeAll(caught);
  decideAtRails('paid');
  expect((await reportPaid(attempt, 'sandbox')).status).toBe(200);
  expect(await intentNow(clientIn('sandbox'))).toMatchObject({ status: 'succeeded' });
});

test.each(
  ROWS.flatMap((row) => [
    { ...row, attempt: 'that was abandoned', index: 0, after: ['succeeded', 'processing'] },
    { ...row, attempt: 'after an abandoned one', index: 1, after: ['unresolved', 'succeeded'] },
  ]),
)('$name: a report finds the attempt $attempt', async ({ method, reportPaid, index, after }) => {
  const path = await openHosted({ methods: [method] });
  await choose(path, method);
  const first = await attemptNow();
  await postForm(`${path}/abandon`, { attempt: first.id });
  await choose(path, method, 1);
  await consumeAll(caught);
  decideAtRails('paid');
  const reported = (await intentNow()).attempts[index] ?? first;
  expect((await reportPaid(reported)).status).toBe(200);
  const { attempts } = await intentNow();
  expect(attempts.map(({ status }) => status)).toEqual(after);
});

// ---------------------------------------------------------------------------------------------
// The account's address at the card gateway

test.each([
  ['another token', addressWith('x'.repeat(40))],
  ['a token with more characters', addressWith(`${TOKEN}x`)],
  ['part of the token', addressWith(TOKEN.slice(0, -1))],
  ['null as the token', addressWith('null')],
])('the card gateway’s account address with %s: rejected before D1', async (_name, path) => {
  const attempt = await pending('ETS_SWITCH');
  await consumeAll(caught);
  const prepare = vi.spyOn(env.DB, 'prepare');
  expect((await report(path, cardsQuery(attempt))).status).toBe(401);
  expect(prepare).not.toHaveBeenCalled();
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [] });
});

test('there is no account address without the setting', async () => {
  const attempt = await pending('ETS_SWITCH');
  await consumeAll(caught);
  Object.assign(env, secretsOf({ RAIL_ETS_SWITCH_PRODUCTION: CARDS }));
  forgetRails();
  for (const token of [TOKEN, 'null', 'undefined']) {
    expect((await report(addressWith(token), cardsQuery(attempt))).status).toBe(401);
  }
  Object.assign(env, secretsOf(SECRETS));
  forgetRails();
});

test('a report with the ids of two orders is refused', async () => {
  const attempt = await pending('ETS_SWITCH');
  await consumeAll(caught);
  decideAtRails('paid');
  const mixed = `orderNumber=${attempt.reference}&mdOrder=another`;
  expect((await report(addressWith(TOKEN), mixed)).status).toBe(400);
  expect(await intentNow()).toMatchObject({
    status: 'processing',
    anomalies: [{ kind: 'refused_callback' }],
  });
});

test('a report without our order number is not a report', async () => {
  await pending('ETS_SWITCH');
  expect((await report(addressWith(TOKEN), 'operation=deposited&status=1')).status).toBe(401);
});
