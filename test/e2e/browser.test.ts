import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/files.ts';
import { createHosted, onlyWebhook, type Scene, startScene } from '../support/e2e-scene.ts';

/** Git-ignored. For people to look at. */
const SCREENSHOTS = join(PROJECT_DIRECTORY, 'test-artefacts', 'e2e');
const PHONE = { width: 360, height: 740 };
const SHOP_PAGE =
  '<!doctype html><link rel="icon" href="data:,"><title>Shop</title><h1>Thanks!</h1>';

let scene: Scene;
let browser: Browser;

beforeAll(async () => {
  await mkdir(SCREENSHOTS, { recursive: true });
  scene = await startScene();
  const executablePath = process.env.CHROMIUM_PATH ?? (await sparticuz.executablePath());
  // All that a sandboxed machine needs; its one-process mode is meant for cloud functions.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
});

afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

/** Everything that a browser complains about: scripts, the CSP, answers that are errors. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) {
      complaints.push(`${response.status()}: ${response.url()}`);
    }
  });
  return complaints;
}

it.each([
  ['without JavaScript', false],
  ['with JavaScript', true],
] as const)(
  'a customer pays on a phone %s: decision 20, decision 22, decision 30',
  async (_name, javaScriptEnabled) => {
    const payment = await createHosted(scene, {
      returnUrl: scene.server.page(SHOP_PAGE),
      amount: undefined,
      items: [
        { name: 'Yirgacheffe coffee, 1 kg', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 450 },
        {
          name: 'ቡና ማፍያ ጀበና',
          description: 'Clay, black',
          quantity: 1,
          type: 'PHYSICAL_PRODUCT',
          price: 600,
        },
      ],
      commissionPaidByCustomer: true,
      customerInfo: { name: 'Almaz', phone: '911223344', isPhoneUpdatable: true },
    });
    const context = await browser.newContext({
      viewport: PHONE,
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      javaScriptEnabled,
      colorScheme: javaScriptEnabled ? 'dark' : 'light',
    });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const shoot = async (name: string) => {
      const file = `${javaScriptEnabled ? 'js' : 'nojs'}-${name}.png`;
      await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
      if (javaScriptEnabled) {
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width).toBeLessThanOrEqual(PHONE.width);
      }
    };
    const heading = (text: string) => page.getByRole('heading', { name: text, level: 1 }).waitFor();

    await page.goto(payment.checkoutUrl);
    await heading('How do you want to pay?');
    await shoot('1-choose');
    await page.getByText('M-PESA').click();
    await shoot('2-chosen');
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading('Payment simulator');
    await shoot('3-simulator');
    await page.getByRole('button', { name: 'Decline' }).click();
    await heading('How do you want to pay?');
    await page.getByText('You have not paid yet').waitFor();
    await shoot('4-declined');
    await page.getByText('telebirr', { exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading('Payment simulator');
    await page.getByRole('link', { name: 'Back to checkout' }).click();
    await heading('Continue with telebirr');
    await shoot('5-in-flight');
    await page.getByRole('link', { name: 'Continue to telebirr' }).click();
    await page.getByRole('button', { name: 'Approve the payment' }).click();
    await heading('Payment successful');
    await shoot('6-paid');
    await page.getByRole('link', { name: 'Return to Demo Shop' }).click();
    await heading('Thanks!');
    expect(new URL(page.url()).searchParams.get('status')).toBe('SUCCESS');

    const event = await onlyWebhook(scene, payment.hook);
    expect(event).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      payment: { totalAmount: 150_000, transaction: { paymentType: 'TELE_BIRR' } },
    });
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it('a customer who gives up is back at the merchant with one click: decision 25', async () => {
  const payment = await createHosted(scene, { returnUrl: scene.server.page(SHOP_PAGE) });
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(payment.checkoutUrl);
  await page.getByText('EthSwitch').click();
  await page.getByRole('button', { name: /^(Continue|Pay)/ }).click();
  await page.getByRole('button', { name: 'Fail and return to merchant' }).click();
  await page.getByRole('heading', { name: 'Thanks!' }).waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED');
  await page.goto(payment.checkoutUrl);
  await page.getByRole('heading', { name: 'Payment not completed' }).waitFor();
  await page.screenshot({ path: join(SCREENSHOTS, 'nojs-7-failed.png'), fullPage: true });
  expect(complaints).toEqual([]);
  await context.close();
});
