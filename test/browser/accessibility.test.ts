import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { TRAITS } from '../../src/engine/domain/method.ts';
import type { Language } from '../../src/kit/i18n/language.ts';
import { DESKTOP, PHONE } from '../support/browser.ts';
import { termsWith } from '../support/checkout-fixtures.ts';
import { overflowOf } from '../support/page-checks.ts';
import { openAll } from './checks.ts';
import { HALF_SIZES, LANGUAGE_CODES, SIZE_NAMES, SIZES, Tab, useStage, visit } from './support.ts';

/** What axe-core cannot check: keyboard order, zoom, motion, forced colors and text spacing. */

const METHODS = termsWith().methods.map(({ method }) => method);

const stage = useStage();

describe('by keyboard alone', () => {
  test.each(SIZE_NAMES)(
    'reaches everything in visual order with a visible focus: %s',
    async (size) => {
      const context = await stage.context(SIZES[size]);
      const page = await visit(context, 'choose');
      const stops = [...(await stopsUntil(page, 'pay'))];
      expect(stops.map(({ name }) => name)).toEqual([
        'language en',
        'language am',
        'language om',
        'language ti',
        'way back',
        'details',
        'method TELE_BIRR',
        'pay',
      ]);
      // From the button back to the radios, which are one stop.
      await page.keyboard.press('Shift+Tab');
      stops.push(await focusedStop(page));
      await page.keyboard.press('Space');
      for (const method of METHODS.slice(1)) {
        await page.keyboard.press('ArrowDown');
        const chosen = await focusedStop(page);
        expect(chosen.name).toBe(`method ${method}`);
        stops.push(chosen);
        const after = await stopsUntil(page, 'pay');
        const needsPhone = TRAITS[method].confirmsOn === 'phone';
        expect(after.map(({ name }) => name)).toEqual(needsPhone ? ['phone', 'pay'] : ['pay']);
        expect(outOfOrder([chosen, ...after])).toEqual([]);
        stops.push(...after);
        for (const _ of after) {
          await page.keyboard.press('Shift+Tab');
        }
      }
      expect(outOfOrder(stops.slice(0, 8))).toEqual([]);
      expect(stops.filter((stop) => !stop.isVisible || !stop.isOutlined)).toEqual([]);
    },
  );

  test.each(SIZE_NAMES)('shows the phone field right below its method: %s', async (size) => {
    const context = await stage.context(SIZES[size]);
    const page = await visit(context, 'choose');
    await page.locator('input[type=radio]').first().focus();
    await page.keyboard.press('Space');
    const phone = page.locator('.field');
    for (const [index, method] of METHODS.entries()) {
      if (index > 0) {
        await page.keyboard.press('ArrowDown');
      }
      expect(await page.locator('input[type=radio]:checked').inputValue()).toBe(method);
      expect(await phone.isVisible()).toBe(TRAITS[method].confirmsOn === 'phone');
      if (TRAITS[method].confirmsOn === 'phone') {
        const row = await boxOf(page, `label:has([value=${method}])`);
        const field = await boxOf(page, '.field');
        expect(field.top).toBeGreaterThanOrEqual(row.bottom - SHARED_BORDER_PIXELS);
        expect(field.top - row.bottom).toBeLessThanOrEqual(DISTANCE_MAX_PIXELS);
        const next = METHODS[index + 1];
        if (next !== undefined) {
          const nextRow = await boxOf(page, `label:has([value=${next}])`);
          expect(nextRow.top).toBeGreaterThanOrEqual(field.bottom - SHARED_BORDER_PIXELS);
        }
      }
    }
  });

  test('the link back opens a question, and closes it again', async () => {
    const context = await stage.context(PHONE);
    const page = await visit(context, 'choose');
    const confirm = page.locator('form[action$="/give-up"] button');
    await page.locator('details:has(form) > summary').focus();
    expect(await confirm.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    expect(await confirm.isVisible()).toBe(true);
    const keepPaying = page.locator('form[action$="/give-up"] a');
    for (const control of [keepPaying, confirm]) {
      await page.keyboard.press('Tab');
      expect(await control.evaluate((element) => element === document.activeElement)).toBe(true);
    }
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await confirm.isVisible()).toBe(false);
  });

  test('an error moves the focus to the invalid field', async () => {
    const context = await stage.context(PHONE);
    const page = await visit(context, 'refused-phone-invalid');
    expect((await focusedStop(page)).name).toBe('phone');
  });
});

