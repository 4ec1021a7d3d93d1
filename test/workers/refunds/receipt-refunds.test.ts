import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { receiptPathOf } from '../../../src/engine/attempts/order.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import type { RefundOutcome } from '../../../src/engine/domain/refund.ts';
import { republishById } from '../../../src/engine/intent/client.ts';
import { requestRefund, startAttempt } from '../../support/intents.ts';
import {
  abortObjects,
  advance,
  answerOf,
  call,
  clientOf,
  consumeAll,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  ORIGIN,
  pathOf,
  resolveAttempt,
  startRedirect,
  statusPath,
  stubOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: a customer's receipt says in plain words what became of their money after a refund, in every
 * language, and its own link shows the receipt and can start nothing. Method: the receipt as a
 * browser gets it, after the steps of a refund.
 */

const caught = useGateway();

function request(id: string, amountMinor: number): Command {
  return requestRefund(id, {
    attemptId: 'a0',
    amountMinor,
    reason: 'Secret of the merchant',
    requester: { type: 'operator', operator: 'abebe', isProved: false },
    reference: id.padEnd(20, 'A').toUpperCase(),
  });
}

function claim(refundId: string): Command {
  const deadlineAtMs = Date.now() + MINUTE_MS;
  return { type: 'claim_refund', refundId, claimId: refundId, deadlineAtMs };
}

function resolve(refundId: string, outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId, outcome };
}

const SUCCEEDED: RefundOutcome = { type: 'succeeded', railReference: null };

/** Pays, runs the commands, and reads the receipt. */
async function receiptAfter(commands: readonly Command[], language = 'en'): Promise<string> {
  const url = await createHosted({ commissionPaidByCustomer: true });
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await execute(...commands);
  return textOf(await (await visit(`${pathOf(url)}?lang=${language}`)).text());
}

function visit(path: string, method = 'GET'): Promise<Response> {
  return call(path, { apiKey: null, method });
}

/** Without the head, which has the style sheet. */
function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

const LANGUAGES: readonly (readonly [string, string, string])[] = [
  ['en', 'Receipt', 'Returned to you'],
  ['am', 'ደረሰኝ', 'ተመልሶልዎታል'],
  ['om', 'Nagahee', 'Isiniif deebi’eera'],
  ['ti', 'ቅብሊት', 'ተመሊሱልኩም ኣሎ'],
];
test.each(LANGUAGES)(
  '%s: shows what was returned, with the commission',
  async (language, ...texts) => {
    const text = await receiptAfter(
      [request('r1', 5_000), claim('r1'), resolve('r1', SUCCEEDED)],
      language,
    );
    for (const part of texts) {
      expect(text).toContain(part);
    }
    // 50.00 and its part of the commission of 1.01, of 101.51.
    const year = new Date(Date.now()).getUTCFullYear();
    expect(text).toMatch(new RegExp(`50\\.50 \\d+ .* ${year}.* 51\\.01`));
    expect(text).not.toContain('Secret');
    // A customer who looks for a refund is not sent back to the merchant.
    expect(text).not.toContain('10 s');
  },
);

const ASKED = [request('r1', 5_000)];
const CALLED = [...ASKED, claim('r1')];
test.each([
  ['pending', ASKED, 'On its way back to you'],
  ['unresolved', [...CALLED, resolve('r1', { type: 'unknown', checkAtMs: null })], 'On its way'],
  [
    'waiting for the operator',
    [...CALLED, resolve('r1', { type: 'requires_action', reason: 'not_enabled' })],
    'On its way back to you',
  ],
  [
    'failed',
    [...CALLED, resolve('r1', { type: 'failed', reason: 'declined' })],
    'Not returned. Please ask Addis Books.',
  ],
])('says what a refund means that is %s', async (_name, commands, expected) => {
  const text = await receiptAfter(commands);
  expect(text).toContain(expected);
  expect(text).not.toContain('Returned to you');
  // Money that has not come back is not taken off.
  expect(text).toMatch(/Paid after refunds ETB 101\.51/);
});

test.each([
  ['there is none', []],
  ['it was canceled', [...ASKED, { type: 'cancel_refund', refundId: 'r1' } as const]],
])('mentions no refund when %s', async (_name, commands) => {
  expect(await receiptAfter(commands)).not.toMatch(/after refunds|[Rr]eturned to you|way back/);
});

/** The customer confirmed on a phone. */
const PUSH = startAttempt('a0', { flow: 'push', phone: '251911234567', deadlineAtMs: 2 ** 52 });

const RETURN_URL = 'https://shop.example.com/done?basket=secret';

