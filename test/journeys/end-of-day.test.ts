import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { desk } from '../../back-office/i18n/en/desk.ts';
import type { StoredLine } from '../../src/control/provider-files/line-table.ts';
import type { BoardRow } from '../../src/control/rpc/operator.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import { METHOD_NAMES } from '../../src/engine/i18n/methods.ts';
import { DAY_MS } from '../../src/kit/ethiopian-time.ts';
import { launchBrowser } from '../support/browser.ts';
import { Device, heading, shoot } from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, join as joinMerchant } from '../support/e2e-dashboard.ts';
import { linkIn, operate, operateOnceAccepted, signInOperator } from '../support/e2e-operator.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { commissionMinor } from '../support/e2e-rails-table.ts';
import { RefundedPayment } from '../support/e2e-refunds.ts';
import { formTo, open, submit } from '../support/e2e-visitor.ts';
import { axeViolations } from '../support/page-checks.ts';

/**
 * Goal: the end of an operator's day (docs/operator.md#sheet, #provider-files). 40 payments by all
 * methods, with commission, splits and refunds, one paid twice and one that the provider dates before
 * midnight; the providers' files have planned differences, and the files' comparison finds exactly
 * these; the day sheet is the sum of the payments. Method: stand-ins, their files, the operator's
 * commands, and the desk in a browser.
 */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

const PAYMENTS = 40;
const SPLIT = { bank: 'CBE', creditAccount: '1000123456789', splitType: 'PERCENTAGE', amount: 30 };
const SPLIT_EVERY = 4;
/** A part of a payment by telebirr, and a whole one by M-PESA: null. Their commission is the merchant's. */
const REFUNDS = new Map([
  [30, 5_000],
  [34, null],
]);
const ACCEPTED_MS_MAX = 20_000;

const rails = new RailsScene('end-of-day', { hasRefunds: true });
/** The payments take half a minute. */
const BEFORE_MIDNIGHT_MS = 90_000;
const paid: RailPayment[] = [];
const { nav, providerUpload: own } = desk.pages;
let browser: Browser;
let directory: string;
let day: string;
let dayBefore: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kefel-day-'));
  [browser] = await Promise.all([launchBrowser(), rails.start()]);
  await vi.waitFor(() => expect(dayOf(Date.now())).toBe(dayOf(Date.now() + BEFORE_MIDNIGHT_MS)), {
    timeout: BEFORE_MIDNIGHT_MS + 1_000,
    interval: 1_000,
  });
  day = dayOf(Date.now());
  dayBefore = dayOf(Date.now() - DAY_MS);
});

afterAll(async () => {
  await browser.close();
  await rails.close();
  await rm(directory, { recursive: true });
});

function dayOf(atMs: number): string {
  return new Date(atMs + 3 * 3_600_000).toISOString().slice(0, 10);
}

async function operator(...args: readonly string[]): Promise<string> {
  return operate(rails.scene.gateway.baseUrl, ...args);
}