const ZOOMED = SIZE_NAMES.flatMap((size) => LANGUAGE_CODES.map((language) => ({ size, language })));

describe('at 200 %', () => {
  test.each(ZOOMED)('the button never covers the field: $size, $language', async (shown) => {
    await expectClearField(HALF_SIZES[shown.size], shown.language);
  });

  test.each(SIZE_NAMES)('a low window has no sticky button: %s', async (size) => {
    const context = await stage.context(HALF_SIZES[size]);
    const page = await visit(context, 'choose');
    const button = page.locator('form[data-totals] button');
    const places = [];
    for (const fraction of [0, 0.5, 1]) {
      places.push(
        await button.evaluate((element, share) => {
          scrollTo(0, share * document.documentElement.scrollHeight);
          return element.getBoundingClientRect().top + scrollY;
        }, fraction),
      );
    }
    expect(new Set(places).size).toBe(1);
  });
});

describe('with an on-screen keyboard over half of the screen', () => {
  test.each(LANGUAGE_CODES)('the button never covers the field: %s', async (language) => {
    await expectClearField({ ...PHONE, viewport: { width: 360, height: 400 } }, language);
  });
});

describe('motion', () => {
  test('is on the waiting page, unless the customer prefers reduced motion', async () => {
    const context = await stage.context({ ...PHONE, reducedMotion: 'no-preference' });
    const page = await visit(context, 'push');
    expect(await page.evaluate(() => document.getAnimations().length)).toBeGreaterThan(0);
  });
});

describe('forced colors', () => {
  test('the chosen method has a wider border than the others', async () => {
    const context = await stage.context({ ...PHONE, forcedColors: 'active' });
    const page = await visit(context, 'choose');
    await page.locator('label.method').nth(1).click();
    const widths = await page
      .locator('label.method')
      .evaluateAll((rows) =>
        rows.map((row) => Number.parseFloat(getComputedStyle(row).borderInlineStartWidth)),
      );
    const [first = 0, chosen = 0, ...others] = widths;
    expect(chosen).toBeGreaterThan(Math.max(first, ...others));
    expect(first).toBeGreaterThan(0);
  });
});

/** WCAG 2.2, 1.4.12: all spacings that readers may set, at once. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-block-end: 2em !important }
`;

const SPACED_STATES = ['choose', 'choose-commission', 'push', 'paid'] as const;

describe('text spacing', () => {
  test.each(SPACED_STATES)('cuts no text off: %s', async (state) => {
    // The page's CSP would block the reader's style sheet.
    const tab = await Tab.start(await stage.context({ ...DESKTOP, bypassCSP: true }));
    const cut: string[] = [];
    for (const language of LANGUAGE_CODES) {
      await tab.open(state, language);
      await tab.page.addStyleTag({ content: TEXT_SPACING });
      await openAll(tab.page);
      for (const size of SIZE_NAMES) {
        await tab.page.setViewportSize(SIZES[size].viewport);
        const found = [...(await cutTexts(tab.page)), `${await overflowOf(tab.page)} px too wide`];
        cut.push(
          ...found
            .filter((text) => text !== '0 px too wide')
            .map((text) => `${size} ${language}: ${text}`),
        );
      }
    }
    expect(cut).toEqual([]);
  });
});

/** A field at a greater distance than this would not belong to its method. */
const DISTANCE_MAX_PIXELS = 16;
/** Rows of the list share their borders. */
const SHARED_BORDER_PIXELS = 1;

