import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { businessDay, businessDayStartMs, dayText } from '../../../src/kit/ethiopian-time.ts';
import { checkoutUrlOf, idOf, pay, sale, sell, TILL, textOf } from '../support/till.ts';
import {
  ALPHA,
  advance,
  answerOf,
  call,
  chooseMethod,
  createHosted,
  DAY_MS,
  intentOf,
  LIMITED,
  MINUTE_MS,
  SECOND_MS,
  statusPath,
  useGateway,
} from '../support.ts';
import { auditLog, type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: a seller takes ordinary payments at a till, and sees those of this till alone
 * (docs/dashboard.md#till, docs/decisions.md#70).
 */

useGateway();

async function stateOf(till: SignedIn, path: string) {
  return (await visit(till, `${path}/state`)).json<{ tag: string; isPaid: boolean }>();
}

describe('a sale', () => {
  test('is an ordinary payment, and its page shows when it is paid', async () => {
    const till = await signedIn('till');
    const response = await sell(till, '1,250.50', { note: 'Table 4' });
    const path = response.headers.get('location') ?? '';
    expect(await textOf(till, path)).toContain('data:image/svg+xml');
    const waiting = await stateOf(till, path);
    expect(waiting.isPaid).toBe(false);
    expect(await stateOf(till, path)).toEqual(waiting);

    await pay(till, path);
    const paid = await stateOf(till, path);
    expect(paid.isPaid).toBe(true);
    expect(paid.tag).not.toBe(waiting.tag);
    const html = await textOf(till, path);
    expect(html).toContain('PAID');
    expect(html).toContain('1,250.50');
    expect(html).not.toContain('data:image/svg+xml');

    const { envelope } = await answerOf(call(statusPath(idOf(path))));
    expect(envelope.content).toMatchObject({
      status: 'SUCCESS',
      totalAmount: 125_050,
      metadata: { till: expect.stringMatching(/^till \d+$/) },
    });
    // As of payments by an API key.
    expect(await auditLog()).toEqual([]);

    expect(html).toContain('/receipt/');
    advance(365 * DAY_MS);
    expect(await textOf(await signedIn(), path)).not.toContain('/receipt/');
  });

  test('is made once by a form that is sent again, also at the same moment', async () => {
    const till = await signedIn('till');
    const nonce = crypto.randomUUID();
    const responses = await Promise.all([1, 2].map(() => sell(till, '250', { nonce })));
    const [path, ...others] = new Set(responses.map(({ headers }) => headers.get('location')));
    expect(others).toEqual([]);
    await pay(till, path ?? '');
    // Otherwise the next customer would be taken for the one who has paid.
    const late = await sell(till, '250', { nonce });
    expect(late.status).toBe(400);
    const html = await late.text();
    expect(html).toContain('This form was sent before');
    expect(html).not.toContain(nonce);
    expect((await intentOf(idOf(path ?? ''))).status).toBe('succeeded');
  });

  test.each([
    ['', 'Type the amount.'],
    ['12.345', 'Type an amount such as 250 or 99.50.'],
    ['0', 'This amount is too small for a payment.'],
    ['1000.01', 'This amount is larger than a payment may be.'],
  ])('of %j is refused at its field', async (amount, problem) => {
    await env.DB.prepare(
      "INSERT INTO merchant_limits (merchant_id, environment, currency, amount_minor_max) VALUES (?, 'sandbox', 'ETB', 100000)",
    )
      .bind(ALPHA.id)
      .run();
    const response = await sell(await signedIn('till'), amount);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain(problem);
    expect(html).toContain('href="#amount"');
  });

  test('is canceled by its till, and can no longer be paid', async () => {
    const till = await signedIn('till');
    const path = await sale(till);
    const url = await checkoutUrlOf(till, path);
    await submit(till, `${path}/cancel`);
    expect(await textOf(till, path)).toContain('Canceled');
    await expect(chooseMethod(url)).rejects.toThrow('303');
    const [entry] = await auditLog();
    expect(entry).toMatchObject({ action: 'payment.cancel_requested', actor_id: till.memberId });
  });

  test('is not canceled while the customer pays', async () => {
    const till = await signedIn('till');
    const path = await sale(till);
    await chooseMethod(await checkoutUrlOf(till, path));
    const response = await submit(till, `${path}/cancel`);
    expect(response.headers.get('location')).toBe(`${path}?done=attempt_in_flight`);
    expect((await intentOf(idOf(path))).status).toBe('processing');
  });

  test('waits after too many in a minute, of one member', async () => {
    const till = await signedIn('till');
    const statuses = [];
    for (let made = 0; made < 22; made += 1) {
      const body = new URLSearchParams({
        csrf: till.csrf,
        nonce: `n${made}`,
        amount: '5',
        note: '',
      });
      const response = await call(TILL, {
        method: 'POST',
        apiKey: null,
        contentType: 'application/x-www-form-urlencoded',
        body: body.toString(),
        headers: { 'sec-fetch-site': 'same-origin', cookie: till.cookie },
        bindings: LIMITED,
      });
      await response.body?.cancel();
      statuses.push(response.status);
    }
    expect(statuses.filter((status) => status === 303)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(400);
  });
});

describe('a prompt', () => {
  const PHONE = '0911234567';

  async function prompt(till: SignedIn, path: string, fields: Record<string, string> = {}) {
    const asked = { method: 'M_PESA', phone: '0711234567', attempts: '0', ...fields };
    return submit(till, `${path}/prompt`, asked);
  }

  test('is sent once by a form that is sent twice, and its page says to which phone', async () => {
    const till = await signedIn('till');
    const path = await sale(till);
    expect(await textOf(till, `${path}/prompt`)).toContain('M\u2011PESA');
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await prompt(till, path)).headers.get('location')).toBe(path);
    }
    expect((await intentOf(idOf(path))).attempts).toMatchObject([
      { method: 'M_PESA', phone: '251711234567' },
    ]);
    expect(await textOf(till, path)).toContain('0711\u00a0234\u00a0567');
  });

  test.each([
    [{ phone: '' }, 'Enter your phone number'],
    [{ phone: '12' }, 'Enter an Ethiopian mobile number'],
    [{ method: '' }, 'Choose how you want to pay.'],
    // Its customer pays on a page, which the code leads to.
    [{ method: 'TELE_BIRR', phone: PHONE }, 'Choose how you want to pay.'],
  ])('with %j is refused, and nothing starts', async (fields, problem) => {
    const till = await signedIn('till');
    const path = await sale(till);
    const response = await prompt(till, path, fields);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(problem);
    expect((await intentOf(idOf(path))).attempts).toEqual([]);
  });
});