/** Downloads a file of a stand-in, as an operator does from a provider's portal. */
async function download(path: string, name: string): Promise<string> {
  const answer = await fetch(new URL(path, rails.standIns.phonesUrl));
  expect(answer.status).toBe(200);
  const file = join(directory, name);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

async function upload(method: Method, query: string, name: string): Promise<void> {
  const file = await download(`files/${method}.csv?${query}`, name);
  const profile = ['--profile', 'Stand-in', '--file', file];
  await operator('provider-file', 'upload', 'production', method, ...profile);
}

async function board(): Promise<readonly BoardRow[]> {
  const rows = await operator(
    'provider-file',
    'board',
    'production',
    '--from',
    dayBefore,
    '--json',
  );
  return JSON.parse(rows);
}

test('customers pay by all methods, one twice, and get refunds', async () => {
  const cells = Array.from({ length: PAYMENTS }, (_, index) => {
    const method = METHODS[index % METHODS.length] ?? 'CBE';
    const kind = Math.floor(index / METHODS.length) % 2 === 0 ? 'hosted' : 'express';
    const terms = index % SPLIT_EVERY === 0 ? { splitPayment: [SPLIT] } : {};
    return { cell: { method, kind }, terms } as const;
  });
  for (const { cell, terms } of cells) {
    const refunded = await RefundedPayment.paid(rails, cell, { terms });
    paid.push(refunded.payment);
    const order = await refunded.payment.order();
    // A second each, in the order of the payments, however long the test takes.
    order.actedAtMs = Date.parse(`${day}T08:00:00+03:00`) + paid.length * 1_000;
    const amountMinor = REFUNDS.get(paid.length - 1);
    if (amountMinor !== undefined) {
      const id = await refunded.asked(amountMinor ?? undefined);
      await expect.poll(async () => (await refunded.status(id)).status).toBe('SUCCESS');
    }
  }
  const late = await RefundedPayment.paid(rails, { method: 'CBE', kind: 'hosted' });
  paid.push(late.payment);
  (await late.payment.order()).actedAtMs = Date.parse(`${dayBefore}T23:59:58+03:00`);

  const twice = await rails.pay({ method: 'TELE_BIRR', kind: 'hosted' });
  const first = await twice.order();
  await submit(formTo(await open(twice.checkoutUrl), '/abandon'));
  await twice.start();
  await twice.act('pays');
  await first.act('pays');
  paid.push(twice);
  first.actedAtMs = Date.parse(`${day}T20:00:00+03:00`);
  (await twice.order()).actedAtMs = Date.parse(`${day}T20:00:01+03:00`);
});

test('the files show the planned differences, and nothing else', async () => {
  for (const method of METHODS) {
    const profile = await download(`files/${method}.json`, `${method}.json`);
    await operator('provider-profile', 'store', 'production', method, '--from', profile);
    await upload(method, `day=${day}`, `${method}.csv`);
  }
  const rows = await board();
  const outcomes = rows
    .filter((row) => row.day === day)
    .map(({ method, outcomes: all }) => [
      method,
      Object.fromEntries(all.map(({ outcome, lines }) => [outcome, lines])),
    ]);
  const planned = { amount_differs: 1, fee_differs: 1, double: 1, missing: 1, not_ours: 1 };
  const matchedOf = (method: Method) =>
    paid.filter(({ cell }) => cell.method === method).length - 3 - (method === 'CBE' ? 1 : 0);
  expect(Object.fromEntries(outcomes)).toEqual(
    Object.fromEntries(
      METHODS.map((method) => [
        method,
        {
          ...planned,
          matched: matchedOf(method),
          ...(method === 'TELE_BIRR' && { double: 2 }),
          // The provider dates one before midnight: it is in the file of the day before.
          ...(method === 'CBE' && { missing: 2 }),
          ...(isRefunded(method) && { refund: 1 }),
        },
      ]),
    ),
  );
});

test('on a phone, an operator uploads a file behind its preview, and finds a payment of midnight', async () => {
  const file = await download(`files/CBE.csv?day=${dayBefore}&differences=none`, 'before.csv');
  const phone = await Device.start(browser, { baseURL: rails.scene.gateway.baseUrl });
  const page = await phone.tab();
  await signInOperator(page);
  await page.getByRole('link', { name: nav.providerFiles, exact: true }).click();
  await heading(page, nav.providerFiles);
  await shoot(page, 'day-board');
  await page.getByRole('link', { name: METHOD_NAMES.CBE, exact: true }).first().click();
  await page.getByRole('link', { name: own.upload, exact: true }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: own.toPreview, exact: true }).click();
  await page.getByText(own.previewLead).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'day-preview');
  await page.getByRole('button', { name: own.confirm, exact: true }).click();
  // The page refreshes itself while Kefel works on the file.
  await expect.poll(() => page.getByText(own.states.done, { exact: true }).count()).toBe(2);
  await shoot(page, 'day-files');
  expect((await board()).filter(({ method }) => method === 'CBE')).toMatchObject([
    { day, missing: { lines: 1 } },
    { day: dayBefore, outcomes: [{ outcome: 'matched', lines: 1 }] },
  ]);
  await phone.putAway();
});

