import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { DESKTOP } from '../support/browser.ts';
import {
  choose,
  createPayment,
  Device,
  heading,
  JAVASCRIPT,
  payButton,
  payWith,
  refusedWith,
  shoot,
  startPaying,
} from '../support/e2e-customer.ts';
import { fence, paymentOf } from '../support/e2e-scene.ts';
import { useJourney } from '../support/journey-stage.ts';
import { TRANSLATIONS } from '../support/translations.ts';

/**
 * Goal: the page follows the customer's language and the merchant's colors, continues on a phone,
 * and ignores foreign links, forms and parameters. Method: Chromium.
 */

const ON_DESKTOP = { ...DESKTOP, isMobile: false, hasTouch: false };

/** #7a3b12, the demo merchant's color, as browsers write it. */
const DEMO_COLOR = 'rgb(122, 59, 18)';

/** White modules around the code, as on the page (ISO/IEC 18004). */
const QUIET_ZONE_MODULES = 4;
/** Size of each module when the test paints the code to read it. */
const MODULE_PIXELS = 8;

const DAY_SECONDS = 86_400;

const { scene, browser } = await useJourney();

function languageOf(page: Page): Promise<string | null> {
  return page.locator('html').getAttribute('lang');
}

describe.each(JAVASCRIPT)('a page %s', (_name, javaScriptEnabled) => {
  const { am: amharic, om: oromo } = TRANSLATIONS;

  test("uses the browser's language, then the chosen one, on every page", async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser, { javaScriptEnabled, locale: 'am-ET' });
    const page = await device.open(payment.checkoutUrl);
    await heading(page, amharic.chooseMethod);
    expect(await languageOf(page)).toBe('am-ET');
    expect(await device.context.cookies()).toEqual([]);
    await shoot(page, `language-${javaScriptEnabled ? 'js' : 'nojs'}-1-amharic`);

    await page.getByRole('link', { name: 'Afaan Oromoo' }).click();
    await heading(page, oromo.chooseMethod);
    expect(await languageOf(page)).toBe('om-ET');
    expect(await page.locator('[aria-current=true]').textContent()).toBe('Afaan Oromoo');
    expect(await device.context.cookies()).toMatchObject([
      {
        name: 'kefel_language',
        value: 'om',
        domain: 'localhost',
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        // Nearly as long as Chromium keeps any cookie.
        expires: expect.closeTo(Date.now() / 1_000 + 365 * DAY_SECONDS, -4),
      },
    ]);
    await shoot(page, `language-${javaScriptEnabled ? 'js' : 'nojs'}-2-oromo`);

    await choose(page, 'M_PESA', '12345');
    await payButton(page).click();
    await page
      .locator('#phone-problem')
      .getByText(oromo.problem.phone_invalid.split('{')[0] ?? '')
      .waitFor();
    expect(await languageOf(page)).toBe('om-ET');
    await choose(page, 'TELE_BIRR');
    await payButton(page).click();
    await heading(page, oromo.simulatorTitle);
    expect(await languageOf(page)).toBe('om-ET');
    await page.getByRole('button', { name: oromo.simulatorApprove }).click();
    await heading(page, oromo.paidTitle);
    await shoot(page, `language-${javaScriptEnabled ? 'js' : 'nojs'}-3-paid`);

    const next = await device.open((await createPayment(scene)).checkoutUrl);
    await heading(next, oromo.chooseMethod);
    await next.goto(`${scene.gateway.baseUrl}/checkout/nobodys`);
    await heading(next, oromo.unknownTitle);
    await device.putAway(refusedWith(404));
  });

  test('falls back to English for other languages', async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser, { javaScriptEnabled, locale: 'fr-FR' });
    const page = await device.open(`${payment.checkoutUrl}?lang=fr`);
    await heading(page, 'How do you want to pay?');
    expect(await languageOf(page)).toBe('en-ET');
    expect(await device.context.cookies()).toEqual([]);
    await device.putAway();
  });
});

test('decisions.md#29: opens no payment for a forged or altered link', async () => {
  const [one, other] = await Promise.all([createPayment(scene), createPayment(scene)]);
  const half = one.checkoutUrl.length - 43;
  const links = [
    'x',
    // Another link's signature; another link's id; an extra letter; a missing letter.
    `${one.checkoutUrl.slice(0, half)}${other.checkoutUrl.slice(half)}`,
    `${other.checkoutUrl.slice(0, half)}${one.checkoutUrl.slice(half)}`,
    `${one.checkoutUrl}A`,
    one.checkoutUrl.slice(0, -1),
    // A checkout link does not open an attempt.
    one.checkoutUrl.replace('/checkout/', '/simulator/'),
  ];
  const device = await Device.start(browser);
  const page = await device.tab();
  for (const link of links) {
    await page.goto(new URL(link, `${scene.gateway.baseUrl}/checkout/`).href);
    await heading(page, 'We cannot find this payment');
    expect(await page.locator('main').textContent()).not.toContain('Demo Shop');
  }
  await shoot(page, 'guards-1-unknown');
  await device.putAway(refusedWith(404));
});

/** Every URL on a page that the customer can follow, or that the page loads. */
async function targetsOf(page: Page): Promise<readonly string[]> {
  const attributes = ['href', 'action', 'formaction', 'src', 'data-return', 'data-page'];
  const perAttribute = attributes.map((name) =>
    page
      .locator(`[${name}]`)
      .evaluateAll(
        (elements, attribute) => elements.map((one) => one.getAttribute(attribute)),
        name,
      ),
  );
  return (await Promise.all(perAttribute)).flat().map(String);
}

