import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PHONE } from '../support/browser.ts';
import type { GalleryState } from '../support/gallery.ts';
import { overflowOf, postsOf } from '../support/page-checks.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { useStage, visit } from './support.ts';

/** What a customer meets on a phone, beyond what holds for every page. */

const stage = useStage();

const NO_SCRIPT = { ...PHONE, javaScriptEnabled: false };

describe('text at 200 %', () => {
  test.each<[GalleryState, 'en' | 'am']>([
    ['choose-commission', 'en'],
    ['choose-left', 'am'],
    ['paid-commission', 'am'],
    ['receipt', 'en'],
    ['receipt-paid-twice', 'am'],
  ])('%s, %s: breaks no amount and no name, and fits the window', async (state, language) => {
    const page = await visit(await stage.context(PHONE), state, language);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    expect(await brokenWords(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});

/** Words of amounts and names that continue on another line. */
function brokenWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    for (const element of document.querySelectorAll('.amount, .method-text, .row dt, .items')) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s\u2011-]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
          if (new Set(tops).size > 1) {
            broken.push(word);
          }
        }
      }
    }
    return broken;
  });
}

describe('the receipt', () => {
  test('shows the receipt numbers of the provider and the wallet', async () => {
    const page = await visit(await stage.context(PHONE), 'receipt');
    const text = await page.locator('main').textContent();
    expect(text).toMatch(/Receipt number\s*SFQ2B7NP3K/);
    expect(text).toMatch(/Receipt number of your wallet\s*0042993418/);
    expect(text).toMatch(/Phone number\s*…4567/);
  });

  test('is a button of the page of a customer who has just paid, within the first screen', async () => {
    const page = await visit(await stage.context(PHONE), 'paid');
    const button = page.locator('a.button', { hasText: /^Receipt$/ });
    const box = await button.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.y ?? 0) + 44).toBeLessThan(PHONE.viewport.height + 60);
  });

  test('is shared by its own link where the browser can share', async () => {
    const context = await stage.context(PHONE);
    await context.addInitScript(() => {
      const shared: ShareData[] = [];
      Object.assign(globalThis, { shared });
      navigator.share = async (data) => void shared.push(data ?? {});
    });
    const page = await visit(context, 'receipt');
    await page.locator('[data-share]').click();
    const shared = await page.evaluate('shared');
    expect(shared).toEqual([{ title: expect.any(String), url: `${stage.baseUrl}/receipt` }]);
  });

  test('is not shared where the browser cannot', async () => {
    const context = await stage.context(PHONE);
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'));
    const page = await visit(context, 'receipt');
    expect(await page.locator('[data-share]').isVisible()).toBe(false);
    expect(await page.locator('[data-print]').isVisible()).toBe(true);
  });

  test('has a row for each of two payments', async () => {
    const page = await visit(await stage.context(PHONE), 'receipt-paid-twice');
    const rows = page.locator('.row-strong', { hasText: 'Paid with' });
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts).toEqual([
      'Paid with telebirr · ETB 1,500.00',
      'Paid with CBE Birr · ETB 1,500.00',
    ]);
  });
});

describe.each([PHONE, NO_SCRIPT])('the methods, with %o', (device) => {
  test('ask calmly after another method was wanted, select none and keep the order', async () => {
    const context = await stage.context(device);
    const page = await visit(context, 'choose-left', 'am');
    const text = TRANSLATIONS.am;
    const notice = page.locator('.notice', { hasText: text.leftLead });
    expect(await notice.textContent()).toContain(text.leftTitle(text.methodName.TELE_BIRR));
    expect(await page.locator('[role=alert]:visible').count()).toBe(0);
    expect(await page.locator('[name=method]:checked').count()).toBe(0);
    expect(await methodsOf(page)).toEqual(await methodsOf(await visit(context, 'choose', 'am')));
  });

  test('telebirr is one choice with two ways, each with its fee', async () => {
    const page = await visit(await stage.context(device), 'choose-commission');
    expect(await page.locator('.ways').allInnerTexts()).toEqual(['telebirr']);
    for (const [method, name] of [
      ['TELE_BIRR', /^telebirr On telebirr’s page ETB 1,515\.00 \+15\.00 fee$/],
      ['TELE_BIRR_USSD', /^telebirr USSD: PIN, no app needed ETB 1,515\.00 \+15\.00 fee$/],
    ] as const) {
      const radio = page.getByRole('radio', { name });
      await page.locator(`label:has([value=${method}])`).click();
      expect(await radio.isChecked()).toBe(true);
    }
    expect(await page.locator('#phone').isVisible()).toBe(true);
    await page.locator('.ways').click();
    expect(await page.locator('[name=method]:checked').getAttribute('value')).toBe('TELE_BIRR');
  });

  test('have pictograms', async () => {
    const page = await visit(await stage.context(device), 'choose');
    expect(await page.locator('svg.mark').count()).toBe(5);
  });

  test('take no number that cannot be charged from the merchant', async () => {
    const page = await visit(await stage.context(device), 'choose-phone-of-no-use');
    expect(await page.locator('#phone').inputValue()).toBe('');
  });
});

async function methodsOf(page: Page): Promise<readonly (string | null)[]> {
  const radios = await page.locator('[name=method]').all();
  return Promise.all(radios.map((radio) => radio.getAttribute('value')));
}

test("asks for a method in the page's language, and sends nothing", async () => {
  const page = await visit(await stage.context(PHONE), 'choose', 'am');
  const posts = postsOf(page);
  await page.locator('.pay-bar button').click();
  expect(await page.locator('#method-problem').textContent()).toBe(
    TRANSLATIONS.am.problem.method_missing,
  );
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('method');
  expect(posts).toEqual([]);
  await page.locator('label:has([value=CBE])').click();
  expect(await page.locator('#method-problem').isVisible()).toBe(false);
});

test.each([
  ['en', /Please pay before \d\d:\d\d EAT\.$/],
  ['am', /^እባክዎ ከ(?:ሌሊቱ|ጠዋቱ|ቀኑ|ምሽቱ) \d{1,2}:\d\d ሰዓት በፊት ይክፈሉ።$/],
] as const)('%s: writes a moment of today by its time alone', async (language, expected) => {
  const page = await visit(await stage.context(NO_SCRIPT), 'choose', language);
  expect(await page.locator('.countdown').textContent()).toMatch(expected);
});
