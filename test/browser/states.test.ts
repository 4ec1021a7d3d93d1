import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/i18n/language.ts';
import { SCREENSHOTS_DIRECTORY } from '../support/browser.ts';
import { GALLERY_STATES, type GalleryState } from '../support/gallery.ts';
import { axeViolations, overflowOf, visibleHeadings } from '../support/page-checks.ts';
import {
  addressOf,
  htmlOf,
  LANGUAGE_CODES,
  openStage,
  SIZE_NAMES,
  SIZES,
  type Size,
  STATES_BY_SIZE,
  type Stage,
  type Visit,
  visit,
} from './support.ts';

/** Every state of every page, on a phone and on a desktop, in every language. */

const SCHEMES = ['light', 'dark'] as const;

const formStates = new Set<GalleryState>();
for (const state of GALLERY_STATES) {
  if ((await htmlOf(state)).includes('<form')) {
    formStates.add(state);
  }
}
const withForms = STATES_BY_SIZE.filter(({ state }) => formStates.has(state));

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage?.close();
});

describe('with JavaScript', () => {
  const contexts = new Map<string, BrowserContext>();

  beforeAll(async () => {
    for (const size of SIZE_NAMES) {
      for (const colorScheme of SCHEMES) {
        const context = await stage.context({ ...SIZES[size], colorScheme });
        contexts.set(`${size}-${colorScheme}`, context);
      }
    }
  });

  it.each(STATES_BY_SIZE)('$state on a $size', async ({ state, size }) => {
    const wrong: string[] = [];
    // One after the other: Chromium now and then fails to take two pictures at once.
    for (const scheme of SCHEMES) {
      const look: Look = (seen) => axeViolations(seen.page);
      wrong.push(...(await inEachLanguage(contexts, `${size}-${scheme}`, state, look)));
    }
    expect(wrong).toEqual([]);
  });
});

describe('without JavaScript', () => {
  const contexts = new Map<string, BrowserContext>();

  beforeAll(async () => {
    for (const size of SIZE_NAMES) {
      const context = await stage.context({ ...SIZES[size], javaScriptEnabled: false });
      contexts.set(`${size}-no-script`, context);
    }
  });

  it.each(STATES_BY_SIZE)('$state on a $size', async ({ state, size }) => {
    const wrong = await inEachLanguage(contexts, `${size}-no-script`, state, async (seen) => [
      ...(await scriptOnlyParts(seen)),
      ...(await unusableForms(seen)),
    ]);
    expect(wrong).toEqual([]);
  });

  it('a page that connects to a rail fetches itself again', async () => {
    const { page } = await visit(contextOf(contexts, 'phone-no-script'), 'connecting', 'om');
    const [again] = await Promise.all([
      page.waitForRequest((request) => request.isNavigationRequest()),
      page.waitForEvent('load'),
    ]);
    expect(again.url()).toBe(page.url());
    await page.close();
  });

  it.each(withForms)('each button of $state on a $size sends its form', async (shown) => {
    const context = contextOf(contexts, `${shown.size}-no-script`);
    const { page } = await visit(context, shown.state);
    const count = await page.locator('form button').count();
    for (let index = 0; index < count; index += 1) {
      await page.goto(addressOf(shown.state, 'en'));
      await openForms({ page });
      const button = page.locator('form button').nth(index);
      const action = await button.evaluate((element) => element.closest('form')?.action);
      await fillIn({ page });
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.method() === 'POST'),
        button.click(),
      ]);
      expect(request.url()).toBe(action);
      expect(fieldsMissing(shown.state, request.url(), request.postData() ?? '')).toEqual([]);
      // The gallery answers 303: a CSP that does not allow this way would stop it here.
      await page.waitForURL(`**/${shown.state}`);
    }
    await page.close();
  });
});

type Look = (seen: Seen) => Promise<readonly string[]>;

interface Seen extends Visit {
  readonly size: Size;
  readonly state: GalleryState;
  readonly language: Language;
}

/** What is wrong in each language, with where it is; takes a picture of each. */
async function inEachLanguage(
  contexts: ReadonlyMap<string, BrowserContext>,
  contextName: string,
  state: GalleryState,
  lookFurther: Look,
): Promise<readonly string[]> {
  const context = contextOf(contexts, contextName);
  const size = contextName.startsWith('phone') ? 'phone' : 'desktop';
  const wrong: string[] = [];
  for (const language of LANGUAGE_CODES) {
    const visited = await visit(context, state, language);
    const seen: Seen = { ...visited, size, state, language };
    const faults = await faultsOf(seen);
    await takePicture(seen, join(contextName, language, `${state}.png`));
    faults.push(...(await lookFurther(seen)), ...visited.complaints());
    wrong.push(...faults.map((fault) => `${contextName} ${language}: ${fault}`));
    await visited.page.close();
  }
  return wrong;
}