test('what needs a person is worked, until nothing is left', async () => {
  for (const method of METHODS) {
    const list = ['provider-file', 'lines', 'production', method, '--open', 'yes', '--json'];
    const lines: { items: readonly StoredLine[] } = JSON.parse(await operator(...list));
    for (const { key, outcome } of lines.items) {
      const decision = outcome === 'not_ours' ? '--not-ours' : '--accept';
      const decided = ['--key', key, decision, '--reason', 'Planned'];
      const decide = ['provider-file', 'decide', 'production', method, ...decided];
      await operateOnceAccepted(rails.scene.gateway.baseUrl, ACCEPTED_MS_MAX, decide);
    }
  }
  for (const { missing, different } of await board()) {
    expect([missing.lines, different.lines]).toEqual([0, 0]);
  }
});

test('the day sheet is the sum of the payments, and of the merchant’s own statement', async () => {
  const file = join(directory, 'sheet.csv');
  const args = ['--period', day, '--environment', 'production', '--to', file];
  await operator('statement', 'export', ...args);
  const rows = rowsOf(await readFile(file, 'utf8'));
  const sums = METHODS.map((method) => {
    const own = paid.filter(({ cell }) => cell.method === method);
    const borne = own.filter(({ customerPaysCommission }) => !customerPaysCommission);
    return {
      method,
      payments: String(own.length),
      sold: sumText(own.map(({ amountMinor }) => amountMinor)),
      commission: sumText(borne.map(({ amountMinor }) => commissionMinor(method, amountMinor))),
      refunded: sumText(
        refundsBy(method).map(([at, minor]) => minor ?? paid[at]?.amountMinor ?? 0),
      ),
    };
  });
  const ofMethods = rows.filter(({ method }) => method !== '');
  expect(ofMethods).toHaveLength(METHODS.length);
  for (const row of ofMethods) {
    const leftMinor = minorOf(row.sold) - minorOf(row.commission) - minorOf(row.refunded);
    expect(minorOf(row.merchant_receives)).toBe(leftMinor + minorOf(row.commission_returned));
  }
  expect(ofMethods).toEqual(
    expect.arrayContaining(sums.map((sum) => expect.objectContaining(sum))),
  );

  const statement = rowsOf(await merchantsStatement());
  const received = METHODS.map((method) => {
    const own = statement.filter((row) => row.method === method);
    return [method, sumText(own.map((row) => minorOf(row.you_receive)))];
  });
  const toPayOut = ofMethods.map(({ method, merchant_receives: amount }) => [method, amount]);
  expect(Object.fromEntries(received)).toEqual(Object.fromEntries(toPayOut));
});

/** As an owner downloads it from the dashboard. */
async function merchantsStatement(): Promise<string> {
  const { baseUrl, merchant } = rails.scene.gateway;
  const device = await Device.start(browser, { baseURL: baseUrl });
  device.tolerated.push(CUT_OFF_ANSWER);
  const page = await device.tab();
  await equip(page);
  const who = ['--name', 'Almaz Kebede', '--role', 'owner'];
  await joinMerchant(
    page,
    linkIn(await operator('member', 'invite', merchant.merchantId, ...who)),
    'Demo Shop',
  );
  const range = new URLSearchParams({ since: day, until: day });
  const answer = await page.request.get(`/dashboard/production/overview.csv?${range}`);
  const text = await answer.text();
  await device.putAway();
  return text;
}

function rowsOf(csv: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = csv.replace('\uFEFF', '').trim().split('\r\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])),
  );
}

function minorOf(text = ''): number {
  return Math.round(Number(text) * 100);
}

function refundsBy(method: Method) {
  return [...REFUNDS].filter(([at]) => paid[at]?.cell.method === method);
}

function isRefunded(method: Method): boolean {
  return refundsBy(method).length > 0;
}

function sumText(amounts: readonly number[]): string {
  return (amounts.reduce((sum, minor) => sum + minor, 0) / 100).toFixed(2);
}
