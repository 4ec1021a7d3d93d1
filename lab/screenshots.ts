/**
 * `npm run lab -- screenshots [--port N]`: takes the README's pictures of the demo merchant's pages on
 * a phone: the demo shop, the checkout while a customer pays, then the dashboard. With `--all`, takes
 * pictures of every area in several languages and both themes instead, for a look before a change lands.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Kefel } from '../clients/typescript/kefel.ts';
import { startShop } from '../demo/shop.ts';
import type { DemoMerchant } from '../scripts/dev/demo-merchant.ts';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { numberOption } from '../scripts/project/options.ts';
import { dayFile, fileFormOf, profileOf } from '../scripts/stand-ins/day-file.ts';
import { METHOD_NAMES } from '../src/engine/i18n/methods.ts';
import { businessDay, dayText } from '../src/kit/ethiopian-time.ts';
import { withGateway } from './harness/gateway.ts';
import { operate, operatorSecret } from './harness/operator.ts';
import { runLabScript } from './harness/script.ts';
import { until } from './harness/until.ts';
import { launchBrowser, PHONE } from './pages/browser.ts';
import {
  chooseTelebirr,
  createDemoPayment,
  openSimulator,
  payToReceipt,
} from './pages/demo-payment.ts';
import { joinAsOwner } from './pages/owner.ts';
import { takePictures } from './pages/pictures.ts';

const PICTURES_DIRECTORY = join('.wrangler', 'pictures');

const SCRIPT = {
  usage: 'npm run lab -- screenshots',
  about: "Takes the README's pictures of the demo merchant's pages on a phone.",
  options: {
    port: numberOption('PORT', 'where the gateway listens', 8_794),
    all: { value: null, about: `pictures of every area instead, into ${PICTURES_DIRECTORY}` },
  },
};
const IMAGES_DIRECTORY = join(PROJECT_DIRECTORY, 'docs', 'images');

/** Ends the names of pictures in Amharic, as in the texts of the page at `/`. */
const AMHARIC = '-am';

const EXPIRE_IN_SECONDS = 900;

/** Payments for the dashboard, besides the one of the first pictures; the newest is last. */
const ORDERS: readonly Order[] = [
  { id: 'order-1041', method: 'M_PESA', amount: 320, simulationStatus: 'SUCCESS' },
  { id: 'order-1042', method: 'CBE', amount: 1200, simulationStatus: 'SUCCESS' },
  { id: 'order-1043', method: 'M_PESA', amount: 89.5, simulationStatus: 'FAILED' },
  { id: 'order-1044', method: 'CBE', amount: 540.75, simulationStatus: 'SUCCESS' },
];
const SHOWN_ORDER = 'order-1044';
const LINK = { title: 'ማር 1 ኪ.ግ · Honey, 1 kg', amount: 450 } as const;

/** A reader on a phone pays for every byte. A QR code, all edges, takes the most. */
const IMAGE_BYTES_MAX = 64 * 1024;
/** At 58 of 100, letters stay sharp. */
const JPEG_QUALITY = 58;

interface Order {
  readonly id: string;
  readonly method: 'M_PESA' | 'CBE';
  readonly amount: number;
  readonly simulationStatus: 'SUCCESS' | 'FAILED';
}

await runLabScript(SCRIPT, async ({ port, all }) => {
  await mkdir(IMAGES_DIRECTORY, { recursive: true });
  return withGateway(port, async (merchant) => {
    const browser = await launchBrowser();
    try {
      if (all) {
        const directory = join(PROJECT_DIRECTORY, PICTURES_DIRECTORY);
        await takePictures(browser, merchant, directory);
        return true;
      }
      const pay = async (locale: 'en-US' | 'am-ET') =>
        payAndShoot(browser, await createDemoPayment(merchant, EXPIRE_IN_SECONDS), locale);
      const pictures = [
        await shootShop(browser, merchant),
        ...(await pay('en-US')),
        ...(await pay('am-ET')),
        ...(await dashboardPictures(browser, merchant)),
        ...(await deskPictures(browser, merchant)),
      ];
      return pictures.every(Boolean);
    } finally {
      await browser.close();
    }
  });
});

/** The product page of `npm run demo`. */
async function shootShop(browser: Browser, merchant: DemoMerchant): Promise<boolean> {
  const shop = await startShop({
    apiKey: merchant.sandboxApiKey,
    webhookSecret: merchant.sandboxWebhookSecret,
    merchantId: merchant.merchantId,
    gatewayUrl: merchant.baseUrl,
    port: 0,
  });
  const page = await (await phone(browser)).newPage();
  await page.goto(shop.url);
  const isSmall = await shoot(page, 'demo-shop.jpg');
  await page.close();
  shop.close();
  return isSmall;
}