test('ignores URLs in its own query: no open redirect', async () => {
  const payment = await createPayment(scene);
  const device = await Device.start(browser);
  const page = await device.open(payment.checkoutUrl);
  const evil = 'https://evil.example/';
  const query = new URLSearchParams(
    ['next', 'returnUrl', 'return_url', 'url', 'redirect', 'continue', 'host', 'lang'].map(
      (name) => [name, evil],
    ),
  );
  const before = await targetsOf(page);
  expect(before.length).toBeGreaterThan(6);
  const attacks = [`?${query}`, `?lang=//evil.example`, `?lang=en"><a href=${evil}>`, `?/${evil}`];
  const expectUntouched = async (expected: readonly string[]) => {
    for (const attack of attacks) {
      await page.goto(payment.checkoutUrl + attack);
      expect(await targetsOf(page)).toEqual(expected);
      expect(await page.content()).not.toContain('evil.example');
    }
  };
  await expectUntouched(before);
  await page.goto(payment.checkoutUrl);
  await payWith(page, 'TELE_BIRR');
  await page.getByRole('button', { name: 'Stay on this page' }).click();
  await expectUntouched(await targetsOf(page));
  await device.putAway();
});

test('refuses forms of other sites, and to be framed by them', async () => {
  const payment = await createPayment(scene);
  const before = await paymentOf(scene, payment.uniqueId);
  const device = await Device.start(browser);
  const page = await device.tab();
  const fields = { attempts: '0', method: 'TELE_BIRR', attempt: 'any', outcome: 'approve' };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  for (const path of ['attempts', 'give-up', 'abandon']) {
    await page.goto(
      scene.server.page(`<!doctype html><link rel="icon" href="data:,">
        <form method="post" action="${payment.checkoutUrl}/${path}">${inputs.join('')}</form>
        <script>document.forms[0].submit()</script>`),
    );
    await heading(page, 'That did not work');
  }
  const retry = page.getByRole('link', { name: 'Try again' });
  expect(await retry.getAttribute('href')).toBe(new URL(payment.checkoutUrl).pathname);
  await page.goto(
    scene.server.page(`<!doctype html><link rel="icon" href="data:,">
      <iframe src="${payment.checkoutUrl}"></iframe>`),
  );
  expect(page.frames().map((frame) => frame.url())[1]).toBe('chrome-error://chromewebdata/');
  await fence(scene);
  expect(payment.hook.requests).toEqual([]);
  expect(await paymentOf(scene, payment.uniqueId)).toEqual(before);
  await device.putAway(refusedWith(400), /frame-ancestors/, /^failed: .*\/checkout\/[^/]+$/);
});

/** Reads the painted code module by module. */
function paintedModules(page: Page, size: number): Promise<boolean[][]> {
  return page.evaluate(`(async () => {
    const image = document.querySelector('.continue-on-phone img');
    await image.decode();
    const canvas = new OffscreenCanvas(${size * MODULE_PIXELS}, ${size * MODULE_PIXELS});
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const isDark = (row, column) => {
      const [x, y] = [column, row].map((at) => (at + 0.5) * ${MODULE_PIXELS});
      return data[(y * canvas.width + x) * 4] < 128;
    };
    const indices = [...Array(${size}).keys()];
    return indices.map((row) => indices.map((column) => isDark(row, column)));
  })()`);
}

test('continues a desktop’s payment on a phone', async () => {
  const payment = await createPayment(scene);
  const desktop = await Device.start(browser, ON_DESKTOP);
  const page = await desktop.open(payment.checkoutUrl);
  await page.getByRole('heading', { name: 'Continue on your phone' }).waitFor();
  await page.getByRole('img', { name: english.qrAlternative }).waitFor();
  const expected = encode(payment.checkoutUrl, { border: QUIET_ZONE_MODULES, ecc: 'L' });
  expect(await paintedModules(page, expected.size)).toEqual(expected.data);
  await shoot(page, 'guards-2-desktop');
  await desktop.putAway();

  const phone = await Device.start(browser);
  const onPhone = await phone.tab();
  const asked: string[] = [];
  onPhone.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await onPhone.goto(payment.checkoutUrl);
  expect(await onPhone.locator('.continue-on-phone').isVisible()).toBe(false);
  await startPaying(onPhone, 'TELE_BIRR');
  expect(asked.filter((path) => path.endsWith('/attempts'))).toHaveLength(1);
  expect(asked.filter((path) => path.endsWith('/qr.svg'))).toEqual([]);
  await phone.putAway();
});

test.each([
  ['light', 'phone'],
  ['dark', 'desktop'],
] as const)("shows the merchant's color and logo, %s, on a %s", async (colorScheme, kind) => {
  const payment = await createPayment(scene);
  const options = kind === 'desktop' ? ON_DESKTOP : {};
  const device = await Device.start(browser, { ...options, colorScheme });
  const page = await device.open(payment.checkoutUrl);
  await page.locator('img.logo').waitFor();
  const [width, color] = await page.evaluate<[number, string]>(`(async () => {
    const logo = document.querySelector('img.logo');
    await logo.decode();
    const button = document.querySelector('.pay-bar button');
    return [logo.naturalWidth, getComputedStyle(button).backgroundColor];
  })()`);
  expect(width).toBeGreaterThan(0);
  expect(color).toBe(DEMO_COLOR);
  await shoot(page, `guards-3-branded-${colorScheme}`);
  await device.putAway();
});
