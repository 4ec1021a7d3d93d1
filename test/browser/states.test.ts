import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Language } from '../../src/kit/i18n/language.ts';
import { ARE_PICTURES_WANTED, DESKTOP, PHONE, SCREENSHOTS_DIRECTORY } from '../support/browser.ts';
import { GALLERY_STATES, type GalleryState } from '../support/gallery.ts';
import { axeViolations, lookViolations } from '../support/page-checks.ts';
import { faultsOf, smallTargets } from './checks.ts';
import { HALF_SIZES, LANGUAGE_CODES, Tab, useStage } from './support.ts';

/**
 * Checks every state of every page. A page is loaded once per language and then shown in other
 * colors and sizes. What axe-core finds in the document is the same in all of them, so only its
 * rules about colors and sizes run again. Colors do not depend on the language, so each state is
 * checked for them in English and one more language.
 */

interface Look {
  readonly size: Size;
  readonly colorScheme?: 'dark';
  readonly forcedColors?: 'active';
  /** Which rules of axe-core run. */
  readonly axe?: 'whole' | 'look';
}

const VIEWPORTS = {
  desktop: DESKTOP.viewport,
  phone: PHONE.viewport,
  'desktop at 200 %': HALF_SIZES.desktop.viewport,
  'phone at 200 %': HALF_SIZES.phone.viewport,
} as const;

type Size = keyof typeof VIEWPORTS;

/** On a phone, in English. */
const PHONE_LOOKS: readonly Look[] = [
  { size: 'phone', axe: 'whole' },
  { size: 'phone', colorScheme: 'dark', axe: 'look' },
  { size: 'phone', forcedColors: 'active', axe: 'look' },
];

const NARROW_LOOKS: readonly Look[] = [
  { size: 'desktop at 200 %' },
  { size: 'phone at 200 %' },
  { size: 'phone' },
];

/** On a desktop, whose window may be narrow. */
const DESKTOP_LOOKS = {
  english: [{ size: 'desktop', axe: 'look' }, ...NARROW_LOOKS],
  oneOther: [{ size: 'desktop', colorScheme: 'dark', axe: 'whole' }, ...NARROW_LOOKS],
  // The narrowest is enough where other states check this language in all sizes.
  others: [{ size: 'phone at 200 %' }, { size: 'phone' }],
} as const satisfies Record<string, readonly Look[]>;

const OTHER_LANGUAGES = LANGUAGE_CODES.filter((language) => language !== 'en');

const stage = useStage();
let phone: Tab;
let desktop: Tab;
/** Loads no axe-core with its pages. */
let plain: Tab;

beforeAll(async () => {
  [phone, desktop, plain] = await Promise.all([openTab(PHONE), openTab(DESKTOP), openTab(DESKTOP)]);
});

async function openTab(device: typeof PHONE | typeof DESKTOP): Promise<Tab> {
  const context = await stage.context({ ...device, reducedMotion: 'reduce' });
  return Tab.start(context, { isStill: true });
}

test.each(GALLERY_STATES)('%s', async (state) => {
  const wrong: string[] = [];
  const look = async (tab: Tab, language: Language, looks: readonly Look[]) => {
    wrong.push(...(await faultsIn(tab, state, language, looks)));
  };
  await look(phone, 'en', PHONE_LOOKS);
  const amounts = await visibleAmounts(phone.page);
  const oneOther = OTHER_LANGUAGES[GALLERY_STATES.indexOf(state) % OTHER_LANGUAGES.length];
  await look(desktop, 'en', DESKTOP_LOOKS.english);
  expect(await visibleAmounts(desktop.page)).toEqual(amounts);
  for (const language of OTHER_LANGUAGES) {
    const [tab, looks] =
      language === oneOther
        ? ([desktop, DESKTOP_LOOKS.oneOther] as const)
        : ([plain, DESKTOP_LOOKS.others] as const);
    await look(tab, language, looks);
  }
  expect(wrong).toEqual([]);
});

/** The problems of one state in all of these looks. The last one must be a phone's. */
async function faultsIn(
  tab: Tab,
  state: GalleryState,
  language: Language,
  looks: readonly Look[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [index, look] of looks.entries()) {
    await show(tab.page, look, looks[index - 1]);
    if (index === 0) {
      // At this size from the start: a resize would cancel the request for a picture.
      await tab.open(state, language);
    }
    const found = [
      ...(await faultsOf(tab.page, state, language)),
      ...(await violationsIn(tab.page, look)),
    ];
    await takePicture(tab.page, state, language, look, found.length > 0);
    wrong.push(...found.map((fault) => `${nameOf(look)}, ${language}: ${fault}`));
  }
  const small = await smallTargets(tab.page);
  wrong.push(...[...small, ...tab.complaints()].map((fault) => `${language}: ${fault}`));
  return wrong;
}

/** `shown`: what the page has shown; the first look of a load sets everything. */
async function show(page: Page, look: Look, shown?: Look): Promise<void> {
  const { size, colorScheme = 'light', forcedColors = 'none' } = look;
  const isRecolored =
    shown?.colorScheme !== look.colorScheme || shown?.forcedColors !== look.forcedColors;
  if (shown === undefined || isRecolored) {
    await page.emulateMedia({ colorScheme, forcedColors });
  }
  if (shown?.size !== size) {
    await page.setViewportSize(VIEWPORTS[size]);
  }
}

async function violationsIn(page: Page, { axe }: Look): Promise<readonly string[]> {
  if (axe === undefined) {
    return [];
  }
  return axe === 'whole' ? axeViolations(page) : lookViolations(page);
}

/** Every visible amount. */
function visibleAmounts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.amount')]
      .filter((amount) => amount.checkVisibility())
      .map((amount) => amount.textContent),
  );
}

/** A screenshot at full height, so that sticky elements are at the end of the page. */
async function takePicture(
  page: Page,
  state: GalleryState,
  language: Language,
  look: Look,
  isFaulty: boolean,
): Promise<void> {
  if (!isFaulty && !ARE_PICTURES_WANTED) {
    return;
  }
  const viewport = VIEWPORTS[look.size];
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...viewport, height });
  const path = join(SCREENSHOTS_DIRECTORY, nameOf(look), language, `${state}.png`);
  // Playwright hides the caret with a style element, which the page's CSP would block.
  await page.screenshot({ path, caret: 'initial' });
  await page.setViewportSize(viewport);
}

function nameOf({ size, colorScheme, forcedColors }: Look): string {
  const colors = forcedColors === undefined ? (colorScheme ?? 'light') : 'forced colors';
  return `${size}, ${colors}`;
}