async function payAndShoot(
  browser: Browser,
  checkoutUrl: string,
  locale: 'en-US' | 'am-ET',
): Promise<readonly boolean[]> {
  const page = await (await phone(browser, locale)).newPage();
  await page.goto(checkoutUrl);
  await chooseTelebirr(page);
  if (locale === 'am-ET') {
    return [await shoot(page, `checkout-choosing${AMHARIC}.jpg`)];
  }
  const choosing = await shoot(page, 'checkout-choosing.jpg');
  await openSimulator(page);
  const simulator = await shoot(page, 'simulator.jpg');
  await payToReceipt(page);
  return [choosing, simulator, await shoot(page, 'checkout-paid.jpg')];
}

/** Joins as an owner, and takes pictures of the dashboard and of what a shop sells with. */
async function dashboardPictures(
  browser: Browser,
  merchant: DemoMerchant,
): Promise<readonly boolean[]> {
  const page = await (await phone(browser)).newPage();
  await joinAsOwner(page, merchant);
  return [
    ...(await manageAndShoot(page, merchant)),
    ...(await shootLink(browser, page, merchant)),
    ...(await shootTill(page, merchant)),
    ...(await shootDidPay(page, merchant)),
  ];
}

/** A payment link's page, as two customers see it, and its sign. */
async function shootLink(
  browser: Browser,
  owner: Page,
  { baseUrl, sandboxApiKey: apiKey }: DemoMerchant,
): Promise<readonly boolean[]> {
  const { url } = await new Kefel({ baseUrl, apiKey }).paymentLinks.create(LINK);
  const pictures: boolean[] = [];
  for (const [locale, end] of [
    ['en-US', ''],
    ['am-ET', AMHARIC],
  ] as const) {
    const page = await (await phone(browser, locale)).newPage();
    await page.goto(url);
    pictures.push(await shoot(page, `link-page${end}.jpg`));
    await page.close();
  }
  await owner.goto(`${baseUrl}/dashboard/sandbox/links`);
  await owner.getByRole('link', { name: LINK.title }).click();
  await owner.getByRole('link', { name: 'Sign to print' }).click();
  return [...pictures, await shoot(owner, 'sign.jpg')];
}

/** A sale that waits for its customer. */
async function shootTill(page: Page, { baseUrl }: DemoMerchant): Promise<readonly boolean[]> {
  await page.goto(`${baseUrl}/dashboard/sandbox/till`);
  await page.locator('input[name=amount]').fill('450');
  await page.getByRole('button', { name: 'Take payment' }).click();
  await page.getByRole('button', { name: 'Cancel sale' }).waitFor();
  return inBothLanguages(page, 'till');
}

async function shootDidPay(page: Page, { baseUrl }: DemoMerchant): Promise<readonly boolean[]> {
  await page.goto(`${baseUrl}/dashboard/sandbox/did-pay`);
  await page.locator('input[name=shown]').fill(SHOWN_ORDER);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('.verdicts').waitFor();
  return inBothLanguages(page, 'did-pay');
}

/** The page stays in English. */
async function inBothLanguages(page: Page, name: string): Promise<readonly boolean[]> {
  const address = new URL(page.url());
  const english = await shoot(page, `${name}.jpg`);
  address.searchParams.set('lang', 'am');
  await page.goto(address.href);
  const amharic = await shoot(page, `${name}${AMHARIC}.jpg`);
  address.searchParams.set('lang', 'en');
  await page.goto(address.href);
  return [english, amharic];
}

/** Pays some more orders, and takes pictures of the list and of a payment. */
async function manageAndShoot(page: Page, merchant: DemoMerchant): Promise<readonly boolean[]> {
  const { baseUrl } = merchant;
  for (const order of ORDERS) {
    await payOrder(merchant, order);
  }
  await page.goto(`${baseUrl}/dashboard/sandbox/payments`);
  // The list lags by some seconds.
  await until('list of ended payments', async () => {
    await page.reload();
    const text = (await page.locator('main table').last().textContent()) ?? '';
    return ORDERS.every(({ id }) => text.includes(id)) && !text.includes('In progress');
  });
  const list = await shoot(page, 'dashboard-payments.jpg');
  await page.goto(`${page.url()}?lang=am`);
  const amharicList = await shoot(page, `dashboard-payments${AMHARIC}.jpg`);
  await page.goto(`${baseUrl}/dashboard/sandbox/payments?lang=en`);
  await page.getByRole('link', { name: SHOWN_ORDER }).click();
  const payment = await shoot(page, 'dashboard-payment.jpg');
  await page.goto(`${baseUrl}/dashboard/sandbox/payments/${SHOWN_ORDER}/refund`);
  const refund = await shoot(page, 'dashboard-refund.jpg');
  await page.goto(`${baseUrl}/dashboard/sandbox/webhooks`);
  return [list, amharicList, payment, refund, await shoot(page, 'dashboard-webhooks.jpg')];
}

