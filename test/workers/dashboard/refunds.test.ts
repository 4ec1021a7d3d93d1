import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  consumeAll,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  intentOf,
  MINUTE_MS,
  payHosted,
  resolveAttempt,
  SECOND_MS,
  startRedirect,
  useGateway,
} from '../support.ts';
import {
  type Browser,
  confirmed,
  joined,
  meetBeforeBatch,
  signed,
  submitConfirmed,
} from './people-support.ts';
import { auditLog, signedIn, submit, visit } from './support.ts';

/**
 * Goal: members who may refund do so with a fresh passkey, for exactly the refund that they saw,
 * and once (docs/decisions.md#42); the page says where the money is. Method: a software
 * authenticator, with the faults that a test asks for, and the pages as a browser gets them.
 */

const caught = useGateway();

const PAGE = '/dashboard/sandbox/payments/order-1';
const FORM = `${PAGE}/refund`;

type Fields = Readonly<Record<'refund' | 'transaction' | 'amount' | 'reason', string>>;

async function textOf(response: Response): Promise<string> {
  const html = await response.text();
  return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

/** The fields of the form, as the page fills them in. */
async function formOf(browser: Browser, path = FORM): Promise<Fields> {
  const html = await (await browser.get(path)).text();
  const value = (name: string) =>
    new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1] ?? '';
  return {
    refund: value('refund'),
    transaction: value('transaction'),
    amount: value('amount'),
    reason: '',
  };
}

const REVIEW = `${FORM}/review`;

/** What the script gets for the fields. */
async function previewed(browser: Browser, fields: Fields): Promise<Record<string, unknown>> {
  const member = await browser.member();
  const headers = { accept: 'application/json' };
  const response = await submit(member, REVIEW, fields, headers);
  expect(response.status).toBe(200);
  return response.json();
}

