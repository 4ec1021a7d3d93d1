import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { ProjectedRefund, ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { recordFailure, SILENCE_MS_MAX } from '../../../src/engine/webhooks/failing-endpoints.ts';
import { businessDay, businessDayStartMs, dayText } from '../../../src/kit/ethiopian-time.ts';
import { applyAll, projectedRefund, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  advance,
  booksAreFed,
  chooseMethod,
  clientOf,
  createHosted,
  DAY_MS,
  payHosted,
  postHosted,
  simulate,
  tenantOf,
  useGateway,
} from '../support.ts';
import { signedIn, visit } from './support.ts';

/**
 * Goal: the overview shows exact figures of the chosen days, and says when webhooks do not arrive.
 * Method: the API creates payments, the consumer feeds the book, and the tests read the page
 * as a browser gets it.
 */

const caught = useGateway();

const PAGE = '/dashboard/sandbox/overview';
const HOUR_MS = 3_600_000;

async function pageOf(query = '', language = 'en'): Promise<string> {
  return (await visit(await signedIn('viewer'), `${PAGE}${query}`, language)).text();
}

async function payments(): Promise<void> {
  await payHosted({ paymentIntentUniqueId: 'paid', amount: 250 });
  await simulate(
    await chooseMethod(await createHosted({ paymentIntentUniqueId: 'failed' })),
    'give_up',
  );
  advance(DAY_MS);
  await createHosted({ paymentIntentUniqueId: 'canceled' });
  await clientOf('canceled').execute([{ type: 'cancel' }]);
  await payHosted({ paymentIntentUniqueId: 'dollars', currency: 'USD', amount: 5 });
  await payHosted({ paymentIntentUniqueId: 'paid-2', amount: 100.5 });
  await booksAreFed(caught);
}

function dayOf(atMs: number): string {
  return new Date(atMs + 3 * HOUR_MS).toISOString().slice(0, 10);
}

test('is the home page', async () => {
  const answer = await visit(await signedIn(), '/dashboard');
  expect(answer.headers.get('location')).toBe(PAGE);
});

test('shows the first steps while there is no payment', async () => {
  const html = await pageOf();
  expect(html).toContain('No payments yet');
  expect(html).not.toContain('volume-ETB');
});

test('leads through the first day, whose command creates a payment', async () => {
  const owner = await signedIn('owner');
  const html = await (await visit(owner, PAGE)).text();
  const steps = [
    'Invite your team',
    'Create an API key',
    'Add a webhook endpoint',
    'Create the first',
  ];
  const places = steps.map((step) => html.indexOf(step));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  const [, body = ''] = /data-value="curl [^"]*? -d '(\{.*?\})'"/s.exec(
    html.replaceAll('&quot;', '\u0001').replaceAll('&#39;', "'"),
  ) ?? [''];
  const sent = await postHosted(JSON.parse(body.replaceAll('\u0001', '"')));
  expect(sent.status).toBe(200);
});

test('puts today beside the same weekday of the week before', async () => {
  await payHosted({ paymentIntentUniqueId: 'before', amount: 250 });
  advance(7 * DAY_MS);
  await payHosted({ paymentIntentUniqueId: 'today', amount: 100.5 });
  await booksAreFed(caught);
  const [, today = ''] = (await pageOf()).split('id="today"');
  const text = today.split('</dl>')[0]?.replaceAll(/<[^>]+>/g, ' ');
  expect(text).toMatch(/Today, .*ETB\s100\.50.*one payment.*A week ago, .*ETB\s250\.00/s);
  expect(await pageOf(`?since=${dayOf(Date.now())}`)).not.toContain('id="today"');
});

