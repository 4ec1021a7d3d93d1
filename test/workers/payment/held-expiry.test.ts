import { expect, test, vi } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { isoTime } from '../../../src/kit/ethiopian-time.ts';
import { soonText } from '../../../src/kit/i18n/time-text.ts';
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
  SECOND_MS,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: production takes every published `expireIn`, says until when a provider may still report a
 * payment, and does not announce an expiry before that (docs/decisions.md#1 and #31). Method:
 * payments of five seconds with attempts in flight at the expiry. `test/unit/domain/held-expiry.test.ts` has
 * the rules and every rail's time.
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

test.each([
  ['M_PESA', 175],
  ['E_BIRR', 95],
] as const)(
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

test('a payment is late that M-PESA dates after the expiry, before PAYMENT_EXPIRED', async () => {
  const { expiresAtMs } = await payShort('M_PESA');
  await alarmsUntil(expiresAtMs + 10 * SECOND_MS);
  const body = structuredClone(mpesaReport(await attemptNow(), 'paid')) as {
    Envelope: { Body: { stkCallback: { CallbackMetadata: { Item: object[] } } } };
  };
  // `yyyyMMddHHmmss` in Ethiopia.
  const paidAtMs = expiresAtMs + 2 * SECOND_MS;
  const text = new Date(paidAtMs + 3 * 3_600 * SECOND_MS).toISOString().replaceAll(/\D/g, '');
  const date = { Name: 'TransactionDate', Value: Number(text.slice(0, 14)) };
  body.Envelope.Body.stkCallback.CallbackMetadata.Item.push(date);
  expect(await report(await callbackPath('stk-push'), body)).toMatchObject({ status: 200 });
  expect(await statusNow()).toMatchObject({ status: 'SUCCESS', late: true, expiryHeldUntil: null });
  expect(await eventsOf()).toEqual(['payment_succeeded']);
});

const methods = ['CBE', 'M_PESA', 'ETS_SWITCH'];

async function textOf(path: string): Promise<string> {
  const page = await call(path, { apiKey: null });
  expect(page.status).toBe(200);
  return page.text();
}

test('a hosted payment can be started in its last second, and its page says until when it may be reported', async () => {
  playRails();
  const path = await openHosted({ methods, expireIn: 600 });
  const { expiresAtMs } = (await intentNow()).terms;
  vi.setSystemTime(expiresAtMs - SECOND_MS);
  expect(await textOf(path)).toContain('value="M_PESA"');
  expect((await choose(path, 'M_PESA', 0, MPESA_PHONE)).status).toBe(303);
  const untilMs = expiresAtMs + 179 * SECOND_MS;
  const until = soonText(untilMs, Date.now(), english);
  const note = english.reportedUntil(english.methodName.M_PESA, until);
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