interface Box {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** The focused element. */
interface Stop extends Box {
  readonly name: string;
  /** Within the window and not covered (WCAG 2.2, 2.4.11). */
  readonly isVisible: boolean;
  readonly isOutlined: boolean;
}

/** Presses Tab until the element with this name has the focus. */
async function stopsUntil(page: Page, name: string): Promise<readonly Stop[]> {
  const stops: Stop[] = [];
  while (stops.at(-1)?.name !== name) {
    await page.keyboard.press('Tab');
    stops.push(await focusedStop(page));
    if (stops.length > STOPS_MAX) {
      throw new Error(`no way to ${name}: ${stops.map((stop) => stop.name).join(', ')}`);
    }
  }
  return stops;
}

const STOPS_MAX = 20;

async function focusedStop(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const focused = document.activeElement ?? document.body;
    const nameOf = (): string => {
      if (focused instanceof HTMLAnchorElement && focused.hreflang !== '') {
        return `language ${focused.hreflang}`;
      }
      if (focused instanceof HTMLInputElement) {
        return focused.type === 'tel' ? 'phone' : `method ${focused.value}`;
      }
      if (focused.tagName === 'SUMMARY') {
        return focused.parentElement?.querySelector('form') ? 'way back' : 'details';
      }
      return focused.closest('form[data-totals]') === null ? focused.tagName : 'pay';
    };
    // A radio covers its row and shows its focus there.
    const target = focused.closest('label') ?? focused;
    const { top, right, bottom, left } = target.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isUncovered = hit !== null && (target.contains(hit) || hit.contains(target));
    const isOutlined = [focused, target].some((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
    return {
      name: nameOf(),
      isVisible: isUncovered && top >= 0 && bottom <= innerHeight,
      isOutlined,
      top: top + scrollY,
      bottom: bottom + scrollY,
      left,
      right,
    };
  });
}

/** Stops that are neither below nor beside the previous one, so the focus jumps back. */
function outOfOrder(stops: readonly Stop[]): readonly string[] {
  return stops.slice(1).flatMap((stop, index) => {
    const before = stops[index];
    return before === undefined || stop.top >= before.bottom - 1 || stop.left >= before.right - 1
      ? []
      : [`${before.name} before ${stop.name}`];
  });
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) {
    throw new Error(`${selector} is not visible`);
  }
  return { top: box.y, right: box.x + box.width, bottom: box.y + box.height, left: box.x };
}

/** Chooses a method, tabs to its field and to the button, and expects both to be fully visible. */
async function expectClearField(options: BrowserContextOptions, language: Language): Promise<void> {
  const context = await stage.context(options);
  const page = await visit(context, 'choose', language);
  for (const method of METHODS.filter((one) => TRAITS[one].confirmsOn === 'phone')) {
    await page.locator(`input[value=${method}]`).focus();
    await page.keyboard.press('Space');
    const [phone, pay] = await stopsUntil(page, 'pay');
    expect([phone?.name, phone?.isVisible]).toEqual(['phone', true]);
    expect([pay?.name, pay?.isVisible]).toEqual(['pay', true]);
    await page.keyboard.press('Shift+Tab');
    const field = await boxOf(page, 'input[type=tel]');
    const button = await boxOf(page, 'form[data-totals] button');
    expect(button.top >= field.bottom || button.bottom <= field.top).toBe(true);
  }
}

/** Texts that overflow their box. */
async function cutTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const hasText = (element: Element): boolean =>
      [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
      );
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.checkVisibility() && hasText(element))
      .filter((element) => !element.classList.contains('visually-hidden'))
      .filter((element) => getComputedStyle(element).display !== 'inline')
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 ||
          element.scrollHeight > element.clientHeight + 1,
      )
      .map(
        (element) =>
          `${element.outerHTML.slice(0, 100)}: ${element.scrollWidth} × ${element.scrollHeight} in ${element.clientWidth} × ${element.clientHeight}`,
      );
  });
}