describe('the figures', () => {
  test('sum up each currency in chart and table', async () => {
    await payments();
    const days = `?since=${dayOf(Date.now() - DAY_MS)}&until=${dayOf(Date.now())}`;
    const figures = (await pageOf(days)).split('class="card figures"')[1] ?? '';
    const [, birr = '', dollars = ''] = figures.split('<div class="currency">');
    expect(birr).toMatch(/ETB\s350\.50/);
    expect(birr).toContain('2 of 4 ended payments');
    // The failed payment's attempt has ended too; the canceled payment had none.
    expect(birr).toContain('2 of 3 attempts');
    expect(birr).toContain('66.7% (2/3)');
    expect(dollars).toMatch(/USD\s5\.00/);
    expect(dollars).toContain('100.0% (1/1)');
    for (const part of [birr, dollars]) {
      expect(part).toMatch(/<svg[^>]*role="img"[^>]*aria-labelledby="([^"]+)-title"/);
      expect(part).toMatch(/<desc id="volume-[A-Z]{3}-description">/);
      expect(part).toContain('Show as tables');
    }
  });

  test('count a failed attempt of a payment that was paid later', async () => {
    const token = await createHosted({ paymentIntentUniqueId: 'twice' });
    await simulate(await chooseMethod(token), 'decline');
    await simulate(await chooseMethod(token, { attempts: 1 }), 'approve');
    await booksAreFed(caught);
    const html = await pageOf();
    expect(html).toContain('1 of 1 ended payments');
    expect(html).toContain('1 of 2 attempts');
    expect(html).toContain('50.0% (1/2)');
  });

  test('cover the chosen days, and lead to their payments', async () => {
    await payments();
    const before = dayOf(Date.now() - DAY_MS);
    const html = await pageOf(`?since=${before}&until=${before}`);
    expect(html).not.toContain('rate-USD');
    expect(html).toMatch(/ETB\s250\.00/);
    expect(html).toContain(`>${Number(before.slice(8))} `);
    expect(html).not.toContain(' – ');
    expect(html).toContain(
      `href="/dashboard/sandbox/payments?since=${before}&amp;until=${before}"`,
    );
    expect(await pageOf('?since=2020-01-01')).toContain('at most 366 days');
    expect(await pageOf('?since=2020-01-01&until=2020-01-02')).toContain(
      'Nothing was paid or refunded',
    );
  });

  test.each([
    ['since=2026-02-30', 'since'],
    ['since=2026-02-02&until=2026-02-01', 'until'],
  ])('explain wrong days at their field: %s', async (query, field) => {
    await payments();
    const answer = await visit(await signedIn(), `${PAGE}?${query}`);
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(`id="${field}-error"`);
    expect(html).toContain(`href="#${field}"`);
  });

  test('offer usual ranges, and mark the one that is shown', async () => {
    await payments();
    const today = dayOf(Date.now());
    const yesterday = dayOf(Date.now() - DAY_MS);
    const html = await pageOf();
    expect(html).toContain(
      `href="${PAGE}?since=${today}&amp;until=${today}" aria-current="true">Today</a>`,
    );
    expect(html).toContain(
      `href="${PAGE}?since=${yesterday}&amp;until=${yesterday}">Yesterday</a>`,
    );
    expect(await pageOf(`?since=${yesterday}&until=${yesterday}`)).toMatch(
      /aria-current="true">Yesterday</,
    );
  });

  test('name days and axes by the chosen calendar', async () => {
    await payments();
    const query = '?since=2026-11-19&until=2026-11-21';
    expect(await pageOf(query)).toContain('19 Nov 2026 – 21 Nov 2026');
    expect(await pageOf(`${query}&calendar=ethiopian`)).toContain('10 Hidar 2019 – 12 Hidar 2019');
    expect(await pageOf(`${query}&calendar=ethiopian`, 'am')).toContain('10 ኅዳር 2019');
    const chart = (await pageOf()).split('id="volume-ETB-description"')[1] ?? '';
    // From nothing up to the highest day, 250.00.
    expect(chart).toMatch(/>0<.*>125<.*>250</);
  });
});

/**
 * By hand, for the day from midnight to midnight in Addis Ababa:
 *
 *   ETB       sold    commission  refunded  returned   received
 *   telebirr  250.00       −2.50   −100.00     +1.00     148.50
 *   CBE       140.00       −0.60    −20.00               119.40
 *   M-PESA     40.00       −0.40                          39.60
 *   together  430.00       −3.50   −120.00     +1.00     307.50
 *   USD        12.00       −0.30     −2.00                 9.70
 */
