import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BACK_OFFICE_GALLERY, BACK_OFFICE_STATES } from '../support/back-office-gallery.tsx';
import { complaintsOf, DESKTOP, launchBrowser, PHONE } from '../support/browser.ts';
import { type GalleryServer, startGallery } from '../support/gallery.ts';
import { expectLog } from '../support/output/expected-log.ts';
import { axeViolations, lookViolations } from '../support/page-checks.ts';

/**
 * The dashboard and the desk with the longest ids, names and amounts, in both themes and languages.
 * A page is loaded once per language and then shown in other sizes and colors.
 */

/** From the smallest phone to a desktop, with both sides of each width at which a layout changes. */
const WIDTHS = [320, 360, 767, 800, 1024, 1280];

let gallery: GalleryServer;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  gallery = await startGallery(BACK_OFFICE_GALLERY);
  browser = await launchBrowser();
  const context = await browser.newContext({ baseURL: gallery.baseUrl, reducedMotion: 'reduce' });
  page = await context.newPage();
  complaints = complaintsOf(page);
});

afterAll(async () => {
  await browser?.close();
  await gallery?.stop();
});

test.each(BACK_OFFICE_STATES)('%s: fits, compares its amounts and passes axe', async (state) => {
  if (state.startsWith('desk-check')) {
    // The gallery has no Worker to check.
    expectLog('self_check_failed');
  }
  const faults: string[] = [];
  for (const language of ['en', 'am']) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE.viewport);
    await page.goto(`/${state}?lang=${language}`);
    await page.evaluate(openDetails);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 740 });
      const found = await page.evaluate(layoutFaults);
      faults.push(...found.map((fault) => `${language}, ${width} px: ${fault}`));
    }
    if (language === 'en') {
      await page.setViewportSize(PHONE.viewport);
      faults.push(...(await axeViolations(page)));
    }
    await page.setViewportSize(language === 'en' ? DESKTOP.viewport : PHONE.viewport);
    await page.emulateMedia({ colorScheme: 'dark' });
    faults.push(...(await lookViolations(page)).map((fault) => `${language}, dark: ${fault}`));
  }
  const isAnswer = /^(?:404: |error: Failed to load resource: .* 404 )/;
  // A live page asks for itself, until the next page comes.
  const isCutOff = /^failed: .*(?:\?lang=|\/state$)/;
  const wrong = complaints
    .splice(0)
    .filter((one) => !isCutOff.test(one) && (state !== 'not-found' || !isAnswer.test(one)));
  expect([...faults, ...wrong]).toEqual([]);
});

test('a form that cannot be undone is sent by the button of its question only', async () => {
  await page.goto('/account');
  const form = page.locator('form[action$="passkeys/remove"]').first();
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  const question = form.locator('dialog');
  await form.locator('> button').click();
  expect(await axeViolations(page)).toEqual([]);
  await question.locator('[data-close]').click();
  expect([await question.isVisible(), sent]).toEqual([false, []]);
  await form.locator('> button').click();
  await Promise.all([page.waitForEvent('load'), question.locator('[type=submit]').click()]);
  expect(sent).toHaveLength(1);
});

test('an item of the attention list is one card on a phone, which opens the payment from anywhere', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE.viewport);
  await page.goto('/desk-attention?lang=en');
  const item = page.locator('.attention-list tbody tr').nth(1);
  const tops = await item.evaluate((row) =>
    [...row.children].map((cell) => cell.getBoundingClientRect().top),
  );
  const [what = 0, toDo = 0, payment = 0, amount = 0, merchant = 0, age = 0] = tops.map(Math.round);
  // What happened; which payment and how much; whose and since when; what to do.
  expect([what < payment, payment < merchant, merchant < toDo]).toEqual([true, true, true]);
  expect(Math.abs(payment - amount) + Math.abs(merchant - age)).toBeLessThan(10);
  const target = await item.evaluate((row) => {
    row.scrollIntoView({ block: 'center' });
    const { left, bottom } = row.getBoundingClientRect();
    return document.elementFromPoint(left + 20, bottom - 10)?.className;
  });
  expect(target).toBe('id');
});

