import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { launchBrowser } from '../support/browser.ts';
import { Device, heading, JAVASCRIPT, payWith, shoot } from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, join, pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate } from '../support/e2e-operator.ts';
import { joinScene, type Scene } from '../support/e2e-scene.ts';
import { axeViolations } from '../support/page-checks.ts';

/**
 * Goal: a seller takes a payment over the counter, on a phone (docs/dashboard.md#till): signs in, types
 * the amount, and the page of the sale shows that the customer has paid, without a touch. Method: real
 * browsers of both; each test continues where the previous one ended.
 */

const text = english.till;
/** A waiting page that closes or loads again cancels its request. */
const CUT_OFF_STATE = /^failed: .*\/till\/[^/]+(?:\/state)?$/;

let scene: Scene;
let browser: Browser;
let till: Device;
let page: Page;

beforeAll(async () => {
  [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  till = await Device.start(browser);
  till.tolerated.push(CUT_OFF_ANSWER, CUT_OFF_STATE);
  page = await till.tab();
  await equip(page);
});

afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

async function beginSale(seller: Page, amount: string): Promise<string> {
  await seller.getByLabel(text.amount).fill(amount);
  await pressButton(seller, text.take);
  await seller.getByText(text.scan).waitFor();
  return seller.getByLabel(text.address).inputValue();
}

test('a till’s member signs in and sees the till alone', async () => {
  const { id, name } = scene.merchant;
  const who = ['--name', 'Till 2', '--role', 'till'];
  const invitation = await operate(scene.gateway.baseUrl, 'member', 'invite', id, ...who);
  await join(page, linkIn(invitation), name, text.title);
  await page.getByRole('link', { name: english.frame.environment.sandbox, exact: true }).click();
  await page.getByText(text.none).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'till');
});

test.each(JAVASCRIPT)(
  'the page of a sale shows that the customer has paid, %s',
  async (_how, isOn) => {
    const seller = isOn ? page : await withoutScript();
    const url = await beginSale(seller, '250');
    await shoot(seller, `till-waiting-${isOn}`);
    const phone = await Device.start(browser);
    const customer = await phone.open(url);
    await payWith(customer, 'TELE_BIRR');
    await seller.getByText(text.paid, { exact: true }).waitFor();
    await heading(seller, 'ETB\u00a0250.00');
    await seller.getByText(text.paidAt).waitFor();
    if (isOn) {
      expect(await axeViolations(seller)).toEqual([]);
    }
    await shoot(seller, `till-paid-${isOn}`);
    // Reloading shows the same, and New sale an empty form above the list of the day.
    await seller.reload();
    await seller.getByText(text.paid, { exact: true }).waitFor();
    await seller.getByRole('link', { name: text.newSale, exact: true }).click();
    expect(await seller.getByLabel(text.amount).inputValue()).toBe('');
    await shoot(seller, `till-day-${isOn}`);
    await phone.putAway();
  },
);

/** The same member in a browser without scripts. */
async function withoutScript(): Promise<Page> {
  const device = await Device.start(browser, { javaScriptEnabled: false });
  device.tolerated.push(CUT_OFF_STATE);
  await device.context.addCookies(await till.context.cookies());
  return device.open(page.url());
}

test('the page goes on by itself after the connection was lost', async () => {
  const url = await beginSale(page, '99.50');
  await till.context.setOffline(true);
  await page.getByText(text.offline).waitFor();
  const customer = await (await Device.start(browser)).open(url);
  await payWith(customer, 'TELE_BIRR');
  await till.context.setOffline(false);
  await page.getByText(text.paid, { exact: true }).waitFor();
  await page.getByText(text.paidAt).waitFor();
});