/** With plain blanks within amounts. */
function spaced(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

function sentenceIn(html: string): string {
  return spaced(/<p id="refund-sentence"[^>]*>([^<]*)</.exec(html)?.[1] ?? '?');
}

async function refunds(): Promise<readonly Refund[]> {
  return (await intentOf()).refunds;
}

async function messageOf(response: Response): Promise<string> {
  return (await response.json<{ message: string }>()).message;
}

async function cashier(): Promise<Browser> {
  return joined({ role: 'cashier' });
}

describe('the form', () => {
  test.each([
    [
      false,
      'the customer gets ETB 100.50. You get the commission of ETB 1.01 back.',
      'Customer paid ETB 100.50',
    ],
    [
      true,
      'the customer gets ETB 101.51: the amount and the commission. The operator returns the commission of ETB 1.01.',
      'Customer paid ETB 101.51',
    ],
  ])('commission paid by the customer: %s', async (commissionPaidByCustomer, gets, paid) => {
    await payHosted({ commissionPaidByCustomer });
    const browser = await cashier();
    const text = await textOf(await browser.get(FORM));
    expect(text).toContain(`If you refund ETB 100.50, ${gets}`);
    expect(text).toContain(paid);
    expect(await formOf(browser)).toMatchObject({
      amount: '100.50',
      transaction: (await intentOf()).attempts[0]?.reference,
    });
  });

  test.each([
    ['50.25', 'If you refund ETB 50.25, the customer gets ETB 50.75', 'commission of ETB 0.50.'],
    ['0.01', 'If you refund ETB 0.01, the customer gets ETB 0.01.', 'ETB'],
  ])(
    'says what a part of %s does, to the script and as a page',
    async (amount, gets, commission) => {
      await payHosted({ commissionPaidByCustomer: true });
      const browser = await cashier();
      const fields = { ...(await formOf(browser)), amount, reason: 'One <b>pot</b>' };
      const page = await browser.submit(REVIEW, fields);
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(sentenceIn(html)).toContain(gets);
      expect(sentenceIn(html)).toContain(commission);
      expect(html).not.toContain('ETB 100.50, the customer');
      // The form keeps what was typed, and its number, so that it refunds once.
      expect(html).toContain(`name="amount" value="${amount}"`);
      expect(html).toContain('value="One &lt;b>pot&lt;/b>"');
      expect(html).toContain(`name="refund" value="${fields.refund}"`);
      const answer = await previewed(browser, fields);
      expect(spaced(String(answer.sentence))).toBe(sentenceIn(html));
      expect(await refunds()).toEqual([]);
      expect((await auditLog()).map(({ action }) => action)).not.toContain('refund.requested');
    },
  );

  test.each([
    ['amount', { amount: '100.51' }, 'at most ETB 100.50'],
    ['amount', { amount: '1e1' }, 'Enter an amount'],
    ['reason', { reason: 'x'.repeat(256) }, 'at most 255 characters'],
  ])('marks its %s when that is wrong: %o', async (field, change, problem) => {
    await payHosted();
    const browser = await cashier();
    const fields = { ...(await formOf(browser)), ...change };
    const page = await browser.submit(REVIEW, fields);
    const html = spaced(await page.text());
    expect(page.status).toBe(400);
    expect(html).toMatch(new RegExp(`id="${field}-error">[^<]*${problem}`));
    expect(html).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
    // No sentence about another amount looks like an answer.
    expect(sentenceIn(html)).toBe('');
    const message = expect.stringContaining(problem);
    const answer = await previewed(browser, fields);
    expect({ ...answer, message: spaced(String(answer.message)) }).toEqual({ field, message });
    const options = await browser.submit(`${FORM}/options`, fields);
    expect((await options.json<{ field: string }>()).field).toBe(field);
  });

  test('is missing for a payment that is unpaid or fully refunded', async () => {
    await createHosted();
    const browser = await cashier();
    const open = await browser.get(FORM);
    expect([open.status, await textOf(open)]).toEqual([
      409,
      expect.stringContaining('was not paid'),
    ]);
    await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
    expect((await submitConfirmed(browser, FORM, await formOf(browser))).status).toBe(200);
    const spent = await browser.get(FORM);
    expect([spent.status, await textOf(spent)]).toEqual([
      409,
      expect.stringContaining('All of this payment was refunded'),
    ]);
    expect(await (await browser.get(PAGE)).text()).not.toContain(`href="${FORM}`);
  });

  test('is missing for a payment that was paid too long ago', async () => {
    await createHosted({ expireIn: (3 * DAY_MS) / SECOND_MS });
    advance(2 * DAY_MS);
    await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
    await env.DB.prepare('UPDATE merchants SET refund_age_days_max = 1').run();
    advance(DAY_MS);
    expect((await (await cashier()).get(FORM)).status).toBe(200);
    advance(1);
    const response = await (await cashier()).get(FORM);
    expect([response.status, await textOf(response)]).toEqual([
      409,
      expect.stringContaining('too old to refund'),
    ]);
  });

  test('refunds the second of two payments, which the page offers', async () => {
    await createHosted();
    await execute(startRedirect('a0'), { type: 'abandon_attempt', attemptId: 'a0' });
    await execute(startRedirect('a1'), resolveAttempt('a1', 'succeeded'));
    await execute(resolveAttempt('a0', 'succeeded'));
    const browser = await cashier();
    const html = await (await browser.get(PAGE)).text();
    const path = /href="([^"]+)">Refund the second payment</.exec(html)?.[1] ?? '';
    const fields = await formOf(browser, path.replaceAll('&amp;', '&'));
    expect(fields.transaction).toBe((await intentOf()).attempts[0]?.reference);
    expect((await submitConfirmed(browser, FORM, fields)).status).toBe(200);
    expect(await refunds()).toMatchObject([{ attemptId: 'a0', amountMinor: 10_050 }]);
    // The payment itself can still be refunded.
    expect((await formOf(browser)).amount).toBe('100.50');
  });

  test('offers to refund all of a late payment', async () => {
    await createHosted();
    await execute(startRedirect('a0'), { type: 'abandon_payment' });
    await execute(resolveAttempt('a0', 'succeeded'));
    const html = await (await (await cashier()).get(PAGE)).text();
    expect(html).toMatch(/href="[^"]+\/refund\?[^"]+">Refund all</);
  });
});