describe('the statement of a day', () => {
  const DAY = businessDay(Date.now()) - 3;
  const MIDNIGHT = businessDayStartMs(DAY);
  const TENANT = tenantOf(ALPHA);

  interface Paid {
    readonly atMs: number;
    readonly amountMinor: number;
    readonly commissionMinor: number;
    readonly method?: Method;
    readonly changes?: Partial<ProjectionRow>;
    readonly refunds?: readonly Partial<ProjectedRefund>[];
  }

  function paid(number: number, of: Paid) {
    const { atMs, amountMinor, commissionMinor, method = 'TELE_BIRR' } = of;
    const transactionId = `T-${number}`;
    const row = {
      status: 'succeeded',
      method,
      amountMinor,
      commissionMinor,
      transactionId,
    } as const;
    const times = { createdAtMs: MIDNIGHT - DAY_MS + number, endedAtMs: atMs };
    const refunds = (of.refunds ?? []).map((refund, index) =>
      projectedRefund({
        ...{ id: `refund-${number}-${index}`, reference: `R-${number}-${index}` },
        ...{ createdAtMs: MIDNIGHT - 1, method, transactionId, ...refund },
      }),
    );
    return projectionMessage(
      TENANT,
      number,
      { ...row, ...times, ...of.changes },
      {
        paidAtMs: atMs,
        refunds,
      },
    );
  }

  const onTop = { commissionPaidByCustomer: true };
  const dollars = { currency: 'USD' } as const;

  async function seedDay(): Promise<void> {
    await applyAll([
      paid(1, {
        ...{ atMs: MIDNIGHT - 1, amountMinor: 100_000, commissionMinor: 1_000 },
        // Requested on the day before, returned on this one, with a tenth of the commission.
        refunds: [
          {
            ...{ amountMinor: 10_000, commissionReturnedMinor: 100, returnedMinor: 10_000 },
            updatedAtMs: MIDNIGHT + 3 * HOUR_MS,
          },
        ],
      }),
      paid(2, {
        ...{ atMs: MIDNIGHT, amountMinor: 25_000, commissionMinor: 250 },
        refunds: [
          // Returned on the next day, not returned, and not returned yet.
          { amountMinor: 5_000, returnedMinor: 5_000, updatedAtMs: MIDNIGHT + DAY_MS },
          { amountMinor: 5_000, status: 'failed', updatedAtMs: MIDNIGHT + HOUR_MS },
          { amountMinor: 5_000, status: 'processing', updatedAtMs: MIDNIGHT + HOUR_MS },
        ],
      }),
      paid(3, {
        ...{ atMs: MIDNIGHT + DAY_MS - 1, amountMinor: 8_000, commissionMinor: 160, method: 'CBE' },
        changes: onTop,
        refunds: [
          {
            ...{ amountMinor: 2_000, commissionReturnedMinor: 40, returnedMinor: 2_040 },
            updatedAtMs: MIDNIGHT + DAY_MS - 1,
          },
        ],
      }),
      paid(4, { atMs: MIDNIGHT + DAY_MS, amountMinor: 50_000, commissionMinor: 500 }),
      // Expired on the day before, and paid on this day.
      paid(5, {
        ...{ atMs: MIDNIGHT + HOUR_MS, amountMinor: 4_000, commissionMinor: 40, method: 'M_PESA' },
        changes: { late: true, endedAtMs: MIDNIGHT - HOUR_MS },
      }),
      // Expired on this day, and paid on the next one.
      paid(6, {
        ...{ atMs: MIDNIGHT + DAY_MS + HOUR_MS, amountMinor: 3_300, commissionMinor: 33 },
        changes: { late: true, endedAtMs: MIDNIGHT + HOUR_MS },
      }),
      // Paid twice; the second one was refunded.
      paid(7, {
        ...{ atMs: MIDNIGHT + HOUR_MS, amountMinor: 6_000, commissionMinor: 60, method: 'CBE' },
        changes: { anomalies: 1, attempts: [{ method: 'M_PESA', ended: 1, succeeded: 1 }] },
        refunds: [
          {
            ...{ amountMinor: 6_000, commissionReturnedMinor: 60, returnedMinor: 6_000 },
            ...{ method: 'M_PESA', transactionId: 'T-7-2', updatedAtMs: MIDNIGHT + 2 * HOUR_MS },
          },
        ],
      }),
      paid(8, {
        ...{ atMs: MIDNIGHT + HOUR_MS, amountMinor: 1_200, commissionMinor: 30 },
        changes: dollars,
        // The operator keeps the commission.
        refunds: [{ amountMinor: 200, returnedMinor: 200, updatedAtMs: MIDNIGHT + 2 * HOUR_MS }],
      }),
      projectionMessage(TENANT, 9, {
        ...{ status: 'failed', failureReason: 'declined', method: 'CBE', amountMinor: 9_900 },
        ...{ createdAtMs: MIDNIGHT, endedAtMs: MIDNIGHT + HOUR_MS, commissionMinor: 99 },
      }),
    ]);
  }

  const queryOf = (day: number) => `?since=${dayText(day)}&until=${dayText(day)}`;

  /** The amounts of a ledger on the page, by their labels. */
  function ledgerIn(html: string): Record<string, string> {
    const rows = html.matchAll(/<dt>([^<]+).*?<\/dt><dd[^>]*><span[^>]*>([^<]+)/g);
    return Object.fromEntries(
      [...rows].map(([, label = '', amount = '']) => [label, amount.replaceAll(/\s/g, ' ')]),
    );
  }

  test('decisions.md#46: adds up what was paid and returned on it, by hand and in the CSV file', async () => {
    await seedDay();
    const section = (await pageOf(queryOf(DAY))).split('class="card statement"')[1] ?? '';
    const [, birr = '', dollar = ''] = section.split('<div class="currency">');
    const [ledger = '', byMethod = ''] = birr.split('<h4>');
    expect(ledgerIn(ledger)).toEqual({
      Sold: 'ETB 430.00',
      Commission: '-ETB 3.50',
      Refunded: '-ETB 120.00',
      'Commission returned with refunds': 'ETB 1.00',
      'You should receive': 'ETB 307.50',
    });
    expect(ledger).toContain('4 payments');
    expect(birr).toMatch(/Customers paid ETB\s1\.60 of commission on top/);
    expect(ledgerIn(byMethod)).toEqual({
      telebirr: 'ETB 148.50',
      'CBE Birr': 'ETB 119.40',
      'M‑PESA': 'ETB 39.60',
    });
    expect(ledgerIn(dollar)).toMatchObject({
      Sold: 'USD 12.00',
      Commission: '-USD 0.30',
      Refunded: '-USD 2.00',
      'You should receive': 'USD 9.70',
    });
    const file = `/dashboard/sandbox/overview.csv${queryOf(DAY)}`;
    expect(section).toContain(`href="${file.replaceAll('&', '&amp;')}"`);
    const text = await (await visit(await signedIn('viewer'), file)).text();
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    const sums: Record<string, number> = {};
    for (const line of lines) {
      const cells = new Map(head.split(',').map((name, at) => [name, line.split(',')[at] ?? '']));
      // Also of what was paid at midnight, and of a refund that was requested on the day before.
      expect(cells.get('day')).toBe(dayText(DAY));
      for (const name of ['sold', 'commission', 'refunded', 'commission_returned', 'you_receive']) {
        const key = `${cells.get('currency')} ${name}`;
        sums[key] = (sums[key] ?? 0) + Math.round(100 * Number(cells.get(name)));
      }
    }
    expect(lines).toHaveLength(8);
    expect(sums).toEqual({
      'ETB sold': 43_000,
      'ETB commission': 350,
      'ETB refunded': 12_000,
      'ETB commission_returned': 100,
      'ETB you_receive': 30_750,
      'USD sold': 1_200,
      'USD commission': 30,
      'USD refunded': 200,
      'USD commission_returned': 0,
      'USD you_receive': 970,
    });
  });

  test('counts each payment in its own day, also next to midnight', async () => {
    await seedDay();
    const before = (await pageOf(queryOf(DAY - 1))).split('class="card statement"')[1] ?? '';
    expect(ledgerIn(before)).toMatchObject({
      Sold: 'ETB 1,000.00',
      'You should receive': 'ETB 990.00',
    });
    const after = (await pageOf(queryOf(DAY + 1))).split('class="card statement"')[1] ?? '';
    // 500.00 and 33.00, without their commission and 50.00 returned.
    expect(ledgerIn(after.split('USD')[0] ?? '')).toMatchObject({
      Sold: 'ETB 533.00',
      'You should receive': 'ETB 477.67',
    });
  });
});

