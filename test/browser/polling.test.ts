import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { documentsOf, postsOf } from '../support/page-checks.ts';
import { type FrozenPage, openFrozen } from './frozen.ts';
import { useStage } from './support.ts';

/** How a waiting page polls: how often, and what it does without an answer. */

const SECOND_MS = 1_000;

/** `polling.ts` cancels a poll that takes longer. */
const ANSWER_MS_MAX = 10 * SECOND_MS;

const stage = useStage();

describe('how often', () => {
  test('a page with an attempt in progress polls often, then less often', async () => {
    const frozen = await openFrozen(stage, 'push');
    await frozen.pass(40 * SECOND_MS);
    const first = Array.from({ length: 20 }, (_, index) => (index + 1) * 1_500);
    expect(await frozen.asked()).toEqual([...first, 33_000, 36_000, 39_000]);
  });

  test.each(['choose', 'failed-given-up'] as const)(
    '%s polls every five seconds',
    async (state) => {
      const frozen = await openFrozen(stage, state);
      await frozen.pass(21 * SECOND_MS);
      expect(await frozen.asked()).toEqual([5_000, 10_000, 15_000, 20_000]);
    },
  );

  test.each(['paid-already', 'failed', 'expired', 'canceled', 'unknown'] as const)(
    '%s asks nothing: nothing can change',
    async (state) => {
      const frozen = await openFrozen(stage, state);
      await frozen.pass(30 * SECOND_MS);
      expect(await frozen.asked()).toEqual([]);
    },
  );
});

describe('when polls fail', () => {
  test.each([
    ['an error of ours', { status: 500 }],
    ['a network that wants a login', { body: '<!doctype html><title>Log in</title>' }],
    ['something else', { body: '{"state":null}' }],
  ])('%s: the page asks less and less often, and says so until it is over', async (_name, bad) => {
    // No time runs out on this page, which would cause further polls.
    const frozen = await openFrozen(stage, 'push-unresolved');
    frozen.answer(bad);
    await frozen.pass(1_500);
    expect(await frozen.asked()).toEqual([1_500]);
    // A single failure shows no notice.
    expect(await noteOf(frozen.page)).toBeNull();
    await frozen.pass(2_000);
    expect(await noteOf(frozen.page)).toBe(english.noConnection);
    await frozen.pass(90 * SECOND_MS);
    // The delay doubles each time, up to half a minute.
    const failed = [1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500];
    expect(await frozen.asked()).toEqual(failed);
    frozen.answer({});
    await frozen.pass(28 * SECOND_MS);
    expect(await noteOf(frozen.page)).toBeNull();
    await frozen.pass(1_500);
    expect((await frozen.asked()).slice(failed.length)).toEqual([121_500, 123_000]);
  });

  test('waits as long as Retry-After says', async () => {
    const frozen = await openFrozen(stage, 'push');
    frozen.answer({ status: 503, headers: { 'retry-after': '20' } });
    await frozen.pass(30 * SECOND_MS);
    expect(await frozen.asked()).toEqual([1_500, 21_500]);
  });

  test('cancels a poll that gets no answer', async () => {
    const frozen = await openFrozen(stage, 'push');
    // The handler that is added last runs first.
    await frozen.context.route('**/status', () => {});
    await frozen.context.clock.runFor(1_500 + ANSWER_MS_MAX);
    await frozen.context.unroute('**/status');
    await frozen.pass(2_000);
    expect(await frozen.asked()).toEqual([1_500, 13_500]);
  });

  test('shows that the payment no longer exists', async () => {
    const frozen = await openFrozen(stage, 'push');
    frozen.answer({ status: 404 });
    await frozen.context.clock.runFor(1_500);
    await frozen.page.waitForURL('**/push');
  });
});

describe('when the state changes', () => {
  test.each(['push', 'redirect', 'connecting', 'refused-phone-invalid'] as const)(
    '%s is fetched once more and not posted again',
    async (state) => {
      const frozen = await openFrozen(stage, state);
      const documents = documentsOf(frozen.page);
      frozen.answer({ state: 'another' });
      await frozen.context.clock.runFor(5_000);
      await frozen.page.waitForURL(`**/${state}`);
      expect(documents).toEqual([`GET /${state}`]);
    },
  );
});

