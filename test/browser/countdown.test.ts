import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { documentsOf, visibleHeadings } from '../support/page-checks.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { type FrozenPage, openFrozen } from './frozen.ts';
import { LANGUAGE_CODES, useStage } from './support.ts';

/** The countdown, on a clock that the tests control. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The remaining time of the gallery's open payments. */
const OPEN_MS = 15 * MINUTE_MS;

const stage = useStage();

describe('the clock', () => {
  test('counts down by seconds', async () => {
    const frozen = await openFrozen(stage, 'push');
    for (const [passMs, clock] of [
      [0, '2:00'],
      [SECOND_MS, '1:59'],
      [50 * SECOND_MS, '1:09'],
      [10 * SECOND_MS, '0:59'],
      [50 * SECOND_MS, '0:09'],
    ] as const) {
      await frozen.pass(passMs);
      expect(await countdownOf(frozen.page)).toBe(TRANSLATIONS.en.timeLeftToConfirm(clock));
    }
  });

  test.each(LANGUAGE_CODES)('uses the page’s language: %s', async (language) => {
    const frozen = await openFrozen(stage, 'push', { language });
    await frozen.pass(SECOND_MS);
    expect(await countdownOf(frozen.page)).toBe(TRANSLATIONS[language].timeLeftToConfirm('1:59'));
  });

  test.each([
    ['a day behind', -DAY_MS],
    ['a day ahead', DAY_MS],
    ['in 1970', -Date.now()],
  ])('is right on a device that is %s', async (_name, clockErrorMs) => {
    const frozen = await openFrozen(stage, 'choose', { clockErrorMs });
    expect(await countdownOf(frozen.page)).toBe('Time left to pay: 15:00');
    await frozen.pass(MINUTE_MS);
    expect(await countdownOf(frozen.page)).toBe('Time left to pay: 14:00');
  });

  test('does not change when the device’s clock is set back', async () => {
    const frozen = await openFrozen(stage, 'choose');
    await frozen.pass(MINUTE_MS);
    await frozen.context.clock.setSystemTime(Date.now() - HOUR_MS);
    await frozen.pass(MINUTE_MS);
    expect(await countdownOf(frozen.page)).toBe('Time left to pay: 13:00');
  });

  test('takes a jump of the device’s clock for sleep, polls at once, and is corrected', async () => {
    const frozen = await openFrozen(stage, 'choose');
    frozen.answer({ remainingMs: 10 * MINUTE_MS });
    // Between two polls.
    await frozen.pass(2 * SECOND_MS);
    const askedBefore = await frozen.asked();
    await frozen.context.clock.setSystemTime(Date.now() + 3 * MINUTE_MS);
    await frozen.pass(SECOND_MS);
    const asked = await frozen.asked();
    expect(asked.slice(0, -1)).toEqual(askedBefore);
    // The page's clock has fractions of milliseconds.
    expect(asked.at(-1)).toBeCloseTo(3 * SECOND_MS, -2);
    expect(await countdownOf(frozen.page)).toBe('Time left to pay: 10:00');
  });

  test('is corrected by the gateway’s answer', async () => {
    const frozen = await openFrozen(stage, 'push');
    frozen.answer({ remainingMs: 61 * SECOND_MS });
    await frozen.pass(1.5 * SECOND_MS);
    expect(await countdownOf(frozen.page)).toBe('Time left to confirm: 1:01');
  });
});

describe('a screen reader', () => {
  test.each(LANGUAGE_CODES)(
    'hears the time once at five minutes and once at one: %s',
    async (language) => {
      const frozen = await openFrozen(stage, 'choose', { language });
      const { fiveMinutesLeft, oneMinuteLeft } = TRANSLATIONS[language];
      await recordAnnouncements(frozen.page);
      await frozen.leap(OPEN_MS - 5 * MINUTE_MS - 2 * SECOND_MS);
      expect(await announced(frozen.page)).toEqual([]);
      await frozen.pass(2 * SECOND_MS);
      expect(await announced(frozen.page)).toEqual([fiveMinutesLeft]);
      await frozen.pass(20 * SECOND_MS);
      await frozen.leap(4 * MINUTE_MS - 22 * SECOND_MS);
      expect(await announced(frozen.page)).toEqual([fiveMinutesLeft]);
      await frozen.pass(2 * SECOND_MS);
      expect(await announced(frozen.page)).toEqual([fiveMinutesLeft, oneMinuteLeft]);
      await frozen.pass(20 * SECOND_MS);
      expect(await announced(frozen.page)).toEqual([fiveMinutesLeft, oneMinuteLeft]);
    },
  );

  test('does not hear five minutes when a jump left two', async () => {
    const frozen = await openFrozen(stage, 'choose');
    await recordAnnouncements(frozen.page);
    await frozen.leap(OPEN_MS - 2 * MINUTE_MS);
    await frozen.pass(SECOND_MS);
    expect(await announced(frozen.page)).toEqual([]);
  });
});

describe('when the time is over', () => {
  test('the page polls at once, and often for some seconds', async () => {
    const frozen = await openFrozen(stage, 'choose');
    await passUntilOver(frozen);
    expect(await countdownOf(frozen.page)).toBe('Time left to pay: 0:00');
    const before = await frozen.asked();
    expect(before.at(-1)).toBe(OPEN_MS);
    await frozen.pass(4 * SECOND_MS);
    const eager = (await frozen.asked()).slice(before.length);
    expect(eager).toEqual([1, 2, 3, 4].map((seconds) => OPEN_MS + seconds * SECOND_MS));
  });

  test.each(LANGUAGE_CODES)(
    'the page reloads for another state, in the same language: %s',
    async (code) => {
      const frozen = await openFrozen(stage, 'choose', { language: code });
      const documents = documentsOf(frozen.page);
      frozen.answer({ state: 'another' });
      await frozen.context.clock.fastForward(OPEN_MS);
      await frozen.page.waitForURL('**/choose');
      expect(documents).toEqual(['GET /choose']);
      expect(await visibleHeadings(frozen.page)).toEqual([TRANSLATIONS[code].chooseMethod]);
    },
  );

  test('a page that does not poll reloads', async () => {
    const frozen = await openFrozen(stage, 'simulator');
    const documents = documentsOf(frozen.page);
    await frozen.context.clock.fastForward(OPEN_MS);
    await frozen.page.waitForURL('**/simulator');
    expect(documents).toEqual(['GET /simulator']);
  });
});

/** A slow page polls every five seconds, so no poll is due at this moment. */
async function passUntilOver(frozen: FrozenPage): Promise<void> {
  await frozen.leap(OPEN_MS - 2 * SECOND_MS);
  await frozen.pass(2 * SECOND_MS);
}

async function countdownOf(page: Page): Promise<string | null> {
  return page.locator('[data-countdown]').textContent();
}

/** Records every text of the live region, as a screen reader would speak it. */
async function recordAnnouncements(page: Page): Promise<void> {
  await page.evaluate(() => {
    const announced: (string | null)[] = [];
    Object.assign(globalThis, { announced });
    const region = document.querySelector('[data-announcer][role=status]');
    if (region !== null) {
      const observer = new MutationObserver(() => announced.push(region.textContent));
      observer.observe(region, { childList: true, characterData: true, subtree: true });
    }
  });
}

async function announced(page: Page): Promise<readonly (string | null)[]> {
  return page.evaluate(() => (globalThis as unknown as { announced: (string | null)[] }).announced);
}
