import { join } from 'node:path';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from 'playwright-core';
import { expect } from 'vitest';
import type { Method } from '../../src/engine/domain/method.ts';
import { ARE_PICTURES_WANTED, complaintsOf, PHONE, SCREENSHOTS_DIRECTORY } from './browser.ts';
import { createHosted, type HostedPayment, type JsonObject, type Scene } from './e2e-scene.ts';

/** A customer's actions in a real browser, with the real gateway behind it. */

/** The heading of the merchant's page that customers return to. */
export const SHOP_HEADING = 'Thanks!';

const SHOP_PAGE = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><h1>${SHOP_HEADING}</h1>`;

export const JAVASCRIPT = [
  ['with JavaScript', true],
  ['without JavaScript', false],
] as const;

/** A page that goes on cancels its running poll, which no visitor sees: the checkout's, and a live page's. */
const CUT_OFF_POLL =
  /^failed: .*(?:\/status|\/dashboard\/\w+\/(?:payments|webhooks\/events)\/[^?]+)$/;

/** Playwright pauses a clock only at a future moment: this is longer than a start takes. */
const CLOCK_AHEAD_MS = 60_000;

/** A hosted payment whose `shop` is a page that a browser can show. */
export async function createPayment(
  scene: Scene,
  changes: JsonObject = {},
): Promise<HostedPayment> {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const shop = scene.server.endpoint({ type: 'answer', status: 200, headers, body: SHOP_PAGE });
  return { ...(await createHosted(scene, { returnUrl: shop.url, ...changes })), shop };
}

/** A customer's browser. Any complaint of its tabs fails the test that closes it. */
export class Device {
  readonly context: BrowserContext;
  /** Complaints that may occur, but need not. */
  readonly tolerated: RegExp[] = [CUT_OFF_POLL];
  readonly #complaints: string[][] = [];

  private constructor(context: BrowserContext) {
    this.context = context;
  }

  static async start(browser: Browser, options: BrowserContextOptions = {}): Promise<Device> {
    return new Device(await browser.newContext({ ...PHONE, ...options }));
  }

  /** A new empty tab. */
  async tab(): Promise<Page> {
    const page = await this.context.newPage();
    this.#complaints.push(complaintsOf(page));
    return page;
  }

  async open(url: string): Promise<Page> {
    const page = await this.tab();
    await page.goto(url);
    return page;
  }

  /**
   * Stops the clock of scripts in all later tabs: a page neither polls nor counts down, so it keeps
   * showing its first state until the test moves `context.clock`.
   */
  async stopClock(): Promise<void> {
    await this.context.clock.install();
    await this.context.clock.pauseAt(Date.now() + CLOCK_AHEAD_MS);
  }

  /** Closes all tabs. `expected`: complaints that the test provoked. Each must have occurred. */
  async putAway(...expected: readonly RegExp[]): Promise<void> {
    // Before the tabs close: what a page was loading then fails by the closing.
    const complaints = this.#complaints.flat();
    await this.context.close();
    const unexpected = complaints.filter(
      (complaint) => ![...this.tolerated, ...expected].some((pattern) => pattern.test(complaint)),
    );
    expect(unexpected).toEqual([]);
    const missing = expected.filter((pattern) => !complaints.some((text) => pattern.test(text)));
    expect(missing).toEqual([]);
  }
}

/** Chromium's complaint about a document with an error status. */
export function refusedWith(status: number): RegExp {
  return new RegExp(`^${status}: |responded with a status of ${status} `);
}

export function heading(page: Page, text: string, timeoutMs?: number): Promise<void> {
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return page.getByRole('heading', { name: text, level: 1, exact: true }).waitFor(options);
}

/** Selects a method on the first page, in any language. */
export async function choose(page: Page, method: Method, phone?: string): Promise<void> {
  await page.locator('label.method', { has: page.locator(`input[value="${method}"]`) }).click();
  if (phone !== undefined) {
    await page.locator('#phone').fill(phone);
  }
}

/** "Continue", or "Pay" with the amount. */
export function payButton(page: Page): Locator {
  return page.locator('form[action$="/attempts"] button');
}

export function approveButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Approve the payment', exact: true });
}

/** From the first page to the simulator's page. */
export async function startPaying(page: Page, method: Method, phone?: string): Promise<void> {
  await choose(page, method, phone);
  await payButton(page).click();
  await heading(page, 'Payment simulator');
}

/** From the first page to the receipt. */
export async function payWith(page: Page, method: Method): Promise<void> {
  await startPaying(page, method);
  await approveButton(page).click();
  await heading(page, 'Payment successful');
}

/** Takes a picture when they are enabled, and checks that the page is not wider than the screen. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (ARE_PICTURES_WANTED) {
    const path = join(SCREENSHOTS_DIRECTORY, `journey-${name}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