test.each([
  ['a phone', 360, 'light', 'en', 1],
  ['a desktop', 1280, 'dark', 'am', 3],
] as const)(
  'the health page shows tiles on %s: first what is wrong, then the method that fails most',
  async (_name, width, colorScheme, language, columns) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`/desk-health?lang=${language}`);
    const tiles = await page.locator('.tile').evaluateAll((all) =>
      all
        .filter((tile) => tile.checkVisibility())
        .map((tile) => ({
          isBad: tile.classList.contains('tile-bad'),
          share: Number(tile.querySelector('.chart-bar')?.getAttribute('width') ?? -1),
          isMethod: tile.querySelector('.share-mark') !== null,
          left: tile.getBoundingClientRect().left,
        })),
    );
    const isBad = tiles.map((tile) => tile.isBad);
    expect(isBad.lastIndexOf(true)).toBe(isBad.indexOf(false) - 1);
    expect(tiles.filter(({ isMethod }) => isMethod).map(({ share }) => share)).toEqual([25, 99]);
    expect(new Set(tiles.map(({ left }) => Math.round(left))).size).toBe(columns);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await axeViolations(page)).toEqual([]);
  },
);

test.each([360, 1280])('the numbers of a step stand in the step: %i px', async (width) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width, height: 740 });
  await page.goto('/desk-refunds?lang=en');
  const steps = page.locator('.attention ol');
  expect(await steps.count()).toBe(2);
  for (const index of [0, 1]) {
    const first = steps.nth(index).locator('li').first();
    expect(await first.locator('[data-copy]').count()).toBeGreaterThan(1);
    expect(await first.textContent()).toContain('by one of these numbers');
  }
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
  expect(ids).toEqual([...new Set(ids)]);
  expect(await axeViolations(page)).toEqual([]);
});

/** What is behind a line to open must fit too. */
function openDetails(): void {
  for (const details of document.querySelectorAll('details')) {
    details.open = true;
  }
}

/** Runs in the page: what is cut off, broken or not aligned. */
function layoutFaults(): readonly string[] {
  /** True for texts that only screen readers read, and for folded ones. */
  const isHidden = (element: Element) =>
    !element.checkVisibility() ||
    [element, element.closest('thead')].some(
      (one) => one && one.getBoundingClientRect().width <= 1,
    );
  const nameOf = (element: Element) => element.outerHTML.slice(0, 120);
  const faults: string[] = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) =>
        element.getBoundingClientRect().right > width + 1 && element.closest('nav') === null,
    );
    faults.push(`scrolls sideways: ${wide.slice(0, 2).map(nameOf).join(' | ')}`);
  }
  for (const block of document.querySelectorAll('h1, h2, h3, p, dd, dt, td, th, li, button')) {
    const { display, overflowX } = getComputedStyle(block);
    const isCut = block.scrollWidth > block.clientWidth + 1 && block.clientWidth > 1;
    if (isCut && display !== 'inline' && overflowX === 'visible' && !isHidden(block)) {
      faults.push(`runs out of its box: ${nameOf(block)}`);
    }
  }
  const isTable = (cell: Element) => getComputedStyle(cell).display === 'table-cell';
  for (const cell of document.querySelectorAll('td')) {
    const isAmount = /^(?:[A-Z]{3}|ብር)\s[\d,.]+$/.test(cell.textContent.trim());
    if (isAmount && isTable(cell) && getComputedStyle(cell).textAlign !== 'end') {
      faults.push(`not right-aligned: ${nameOf(cell)}`);
    }
  }
  // Ids, names and addresses may break anywhere, words may not.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent?.closest('bdi, code, pre, textarea, .breaks') !== null || isHidden(parent)) {
      continue;
    }
    for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s(]+/gu)) {
      if (!/^[\p{L}\u2011]{2,16}[.,:)።፣፦]?$/u.test(word)) {
        continue;
      }
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = [...range.getClientRects()].map(({ top }) => top);
      // Pieces of one line may differ by a fraction of a pixel.
      if (Math.max(...tops) - Math.min(...tops) > 4) {
        faults.push(`breaks "${word}": ${nameOf(parent)}`);
      }
    }
  }
  return faults;
}