describe('what is not of this till', () => {
  test.each([
    ['another till of the merchant', () => signedIn('till'), 404],
    ['a cashier of the merchant', () => signedIn('cashier'), 200],
  ] as const)('answers %s as it should', async (_who, sign, status) => {
    const till = await signedIn('till');
    const path = await sale(till);
    const other = await sign();
    const unknown = `${TILL}/TILL-${'A'.repeat(16)}`;
    for (const rest of ['', '/state', '/prompt']) {
      expect([rest, (await visit(other, path + rest)).status]).toEqual([rest, status]);
      expect((await visit(other, unknown + rest)).status).toBe(404);
    }
    if (status === 404) {
      const form = { method: 'M_PESA', phone: '0711234567', attempts: '0' };
      expect((await submit(other, `${path}/prompt`, form)).status).toBe(404);
      expect((await submit(other, `${path}/cancel`)).status).toBe(404);
      expect(await intentOf(idOf(path))).toMatchObject({ status: 'open', attempts: [] });
      await pay(till, path);
      expect(await textOf(other, TILL)).not.toContain('250.00');
    }
  });

  test('no payment of an API key is, whatever it names', async () => {
    const till = await signedIn('till');
    const id = `TILL-${'B'.repeat(16)}`;
    const metadata = { till: 'till 1', tillId: till.memberId };
    await createHosted({
      paymentIntentUniqueId: id,
      paymentLinkUniqueId: `till:${till.memberId}`,
      tillId: till.memberId,
      metadata,
      amount: 77,
    });
    expect((await visit(till, `${TILL}/${id}`)).status).toBe(404);
    expect((await visit(await signedIn('owner'), `${TILL}/${id}`)).status).toBe(404);
    expect(await textOf(till, TILL)).not.toContain('77.00');
    expect(await textOf(await signedIn('cashier'), TILL)).not.toContain('77.00');
  });

  test('nor is any other page of the dashboard', async () => {
    const till = await signedIn('till');
    expect((await visit(till, '/dashboard')).headers.get('location')).toBe(
      '/dashboard/production/till',
    );
    const html = await textOf(till, '/dashboard/account');
    const links = [...html.matchAll(/<a href="(\/dashboard\/[^"?]+)/g)].map(([, path]) => path);
    expect(new Set(links)).toEqual(new Set(['/dashboard/production/till', '/dashboard/account']));
    expect((await visit(till, '/dashboard/sandbox/payments')).status).toBe(403);
    expect((await visit(till, '/dashboard/nothing')).status).toBe(404);
  });
});

describe('the list of a day', () => {
  test('has the sales that began on it in Addis Ababa, and the sum of those that are paid', async () => {
    const day = businessDay(Date.now()) + 2;
    vi.setSystemTime(businessDayStartMs(day) - SECOND_MS);
    const till = await signedIn('till');
    // Begun before midnight and paid after it.
    const before = await sale(till, '10');
    advance(MINUTE_MS);
    await pay(till, before);
    for (const amount of ['200', '300.50']) {
      await pay(till, await sale(till, amount));
      advance(SECOND_MS);
    }
    // The index that the sum reads has no open sales, but canceled ones.
    await submit(till, `${await sale(till, '50')}/cancel`);
    advance(SECOND_MS);
    await sale(till, '4000');
    const sums = async (member: SignedIn, query: string) => {
      const html = await textOf(member, `${TILL}?${query}`);
      return [...html.matchAll(/class="money">([^<]*)</g)].map(([, text]) =>
        text?.replaceAll(/[^\d.]/g, ''),
      );
    };
    expect(await sums(till, `day=${dayText(day)}`)).toEqual([
      '500.50',
      '4000.00',
      '50.00',
      '300.50',
      '200.00',
    ]);
    expect(await sums(till, `day=${dayText(day - 1)}`)).toEqual(['10.00', '10.00']);

    const second = await signedIn('till');
    await pay(second, await sale(second, '7'));
    expect(await sums(second, '')).toEqual(['7.00', '7.00']);
    const owner = await signedIn('owner');
    expect((await sums(owner, ''))[0]).toBe('507.50');
    expect((await sums(owner, `till=${second.memberId}`))[0]).toBe('7.00');
    // A till cannot choose another.
    expect((await sums(till, `till=${second.memberId}`))[0]).toBe('500.50');
  });

  test('says that a day does not exist', async () => {
    const response = await visit(await signedIn('till'), `${TILL}?day=2026-02-31`);
    expect(response.status).toBe(400);
  });
});

test('a merchant that is suspended sells nothing', async () => {
  const till = await signedIn('till');
  await env.DB.prepare("UPDATE merchants SET status = 'suspended' WHERE id = ?1")
    .bind(ALPHA.id)
    .run();
  expect((await sell(till)).status).toBe(403);
});