/** Of the page at its full height, so that what sticks to the window's end is at the page's end. */
async function takePicture({ page, size }: Seen, name: string): Promise<void> {
  const { viewport } = SIZES[size];
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...viewport, height });
  // Playwright hides the caret by a style element, which the page's CSP would refuse.
  await page.screenshot({ path: join(SCREENSHOTS_DIRECTORY, name), caret: 'initial' });
  await page.setViewportSize(viewport);
}

function contextOf(contexts: ReadonlyMap<string, BrowserContext>, name: string): BrowserContext {
  const context = contexts.get(name);
  if (context === undefined) {
    throw new Error(`no context ${name}`);
  }
  return context;
}

/** What no page may have, with or without JavaScript, but for the browser's complaints. */
async function faultsOf({ page, state, language }: Seen): Promise<string[]> {
  const heading = await expectedHeading(state, language);
  const found = {
    headings: await visibleHeadings(page),
    language: await page.evaluate(() => document.documentElement.lang),
    hasTitle: (await page.title()).trim() !== '',
    overflow: await overflowOf(page),
  };
  const right: typeof found = {
    headings: [heading],
    language: LANGUAGES[language].locale,
    hasTitle: true,
    overflow: 0,
  };
  return (Object.keys(right) as (keyof typeof right)[])
    .filter((key) => JSON.stringify(found[key]) !== JSON.stringify(right[key]))
    .map((key) => `${key}: ${JSON.stringify(found[key])}, not ${JSON.stringify(right[key])}`);
}

/** The text of the heading as it is served; never empty. */
async function expectedHeading(state: GalleryState, language: Language): Promise<string> {
  const html = await htmlOf(state, language);
  const heading = /<h1>([^<]*\S[^<]*)<\/h1>/.exec(html)?.[1];
  if (heading === undefined) {
    throw new Error(`${state} has no heading of plain text`);
  }
  return heading.trim();
}

/** Everything that a click could do nothing with. */
async function scriptOnlyParts({ page }: Seen): Promise<readonly string[]> {
  const parts = '[data-print], [data-stay], [data-connection], button[type=button]';
  const visible = await page.locator(parts).filter({ visible: true }).count();
  return visible === 0 ? [] : [`${visible} parts that need the script are visible`];
}

/** Forms that cannot be sent by hand: no button, or one that is covered, disabled or off the page. */
async function unusableForms(seen: Seen): Promise<readonly string[]> {
  const { page } = seen;
  await openForms(seen);
  const wrong: string[] = [];
  for (const form of await page.locator('form').all()) {
    const action = await form.getAttribute('action');
    if ((await form.getAttribute('method')) !== 'post' || action === null) {
      wrong.push(`a form posts to ${action}`);
    }
    const buttons = form.locator('button[type=submit]');
    if ((await buttons.count()) === 0) {
      wrong.push(`${action} has no button`);
    }
    for (const button of await buttons.all()) {
      await button.click({ trial: true });
    }
  }
  return wrong;
}

/** Forms that only show when they are asked for. */
async function openForms({ page }: Pick<Visit, 'page'>): Promise<void> {
  const folded = page.locator('details:not([open]):has(form) > summary');
  if ((await folded.count()) > 0) {
    await folded.click();
  }
}

const PHONE_TYPED = '0911 22 33 44';

/** As a customer would: by the labels, the last method, and the phone where it can be given. */
async function fillIn({ page }: Pick<Visit, 'page'>): Promise<void> {
  const methods = page.locator('form.choose label.method');
  if ((await methods.count()) > 0) {
    await methods.last().click();
  }
  const phone = page.locator('input[type=tel]:not([readonly])');
  if ((await phone.count()) > 0) {
    await phone.fill(PHONE_TYPED);
  }
}

/** The fields that a form should have sent, and has not. */
function fieldsMissing(state: GalleryState, url: string, body: string): readonly string[] {
  const fields = new URLSearchParams(body);
  const needed: Readonly<Record<string, readonly string[]>> = {
    attempts: ['attempts', 'method', 'phone'],
    abandon: ['attempt'],
    outcome: ['outcome'],
    'give-up': [],
  };
  const names = needed[url.slice(url.indexOf(`/${state}/`) + state.length + 2)];
  return names === undefined
    ? [`nobody knows ${url}`]
    : names.filter((name) => (fields.get(name) ?? '') === '');
}
