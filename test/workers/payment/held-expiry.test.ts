import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { isoTime } from '../../../src/kit/ethiopian-time.ts';
import { timeText } from '../../../src/kit/i18n/time-text.ts';
import { MPESA_PHONE, mpesaReport, playRails, SCENE_SECRETS } from '../rails/scenes.ts';
import {
  alarmsUntil,
  attemptNow,
  callbackPath,
  choose,
  claimStart,
  client,
  configureRails,
  dyingBeforeClaims,
  intentNow,
  openHosted,
  PHONE,
  report,
  run,
} from '../rails/support.ts';
import {
  ALPHA,
  answerOf,
  type Body,
  CREATE_PATHS,
  call,
  expressBody,
  hostedBody,
  reportsAreSent,
  SECOND_MS,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: production takes every published `expireIn`, says until when a provider may still report a
 * payment, and does not announce an expiry before that (docs/decisions.md#1 and #31). Method:
 * payments of five seconds, attempts in flight at the expiry, late alarms, and reports that the
 * provider dates before and after the expiry.
 */

configureRails(SCENE_SECRETS);
useGateway();

const apiKey = ALPHA.apiKeys.production;
const EXPIRE_IN = 5;

function create(kind: 'hosted' | 'express', body: Body) {
  const path = CREATE_PATHS[kind].production;
  return answerOf(call(path, { method: 'POST', apiKey, body }));
}

/** The payment as the status call shows it. */
async function statusNow(): Promise<Record<string, unknown>> {
  const { envelope } = await answerOf(call(statusPath('order-1', 'production'), { apiKey }));
  return envelope.content as Record<string, unknown>;
}

const eventsOf = async () => (await client().events()).map(({ type }) => type);

/** An express payment of five seconds, with an attempt in flight. */
async function payShort(method: Method, expireIn = EXPIRE_IN) {
  playRails();
  const phoneNumber = method === 'M_PESA' ? MPESA_PHONE : PHONE;
  const returnUrl = 'https://shop.example.com/done';
  const created = await dyingBeforeClaims(() =>
    create('express', expressBody({ method, phoneNumber, returnUrl, expireIn })),
  );
  expect(created).toMatchObject({ status: 200, envelope: { content: { status: 'SUCCESS' } } });
  if (method === 'E_BIRR') {
    // The latest moment for a claim.
    vi.setSystemTime((await intentNow()).terms.expiresAtMs - 1);
    await run(await claimStart());
  }
  const { expiresAtMs } = (await intentNow()).terms;
  return { warnings: created.envelope.warnings, expiresAtMs };
}

/** How long after the expiry a provider may report, by default settings. */
const HELD_SECONDS: Readonly<Partial<Record<Method, number>>> = {
  TELE_BIRR: 85,
  TELE_BIRR_USSD: 115,
  CBE: 295,
  ETS_SWITCH: 20,
  M_PESA: 175,
  E_BIRR: 95,
};

test.each(Object.entries(HELD_SECONDS) as [Method, number][])(
  '%s takes 5 s, and holds the expiry for %d s, as the answer said',
  async (method, heldSeconds) => {
    const { warnings, expiresAtMs } = await payShort(method);
    const untilMs = expiresAtMs + heldSeconds * SECOND_MS;
    expect(warnings).toEqual([
      `expireIn is shorter than the time of ${method}: an attempt that is under way at the expiry ` +
        `can be reported until ${isoTime(untilMs)}, and PAYMENT_EXPIRED waits for it.`,
    ]);
    // eBirr's time begins with its claim, a millisecond before the expiry.
    const endsAtMs = method === 'E_BIRR' ? untilMs - 1 : untilMs;
    await alarmsUntil(endsAtMs - 1);
    expect(await statusNow()).toMatchObject({
      status: 'PROCESSING',
      expireDate: isoTime(expiresAtMs),
      expiryHeldUntil: isoTime(endsAtMs),
    });
    expect(await eventsOf()).toEqual([]);
    await alarmsUntil(endsAtMs);
    expect(await statusNow()).toMatchObject({ status: 'EXPIRED', expiryHeldUntil: null });
    expect(await eventsOf()).toEqual(['payment_expired']);
  },
);

test('an express payment with enough time has no warning and expires on time', async () => {
  const { warnings, expiresAtMs } = await payShort('M_PESA', 180);
  expect(warnings).toBeUndefined();
  expect(await statusNow()).toMatchObject({ status: 'PROCESSING', expiryHeldUntil: null });
  await alarmsUntil(expiresAtMs);
  expect(await eventsOf()).toEqual(['payment_expired']);
});

describe('a payment that M-PESA reports after the expiry, before PAYMENT_EXPIRED', () => {
  /** `yyyyMMddHHmmss` in Ethiopia, of a time in whole seconds. */
  const ethiopian = (atMs: number) =>
    Number(new Date(atMs + 3 * 3_600 * SECOND_MS).toISOString().replaceAll(/\D/g, '').slice(0, 14));

  async function reportPaid(paidAtMs: number | null) {
    const body = structuredClone(mpesaReport(await attemptNow(), 'paid')) as {
      Envelope: { Body: { stkCallback: { CallbackMetadata: { Item: object[] } } } };
    };
    if (paidAtMs !== null) {
      const date = { Name: 'TransactionDate', Value: ethiopian(paidAtMs) };
      body.Envelope.Body.stkCallback.CallbackMetadata.Item.push(date);
    }
    expect(await report(await callbackPath('stk-push'), body)).toMatchObject({ status: 200 });
  }

  test.each([
    ['is late when dated after the expiry', 2 * SECOND_MS, true],
    ['is on time when dated before the expiry', -2 * SECOND_MS, false],
    ['is on time without a date', null, false],
    ['is on time with a date that has not come yet', 3_600 * SECOND_MS, false],
  ])('%s', async (_name, afterMs, late) => {
    const { expiresAtMs } = await payShort('M_PESA');
    await alarmsUntil(expiresAtMs + 10 * SECOND_MS);
    await reportPaid(afterMs === null ? null : expiresAtMs + afterMs);
    expect(await statusNow()).toMatchObject({ status: 'SUCCESS', late, expiryHeldUntil: null });
    expect(await eventsOf()).toEqual(['payment_succeeded']);
  });

  test('is late also when no alarm has fired since the creation', async () => {
    const { expiresAtMs } = await payShort('M_PESA');
    vi.setSystemTime(expiresAtMs + 10 * SECOND_MS);
    await reportPaid(expiresAtMs + SECOND_MS);
    expect(await statusNow()).toMatchObject({ status: 'SUCCESS', late: true });
    expect(await eventsOf()).toEqual(['payment_succeeded']);
  });
});

test('a lost alarm changes nothing: the expiry is announced at the end of the window', async () => {
  const { expiresAtMs } = await payShort('M_PESA');
  const untilMs = expiresAtMs + 175 * SECOND_MS;
  vi.setSystemTime(untilMs - 1);
  expect(await statusNow()).toMatchObject({ status: 'PROCESSING' });
  vi.setSystemTime(untilMs + 3_600 * SECOND_MS);
  expect(await statusNow()).toMatchObject({ status: 'EXPIRED' });
});

test('eBirr is not called after the expiry, and holds nothing up', async () => {
  const calls = playRails();
  const body = expressBody({ method: 'E_BIRR', phoneNumber: PHONE, expireIn: EXPIRE_IN });
  await dyingBeforeClaims(() => create('express', body));
  const { expiresAtMs } = (await intentNow()).terms;
  await alarmsUntil(expiresAtMs);
  await reportsAreSent();
  expect(calls).toEqual([]);
  expect(await statusNow()).toMatchObject({ status: 'EXPIRED', expiryHeldUntil: null });
});

describe('a hosted payment', () => {
  const methods = ['CBE', 'M_PESA', 'ETS_SWITCH'];

  test('of 5 s is created with all its methods, and a warning for each', async () => {
    const created = await create('hosted', hostedBody({ methods, expireIn: EXPIRE_IN }));
    expect(created.status).toBe(200);
    const { terms } = await intentNow();
    expect(terms.methods.map(({ method }) => method).sort()).toEqual([...methods].sort());
    const latest: Record<string, number> = { CBE: 300, M_PESA: 180, ETS_SWITCH: 20 };
    const expected = terms.methods.map(({ method }) => {
      const untilMs = terms.expiresAtMs + (latest[method] ?? 0) * SECOND_MS;
      return expect.stringMatching(`${method}: .* until ${isoTime(untilMs)}`);
    });
    expect(created.envelope.warnings).toEqual(expected);
  });

  async function textOf(path: string): Promise<string> {
    const page = await call(path, { apiKey: null });
    expect(page.status).toBe(200);
    return page.text();
  }

  test('can be started in its last second, and its page says until when it may be reported', async () => {
    playRails();
    const path = await openHosted({ methods, expireIn: 600 });
    const { expiresAtMs } = (await intentNow()).terms;
    vi.setSystemTime(expiresAtMs - SECOND_MS);
    expect(await textOf(path)).toContain('value="M_PESA"');
    expect((await choose(path, 'M_PESA', 0, MPESA_PHONE)).status).toBe(303);
    const untilMs = expiresAtMs + 179 * SECOND_MS;
    const note = english.reportedUntil(english.methodName.M_PESA, timeText(untilMs, english));
    const before = await textOf(path);
    expect(before).toContain(note);
    expect(before).toContain(english.pushTitle);
    expect(before).toContain('data-remaining-ms="1000"');

    vi.setSystemTime(expiresAtMs);
    const held = await textOf(path);
    expect(held).toContain(note);
    expect(held).toContain(english.unresolvedTitle);
    expect(held).not.toContain('data-remaining-ms');
    expect(await statusNow()).toMatchObject({ status: 'PROCESSING' });

    vi.setSystemTime(untilMs);
    expect(await textOf(path)).toContain(english.expiredTitle);
  });

  test('takes no choice at its expiry', async () => {
    const calls = playRails();
    const path = await openHosted({ methods, expireIn: 600 });
    vi.setSystemTime((await intentNow()).terms.expiresAtMs);
    expect(await choose(path, 'M_PESA', 0, MPESA_PHONE)).toEqual({ status: 303, location: path });
    expect(calls).toEqual([]);
    expect(await intentNow()).toMatchObject({ status: 'expired', attempts: [] });
  });

  test('takes no choice that reaches its object at the expiry', async () => {
    const calls = playRails();
    const path = await openHosted({ methods, expireIn: 600 });
    const { expiresAtMs } = (await intentNow()).terms;
    vi.setSystemTime(expiresAtMs - 1);
    const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation((id) => {
      const stub = reach(id);
      const execute: typeof stub.execute = (...parameters) => {
        vi.setSystemTime(expiresAtMs);
        return stub.execute(...parameters);
      };
      return { execute, read: () => stub.read() } as unknown as typeof stub;
    });
    expect(await choose(path, 'M_PESA', 0, MPESA_PHONE)).toEqual({ status: 303, location: path });
    vi.mocked(env.PAYMENT_INTENT.get).mockRestore();
    expect(calls).toEqual([]);
    expect(await intentNow()).toMatchObject({ attempts: [] });
  });
});
