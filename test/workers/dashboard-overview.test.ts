import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { recordFailure, SILENCE_MS_MAX } from '../../src/webhooks/failing-endpoints.ts';
import { signedIn, visit } from './dashboard-support.ts';
import {
  ALPHA,
  advance,
  booksAreFed,
  chooseMethod,
  clientOf,
  createHosted,
  DAY_MS,
  payHosted,
  simulate,
  tenantOf,
  useGateway,
} from './support.ts';

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
  expect(html).not.toContain('<svg');
});

describe('the figures', () => {
  test('sum up each currency in chart and table', async () => {
    await payments();
    const [, birr = '', dollars = ''] = (await pageOf()).split('<div class="currency">');
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
    expect(html).toContain(
      `href="/dashboard/sandbox/payments?since=${before}&amp;until=${before}"`,
    );
    expect(await pageOf('?since=2020-01-01')).toContain('at most 366 days');
    expect(await pageOf('?since=2020-01-01&until=2020-01-02')).toContain(
      'No payments in this range',
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
    expect(html).toContain(`href="${PAGE}?since=${today}&amp;until=${today}">Today</a>`);
    expect(html).toContain(
      `href="${PAGE}?since=${yesterday}&amp;until=${yesterday}">Yesterday</a>`,
    );
    expect(html).toMatch(/aria-current="true">Last 30 days</);
    expect(await pageOf(`?since=${today}&until=${today}`)).toMatch(/aria-current="true">Today</);
  });

  test('name days and axes by the chosen calendar', async () => {
    await payments();
    const query = '?since=2026-11-19&until=2026-11-21';
    expect(await pageOf(query)).toContain('Paid or ended 19 Nov 2026 to 21 Nov 2026');
    expect(await pageOf(`${query}&calendar=ethiopian`)).toContain(
      'Paid or ended 10 Hidar 2019 to 12 Hidar 2019',
    );
    expect(await pageOf(`${query}&calendar=ethiopian`, 'am')).toContain('10 ኅዳር 2019');
    const chart = (await pageOf()).split('id="volume-ETB-description"')[1] ?? '';
    // From nothing up to the highest day, 250.00.
    expect(chart).toMatch(/>0<.*>125<.*>250</);
  });
});

describe('webhooks that do not arrive', () => {
  const failure = { endpoint: 'https://shop.example.com', error: 'HTTP 500' };

  test('are said to every member, with the way to the page that explains them', async () => {
    expect(await pageOf()).not.toContain('webhook endpoints in');
    await recordFailure(env.DB, tenantOf(ALPHA), { ...failure, atMs: Date.now() });
    const html = await pageOf();
    expect(html).toContain('Failing webhook endpoints in Sandbox: 1.');
    expect(html).toContain('href="/dashboard/sandbox/webhooks">View webhooks</a>');
  });

  test('are said of production in the sandbox too, and a pause as a pause', async () => {
    const tenant = tenantOf(ALPHA, 'production');
    for (let hour = 0; hour <= 6 * 24; hour += SILENCE_MS_MAX / HOUR_MS) {
      const atMs = Date.now() + hour * HOUR_MS;
      await recordFailure(env.DB, tenant, { ...failure, atMs });
    }
    const html = await pageOf();
    expect(html).toContain('Paused webhook endpoints in Production: 1.');
    expect(html).not.toContain('Failing webhook endpoints');
    expect(html).toContain('href="/dashboard/production/webhooks">View webhooks</a>');
  });
});
