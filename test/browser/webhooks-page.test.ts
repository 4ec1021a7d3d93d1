import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { dashboard as amharic } from '../../back-office/i18n/am/dashboard.ts';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import type { DashboardMessages } from '../../back-office/i18n/messages.ts';
import { BACK_OFFICE_GALLERY } from '../support/back-office-gallery.tsx';
import { DESKTOP, PHONE } from '../support/browser.ts';
import { useStage } from './support.ts';

/** The page about webhooks: the endpoints, and behind a line what most merchants need once. */

const stage = useStage(BACK_OFFICE_GALLERY);

interface Look {
  readonly language: 'en' | 'am';
  readonly colorScheme: 'light' | 'dark';
  readonly device: typeof PHONE | typeof DESKTOP;
  readonly texts: DashboardMessages;
}

const LOOKS: readonly Look[] = [
  { language: 'en', colorScheme: 'light', device: PHONE, texts: english },
  { language: 'am', colorScheme: 'dark', device: PHONE, texts: amharic },
  { language: 'am', colorScheme: 'light', device: DESKTOP, texts: amharic },
  { language: 'en', colorScheme: 'dark', device: DESKTOP, texts: english },
];

async function open(state: string, { language, colorScheme, device }: Look) {
  const page = await (await stage.context({ ...device, colorScheme })).newPage();
  await page.goto(`/${state}?lang=${language}`);
  return page;
}

const mainText = (page: Page) => page.locator('main').textContent();

test.each(LOOKS)(
  'begins with the endpoints, and the rest is folded: $language, $colorScheme',
  async (look) => {
    const { webhooks } = look.texts;
    const page = await open('webhooks', look);
    const headings = page.locator('main h2');
    expect(await headings.first().textContent()).toBe(webhooks.endpointsTitle);
    const isSeen = async (title: string) =>
      page.getByRole('heading', { name: title, exact: true }).isVisible();
    expect([await isSeen(webhooks.secretsTitle), await isSeen(webhooks.keysTitle)]).toEqual([
      ...[false, false],
    ]);
    await page.getByText(webhooks.advanced, { exact: true }).click();
    expect([await isSeen(webhooks.secretsTitle), await isSeen(webhooks.keysTitle)]).toEqual([
      ...[true, true],
    ]);
    await page.close();
  },
);

test.each(LOOKS)(
  'the first secret asks for nothing about old ones: $language, $colorScheme',
  async (look) => {
    const { webhooks } = look.texts;
    const page = await open('webhooks-new', look);
    await page.getByText(webhooks.advanced, { exact: true }).click();
    await page.getByRole('button', { name: webhooks.createSecret, exact: true }).waitFor();
    expect(await page.getByText(webhooks.overlap).count()).toBe(0);
    expect(await page.locator('form[action$="secrets#secrets"] dialog').count()).toBe(0);
    await page.close();
  },
);

test.each(LOOKS)(
  'errors of deliveries are in the language of the page: $language, $colorScheme',
  async (look) => {
    const { deliveryErrors, urlProblem } = look.texts.webhooks;
    const page = await open('endpoint', look);
    expect(await mainText(page)).toContain(deliveryErrors.noAnswer('10'));
    await page.getByRole('button', { name: look.texts.webhooks.testSend, exact: true }).waitFor();
    await page.goto(`/webhooks-new?lang=${look.language}`);
    expect(await mainText(page)).toContain(
      deliveryErrors.notSent(urlProblem['host is an IP address']),
    );
    await page.close();
  },
);
