import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DASHBOARD_TEXTS } from '../../back-office/i18n/texts.ts';
import { BACK_OFFICE_GALLERY, type BackOfficeState } from '../support/back-office-gallery.tsx';
import { DESKTOP, PHONE } from '../support/browser.ts';
import { axeViolations } from '../support/page-checks.ts';
import { useStage } from './support.ts';

/**
 * What a person who sells finds on the dashboard, and how far down the page. Each page once as a light
 * phone in Amharic and once as a dark desktop in English.
 */

const VIEWS = [
  { device: PHONE, colorScheme: 'light', language: 'am' },
  { device: DESKTOP, colorScheme: 'dark', language: 'en' },
] as const;

const stage = useStage(BACK_OFFICE_GALLERY);

describe.each(VIEWS)('$device.viewport.width px, $colorScheme, $language', (view) => {
  const { device, colorScheme, language } = view;
  const texts = DASHBOARD_TEXTS[language];
  const isPhone = device === PHONE;

  async function open(state: BackOfficeState): Promise<Page> {
    const context = await stage.context({ ...device, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`/${state}?lang=${language}`);
    return page;
  }

  describe('the page of a payment', () => {
    test('has the amount and the state, then what the merchant needs, and folds the rest', async () => {
      const page = await open('payment-paid');
      expect(await page.locator('main h2:visible').allTextContents()).toEqual([
        texts.payment.customer,
        texts.payment.customerReceipt,
        texts.refunds.title,
        texts.payment.facts,
        texts.payment.items,
        texts.payment.forDevelopers,
      ]);
      const fold = page.locator('#developers');
      expect(await fold.getByRole('heading', { level: 2 }).count()).toBe(1);
      await fold.locator('summary').first().click();
      expect(await fold.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        texts.payment.forDevelopers,
        texts.payment.events,
        texts.payment.attempts,
        texts.payment.timeline,
        texts.payment.ids,
      ]);
      expect(await axeViolations(page)).toEqual([]);
    });

    test('gives the focus in the order that the eye reads', async () => {
      const page = await open('payment-paid');
      await page.locator('main').focus();
      const stops: { readonly x: number; readonly y: number; readonly text: string }[] = [];
      for (let at = 0; at < 30 && stops.at(-1)?.text !== texts.payment.forDevelopers; at += 1) {
        await page.keyboard.press('Tab');
        stops.push(
          await page.evaluate(() => {
            const stop = document.activeElement ?? document.body;
            const { left, top } = stop.getBoundingClientRect();
            return { x: left, y: top + scrollY, text: stop.textContent?.trim() ?? '' };
          }),
        );
      }
      expect(stops.at(-1)?.text).toBe(texts.payment.forDevelopers);
      // Within a column downward; a new column begins at the right.
      const wrong = stops.filter(({ x, y }, at) => {
        const before = stops[at - 1];
        return before !== undefined && y < before.y - 8 && x <= before.x;
      });
      expect(wrong).toEqual([]);
    });

    test('opens the tries of a webhook that did not arrive by its status', async () => {
      const page = await open('payment-paid');
      await page.locator('.webhook-status').click();
      const card = page.locator('.event:target');
      await card.getByText('HTTP 502').waitFor();
      expect(await card.evaluate((shown) => shown.getBoundingClientRect().top)).toBeLessThan(
        device.viewport.height / 2,
      );
    });

    test('keeps what the reader opened when it reloads itself', async () => {
      const page = await open('payment-processing');
      await page.locator('#developers > summary').click();
      await page.reload();
      await page.locator('#timeline').waitFor();
    });

    test('calls the customer, and copies the link of the receipt', async () => {
      const page = await open('payment-paid');
      const numbers = page.locator('#customer ~ .facts a');
      expect(
        await numbers.evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
      ).toEqual(['tel:+251712345678', 'tel:+251911234567']);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: texts.payment.copyReceipt }).click();
      await page.getByRole('button', { name: texts.frame.copied }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/receipt/');
    });

    test('has the receipt within the first screen', async () => {
      const page = await open('payment-paid');
      const copy = page.getByRole('button', { name: texts.payment.copyReceipt });
      const { y = 0, height = 0 } = (await copy.boundingBox()) ?? {};
      expect(y + height).toBeLessThan(device.viewport.height - 50);
    });
  });

  describe('lists', () => {
    /** The boxes of the first row that a condition chooses. */
    const cellsOf = (page: Page, row: string) =>
      page.locator(row).evaluate((shown) =>
        [...shown.children].map((cell) => {
          const { top, bottom, left, right, height } = cell.getBoundingClientRect();
          return { top, bottom, left, right, height, text: cell.textContent ?? '' };
        }),
      );

    test('payments have their badges on one line, and the end of the phone', async () => {
      const page = await open('payments');
      const cells = await cellsOf(page, '.payment-list tbody tr:nth-child(2)');
      const [id, customer, amount, marks, time] = cells;
      expect(customer?.text).toContain('…4567');
      expect(await page.locator('.payment-list').textContent()).not.toContain('*');
      if (isPhone) {
        const badges = await page
          .locator('.payment-list tbody tr:nth-child(2) .badge')
          .evaluateAll((all) => all.map((badge) => badge.getBoundingClientRect().top));
        expect(badges).toHaveLength(2);
        expect(new Set(badges).size).toBe(1);
        // Below the customer, whose name and phone are whole.
        expect(marks?.top).toBeGreaterThanOrEqual((customer?.bottom ?? 0) - 1);
        expect(Math.abs((id?.top ?? 0) - (amount?.top ?? 0))).toBeLessThan(10);
        expect(Math.abs((customer?.top ?? 0) - (time?.top ?? 0))).toBeLessThan(10);
        const isCut = await page
          .locator('.payment-list tbody tr:nth-child(2) .customer')
          .evaluate(
            ({ parentElement: cell }) => (cell?.scrollWidth ?? 0) > (cell?.clientWidth ?? 0),
          );
        expect(isCut).toBe(false);
      }
      expect(await axeViolations(page)).toEqual([]);
    });

    test.each(['events', 'methods'] as const)(
      '%s have rows of two lines on a phone',
      async (state) => {
        const page = await open(state);
        if (isPhone) {
          const row = `tbody tr:nth-child(${state === 'events' ? 1 : 4})`;
          const tops = (await cellsOf(page, row))
            .filter(({ height }) => height > 0)
            .map(({ top, bottom }) => (top + bottom) / 2)
            .sort((one, other) => one - other);
          const lines = tops.filter((top, at) => at === 0 || top - (tops[at - 1] ?? 0) > 14);
          expect(lines).toHaveLength(2);
          const { height = 0 } = (await page.locator(row).boundingBox()) ?? {};
          expect(height).toBeLessThan(100);
        }
        expect(await axeViolations(page)).toEqual([]);
      },
    );

    test.each(['payments', 'events', 'refunds'] as const)(
      '%s begin each row on one line where a time wraps',
      async (state) => {
        const page = await open(state);
        // The narrowest table, where the most wraps.
        await page.setViewportSize({ width: 1024, height: 740 });
        const staggered = await page.locator('tbody tr').evaluateAll((rows) =>
          rows.flatMap((row) => {
            const tops = [...row.children].flatMap((cell) => {
              const range = document.createRange();
              range.selectNodeContents(cell);
              const [first] = [...range.getClientRects()].filter(({ height }) => height > 0);
              return first === undefined ? [] : [first.top];
            });
            return Math.max(...tops) - Math.min(...tops) > 14 ? [row.textContent] : [];
          }),
        );
        expect(staggered).toEqual([]);
      },
    );
  });

  describe('the statement', () => {
    test('prints as one clean A4', async () => {
      const page = await open('overview-fullest');
      const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      await page.emulateMedia({ media: 'print' });
      const main = page.locator('main > :visible');
      expect(await main.evaluateAll((all) => all.map(({ className }) => className))).toEqual([
        'card statement',
      ]);
      expect(await page.locator(':is(header, nav, button, a):visible').count()).toBe(0);
      const shown = page.locator(':is(.on-paper, .ledger-sum):visible');
      const paper = (await shown.allTextContents()).join('\n');
      for (const part of [texts.overview.statement.title, texts.frame.environment.production]) {
        expect(paper).toContain(part);
      }
      expect(paper).toMatch(/5,999,990,968\.14/);
    });

    test('of all merchants, on the desk, prints alone', async () => {
      const page = await open('desk-sheet');
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.statement .ledger-sum').first().isVisible()).toBe(true);
      expect(await page.locator(':is(header, nav, button, form):visible').count()).toBe(0);
    });

    test('has a button that prints, where a script can', async () => {
      const page = await open('overview');
      await page.evaluate(() => {
        globalThis.print = () => document.body.classList.add('printed');
      });
      await page.getByRole('button', { name: texts.overview.statement.print }).click();
      expect(await page.locator('body.printed').count()).toBe(1);
    });
  });

  describe('home', () => {
    test('has today, the same weekday and the line of 30 days above the fold', async () => {
      const page = await open('overview');
      const { y = 0, height = 0 } = (await page.locator('#today ~ * svg').boundingBox()) ?? {};
      const bar = isPhone ? 60 : 0;
      expect(y + height).toBeLessThan(device.viewport.height - bar);
      expect(await page.locator('#today ~ * .tile').count()).toBe(2);
      expect(await page.locator('.chart-trend').getAttribute('d')).toMatch(/^M[^L]+(L[^L]+){29}$/);
      expect(await axeViolations(page)).toEqual([]);
    });

    test('has the methods as bars, and one file', async () => {
      const page = await open('overview');
      const widths = await page
        .locator('svg[aria-labelledby="methods-ETB-title"] .chart-bar')
        .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
      expect(widths).toHaveLength(2);
      expect(Math.max(...widths)).toBe(320);
      expect(await page.locator('a[download]').count()).toBe(1);
    });

    test('leads through the first day', async () => {
      const page = await open('overview-first');
      const { stepTeam, stepKey, stepWebhook } = texts.payments;
      expect(await page.locator('.first-payment li > a').allTextContents()).toEqual([
        stepTeam,
        stepKey,
        stepWebhook,
      ]);
      await page.getByRole('button', { name: texts.webhooks.testSend }).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('.first-payment [data-copy]').click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
        /^curl https:\/\/pay\.example\.com\/api\/v1\/payment\/intent /,
      );
      expect(await axeViolations(page)).toEqual([]);
    });
  });
});
