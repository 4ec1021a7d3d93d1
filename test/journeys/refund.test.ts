import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { checkout } from '../../src/engine/i18n/en.ts';
import { launchBrowser } from '../support/browser.ts';
import {
  createPayment,
  Device,
  heading,
  payWith,
  refusedWith,
  shoot,
} from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, goTo, join, pressButton, Walk } from '../support/e2e-dashboard.ts';
import { linkIn, operate } from '../support/e2e-operator.ts';
import { eventually, joinScene, newPhone, type Scene } from '../support/e2e-scene.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';
import { axeViolations } from '../support/page-checks.ts';
import type { VirtualAuthenticator } from '../support/virtual-authenticator.ts';

/**
 * Goal: money goes back. A customer pays; a cashier refunds a part with a passkey and follows it;
 * the merchant's server verifies the event; the customer's receipt shows it. Method: real browsers
 * of both; each test continues where the previous one ended.
 */

const CUSTOMER_PHONE = newPhone();
/** The sandbox returns it after 20 s (docs/sandbox.md#refunds). */
const SLOW_AMOUNT = '100.21';
const FOLLOWED_MS_MAX = 90_000;

let scene: Scene;
let browser: Browser;
let shopper: Device;
let till: Device;
let page: Page;
let passkeys: VirtualAuthenticator;
let payment: Awaited<ReturnType<typeof createPayment>>;

beforeAll(async () => {
  [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  shopper = await Device.start(browser);
  till = await Device.start(browser);
  till.tolerated.push(CUT_OFF_ANSWER);
  page = await till.tab();
  passkeys = await equip(page);
});

afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

test('a customer pays', async () => {
  payment = await createPayment(scene, {
    amount: 250,
    commissionPaidByCustomer: true,
    customerInfo: { name: 'Almaz Kebede', phone: CUSTOMER_PHONE, isPhoneUpdatable: true },
  });
  const customer = await shopper.open(payment.checkoutUrl);
  await payWith(customer, 'TELE_BIRR');
  expect(await customer.locator('.amount').textContent()).toContain('256.25');
  expect((await payment.hook.request(0)).method).toBe('POST');
});

test('a cashier cannot refund without the passkey', async () => {
  const { baseUrl } = scene.gateway;
  const { id, name } = scene.merchant;
  const who = ['--name', 'Sara Tesfaye', '--role', 'cashier'];
  await join(
    page,
    linkIn(await operate(baseUrl, 'member', 'invite', id, ...who)),
    name,
    'Payments',
  );
  await page.goto(`${baseUrl}/dashboard/sandbox/payments/${payment.uniqueId}/refund`);
  await heading(page, english.refunds.formTitle(payment.uniqueId));
  const amount = page.getByLabel(english.refunds.amount);
  expect(await amount.inputValue()).toBe('250.00');
  await passkeys.setUserVerified(false);
  await pressButton(page, english.refunds.confirm);
  await page.getByText(english.signIn.script.canceled).waitFor();
  await passkeys.setUserVerified(true);
  // The form shows a mistake at its field, while it is typed and before it asks for the passkey.
  await amount.fill('250.01');
  const problem = page.getByText(english.refunds.tooLarge('ETB\u00a0250.00'));
  await problem.waitFor();
  expect(await page.locator('#refund-sentence').isVisible()).toBe(false);
  await pressButton(page, english.refunds.confirm);
  await problem.waitFor();
  expect(await amount.getAttribute('aria-invalid')).toBe('true');
  expect(await amount.getAttribute('aria-describedby')).toContain(
    (await problem.getAttribute('id')) ?? '?',
  );
  await eventually(
    () => amount.evaluate((field) => field === document.activeElement),
    (isFocused) => isFocused,
  );
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'refund-too-large');
  await page.getByRole('link', { name: english.refunds.back }).click();
  expect(await page.getByText(english.refunds.status.pending).count()).toBe(0);
});

test('without JavaScript, the form says what the typed amount does, and refunds nothing', async () => {
  const plain = await Device.start(browser, { javaScriptEnabled: false });
  await plain.context.addCookies(await till.context.cookies());
  const refundPage = `${scene.gateway.baseUrl}/dashboard/sandbox/payments/${payment.uniqueId}/refund`;
  const form = await plain.open(refundPage);
  await form.getByLabel(english.refunds.amount).fill(SLOW_AMOUNT);
  await pressButton(form, english.refunds.confirm);
  await form
    .getByText(`If you refund ETB\u00a0100.21, the customer gets ETB\u00a0102.71`)
    .waitFor();
  expect(await form.getByLabel(english.refunds.amount).inputValue()).toBe(SLOW_AMOUNT);
  await shoot(form, 'refund-without-script');
  await form.goto(refundPage);
  await form.getByText(english.refunds.amountHint('ETB\u00a0250.00')).waitFor();
  await plain.putAway();
});