describe('without a network', () => {
  test('shows it at once, polls less and less often, and polls at once when it is back', async () => {
    const frozen = await openFrozen(stage, 'push');
    await frozen.pass(2 * SECOND_MS);
    await goOffline(frozen);
    frozen.answer({ isLost: true });
    expect(await noteOf(frozen.page)).toBe(english.noConnection);
    await frozen.pass(30 * SECOND_MS);
    const asked = [1_500, 3_000, 5_000, 9_000, 17_000];
    expect(await frozen.asked()).toEqual(asked);
    expect(await noteOf(frozen.page)).toBe(english.noConnection);
    frozen.answer({});
    await goOnline(frozen);
    await frozen.pass(SECOND_MS);
    expect(await frozen.asked()).toEqual([...asked, 32_000]);
  });

  test('trusts an answer more than a browser that reports to be offline', async () => {
    const frozen = await openFrozen(stage, 'push');
    await goOffline(frozen);
    await frozen.pass(1_500);
    expect(await noteOf(frozen.page)).toBeNull();
  });

  test('holds a form back once, with a message that outlasts failed polls', async () => {
    const frozen = await openFrozen(stage, 'choose');
    const posts = postsOf(frozen.page);
    await frozen.context.route('**/attempts', (route) => route.fulfill({ status: 204 }));
    await frozen.page.locator('label.method').first().click();
    await goOffline(frozen);
    await press(frozen, 1);
    expect(await noteOf(frozen.page)).toBe(english.notSentOffline);
    frozen.answer({ isLost: true });
    await frozen.pass(30 * SECOND_MS);
    expect(await noteOf(frozen.page)).toBe(english.notSentOffline);
    expect(posts).toEqual([]);
    // The customer may know better than the browser.
    await press(frozen, 1);
    await expect.poll(() => posts).toEqual([`${stage.baseUrl}/choose/attempts`]);
  });
});

describe('while the page is hidden', () => {
  test('does not poll, and polls at once when it is visible again', async () => {
    const frozen = await openFrozen(stage, 'push');
    await frozen.pass(2 * SECOND_MS);
    await setHidden(frozen.page, true);
    await frozen.pass(60 * SECOND_MS);
    expect(await frozen.asked()).toEqual([1_500]);
    await setHidden(frozen.page, false);
    expect(await frozen.asked()).toEqual([1_500, 62_000]);
    expect(await frozen.page.locator('[data-countdown]').textContent()).toMatch(/ 0:58$/);
  });
});

describe('while a form is on its way', () => {
  test('does not poll, sends nothing twice, and allows another try after half a minute', async () => {
    const frozen = await openFrozen(stage, 'choose');
    const posts = postsOf(frozen.page);
    // The browser stays on the page, as when a bank's app opens instead.
    await frozen.context.route('**/attempts', (route) => route.fulfill({ status: 204 }));
    await frozen.page.locator('label.method').first().click();
    const pay = frozen.page.locator('form[data-totals] button');
    const label = await pay.textContent();
    await press(frozen, 2);
    await expect.poll(() => posts.length).toBeGreaterThan(0);
    expect(await pay.textContent()).toBe(english.working);
    expect(await pay.getAttribute('aria-disabled')).toBe('true');
    await frozen.pass(29 * SECOND_MS);
    expect(await frozen.asked()).toEqual([]);
    expect(posts).toEqual([`${stage.baseUrl}/choose/attempts`]);
    expect(await pay.textContent()).toBe(english.working);
    await frozen.pass(SECOND_MS);
    expect(await pay.textContent()).toBe(label);
    expect(await pay.getAttribute('aria-disabled')).toBeNull();
    expect(await frozen.asked()).toEqual([30_000]);
    await press(frozen, 1);
    await expect.poll(() => posts.length).toBe(2);
  });
});

/** The visible notice about the connection, or null. */
async function noteOf(page: Page): Promise<string | null> {
  const note = page.locator('[data-connection][role=status]');
  return (await note.isVisible()) ? note.textContent() : null;
}

async function goOffline({ context, page }: FrozenPage): Promise<void> {
  await context.setOffline(true);
  await page.locator('[data-connection]').waitFor();
}

async function goOnline({ context, page }: FrozenPage): Promise<void> {
  await context.setOffline(false);
  await page.locator('[data-connection]').waitFor({ state: 'hidden' });
}

/** Simulates another tab in front, because headless browsers never hide a page. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (hidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** Clicks the button several times within one task, faster than any customer. */
async function press({ page }: FrozenPage, times: number): Promise<void> {
  await page.locator('form[data-totals] button').evaluate((button, count) => {
    for (let click = 0; click < count; click += 1) {
      (button as HTMLElement).click();
    }
  }, times);
}
