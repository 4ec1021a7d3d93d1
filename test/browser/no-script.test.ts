import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Language } from '../../src/kit/i18n/language.ts';
import { GALLERY_STATES, type GalleryState } from '../support/gallery.ts';
import { faultsOf, openAll } from './checks.ts';
import { htmlOf, LANGUAGE_CODES, SIZES, Tab, useStage } from './support.ts';

/** Every state of every page, without JavaScript. */

const formStates: GalleryState[] = [];
for (const state of GALLERY_STATES) {
  if ((await htmlOf(state)).includes('<form')) {
    formStates.push(state);
  }
}

const OTHER_LANGUAGES = LANGUAGE_CODES.filter((language) => language !== 'en');

const REFRESH = /<meta http-equiv="refresh"[^>]*>/;

const stage = useStage();
let phone: Tab;
let desktop: Tab;

beforeAll(async () => {
  [phone, desktop] = await Promise.all([openTab('phone'), openTab('desktop')]);
});

async function openTab(size: keyof typeof SIZES): Promise<Tab> {
  const context = await contextOf(size);
  // On a busy machine, a page would reload or leave during its checks.
  await context.route(
    ({ searchParams }) => searchParams.has('lang'),
    async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace(REFRESH, '');
      await route.fulfill({ response, body: html });
    },
  );
  return Tab.start(context);
}

function contextOf(size: keyof typeof SIZES): Promise<BrowserContext> {
  return stage.context({ ...SIZES[size], javaScriptEnabled: false, reducedMotion: 'reduce' });
}

describe('every state', () => {
  test.each(GALLERY_STATES)('%s', async (state) => {
    const wrong: string[] = [];
    const look = async (tab: Tab, language: Language, size: keyof typeof SIZES) => {
      const faults = [
        ...(await faultsOf(tab.page, state, language)),
        ...(await unusableParts(tab.page)),
        ...tab.complaints(),
      ];
      wrong.push(...faults.map((fault) => `${size}, ${language}: ${fault}`));
    };
    // With JavaScript, every state is checked in every language.
    const other = OTHER_LANGUAGES[GALLERY_STATES.indexOf(state) % OTHER_LANGUAGES.length] ?? 'am';
    await phone.open(state, other);
    await look(phone, other, 'phone');
    await desktop.page.setViewportSize(SIZES.desktop.viewport);
    await desktop.open(state, 'en');
    await look(desktop, 'en', 'desktop');
    await desktop.page.setViewportSize(SIZES.phone.viewport);
    await look(desktop, 'en', 'phone');
    expect(wrong).toEqual([]);
  });
});

test('a page that connects to a provider reloads', async () => {
  const tab = await Tab.start(await contextOf('phone'));
  const { page } = tab;
  await tab.open('connecting', 'om');
  const [again] = await Promise.all([
    page.waitForRequest((request) => request.isNavigationRequest()),
    page.waitForEvent('load'),
  ]);
  expect(again.url()).toBe(page.url());
});

describe('each button sends its form', () => {
  test.each(formStates)('%s', async (state) => {
    const { page } = phone;
    await phone.open(state);
    const count = await page.locator('form button').count();
    expect(count).toBeGreaterThan(0);
    for (let index = 0; index < count; index += 1) {
      if (index > 0) {
        await phone.open(state);
      }
      await openForms(page);
      const button = page.locator('form button').nth(index);
      const action = await button.evaluate((element) => element.closest('form')?.action);
      await fillIn(page);
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.method() === 'POST'),
        button.click(),
      ]);
      expect(request.url()).toBe(action);
      expect(fieldsMissing(state, request.url(), request.postData() ?? '')).toEqual([]);
      // The gallery answers 303. A CSP that does not allow its target would block it here.
      await page.waitForURL(`**/${state}`);
    }
  });
});

/** Visible elements that need a script, and forms that cannot be sent without one. */
async function unusableParts(page: Page): Promise<readonly string[]> {
  await openAll(page);
  return page.evaluate(() => {
    const scriptOnly = '[data-print], [data-stay], [data-connection], button[type=button]';
    const wrong = [...document.querySelectorAll(scriptOnly)]
      .filter((part) => part.checkVisibility() && part.clientHeight > 0)
      .map((part) => `needs a script: ${part.outerHTML.slice(0, 80)}`);
    for (const form of document.forms) {
      const buttons = [...form.querySelectorAll<HTMLButtonElement>('button[type=submit]')];
      if (form.getAttribute('method') !== 'post' || !form.hasAttribute('action')) {
        wrong.push(`a form posts to ${form.getAttribute('action')}`);
      }
      if (buttons.length === 0) {
        wrong.push(`${form.action} has no button`);
      }
      for (const button of buttons) {
        button.scrollIntoView({ block: 'center' });
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        if (button.disabled || hit === null || !button.contains(hit)) {
          wrong.push(`cannot be pressed: ${button.outerHTML.slice(0, 80)}`);
        }
      }
    }
    return wrong;
  });
}

/** Unfolds the forms that are folded up at first. */
async function openForms(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]):has(form) > summary');
  if ((await folded.count()) > 0) {
    await folded.click();
  }
}

const PHONE_TYPED = '0911 22 33 44';
const RECEIPT_TYPED = 'SFQ2B7NP3K';

/** Fills the form: the last method, and the phone or the receipt number where one can be entered. */
async function fillIn(page: Page): Promise<void> {
  const methods = page.locator('form.choose label.method:not(.is-off)');
  if ((await methods.count()) > 0) {
    await methods.last().click();
  }
  const phone = page.locator('input[type=tel]:not([readonly])');
  if ((await phone.count()) > 0) {
    await phone.fill(PHONE_TYPED);
  }
  const receipt = page.locator('input[name=receipt]');
  if ((await receipt.count()) > 0) {
    await receipt.fill(RECEIPT_TYPED);
  }
}

/** The fields that a form should have sent but did not. */
function fieldsMissing(state: GalleryState, url: string, body: string): readonly string[] {
  const fields = new URLSearchParams(body);
  const needed: Readonly<Record<string, readonly string[]>> = {
    attempts: ['attempts', 'method', 'phone'],
    abandon: ['attempt'],
    claim: ['attempt', 'receipt'],
    outcome: ['outcome'],
    'give-up': [],
  };
  // The page of a payment link has a form of its own address.
  const names = state.startsWith('link-')
    ? ['form']
    : needed[url.slice(url.indexOf(`/${state}/`) + state.length + 2)];
  return names === undefined
    ? [`unknown: ${url}`]
    : names.filter((name) => (fields.get(name) ?? '') === '');
}