/** The receipt's own path, from the page of a customer who has just paid. */
async function paidReceipt(): Promise<{ readonly checkout: string; readonly receipt: string }> {
  const checkout = pathOf(await createHosted({ returnUrl: RETURN_URL }));
  await execute(PUSH, resolveAttempt('a0', 'succeeded'));
  const html = await (await visit(checkout)).text();
  return { checkout, receipt: /href="(\/receipt\/[^"]+)"/.exec(html)?.[1] ?? '' };
}

test('decisions.md#45: the link of a receipt shows the receipt, a masked phone, and no way back with its secrets', async () => {
  const { checkout, receipt } = await paidReceipt();
  const response = await visit(receipt);
  expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
  const html = await response.text();
  expect(textOf(html)).toMatch(/Receipt ETB 100\.50 .* Phone number …4567/);
  expect(html).not.toMatch(/911 ?234 ?567|basket|data-way-back|<form|data-return/);
  expect(html).not.toContain(checkout);
  // The code leads to the receipt, not to the checkout page.
  expect(html).toContain(`src="${receipt}/qr.svg"`);
  expect((await visit(`${receipt}/qr.svg`)).headers.get('content-type')).toBe('image/svg+xml');
});

test('promises.md#8: a receipt’s link works for nothing else, and a forged one reaches no object', async () => {
  const { checkout, receipt } = await paidReceipt();
  const token = receipt.split('/').at(-1) ?? '';
  const called = vi.spyOn(env.PAYMENT_INTENT, 'get');
  for (const path of [
    `/checkout/${token}`,
    `/checkout/${token}/status`,
    `/checkout/${token}/qr.svg`,
    checkout.replace('checkout', 'receipt'),
    `${receipt}AA`,
    `${receipt.slice(0, -4)}AAAA/qr.svg`,
    `${receipt}/status`,
  ]) {
    expect([path, (await visit(path)).status]).toEqual([path, 404]);
  }
  for (const form of ['attempts', 'abandon', 'give-up', 'returned']) {
    expect((await visit(`/checkout/${token}/${form}`, 'POST')).status).toBe(404);
    expect((await visit(`${receipt}/${form}`, 'POST')).status).toBe(404);
  }
  expect(called).not.toHaveBeenCalled();
});

/** What the status call and the last event say of the receipt. */
async function receiptUrls(): Promise<readonly unknown[]> {
  const { envelope } = await answerOf(call(statusPath('order-1')));
  const payment = envelope.content as { readonly receiptUrl: unknown };
  const { sequence } = await lastEvent();
  const webhook = JSON.parse((await clientOf().eventRequestBody(sequence)) ?? '');
  return [payment.receiptUrl, JSON.parse(webhook.body).receiptUrl];
}

test('decisions.md#45: the status call and the event of a paid payment name its receipt', async () => {
  const { receipt } = await paidReceipt();
  const url = `${ORIGIN}${receipt}`;
  expect(await receiptUrls()).toEqual([url, url]);
});

test('decisions.md#45: so does an object that was reached by its id', async () => {
  await createHosted();
  await execute(PUSH);
  await abortObjects();
  await republishById(env, stubOf().id.toString());
  await execute(resolveAttempt('a0', 'succeeded'));
  const url = `${ORIGIN}${await receiptPathOf(env, clientOf().objectName)}`;
  expect(await receiptUrls()).toEqual([url, url]);
});

test('decisions.md#45: names no receipt of a payment that was not paid', async () => {
  await createHosted();
  await execute(PUSH, resolveAttempt('a0', 'failed'), { type: 'abandon_payment' });
  expect(await receiptUrls()).toEqual([null, null]);
});

test('a link made before the payment was paid shows no receipt', async () => {
  await createHosted();
  const path = await receiptPathOf(env, clientOf().objectName);
  expect((await visit(path)).status).toBe(404);
});

test('decisions.md#45: a receipt closes a year after the payment, and says so even when the payment is deleted', async () => {
  merchantServer();
  const { checkout, receipt } = await paidReceipt();
  await consumeAll(caught);
  const url = `${ORIGIN}${receipt}`;
  advance(365 * DAY_MS - MINUTE_MS);
  expect((await visit(receipt)).status).toBe(200);
  expect(await receiptUrls()).toEqual([url, url]);
  advance(MINUTE_MS);
  // An event keeps its bytes.
  expect(await receiptUrls()).toEqual([null, url]);
  for (const path of [checkout, receipt]) {
    const response = await visit(path);
    expect(response.status).toBe(410);
    expect(textOf(await response.text())).toContain('This receipt can no longer be opened');
  }
  advance(35 * DAY_MS);
  await fireAlarm();
  expect([(await visit(checkout)).status, (await visit(receipt)).status]).toEqual([404, 410]);
});