test('with it, the cashier finds the payment and refunds a part, and the page follows the refund', async () => {
  await goTo(page, 'Home', 'Overview');
  const walk = new Walk(page);
  await walk.tap(page.getByRole('link', { name: 'Payments', exact: true }));
  await walk.send(page.getByRole('searchbox'), CUSTOMER_PHONE.slice(-4));
  await page.getByText(`…${CUSTOMER_PHONE.slice(-4)}`).waitFor();
  // A finger need not meet the id.
  await walk.tap(page.getByRole('row').filter({ hasText: payment.uniqueId }));
  await walk.tap(page.getByRole('link', { name: english.refunds.refund, exact: true }));
  const amount = page.getByLabel(english.refunds.amount);
  await walk.tap(amount);
  await amount.fill(SLOW_AMOUNT);
  // What the passkey confirms is what the page says.
  await page
    .getByText(`If you refund ETB\u00a0100.21, the customer gets ETB\u00a0102.71`)
    .waitFor();
  await page.getByLabel(english.refunds.reason, { exact: true }).fill('One of two was sold out');
  await shoot(page, 'refund-form');
  await walk.tap(page.getByRole('button', { name: english.refunds.confirm }));
  await page.getByText(english.refunds.done.refund_requested).waitFor();
  expect([walk.taps, walk.documents.length]).toEqual([7, 6]);
  await page.getByText(english.refunds.meaning.processing).waitFor();
  await shoot(page, 'refund-in-progress');
  // Without a reload by hand.
  await page.getByText(english.refunds.meaning.succeeded).waitFor({ timeout: FOLLOWED_MS_MAX });
  const card = await page.locator('#refund-1').textContent();
  expect(card).toMatch(/Customer got.{1,5}102\.71/);
  expect(card).toContain('Sara Tesfaye');
  await shoot(page, 'refund-done');
});

test('the merchant’s server verifies the event', async () => {
  const { webHookEvent, payment: body } = verifiedWebhook(
    await payment.hook.request(1),
    scene.keys,
  );
  expect(webHookEvent).toBe('REFUND_SUCCESS');
  expect(body).toMatchObject({
    status: 'SUCCESS',
    refund: { status: 'SUCCESS', amountMinor: 10_021, returnedMinor: 10_271 },
  });
});

test('the customer who opens the link again reads what is left after the refund', async () => {
  const customer = await shopper.open(payment.checkoutUrl);
  await heading(customer, checkout.receipt.title);
  expect(await customer.locator('.amount').textContent()).toContain('153.54');
  expect(await customer.getByRole('main').textContent()).toMatch(/256\.25.*102\.71.*153\.54/);
});

test('the link that the cashier sends shows the same, in the chosen language', async () => {
  await page.goto(`${scene.gateway.baseUrl}/dashboard/sandbox/payments/${payment.uniqueId}`);
  const link = page.getByRole('link', { name: english.payment.openReceipt });
  const customer = await shopper.open((await link.getAttribute('href')) ?? '');
  await heading(customer, checkout.receipt.title);
  expect(await customer.locator('.amount').textContent()).toContain('153.54');
  await shoot(customer, 'receipt-refunded');
  await customer.getByRole('link', { name: 'አማርኛ', exact: true }).click();
  await customer.getByText('ተመልሶልዎታል').waitFor();
  await shoot(customer, 'receipt-refunded-am');
  for (const colorScheme of ['light', 'dark'] as const) {
    await customer.emulateMedia({ colorScheme });
    expect(await axeViolations(customer)).toEqual([]);
    await shoot(customer, `receipt-refunded-${colorScheme}`);
  }
});

test('the cashier adds a passkey on another device, confirmed by the first one', async () => {
  await page.goto(`${scene.gateway.baseUrl}/dashboard/account`);
  await heading(page, 'My account');
  await pressButton(page, english.account.passkeys.add);
  await page.getByText(english.signIn.script.known).waitFor();
  await shoot(page, 'passkey-known');
  // The confirmation still holds: the next press goes on with the new device.
  await passkeys.remove();
  const tablet = await equip(page);
  await pressButton(page, english.account.passkeys.add);
  await page.getByText(english.account.done.passkey_added).waitFor();
  expect(await tablet.passkeys()).toBe(1);
  await shoot(page, 'passkey-added');
});

test('the browsers logged no unexpected errors', async () => {
  await shopper.putAway();
  // Only the amount that was too large.
  await till.putAway(refusedWith(409));
});
