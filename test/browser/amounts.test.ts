import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { amountText } from '../../src/kit/i18n/money-text.ts';
import { PHONE } from '../support/browser.ts';
import { termsWith } from '../support/checkout-fixtures.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { openFrozen } from './frozen.ts';
import { LANGUAGE_CODES, useStage, visit } from './support.ts';

/** Every amount that a page shows equals the amount that is charged. */

const { amountMinor, methods } = termsWith();

const stage = useStage();

describe('before paying', () => {
  test.each(LANGUAGE_CODES)('one price for all methods: %s', async (language) => {
    const context = await stage.context(PHONE);
    const text = TRANSLATIONS[language];
    for (const [state, minor] of [
      ['choose', amountMinor],
      ['choose-commission-equal', amountMinor + 1_500],
    ] as const) {
      const page = await visit(context, state, language);
      const { amount, button, totals } = await read(page);
      expect(minorOf(amount)).toBe(minor);
      expect(button).toBe(text.payAmount(amount));
      expect(totals.at(-1)).toBe(amount);
      await page.close();
    }
  });

  test.each(LANGUAGE_CODES)('the price of the chosen method: %s', async (language) => {
    const context = await stage.context(PHONE);
    const text = TRANSLATIONS[language];
    const page = await visit(context, 'choose-commission', language);
    const before = await read(page);
    expect(minorOf(before.amount)).toBe(amountMinor);
    expect(before.fee).toBe(text.plusCommission);
    expect(before.button).toBe(text.pay);
    expect(before.totals.at(-1)).toBe(text.commissionByMethod);
    for (const { method, commissionMinor } of methods) {
      const label = page.locator(`label:has([value=${method}])`);
      await label.click();
      const { amount, fee, button, totals } = await read(page);
      expect(minorOf(amount)).toBe(amountMinor + commissionMinor);
      // Exactly the text of the method's own row, but for the line breaks that it allows.
      expect(plain(await label.textContent())).toContain(amount);
      expect(button).toBe(text.payAmount(amount));
      const [subtotal = '', commission = '', total] = totals;
      expect(minorOf(subtotal)).toBe(amountMinor);
      expect(minorOf(commission)).toBe(commissionMinor);
      expect(total).toBe(amount);
      expect(fee).toBe(text.feeIncluded(commission));
      expect(plain(await label.textContent())).toContain(
        plain(text.feeOf(amountText(commissionMinor, text.locale))),
      );
    }
  });

  test('says that a method has no service fee where others have one', async () => {
    const page = await visit(await stage.context(PHONE), 'choose-commission-some');
    await page.locator('label:has([value=CBE])').click();
    const { fee, totals } = await read(page);
    expect(fee).toBe(english.noFee);
    expect(totals.map(minorOf)).toEqual([amountMinor, 0, amountMinor]);
  });

  test.each([
    'choose',
    'choose-commission',
    'choose-commission-some',
    'choose-production',
  ] as const)(
    '%s: five methods are above the button, and stay in their place when one is chosen',
    async (state) => {
      const context = await stage.context(PHONE);
      for (const language of ['en', 'am'] as const) {
        const page = await visit(context, state, language);
        const bar = await page.locator('.pay-bar').boundingBox();
        const methods = await page.locator('.method').all();
        const places = () => Promise.all(methods.map((method) => method.boundingBox()));
        const before = await places();
        const isAbove = (box: (typeof before)[number]) =>
          box !== null && bar !== null && box.y + box.height <= bar.y;
        expect(before.filter(isAbove).length).toBeGreaterThanOrEqual(5);
        // Each line is as high as the others: no fee is on a line of its own.
        expect(new Set(before.map((box) => box?.height)).size).toBe(1);
        await page.locator('label:has([value=CBE])').click();
        expect(await places()).toEqual(before);
        await page.close();
      }
    },
  );
});

