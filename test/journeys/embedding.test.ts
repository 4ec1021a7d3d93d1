import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { POPUP_TEXTS } from '../../src/engine/i18n/popup.ts';
import { DESKTOP, launchBrowser } from '../support/browser.ts';
import {
  approveButton,
  createPayment,
  Device,
  heading,
  payWith,
  SHOP_HEADING,
  startPaying,
} from '../support/e2e-customer.ts';
import { type Endpoint, MerchantServer } from '../support/e2e-merchant-server.ts';
import { type HostedPayment, joinScene, paymentOf, type Scene } from '../support/e2e-scene.ts';
import { lookViolations } from '../support/page-checks.ts';

/**
 * Goal: a merchant's page opens the checkout in a popup and learns of the return, and no page of
 * another origin does (docs/embedding.md). Method: pages of a merchant on other ports than the
 * gateway, which include its `/kefel.js`.
 */

let scene: Scene;
/** A merchant's server of another origin. */
let stranger: MerchantServer;
let browser: Browser;

beforeAll(async () => {
  [scene, browser, stranger] = await Promise.all([
    joinScene(),
    launchBrowser(),
    MerchantServer.start(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await stranger?.stop();
  await scene?.close();
});

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** What the page has been told, in the page. */
interface Told {
  /** Results that `onReturn` was called with. */
  readonly returned: readonly object[];
  /** Every message from a window. */
  readonly messages: readonly object[];
}

interface Shop {
  readonly page: Page;
  readonly payment: HostedPayment;
  /** Answers with the address of the checkout. */
  readonly create: Endpoint;
}

function withScript(rest: string): string {
  return `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
    <script src="${scene.gateway.baseUrl}/kefel.js"></script>${rest}`;
}

/** A shop's page with a button that opens the checkout of a new payment. */
async function openShop(
  device: Device,
  { server = scene.server, returnPage = `<h1>${SHOP_HEADING}</h1>` } = {},
): Promise<Shop> {
  const body = withScript(returnPage);
  const shop = scene.server.endpoint({ type: 'answer', status: 200, headers: HTML, body });
  const payment = { ...(await createPayment(scene, { returnUrl: shop.url })), shop };
  const create = server.endpoint({ type: 'answer', status: 200, body: payment.checkoutUrl });
  const page = await device.open(
    server.page(
      withScript(`<button>Pay</button><script>
        const told = { returned: [], messages: [] };
        addEventListener('message', ({ data }) => told.messages.push(data));
        document.querySelector('button').onclick = () => Kefel.open({
          checkoutUrl: () => fetch('${create.url}').then((response) => response.text()),
          onReturn: (returned) => told.returned.push(returned),
        });</script>`),
    ),
  );
  return { page, payment, create };
}

function desktop(): Promise<Device> {
  return Device.start(browser, { ...DESKTOP, isMobile: false, hasTouch: false });
}

async function openPopup(shop: Shop): Promise<Page> {
  const [popup] = await Promise.all([shop.page.waitForEvent('popup'), clickPay(shop)]);
  await popup.waitForURL(shop.payment.checkoutUrl);
  return popup;
}

function clickPay({ page }: Shop): Promise<void> {
  return page.getByRole('button', { name: 'Pay' }).click();
}

/** A button of what the shop's page says while the popup is open. */
function notice(page: Page, button: 'show' | 'cancel', language: 'en' | 'am' = 'en') {
  return page.getByRole('dialog').getByRole('button', { name: POPUP_TEXTS[language][button] });
}

/** Resolves when `onReturn` has been called. */
async function untilReturned({ page }: Shop): Promise<readonly object[]> {
  await page.waitForFunction('told.returned.length > 0');
  return (await toldTo(page)).returned;
}

function toldTo(page: Page): Promise<Told> {
  return page.evaluate<Told>('told');
}

describe('a popup', () => {
  test('takes the payment, reports its status, and closes when the customer returns', async () => {
    const device = await desktop();
    const shop = await openShop(device);
    const popup = await openPopup(shop);
    await payWith(popup, 'TELE_BIRR');
    const closed = popup.waitForEvent('close');
    await popup.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    const paid = await paymentOf(scene, shop.payment.uniqueId);
    expect(await untilReturned(shop)).toEqual([
      {
        paymentIntentUniqueId: shop.payment.uniqueId,
        status: 'SUCCESS',
        transactionId: paid.transaction?.transactionId,
      },
    ]);
    await closed;
    const { messages } = await toldTo(shop.page);
    expect(messages.at(0)).toEqual({
      type: 'kefel',
      isReturning: false,
      returnUrl: expect.stringContaining('status=OPEN'),
    });
    await device.putAway();
  });

  test('sends no message to a page of another origin than the returnUrl', async () => {
    const device = await desktop();
    const shop = await openShop(device, { server: stranger });
    const popup = await openPopup(shop);
    await payWith(popup, 'TELE_BIRR');
    await popup.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(popup, SHOP_HEADING);
    await popup.close();
    expect(await untilReturned(shop)).toEqual([
      { paymentIntentUniqueId: null, status: null, transactionId: null },
    ]);
    expect((await toldTo(shop.page)).messages).toEqual([]);
    // The browser reports each message that it withholds.
    await device.putAway(/target origin provided .* does not match the recipient window's origin/);
  });

  test('opens once and asks for one payment, however often the customer clicks', async () => {
    const device = await desktop();
    const shop = await openShop(device);
    const popups: Page[] = [];
    shop.page.on('popup', (popup) => popups.push(popup));
    await shop.page.getByRole('button', { name: 'Pay' }).dblclick();
    await expect.poll(() => popups.length).toBe(1);
    await popups[0]?.waitForURL(shop.payment.checkoutUrl);
    expect(shop.create.requests).toHaveLength(1);
    // The same address again: the popup keeps what the customer has typed.
    await popups[0]?.evaluate('document.title = "unchanged"');
    await clickPay(shop);
    await shop.create.request(1);
    await heading(popups[0] as Page, 'How do you want to pay?');
    expect(await popups[0]?.title()).toBe('unchanged');
    expect(popups).toHaveLength(1);
    await device.putAway();
  });

  test.each([
    ['closes', (_shop: Page, popup: Page) => popup.close()],
    ['cancels on the shop’s page', (shop: Page) => notice(shop, 'cancel').click()],
  ] as const)('that the customer %s tells the last known status', async (_how, close) => {
    const device = await desktop();
    const shop = await openShop(device);
    const popup = await openPopup(shop);
    await heading(popup, 'How do you want to pay?');
    await shop.page.waitForFunction('told.messages.length > 0');
    await notice(shop.page, 'show').click();
    expect(popup.isClosed()).toBe(false);
    await close(shop.page, popup);
    expect(await untilReturned(shop)).toMatchObject([{ status: 'OPEN' }]);
    await expect.poll(() => popup.isClosed()).toBe(true);
    expect(await shop.page.getByRole('dialog').count()).toBe(0);
    expect(await shop.page.evaluate('document.activeElement.textContent')).toBe('Pay');
    await device.putAway();
  });

  test("is named on the shop's page, in the page's language", async () => {
    const device = await desktop();
    const shop = await openShop(device);
    await shop.page.evaluate('document.documentElement.lang = "am-ET"');
    await openPopup(shop);
    await shop.page.getByRole('dialog').getByText(POPUP_TEXTS.am.isOpen).waitFor();
    await notice(shop.page, 'show', 'am').waitFor();
    expect(await lookViolations(shop.page)).toEqual([]);
    await device.putAway();
  });

  test('closes when it returns to a page without the script', async () => {
    const device = await desktop();
    const shop = await openShop(device);
    const popup = await openPopup(shop);
    await startPaying(popup, 'TELE_BIRR');
    await device.context.route('**/kefel.js', (route) => route.fulfill({ body: '' }));
    const closed = popup.waitForEvent('close');
    // This button leads to the returnUrl without another page of the checkout.
    await popup.getByRole('button', { name: 'Fail and return to merchant' }).click();
    expect(await untilReturned(shop)).toMatchObject([{ status: 'FAILED' }]);
    await closed;
    await device.putAway();
  });

  test('reports through the page of the returnUrl when a provider cuts it off', async () => {
    const device = await desktop();
    const shop = await openShop(device);
    const popup = await openPopup(shop);
    await shop.page.waitForFunction('told.messages.length > 0');
    await startPaying(popup, 'TELE_BIRR');
    const simulator = popup.url();
    const headers = { ...HTML, 'cross-origin-opener-policy': 'same-origin' };
    const body = `<h1>Provider</h1><a href="${simulator}">Pay</a>`;
    const provider = stranger.endpoint({ type: 'answer', status: 200, headers, body });
    await popup.evaluate(`location.assign('${provider.url}')`);
    // The shop's page takes the popup for closed.
    expect(await untilReturned(shop)).toMatchObject([{ status: 'OPEN' }]);
    await popup.getByRole('link', { name: 'Pay' }).click();
    await approveButton(popup).click();
    await heading(popup, 'Payment successful');
    const closed = popup.waitForEvent('close');
    await popup.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await shop.page.waitForFunction('told.returned.length > 1');
    await closed;
    expect((await toldTo(shop.page)).returned).toMatchObject([
      { status: 'OPEN' },
      { status: 'SUCCESS', paymentIntentUniqueId: shop.payment.uniqueId },
    ]);
    await device.putAway();
  });

  test('closes when its payment cannot be created', async () => {
    const device = await desktop();
    const shop = await openShop(device);
    await device.context.route(shop.create.url, (route) => route.abort());
    const [popup] = await Promise.all([shop.page.waitForEvent('popup'), clickPay(shop)]);
    await expect.poll(() => popup.isClosed()).toBe(true);
    expect((await toldTo(shop.page)).returned).toEqual([]);
    await device.putAway(/^failed: /, /Failed to fetch/, /ERR_FAILED/);
  });
});

describe('the sample of docs/embedding.md', () => {
  test('takes a payment and shows what the server knows', async () => {
    const page = await readFile(join(PROJECT_DIRECTORY, 'docs', 'embedding.md'), 'utf8');
    const [, sample = ''] = /```html\n(.*?)```/s.exec(page) ?? [];
    const html = sample.replaceAll('https://pay.example.com', scene.gateway.baseUrl);
    const device = await desktop();
    const payment = await createPayment(scene);
    await device.context.route('**/orders/1001/pay', (route) =>
      route.fulfill({ body: payment.checkoutUrl }),
    );
    await device.context.route('**/orders/1001/status', async (route) =>
      route.fulfill({ body: (await paymentOf(scene, payment.uniqueId)).status }),
    );
    const icon = '<!doctype html><link rel="icon" href="data:,">';
    const shopPage = await device.open(scene.server.page(icon + html));
    const [popup] = await Promise.all([
      shopPage.waitForEvent('popup'),
      shopPage.getByRole('button', { name: 'Pay' }).click(),
    ]);
    await payWith(popup, 'TELE_BIRR');
    await popup.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await shopPage.getByRole('status').getByText('SUCCESS').waitFor();
    await device.putAway();
  });
});

describe('without a popup', () => {
  test('leads a phone to the checkout and back', async () => {
    const device = await Device.start(browser);
    const shop = await openShop(device);
    await clickPay(shop);
    await payWith(shop.page, 'TELE_BIRR');
    await shop.page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(shop.page, SHOP_HEADING);
    expect(new URL(shop.page.url()).searchParams.get('status')).toBe('SUCCESS');
    await device.putAway();
  });

  test.each([
    ['answers with none', '() => null'],
    ['throws', '() => { throw new Error("blocked"); }'],
    ['answers with a closed one', '() => ({ closed: true, focus() {}, close() {} })'],
  ])('leads to the checkout when a browser that blocks popups %s', async (_name, open) => {
    const device = await desktop();
    const shop = await openShop(device);
    await shop.page.evaluate(`window.open = ${open}`);
    await clickPay(shop);
    await heading(shop.page, 'How do you want to pay?');
    await device.putAway();
  });
});