describe('webhooks that do not arrive', () => {
  const failure = { endpoint: 'https://shop.example.com', error: 'HTTP 500' };

  test('are said to every member, with the way to the page that explains them', async () => {
    expect(await pageOf()).not.toContain('webhook address');
    await recordFailure(env.DB, tenantOf(ALPHA), { ...failure, atMs: Date.now() });
    const html = await pageOf();
    expect(html).toContain('<p>One webhook address is failing. We keep retrying.</p>');
    expect(html).toContain('href="/dashboard/sandbox/webhooks">View webhooks</a>');
    // Production is about money only.
    const production = await visit(await signedIn(), '/dashboard/production/overview');
    expect(await production.text()).not.toContain('webhook address');
  });

  test('are said of production in the sandbox too, and a pause as a pause', async () => {
    const tenant = tenantOf(ALPHA, 'production');
    for (let hour = 0; hour <= 6 * 24; hour += SILENCE_MS_MAX / HOUR_MS) {
      const atMs = Date.now() + hour * HOUR_MS;
      await recordFailure(env.DB, tenant, { ...failure, atMs });
    }
    const html = await pageOf();
    expect(html).toContain('Production: One webhook address has failed for days');
    expect(html).not.toContain('is failing');
    expect(html).toContain('href="/dashboard/production/webhooks">View webhooks</a>');
  });
});
