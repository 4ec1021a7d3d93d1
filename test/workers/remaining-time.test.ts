import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import type { Method } from '../../src/domain/method.ts';
import { checkout as english } from '../../src/i18n/en.ts';
import { timeNeededMs } from '../../src/rails/registry.ts';
import { playRails, SCENE_SECRETS } from './rails-scenes.ts';
import {
  alarmsUntil,
  attemptNow,
  choose,
  client,
  configureRails,
  consumeStart,
  everythingStored,
  firstStart,
  intentNow,
  noRail,
  openHosted,
} from './rails-support.ts';
import {
  ALPHA,
  answerOf,
  type Body,
  CREATE_PATHS,
  call,
  expressBody,
  hostedBody,
  SECOND_MS,
  useGateway,
} from './support.ts';

/**
 * Goal: a provider whose window we know takes no money for a payment after its expiry, so
 * PAYMENT_EXPIRED comes on time (docs/decisions.md#31). Method: payments as short as a method
 * allows, and customers who choose at the last moment.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

const PHONES: Partial<Record<Method, string>> = { M_PESA: '0711223344' };
const phoneOf = (method: Method) => PHONES[method] ?? '0911223344';

const neededMs = (method: Method) => timeNeededMs(env, 'production', method);
const secondsOf = (method: Method) => Math.ceil(neededMs(method) / SECOND_MS);

function create(kind: 'hosted' | 'express', body: Body) {
  return answerOf(
    call(CREATE_PATHS[kind].production, {
      method: 'POST',
      apiKey: ALPHA.apiKeys.production,
      body,
    }),
  );
}

const eventsOf = async () => (await client().events()).map(({ type }) => type);

const BOUNDED = ['M_PESA', 'ETS_SWITCH', 'E_BIRR'] as const;

test.each(BOUNDED)('%s: express is refused when expireIn is too short', async (method) => {
  const calls = noRail();
  const least = secondsOf(method);
  const body = expressBody({ method, phoneNumber: phoneOf(method), expireIn: least - 1 });
  const { status, envelope } = await create('express', body);
  const needs = `at least ${least} for ${method}, so that no customer pays after the expiry`;
  expect({ status, ...envelope }).toMatchObject({
    status: 400,
    message: `expireIn: must be ${needs}`,
    validationErrors: { expireIn: `Must be ${needs}.` },
    validationErrorCodes: { expireIn: 'too_small' },
  });
  expect(await everythingStored()).toEqual({});
  expect([calls, caught.starts]).toEqual([[], []]);
});

test.each(BOUNDED)('%s: the shortest express payment expires on time', async (method) => {
  playRails();
  const body = expressBody({ method, phoneNumber: phoneOf(method), expireIn: secondsOf(method) });
  expect(await create('express', body)).toMatchObject({
    status: 200,
    envelope: { content: { status: 'SUCCESS' } },
  });
  if (method === 'E_BIRR') {
    // The latest moment for a consumer.
    vi.setSystemTime((await attemptNow()).deadlineAtMs - 1);
    await consumeStart([firstStart(caught)]);
  }
  const { expiresAtMs } = (await intentNow()).terms;
  await alarmsUntil(expiresAtMs - 1);
  expect(await intentNow()).toMatchObject({ status: 'processing' });
  expect(await eventsOf()).toEqual([]);
  await alarmsUntil(expiresAtMs);
  expect(await intentNow()).toMatchObject({ status: 'expired', endedAtMs: expiresAtMs });
  expect(await eventsOf()).toEqual(['payment_expired']);
});

test('a hosted payment offers only methods that its customer can choose in time', async () => {
  const methods = ['M_PESA', 'CBE', 'ETS_SWITCH', 'E_BIRR'];
  await openHosted({ methods, expireIn: secondsOf('ETS_SWITCH') + 30 });
  const offered = (await intentNow()).terms.methods.map(({ method }) => method);
  expect(offered).toEqual(['CBE', 'ETS_SWITCH']);
});

test('a hosted payment without such a method is refused', async () => {
  const least = secondsOf('M_PESA') + 30;
  const body = hostedBody({ methods: ['M_PESA'], expireIn: least - 1 });
  const { status, envelope } = await create('hosted', body);
  expect({ status, errors: envelope.validationErrors }).toEqual({
    status: 400,
    errors: {
      expireIn: `Must be at least ${least} for M_PESA, so that no customer pays after the expiry.`,
    },
  });
  expect(await everythingStored()).toEqual({});
});

/** A hosted payment's page, `leftMs` before its expiry. */
async function pageWith(leftMs: number): Promise<string> {
  const path = await openHosted({ methods: ['CBE', 'ETS_SWITCH', 'M_PESA'], expireIn: 600 });
  vi.setSystemTime((await intentNow()).terms.expiresAtMs - leftMs);
  return path;
}

async function textOf(path: string): Promise<string> {
  const page = await call(path, { apiKey: null });
  expect(page.status).toBe(200);
  return page.text();
}

test('the page offers a method up to the last moment at which it can end in time', async () => {
  playRails();
  const path = await pageWith(neededMs('ETS_SWITCH'));
  const text = await textOf(path);
  expect(text).toContain('value="ETS_SWITCH"');
  expect(text).not.toContain('value="M_PESA"');
  expect(text).toContain(english.tooLate('M-PESA'));
  expect((await choose(path, 'ETS_SWITCH')).status).toBe(303);
  const { expiresAtMs } = (await intentNow()).terms;
  expect(await attemptNow()).toMatchObject({ status: 'processing', deadlineAtMs: expiresAtMs });
});

test('a choice that comes too late starts nothing, and the page says so', async () => {
  const calls = noRail();
  const path = await pageWith(neededMs('ETS_SWITCH') - 1);
  expect(await choose(path, 'ETS_SWITCH')).toEqual({ status: 303, location: path });
  expect(await intentNow()).toMatchObject({ status: 'open', attempts: [] });
  expect([calls, caught.starts]).toEqual([[], []]);
  const text = await textOf(path);
  expect(text).not.toContain('value="ETS_SWITCH"');
  expect(text).toContain(english.tooLate('EthSwitch, M-PESA'));
  // Another method still works.
  playRails();
  expect((await choose(path, 'CBE')).status).toBe(303);
  expect(await attemptNow()).toMatchObject({ method: 'CBE', status: 'processing' });
});

test('the object decides: a choice that is late when it gets there starts nothing', async () => {
  const calls = noRail();
  const path = await pageWith(neededMs('ETS_SWITCH'));
  const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
  let executed = 0;
  vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation((id) => {
    const stub = reach(id);
    const execute: typeof stub.execute = (...parameters) => {
      executed += 1;
      vi.setSystemTime(Date.now() + 1);
      return stub.execute(...parameters);
    };
    return { execute, read: () => stub.read() } as unknown as typeof stub;
  });
  expect(await choose(path, 'ETS_SWITCH')).toEqual({ status: 303, location: path });
  expect(executed).toBe(1);
  expect(calls).toEqual([]);
  vi.mocked(env.PAYMENT_INTENT.get).mockRestore();
  expect(await intentNow()).toMatchObject({ status: 'open', attempts: [] });
});

test('without any method left the page asks for a new payment', async () => {
  const path = await openHosted({ methods: ['M_PESA'], expireIn: 600 });
  vi.setSystemTime((await intentNow()).terms.expiresAtMs - neededMs('M_PESA') + 1);
  const text = await textOf(path);
  expect(text).toContain(english.tooLate('M-PESA'));
  expect(text).toContain(english.askForNewPayment((await intentNow()).terms.merchantName));
  expect(text).not.toContain('name="method"');
});
