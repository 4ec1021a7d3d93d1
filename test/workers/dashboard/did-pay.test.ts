import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  claimRefund,
  fail,
  requestRefund,
  resolveRefund,
  startAttempt,
  succeed,
  unknown,
} from '../../support/intents.ts';
import { applyAll } from '../book/fixture.ts';
import { logged } from '../support/gateway.ts';
import {
  ALPHA,
  advance,
  BETA,
  clientOf,
  HOUR_MS,
  MINUTE_MS,
  postHosted,
  type TestMerchant,
  tenantOf,
  useGateway,
} from '../support.ts';
import { signedIn, submit, visit } from './support.ts';

/**
 * Goal: a seller learns whether the customer in front of them paid, from whatever that customer shows,
 * and never hears "no" while the money may have moved. Method: payments of two merchants, their
 * messages at the books, and the page as a browser gets it.
 */

const caught = useGateway();
const PATH = '/dashboard/sandbox/did-pay';

/** A payment of 250.00 by a phone that ends with 4567. A paid attempt has the receipt `RAIL-{attempt}`. */
async function payment(
  id: string,
  ends: readonly Command[],
  merchant: TestMerchant = ALPHA,
): Promise<void> {
  const body = { paymentIntentUniqueId: id, amount: 250, customerInfo: { phone: '911234567' } };
  await postHosted(body, { apiKey: merchant.apiKeys.sandbox });
  const start = startAttempt(`attempt-${id}`, { deadlineAtMs: Date.now() + MINUTE_MS });
  const commands = ends.length === 0 ? [] : [start, ...ends];
  await clientOf(id, tenantOf(merchant)).execute(commands);
  await applyAll(caught.projections.splice(0));
}

const RETURNING = 'Paid, and being returned';
const PARTLY = 'Paid to you, partly returned';
const RETURNED = 'Paid, and returned';

function refundOf(attemptId: string, amount: number): Command {
  return requestRefund('refund-1', { attemptId, amountMinor: 100 * amount });
}

function returned(attemptId: string, amount: number): readonly Command[] {
  return [
    refundOf(attemptId, amount),
    claimRefund('refund-1'),
    resolveRefund('refund-1', { type: 'succeeded', railReference: null }),
  ];
}

/** What the answer says, and its headings. */
async function ask(shown: string, merchant: TestMerchant = ALPHA) {
  const member = await signedIn('viewer', merchant);
  const { status, headers } = await submit(member, PATH, { shown });
  const location = headers.get('location') ?? '';
  expect([status, location.includes(shown)]).toEqual([303, false]);
  const html = await (await visit(member, location)).text();
  const [, answer = ''] = /<main[^>]*>(.*)<form/s.exec(html) ?? [];
  const textIn = (part: string) => part.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  const titles = [...answer.matchAll(/<h2>(.*?)<\/h2>/gs)].map(([, title = '']) => textIn(title));
  return { titles, text: textIn(answer.replaceAll('</', ' </')) };
}

test.each([
  ['paid', (attempt: string) => [succeed(attempt)], 'Yes, paid to you'],
  ['open', () => [], 'Not paid yet'],
  ['asked', (attempt: string) => [unknown(attempt)], 'Not known yet'],
  ['refused', (attempt: string) => [fail(attempt)], 'Not paid yet'],
  ['returning', (attempt: string) => [succeed(attempt), refundOf(attempt, 250)], RETURNING],
  ['partly', (attempt: string) => [succeed(attempt), ...returned(attempt, 100)], PARTLY],
  ['returned', (attempt: string) => [succeed(attempt), ...returned(attempt, 250)], RETURNED],
] as const)('a payment that is %s', async (id, ends, title) => {
  await payment(id, ends(`attempt-${id}`));
  expect((await ask(id)).titles).toEqual([`${title}: ETB 250.00`]);
});

test('a payment whose time is over, with and without an outcome of its attempt', async () => {
  await payment('left', []);
  await payment('unclear', [unknown('attempt-unclear')]);
  await advance(HOUR_MS + MINUTE_MS);
  for (const id of ['left', 'unclear']) {
    await clientOf(id).read();
  }
  await applyAll(caught.projections.splice(0));
  expect((await ask('left')).titles).toEqual(['No, not paid: ETB 250.00']);
  expect((await ask('unclear')).titles).toEqual(['Not known yet: ETB 250.00']);
});

test('the answer to a receipt, an amount, a phone and its end, and that a receipt counts once', async () => {
  await payment('paid', [succeed('attempt-paid')]);
  const paid = 'Yes, paid to you: ETB 250.00';
  const byReceipt = await ask('rail attempt paid');
  expect(byReceipt.titles).toEqual([paid]);
  expect(byReceipt.text).toContain('counts for this payment only');
  expect(byReceipt.text).toContain('…4567');
  for (const shown of ['250 birr', '0911 23 45 67', '4567', 'RAIL-att']) {
    expect((await ask(shown)).titles).toEqual([paid]);
  }
  await payment('second', [succeed('attempt-second')]);
  const several = await ask('250');
  expect(several.titles).toEqual([paid, paid]);
  expect(several.text).toContain('2 payments fit');
  await advance(25 * HOUR_MS);
  expect((await ask('250')).titles).toEqual(['Not known here']);
  expect((await ask('4567')).titles).toEqual([paid, paid]);
});

test('a receipt of another merchant is not theirs, and says nothing about that payment', async () => {
  await payment('beta-order-7', [succeed('attempt-beta-order-7')], BETA);
  const { titles, text } = await ask('RAIL-attempt-beta-order-7');
  expect([titles, text]).toEqual([['Not to you'], expect.not.stringMatching(/250|4567/)]);
  // Only receipts are looked for at others.
  expect((await ask('beta-order-7')).titles).toEqual(['Not known here']);
  expect((await ask('RAIL-attempt-beta-order-7', BETA)).titles).toEqual([
    'Yes, paid to you: ETB 250.00',
  ]);
  vi.spyOn(env.RECEIPT_INDEX, 'get').mockImplementation(() => {
    throw new Error('planted: the index does not answer');
  });
  expect((await ask('RAIL-attempt-beta-order-7')).text).toContain('could not be checked');
  expect(logged.join()).toContain('receipt_not_looked_up');
});
