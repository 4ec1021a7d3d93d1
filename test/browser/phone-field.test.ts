import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { PHONE } from '../support/browser.ts';
import { postsOf } from '../support/page-checks.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { LANGUAGE_CODES, useStage, visit } from './support.ts';

/** The phone field: what it asks for, and what the script does with what is typed. */

const stage = useStage();

const missing = (example: string) => english.problem.phone_missing.replace('{example}', example);
const invalid = (example: string) => english.problem.phone_invalid.replace('{example}', example);

const HINTED = ['TELE_BIRR_USSD', 'M_PESA', 'E_BIRR'] as const;

describe.each([true, false])('hints, with JavaScript: %s', (javaScriptEnabled) => {
  test.each(LANGUAGE_CODES)('the chosen method has its own: %s', async (language) => {
    const context = await stage.context({ ...PHONE, javaScriptEnabled });
    const page = await visit(context, 'choose', language);
    const text = TRANSLATIONS[language];
    const hint = page.locator('.hint');
    expect(await shown(hint)).toBe('');
    for (const method of HINTED) {
      await label(page, method).click();
      const account = method === 'TELE_BIRR_USSD' ? 'TELE_BIRR' : method;
      const expected =
        method === 'M_PESA' ? text.phoneHintMpesa : text.phoneHint(text.methodName[account]);
      expect(await shown(hint)).toBe(expected);
    }
    for (const method of ['TELE_BIRR', 'CBE', 'ETS_SWITCH']) {
      await label(page, method).click();
      expect(await page.locator('#phone').isVisible()).toBe(false);
    }
  });
});

describe('the script', () => {
  test.each([
    ['911234567', '0911 234 567'],
    ['+251 (0) 711-23 45 67', '0711 234 567'],
    ['00251911234567', '0911 234 567'],
    ['0911 22', '0911 22'],
    ['0811234567', '0811234567'],
  ])('shows %s as %s when the field is left', async (typed, shown) => {
    const page = await opened('choose', 'E_BIRR', typed);
    await page.locator('#phone').blur();
    expect(await page.locator('#phone').inputValue()).toBe(shown);
  });

  test.each([
    ['choose', 'M_PESA', ' ', missing('0712\u00a0345\u00a0678')],
    ['choose', 'E_BIRR', '0811 234 567', invalid('0911\u00a0234\u00a0567')],
    ['choose-production', 'M_PESA', '0911 234 567', english.phoneHintMpesa],
  ] as const)('%s, %s: does not send "%s" and says why', async (state, method, typed, why) => {
    const page = await opened(state, method, typed);
    const posts = postsOf(page);
    await pay(page);
    expect(await shown(page.locator('#phone-problem'))).toBe(why);
    expect(await page.locator('#phone').getAttribute('aria-invalid')).toBe('true');
    expect(await focused(page)).toBe('phone');
    expect(await page.locator('form.choose').getAttribute('aria-busy')).toBeNull();
    expect(posts).toEqual([]);
    await page.locator('#phone').fill('0711 234 567');
    await page.locator('#phone').blur();
    expect(await page.locator('#phone-problem').isVisible()).toBe(false);
    await Promise.all([page.waitForRequest(isPost), pay(page)]);
  });

  test.each([
    ['choose', 'M_PESA', '0911 234 567'],
    ['choose-production', 'E_BIRR', '0911 234 567'],
    ['choose-production', 'M_PESA', '0711 234 567'],
    ['choose', 'CBE', 'anything'],
  ] as const)('%s, %s: sends "%s"', async (state, method, typed) => {
    const page = await opened(state, 'M_PESA', typed);
    await label(page, method).click();
    await Promise.all([page.waitForRequest(isPost), pay(page)]);
  });

  test('puts the cursor into the field after a tap on a method that needs a number', async () => {
    const page = await opened('choose', 'TELE_BIRR');
    await page.locator('#phone').evaluate((input: HTMLInputElement) => {
      input.value = '';
    });
    await label(page, 'M_PESA').click();
    expect(await focused(page)).toBe('phone');
    await label(page, 'TELE_BIRR').click();
    expect(await focused(page)).not.toBe('phone');
  });

  test('keeps the focus on the methods for the arrow keys, and when the number is known', async () => {
    const page = await opened('choose', 'M_PESA');
    expect(await focused(page)).not.toBe('phone');
    await page.locator('#phone').fill('');
    await page.locator('[value=M_PESA]').press('ArrowDown');
    expect(await page.locator('[value=E_BIRR]').isChecked()).toBe(true);
    expect(await focused(page)).not.toBe('phone');
  });
});

describe.each([true, false])(
  'the button after a failure, with JavaScript: %s',
  (javaScriptEnabled) => {
    test.each(LANGUAGE_CODES)(
      'names the method that failed while it is chosen: %s',
      async (language) => {
        const context = await stage.context({ ...PHONE, javaScriptEnabled });
        const page = await visit(context, 'failed-declined', language);
        const text = TRANSLATIONS[language];
        const button = page.locator('.pay-bar button span');
        expect(await shown(button)).toBe(text.tryMethodAgain(text.methodName.CBE));
        await label(page, 'TELE_BIRR').click();
        const amount = (await page.locator('.amount').textContent()) ?? '';
        expect((await shown(button)).replaceAll('\u00a0', ' ')).toBe(text.payAmount(amount));
      },
    );
  },
);

/** A page in a context of its own, with a method chosen and a number typed. */
async function opened(
  state: 'choose' | 'choose-production',
  method: string,
  typed?: string,
): Promise<Page> {
  const page = await visit(await stage.context(PHONE), state);
  await label(page, method).click();
  if (typed !== undefined) {
    await page.locator('#phone').fill(typed);
  }
  return page;
}

/** The text of those that are visible. */
async function shown(parts: Locator): Promise<string> {
  return (await parts.filter({ visible: true }).allTextContents()).join('').trim();
}

function label(page: Page, method: string) {
  return page.locator(`label:has([value=${method}])`);
}

function pay(page: Page): Promise<void> {
  return page.locator('.pay-bar button').click();
}

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.id);
}

function isPost(request: { method(): string }): boolean {
  return request.method() === 'POST';
}
