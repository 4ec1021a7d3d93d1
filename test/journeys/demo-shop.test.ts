import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, startShop } from '../../demo/shop.ts';
import { TEXTS } from '../../demo/texts.ts';
import { DESKTOP, launchBrowser } from '../support/browser.ts';
import {
  Device,
  heading,
  JAVASCRIPT,
  payButton,
  payWith,
  refusedWith,
  shoot,
} from '../support/e2e-customer.ts';
import { joinScene, newPhone, paymentOf, type Scene } from '../support/e2e-scene.ts';

/**
 * Goal: the shop of `npm run demo` takes payments, and its order page says so by itself. Method: the
 * shop's own server and a browser, with the real gateway behind them.
 */

const PAID = 'Thank you, your order is paid';
const WAITING = 'Waiting for your payment';

let scene: Scene;
let browser: Browser;
let shop: Shop;

beforeAll(async () => {
  [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  shop = await startShop({
    apiKey: scene.merchant.sandboxApiKey,
    webhookSecret: scene.merchant.sandboxWebhookSecret,
    merchantId: scene.merchant.id,
    gatewayUrl: scene.gateway.baseUrl,
    port: 0,
  });
});

afterAll(async () => {
  shop?.close();
  await browser?.close();
  await scene?.close();
});

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  );
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
}

function pay(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Pay', exact: true }).click();
}

function orderIdOn(page: Page): string {
  return new URL(page.url()).pathname.replace('/orders/', '');
}

describe.each(JAVASCRIPT)('a phone %s', (_name, javaScriptEnabled) => {
  test('pays on the payment page and sees the order paid', async () => {
    const device = await Device.start(browser, {
      javaScriptEnabled,
      colorScheme: javaScriptEnabled ? 'dark' : 'light',
    });
    const page = await device.open(shop.url);
    await page.getByLabel('Quantity').selectOption('2');
    await pay(page);
    await payWith(page, 'CBE');
    await page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(page, PAID);
    const payment = await paymentOf(scene, orderIdOn(page));
    expect(payment).toMatchObject({ status: 'SUCCESS', totalAmount: 90_000 });
    expect(await page.locator('dl').textContent()).toContain(
      `ETB ${(payment.chargedAmount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`,
    );
    await shoot(page, `shop-paid-${javaScriptEnabled ? 'dark' : 'light'}`);
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByText('Yirgacheffe coffee').first().waitFor();
    await device.putAway();
  });

  test('charges a phone and sees the order paid without a click', async () => {
    const device = await Device.start(browser, { javaScriptEnabled });
    const page = await device.open(shop.url);
    await page.getByText('Or charge my M-PESA phone at once').click();
    await page.getByLabel('M-PESA number').fill(`0${newPhone('7')}`);
    await page.getByRole('button', { name: 'Charge this phone' }).click();
    await heading(page, PAID);
    await device.putAway();
  });
});

describe('the shop', () => {
  test.each(['light', 'dark'] as const)(
    'has pages without axe violations, %s',
    async (colorScheme) => {
      const device = await Device.start(browser, { colorScheme });
      const page = await device.open(shop.url);
      await page.getByText('Or charge my M-PESA phone at once').click();
      await expectAccessible(page);
      await shoot(page, `shop-product-${colorScheme}`);
      await page.getByRole('button', { name: 'Charge this phone' }).click();
      await heading(page, PAID);
      await expectAccessible(page);
      await device.putAway();
    },
  );

  test('opens the checkout in a popup on a desktop, and lets an unpaid order be paid later', async () => {
    const device = await Device.start(browser, { ...DESKTOP, isMobile: false, hasTouch: false });
    const page = await device.open(shop.url);
    const [first] = await Promise.all([page.waitForEvent('popup'), pay(page)]);
    await payButton(first).waitFor();
    await expectAccessible(page);
    await shoot(page, 'shop-popup');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await heading(page, WAITING);
    const orderId = orderIdOn(page);
    await page.getByRole('link', { name: 'Continue to the payment' }).click();
    await payWith(page, 'TELE_BIRR');
    await page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(page, PAID);
    expect(orderIdOn(page)).toBe(orderId);
    await device.putAway();
  });

  test('speaks Amharic to a browser that prefers it, and English when asked', async () => {
    const device = await Device.start(browser, { locale: 'am-ET' });
    const page = await device.open(shop.url);
    await heading(page, TEXTS.am.product);
    await page.getByText(TEXTS.am.orPhone).click();
    await page.getByRole('button', { name: TEXTS.am.chargePhone }).click();
    await heading(page, TEXTS.am.states.SUCCESS[0]);
    await expectAccessible(page);
    await shoot(page, 'shop-paid-am');
    await page.getByRole('link', { name: 'English' }).click();
    await heading(page, PAID);
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await heading(page, TEXTS.en.product);
    await device.putAway();
  });

  test('makes one order of a form that is sent twice', async () => {
    const device = await Device.start(browser);
    const page = await device.open(shop.url);
    const order = await page.locator('input[name=order]').inputValue();
    const send = async (): Promise<unknown> => {
      const answer = await fetch(`${shop.url}/orders`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ order, quantity: '1', pay: 'page' }),
      });
      return answer.json();
    };
    const first = await send();
    expect(first).toMatchObject({ orderPath: `/orders/${order}` });
    expect(await send()).toEqual(first);
    await device.putAway();
  });

  test('shows what is wrong with a phone number', async () => {
    const device = await Device.start(browser);
    const page = await device.open(shop.url);
    await page.getByText('Or charge my M-PESA phone at once').click();
    await page.getByLabel('M-PESA number').fill('12');
    await page.getByRole('button', { name: 'Charge this phone' }).click();
    await page.getByRole('alert').getByText('Type an M-PESA number').waitFor();
    await device.putAway(refusedWith(400));
  });

  test.each([
    ['an unsigned webhook', {}],
    ['a webhook with a wrong signature', { 'webhook-id': 'evt_1', 'webhook-signature': 'v1,AAAA' }],
  ])('rejects %s', async (_name, headers) => {
    const now = String(Math.floor(Date.now() / 1_000));
    const answer = await fetch(`${shop.url}/webhooks`, {
      method: 'POST',
      headers: { ...headers, 'webhook-timestamp': now },
      body: JSON.stringify({ webHookEvent: 'PAYMENT_SUCCESS' }),
    });
    expect(answer.status).toBe(400);
  });

  test('says that it does not know an order', async () => {
    const answer = await fetch(`${shop.url}/orders/shop-unknown`);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining('Page not found'),
    ]);
  });
});
