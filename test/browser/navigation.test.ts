import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { dashboard as amharic } from '../../back-office/i18n/am/dashboard.ts';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { BACK_OFFICE_GALLERY } from '../support/back-office-gallery.tsx';
import { DESKTOP, PHONE } from '../support/browser.ts';
import { axeViolations, lookViolations } from '../support/page-checks.ts';
import { useStage } from './support.ts';

/** The dashboard's navigation: a bar at the bottom of a phone, a line on a desk. */

const stage = useStage(BACK_OFFICE_GALLERY);

async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const page = await (await stage.context(options)).newPage();
  await page.goto(path);
  return page;
}

const navigationOf = (page: Page, texts: { readonly frame: { readonly navigation: string } }) =>
  page.getByRole('navigation', { name: texts.frame.navigation, exact: true });

test.each([
  ['en', 'light', english],
  ['am', 'dark', amharic],
] as const)(
  'a phone has five ways at the bottom, and More opens the rest without JavaScript: %s, %s',
  async (language, colorScheme, texts) => {
    const { nav, more } = texts.frame;
    const page = await open(`/keys?lang=${language}`, {
      ...PHONE,
      colorScheme,
      javaScriptEnabled: false,
    });
    const navigation = navigationOf(page, texts);
    const links = navigation.getByRole('link');
    expect(await links.allTextContents()).toEqual([
      ...[nav.overview, nav.payments, nav.refunds, nav.till],
    ]);
    const box = await navigation.boundingBox();
    expect([(box?.y ?? 0) + (box?.height ?? 0), box?.width]).toEqual([740, 360]);
    const sheet = page.locator('.nav-sheet');
    await navigation.getByText(more, { exact: true }).click();
    expect(await sheet.getByRole('link').allTextContents()).toEqual([
      ...[
        nav.didPay,
        nav.links,
        nav.notifications,
        nav.developers,
        nav.methods,
        nav.branding,
        nav.team,
        nav.audit,
        nav.account,
      ],
    ]);
    expect(await sheet.locator('[aria-current=page]').textContent()).toBe(nav.developers);
    // A tap beside it closes it.
    await page.mouse.click(180, 100);
    expect(await sheet.isVisible()).toBe(false);
    await page.close();
  },
);

test.each([
  ['en', 'dark', english],
  ['am', 'light', amharic],
] as const)('a desk has all of them in one line: %s, %s', async (language, colorScheme, texts) => {
  const page = await open(`/keys?lang=${language}`, { ...DESKTOP, colorScheme });
  const links = navigationOf(page, texts).getByRole('link');
  expect(await links.allTextContents()).toEqual(Object.values(texts.frame.nav));
  const tops = await links.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  await page.close();
});

test.each([PHONE, DESKTOP])(
  'keys, webhooks and events are one part for developers only',
  async (device) => {
    const { frame } = english;
    const page = await open('/webhooks?lang=en', device);
    const parts = page.getByRole('navigation', { name: frame.nav.developers, exact: true });
    expect(await parts.getByRole('link').allTextContents()).toEqual(
      Object.values(frame.developerParts),
    );
    await page.goto('/payment-cashier?lang=en');
    expect(await page.getByText(frame.nav.developers, { exact: true }).count()).toBe(0);
    await page.close();
  },
);

test('the open sheet passes axe', async () => {
  const page = await open('/refunds?lang=en', { ...PHONE, colorScheme: 'light' });
  await page.locator('.nav-more summary').click();
  const violations = await axeViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([...violations, ...(await lookViolations(page))]).toEqual([]);
  await page.close();
});

test.each(['en', 'am'])('text of twice the size scrolls nothing sideways: %s', async (language) => {
  const page = await open(`/refunds?lang=${language}`, PHONE);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  const navigation = page.locator('.main-nav');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await navigation.evaluate((nav) => nav.scrollWidth)).toBe(360);
  await page.close();
});

test('a screen as low as one at 400 % has the bar at the top, where it covers nothing', async () => {
  const page = await open('/keys?lang=en', { viewport: { width: 320, height: 256 } });
  const navigation = page.locator('.main-nav');
  expect(await navigation.evaluate((nav) => getComputedStyle(nav).position)).toBe('relative');
  await page.close();
});
