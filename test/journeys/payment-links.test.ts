import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { LINK_TEXTS } from '../../src/engine/i18n/payment-link.ts';
import { launchBrowser } from '../support/browser.ts';
import { Device, heading, payWith, shoot } from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, goTo, join, pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate } from '../support/e2e-operator.ts';
import { joinScene, type Scene, webhook } from '../support/e2e-scene.ts';
import { axeViolations, overflowOf } from '../support/page-checks.ts';
import { readCode } from '../support/read-code.ts';

/**
 * Goal: a shop without a developer sells by a link: an owner makes it on a phone, a customer pays
 * without JavaScript, and the webhook names it. Method: real browsers of both; each test continues
 * where the previous one ended.
 */

const text = english.links;
const words = LINK_TEXTS.en;
const TITLE = 'Honey, by the kilogram';

let scene: Scene;
let browser: Browser;
let till: Device;
let page: Page;
let url: string;

beforeAll(async () => {
  [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  till = await Device.start(browser);
  till.tolerated.push(CUT_OFF_ANSWER);
  page = await till.tab();
  await equip(page);
});

afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

test('an owner makes a link on a phone', async () => {
  const { id, name } = scene.merchant;
  const who = ['--name', 'Almaz Kebede', '--role', 'owner'];
  const invitation = await operate(scene.gateway.baseUrl, 'member', 'invite', id, ...who);
  await join(page, linkIn(invitation), name);
  await goTo(page, english.frame.nav.links);
  await page.getByRole('link', { name: text.add, exact: true }).click();
  await heading(page, text.addTitle);
  await page.getByLabel(text.titleField).fill(TITLE);
  await page.getByText(text.kinds.open).click();
  await page.getByLabel(text.min).fill('10');
  await page.getByLabel(text.suggestions).fill('50, 100');
  await page.locator('#ask-name').selectOption('REQUIRED');
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'link-form');
  await pressButton(page, text.add);
  await heading(page, TITLE);
  url = await page.getByLabel(text.address).inputValue();
  expect(url).toContain('/pay/');
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'link-made');
});

const BANK_CODE =
  '00020101021128610032581b314e257f41bfbbdc6384daa31d160107ETSETAA021012345678905204541153032305802ET5913Test Merchant6011Addis Ababa6304305A';

/** What the codes of the printed sign say. */
async function printedCodes(): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  const pictures = await page.locator('.sign-code img').all();
  const texts: string[] = [];
  const paper = await browser.newPage();
  for (const picture of pictures) {
    const png = (await picture.screenshot()).toString('base64');
    const { width, height, black } = await paper.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const { data = [] } = context?.getImageData(0, 0, image.width, image.height) ?? {};
      const pixels = Array.from({ length: data.length / 4 }, (_, at) => data[4 * at] ?? 255);
      const black = pixels.map((gray) => (gray < 128 ? '1' : '0')).join('');
      return { width: image.width, height: image.height, black };
    }, png);
    texts.push(readCode(width, height, (x, y) => black[y * width + x] === '1'));
  }
  await paper.close();
  return texts;
}

/** The sheets of the page as paper, in millimeters. */
async function sheets(): Promise<string[]> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  return Array.from(pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g), ([, ...points]) =>
    points.map((one) => Math.round((Number(one) / 72) * 25.4)).join('x'),
  );
}

test('an owner prints its sign, whose code leads to it', async () => {
  await page.getByRole('link', { name: text.sign }).click();
  await heading(page, text.signTitle);
  expect(await axeViolations(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  await shoot(page, 'link-sign');
  expect(await printedCodes()).toEqual([url]);
  await shoot(page, 'link-sign-a6');
  expect(await sheets()).toEqual(['105x148']);
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('link', { name: text.papers.a4 }).click();
  await page.locator('.sign-a4').waitFor();
  expect(await printedCodes()).toEqual([url]);
  expect(await sheets()).toEqual(['210x297']);
  await page.emulateMedia({ media: 'screen' });
});

test('a sign of production carries the bank’s code, unchanged', async () => {
  const bank = english.branding.bankCode;
  const linkPage = page.url();
  await page.goto(new URL('/dashboard/branding', linkPage).href);
  await page.getByLabel(bank.label).fill(BANK_CODE);
  await pressButton(page, bank.check);
  await page.getByText(bank.question).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'bank-code');
  await pressButton(page, bank.confirm);
  await page.getByText(english.branding.done.bank_code).waitFor();
  await page.goto(new URL('/dashboard/production/links/new', linkPage).href);
  await page.getByLabel(text.titleField).fill(TITLE);
  await page.getByLabel(text.amount, { exact: true }).fill('450');
  await pressButton(page, text.add);
  await heading(page, TITLE);
  const own = await page.getByLabel(text.address).inputValue();
  await page.getByRole('link', { name: text.sign }).click();
  await heading(page, text.signTitle);
  await shoot(page, 'link-sign-bank');
  expect(await printedCodes()).toEqual([own, BANK_CODE]);
  await shoot(page, 'link-sign-bank-a6');
  expect(await sheets()).toEqual(['105x148']);
  await page.emulateMedia({ media: 'screen' });
  await page.goto(linkPage.replace(/\/sign.*$/, ''));
  await heading(page, TITLE);
});

test('a customer pays at it without JavaScript, and the webhook names it', async () => {
  const { content } = await scene.sandbox
    .call<{ data: { paymentLinkUniqueId: string }[] }>('GET', 'sandbox/links')
    .then(({ body }) => body);
  const id = content.data[0]?.paymentLinkUniqueId;
  const hook = scene.server.endpoint();
  await scene.sandbox.call('PATCH', `sandbox/links/${id}`, { body: { callbackUrl: hook.url } });

  const phone = await Device.start(browser, { javaScriptEnabled: false });
  const customer = await phone.open(url);
  await heading(customer, TITLE);
  await shoot(customer, 'link-page');
  await customer.getByText(words.otherAmount, { exact: true }).first().click();
  await customer.locator('#amount').fill('75,5');
  await pressButton(customer, words.goOn);
  await customer.getByText(words.invalidAmount).waitFor();
  await customer.getByText(words.missing).waitFor();
  expect(await customer.locator('#amount').inputValue()).toBe('75,5');
  await shoot(customer, 'link-page-wrong');
  await customer.locator('#amount').fill('75.50 birr');
  await customer.locator('#name').fill('Abebe');
  await pressButton(customer, words.goOn);
  await payWith(customer, 'TELE_BIRR');
  const { payment } = await webhook(scene, hook);
  expect(payment).toMatchObject({
    paymentLinkUniqueId: id,
    merchantCustomer: { name: 'Abebe' },
  });
  await customer.goto(url);
  await phone.putAway();
});

test.each([
  ['light', 'en'],
  ['dark', 'am'],
  ['light', 'om'],
  ['dark', 'ti'],
] as const)('its page fits a phone, %s in %s', async (colorScheme, language) => {
  const device = await Device.start(browser, { colorScheme });
  const customer = await device.open(`${url}?lang=${language}`);
  expect(await axeViolations(customer)).toEqual([]);
  expect(await overflowOf(customer)).toBe(0);
  await shoot(customer, `link-page-${language}`);
  await device.putAway();
});

test('an owner stops it, and its page says so', async () => {
  await pressButton(page, text.deactivate);
  await page.getByText(text.inactive, { exact: true }).waitFor();
  const customer = await (await Device.start(browser)).open(url);
  await heading(customer, words.off);
  expect(await axeViolations(customer)).toEqual([]);
  await shoot(customer, 'link-page-off');
});