describe('a refund', () => {
  test('is requested by a fresh passkey, recorded, and followed to its end', async () => {
    await payHosted();
    const browser = await cashier();
    const { memberId } = await browser.member();
    const fields = { ...(await formOf(browser)), amount: ' 20.5 ', reason: ' Out of stock ' };
    const response = await submitConfirmed(browser, FORM, fields);
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect(response.headers.get('set-cookie')).toContain('__Host-kefel_challenge=;');
    expect(await refunds()).toMatchObject([
      {
        id: fields.refund,
        amountMinor: 2_050,
        reason: 'Out of stock',
        status: 'pending',
        requester: { type: 'member', memberId },
      },
    ]);
    expect((await auditLog()).at(-1)).toMatchObject({
      action: 'refund.requested',
      actor_id: memberId,
      merchant_id: ALPHA.id,
      environment: 'sandbox',
      target: fields.refund,
      detail: JSON.stringify({
        uniqueId: 'order-1',
        transactionId: fields.transaction,
        amountMinor: 2_050,
        currency: 'ETB',
      }),
    });
    const pending = await (await browser.get(`${PAGE}?done=refund_requested`)).text();
    expect(pending).toContain('data-live=');
    expect(pending).toContain('The refund was requested');
    await fireAlarm();
    const html = await (await browser.get(PAGE)).text();
    expect(html).not.toMatch(/refunds\/rfd_[^"]*\/cancel/);
    const text = await textOf(new Response(html));
    expect(text).toMatch(/Refund 1 Refunded .*Amount ETB.20\.50 .*Out of stock Requested by Abebe/);
    expect(text).toMatch(/Refunded ETB.20\.50 You keep after refunds ETB.79\.19/);
    expect(text).toMatch(/Refund requested Refund 1: ETB.20\.50 · Pending Merchant/);
    expect(text).toMatch(/Provider reported the refund Refund 1: ETB.20\.50 · Refunded Provider/);
    expect((await formOf(browser)).amount).toBe('80.00');
  });

  test('accepts an answer without a user handle, which some authenticators omit', async () => {
    await payHosted();
    const browser = await cashier();
    const fields = await formOf(browser);
    const offer = await browser.submit(`${FORM}/options`, fields);
    const [credential, cookie] = await signed(browser, offer, { userHandle: '' });
    expect((await browser.submit(FORM, { ...fields, credential }, cookie)).status).toBe(200);
  });

  test('happens once, also when its form is sent again', async () => {
    await payHosted();
    const browser = await cashier();
    const fields = { ...(await formOf(browser)), amount: '10' };
    const sent = await confirmed(browser, FORM, fields);
    meetBeforeBatch(3);
    const answers = await Promise.all([1, 2, 3].map(() => browser.submit(FORM, ...sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    // A replay later, and the same form confirmed again, as after a lost answer.
    const replay = await browser.submit(FORM, ...sent);
    expect(replay.status).toBe(401);
    const again = await browser.submit(`${FORM}/options`, fields);
    expect(again.status).toBe(409);
    expect(await messageOf(again)).toContain('already requested');
    expect(await refunds()).toHaveLength(1);
  });

  test('is recorded even if the register is out of reach then, and the same form can be sent again', async () => {
    await payHosted();
    const browser = await cashier();
    const fields = await formOf(browser);
    const spy = vi.spyOn(env.MERCHANT_REGISTER, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    const failed = await submitConfirmed(browser, FORM, fields);
    expect(failed.status).toBe(503);
    spy.mockRestore();
    expect(await refunds()).toEqual([]);
    expect((await auditLog()).at(-1)).toMatchObject({ action: 'refund.requested' });
    expect((await submitConfirmed(browser, FORM, fields)).status).toBe(200);
    expect(await refunds()).toHaveLength(1);
  });

  test('is rejected when another one was faster', async () => {
    await payHosted();
    const browser = await cashier();
    const [one, other] = [await formOf(browser), await formOf(browser)];
    const sent = await confirmed(browser, FORM, one);
    expect((await submitConfirmed(browser, FORM, { ...other, amount: '60' })).status).toBe(200);
    const late = await browser.submit(FORM, ...sent);
    expect(late.status).toBe(409);
    expect(await messageOf(late)).toMatch(/at most ETB.40\.50/);
    expect(await refunds()).toHaveLength(1);
  });

  test.each([
    ['', 400, 'Enter an amount'],
    ['0', 400, 'Enter an amount'],
    ['-5', 400, 'Enter an amount'],
    ['1.005', 400, 'Enter an amount'],
    ['1e1', 400, 'Enter an amount'],
    ['100.51', 409, 'more than what is left'],
    ['999999999.99', 409, 'more than what is left'],
  ])('of %j is rejected before the passkey is asked for', async (amount, status, message) => {
    await payHosted();
    const browser = await cashier();
    const fields = await formOf(browser);
    const response = await browser.submit(`${FORM}/options`, { ...fields, amount });
    expect(response.status).toBe(status);
    expect(await messageOf(response)).toContain(message);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('rejects a long or unprintable reason and an unknown transaction', async () => {
    await payHosted();
    const browser = await cashier();
    const fields = await formOf(browser);
    for (const change of [
      { reason: 'x'.repeat(256) },
      { reason: 'a\u0000b' },
      { transaction: 'NONE' },
    ]) {
      const response = await browser.submit(`${FORM}/options`, { ...fields, ...change });
      expect(response.status, JSON.stringify(change)).toBe(400);
    }
    const strange = await browser.submit(`${FORM}/options`, { ...fields, refund: 'mine' });
    expect(strange.status).toBe(403);
  });

  test.each([
    ['refund_age_days_max = 1', 25 * 60 * MINUTE_MS, 'limit in days: 1'],
    ['refund_daily_max_minor = 5000', 0, 'Today you can still refund'],
  ])('says which limit of the operator it exceeds: %s', async (limit, laterMs, message) => {
    await payHosted();
    advance(laterMs);
    const browser = await cashier();
    const fields = await formOf(browser);
    await env.DB.prepare(`UPDATE merchants SET ${limit}`).run();
    const response = await submitConfirmed(browser, FORM, fields);
    expect(response.status).toBe(409);
    expect(await messageOf(response)).toContain(message);
    expect(await refunds()).toEqual([]);
  });
});

describe('canceling', () => {
  const PENDING_AMOUNT = '100.26';

  async function pendingRefund(browser: Browser): Promise<string> {
    const fields = { ...(await formOf(browser)), amount: PENDING_AMOUNT };
    expect((await submitConfirmed(browser, FORM, fields)).status).toBe(200);
    return `${PAGE}/refunds/${fields.refund}/cancel`;
  }

  test('works once while the refund is pending, and is recorded', async () => {
    await payHosted();
    const browser = await cashier();
    const path = await pendingRefund(browser);
    expect(await (await browser.get(PAGE)).text()).toContain(`action="${path}"`);
    for (let clicks = 0; clicks < 2; clicks += 1) {
      const response = await browser.submit(path);
      expect(response.headers.get('location')).toBe(`${PAGE}?done=refund_canceled`);
    }
    expect(await refunds()).toMatchObject([{ status: 'canceled' }]);
    const text = await textOf(await browser.get(PAGE));
    expect(text).toContain('Refund 1 Canceled');
    expect(text).not.toMatch(/Customer gets|Number at the provider/);
    const entries = (await auditLog()).filter(({ action }) => action === 'refund.cancel_requested');
    expect(entries).toHaveLength(1);
    expect((await formOf(browser)).amount).toBe('100.50');
  });

  test('is refused once the provider was asked', async () => {
    await payHosted();
    const browser = await cashier();
    const path = await pendingRefund(browser);
    advance(MINUTE_MS);
    await fireAlarm();
    const response = await browser.submit(path);
    expect(response.headers.get('location')).toBe(`${PAGE}?done=refund_not_canceled`);
    expect(await refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect((await browser.submit(`${PAGE}/refunds/none/cancel`)).status).toBe(404);
  });
});

test.each([
  ['owner', 'active', true],
  ['cashier', 'active', true],
  ['developer', 'active', false],
  ['viewer', 'active', false],
  ['owner', 'suspended', false],
] as const)(
  'the page leads an %s of an %s merchant to the form: %s',
  async (role, status, leads) => {
    await payHosted();
    const member = await signedIn(role);
    await env.DB.prepare('UPDATE merchants SET status = ?1').bind(status).run();
    expect((await (await visit(member, PAGE)).text()).includes(`href="${FORM}?`)).toBe(leads);
    expect((await visit(member, FORM)).status).toBe(leads ? 200 : 403);
  },
);

test('lists and totals distinguish gross, refunded and net', async () => {
  await payHosted();
  await payHosted({ paymentIntentUniqueId: 'order-2' });
  const browser = await cashier();
  expect(
    (await submitConfirmed(browser, FORM, { ...(await formOf(browser)), amount: '20.50' })).status,
  ).toBe(200);
  await fireAlarm();
  await consumeAll(caught);
  const list = await textOf(await browser.get('/dashboard/sandbox/payments'));
  expect(list).toMatch(/Payments: 2, ETB.201\.00 · refunded: ETB.20\.50/);
  expect(list).toMatch(/refunded ETB.20\.50 Partly refunded/);
  const filtered = await textOf(await browser.get('/dashboard/sandbox/payments?refunds=any'));
  expect(filtered).toContain('order-1');
  expect(filtered).not.toContain('order-2');
  const open = await textOf(await browser.get('/dashboard/sandbox/payments?refunds=open'));
  expect(open).toContain('No payments match');
  const overview = await textOf(await browser.get('/dashboard/sandbox/overview'));
  // The refund returned 0.20 of the commission, 1.01 for each payment.
  expect(overview).toMatch(
    /Sold 2 payments ETB.201\.00 Commission -ETB.2\.02 Refunded -ETB.20\.50 Commission .*ETB.0\.20 You should receive Paid out by your operator ETB.178\.68/,
  );
});

test('the list shows the refunds of all payments by their status', async () => {
  await payHosted();
  const browser = await cashier();
  for (const amount of ['10', '20']) {
    expect(
      (await submitConfirmed(browser, FORM, { ...(await formOf(browser)), amount })).status,
    ).toBe(200);
    advance(MINUTE_MS);
  }
  await fireAlarm();
  await consumeAll(caught);
  const list = '/dashboard/sandbox/refunds';
  const viewer = await signedIn('viewer');
  const html = await (await visit(viewer, list)).text();
  expect(html).toContain(`href="${PAGE}#refunds"`);
  expect(await textOf(new Response(html))).toMatch(/ETB.20\.00 \w+.*ETB.10\.00 Refunded/);
  const succeeded = await textOf(await visit(viewer, `${list}?status=succeeded`));
  expect(succeeded).toContain('ETB 10.00');
  expect(await textOf(await visit(viewer, `${list}?status=failed`))).toContain(
    'No refund has this status.',
  );
  expect((await visit(viewer, `${list}?cursor=x`)).status).toBe(400);
  const stranger = await signedIn('owner', BETA);
  expect(await textOf(await visit(stranger, list))).toMatch(/No refunds yet .*View paid payments/);
});

test('names the API key that asked for a refund', async () => {
  await payHosted();
  await env.DB.prepare("UPDATE api_keys SET name = 'Web shop' WHERE merchant_id = ?1")
    .bind(ALPHA.id)
    .run();
  const answer = await call('/api/v1/payment/sandbox/refund', {
    method: 'POST',
    body: { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1', amountMinor: 500 },
  });
  expect(answer.status).toBe(200);
  const html = await (await visit(await signedIn('viewer'), PAGE)).text();
  expect(await textOf(new Response(html))).toContain('Requested by API key: Web shop');
  // A viewer follows it, and cancels nothing.
  expect(html).toContain('data-live=');
  expect(html).not.toContain('/refunds/refund-1/cancel');
});