/** The desk's page of a payment, as support finds it. */
async function deskPictures(browser: Browser, merchant: DemoMerchant): Promise<readonly boolean[]> {
  const context = await phone(browser);
  await context.setExtraHTTPHeaders({
    authorization: `Bearer ${await operatorSecret()}`,
    'x-operator': 'hana',
  });
  const page = await context.newPage();
  const path = `/operator/payments/sandbox/${merchant.merchantId}/${SHOWN_ORDER}`;
  await page.goto(merchant.baseUrl + path);
  const isSmall = await shoot(page, 'desk-payment.jpg');
  const day = dayText(businessDay(Date.now()));
  await page.goto(`${merchant.baseUrl}/operator/sheet?environment=sandbox&period=${day}`);
  const sheet = await shoot(page, 'desk-sheet.jpg', '#sheet');
  for (const method of ['CBE', 'M_PESA'] as const) {
    await uploadDayFile(merchant, method, day);
  }
  const board = `${merchant.baseUrl}/operator/provider-files?environment=sandbox`;
  await until('board of all files', async () => {
    await page.goto(board);
    return (await page.locator('main').textContent())?.includes(METHOD_NAMES.M_PESA) ?? false;
  });
  return [isSmall, sheet, await shoot(page, 'desk-board.jpg')];
}

/** Uploads a provider's file of the paid orders, without the newest by CBE. */
async function uploadDayFile(
  { baseUrl, sandboxApiKey: apiKey }: DemoMerchant,
  method: Order['method'],
  day: string,
): Promise<void> {
  const orders = ORDERS.filter(
    (order) =>
      order.method === method && order.simulationStatus === 'SUCCESS' && order.id !== SHOWN_ORDER,
  );
  const kefel = new Kefel({ baseUrl, apiKey });
  const lines = await Promise.all(
    orders.map(async ({ id, amount }) => ({
      type: 'payment' as const,
      receipt: null,
      reference: (await kefel.payments.get(id)).transaction?.transactionId ?? '',
      amountMinor: Math.round(amount * 100),
      atMs: Date.now(),
    })),
  );
  const form = fileFormOf(method);
  const profile = profileOf(form);
  const base64 = dayFile(lines, day, form, false).toString('base64');
  await operate(baseUrl, `provider-profiles/sandbox/${method}`, profile);
  const files = `provider-files/sandbox/${method}`;
  const fileId = crypto.randomUUID();
  await operate(baseUrl, files, { name: `${method}.csv`, profile: profile.name, fileId });
  await operate(baseUrl, `${files}/${fileId}/pieces`, { number: 0, base64 });
  await operate(baseUrl, `${files}/${fileId}/finish`, {});
}

function phone(browser: Browser, locale = 'en-US'): Promise<BrowserContext> {
  return browser.newContext({
    ...PHONE,
    // The README shows the pictures at 270 px: sharp on a screen of double density.
    deviceScaleFactor: 1.5,
    locale,
    timezoneId: 'Africa/Addis_Ababa',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
}

/** Creates an express payment, which the simulator resolves by itself. */
async function payOrder({ baseUrl, sandboxApiKey: apiKey }: DemoMerchant, order: Order) {
  const { id, simulationStatus, ...terms } = order;
  await new Kefel({ baseUrl, apiKey }).payments.express({
    ...terms,
    paymentIntentUniqueId: id,
    currency: 'ETB',
    phoneNumber: '0711223344',
    commissionPaidByCustomer: true,
    expireIn: EXPIRE_IN_SECONDS,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus },
  });
}

/**
 * Takes a picture of the screen, scrolled to the page's top, and prints its size. Returns false when
 * it exceeds the budget.
 */
async function shoot(page: Page, name: string, top = 'body'): Promise<boolean> {
  const path = join(IMAGES_DIRECTORY, name);
  await page.locator(top).evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path, type: 'jpeg', quality: JPEG_QUALITY, animations: 'disabled' });
  const { size } = await stat(path);
  const isSmall = size <= IMAGE_BYTES_MAX;
  console.log(`${name}: ${size} bytes${isSmall ? '' : `, above the budget of ${IMAGE_BYTES_MAX}`}`);
  return isSmall;
}