describe('the receipt', () => {
  test.each(LANGUAGE_CODES)('shows what was charged: %s', async (language) => {
    const context = await stage.context(PHONE);
    for (const [state, minor] of [
      ['paid', amountMinor],
      ['paid-commission', amountMinor + 1_500],
    ] as const) {
      const page = await visit(context, state, language);
      const { amount, totals } = await read(page);
      expect(minorOf(amount)).toBe(minor);
      expect(totals.at(-1)).toBe(amount);
      await page.close();
    }
  });

  test('returns the customer after ten seconds, with a countdown', async () => {
    const frozen = await openFrozen(stage, 'paid');
    await frozen.context.route('https://shop.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Shop</title>' }),
    );
    const notice = frozen.page.locator('[data-return] span');
    expect(await notice.textContent()).toBe(english.returningIn('Tomoca Coffee', '10'));
    await frozen.pass(1_000);
    expect(await notice.textContent()).toBe(english.returningIn('Tomoca Coffee', '9'));
    await frozen.pass(8_500);
    expect(await notice.isVisible()).toBe(true);
    await frozen.context.clock.runFor(500);
    await frozen.page.waitForURL('https://shop.example.com/**');
    const { searchParams } = new URL(frozen.page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      paymentIntentUniqueId: 'order-1001',
      status: 'SUCCESS',
      transactionId: 'H7K2M9QX4T0B8ZC3VN5D',
    });
  });

  test('lets the customer stay, and keeps the focus', async () => {
    const frozen = await openFrozen(stage, 'paid');
    await frozen.page.locator('[data-stay]').click();
    await frozen.pass(60_000);
    expect(new URL(frozen.page.url()).pathname).toBe('/paid');
    expect(await frozen.page.locator('[data-return]').isVisible()).toBe(false);
    expect(await frozen.page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  test('prints the payment without buttons', async () => {
    const frozen = await openFrozen(stage, 'receipt');
    const { page } = frozen;
    await page.evaluate(() => {
      const printed: string[] = [];
      Object.assign(globalThis, { printed });
      globalThis.print = () => printed.push('printed');
    });
    await page.locator('[data-print]').click();
    expect(
      await page.evaluate(() => (globalThis as unknown as { printed: string[] }).printed),
    ).toEqual(['printed']);
    await page.emulateMedia({ media: 'print' });
    const toPress = page.locator('button, .button').filter({ visible: true });
    expect(await toPress.allTextContents()).toEqual([]);
    for (const part of ['h1', '.amount', '.receipt code', '.items', '.totals']) {
      expect(await page.locator(part).first().isVisible()).toBe(true);
    }
  });
});

interface Amounts {
  readonly amount: string;
  /** The line below the amount, or null. */
  readonly fee: string | null;
  /** Null when there is nothing left to pay. */
  readonly button: string | null;
  /** The rows of the breakdown, from subtotal to total. */
  readonly totals: readonly string[];
}

/** A no-break space looks the same. */
function plain(text: string | null): string {
  return (text ?? '').replaceAll('\u00a0', ' ');
}

async function read(page: Page): Promise<Amounts> {
  return page.evaluate(() => {
    // A no-break space looks the same.
    const plain = (text: string) => text.replaceAll('\u00a0', ' ');
    const textOf = (selector: string): string | null => {
      const text = document.querySelector(selector)?.textContent;
      return text == null ? null : plain(text);
    };
    return {
      amount: textOf('.amount') ?? '',
      fee: textOf('.payee .small'),
      button: textOf('form[data-totals] button'),
      totals: [...document.querySelectorAll('.totals dd')].map((value) =>
        plain(value.textContent ?? ''),
      ),
    };
  });
}

/** "ETB 1,234.50" as 123450. */
function minorOf(text: string): number {
  expect(text).toMatch(/^\D*\d{1,3}(,\d{3})*\.\d{2}\D*$/);
  return Number(text.replaceAll(/\D/g, ''));
}
