import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { PHONE } from './browser.ts';
import { LATENCY_MS, throttle } from './throttling.ts';

/** The browser's measurements of a page load; times count from the start of the navigation. */
export interface PageLoad {
  readonly navigation: Navigation;
  readonly script: Resource;
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  /** Sum of all layout shifts. */
  readonly layoutShift: number;
}

/** The fields that we read of the Performance API's entries. */
export interface Resource {
  readonly name: string;
  readonly initiatorType: string;
  /** Empty for none. */
  readonly contentEncoding: string;
  readonly responseEnd: number;
  /** Includes the headers, whose size the browser estimates. */
  readonly transferSize: number;
  readonly encodedBodySize: number;
  readonly decodedBodySize: number;
}

interface Navigation extends Resource {
  /** At the socket, before DevTools delays the answer. */
  readonly responseStart: number;
  readonly domInteractive: number;
  readonly domContentLoadedEventEnd: number;
}

/**
 * When the page is visible and complete. From then on, the customer can fill in and send the form,
 * because the pages work without the script.
 */
export function usableMs({ navigation, firstContentfulPaintMs }: PageLoad): number {
  return Math.max(firstContentfulPaintMs, navigation.domInteractive);
}

/** Enough for the logo's paint and the script's changes while throttled. */
const SETTLE_MS = 1_000;

/** As `toJSON` returns them. */
interface Entries {
  readonly navigation: readonly Navigation[];
  readonly paint: readonly { readonly name: string; readonly startTime: number }[];
  readonly 'largest-contentful-paint': readonly { readonly startTime: number }[];
  readonly resource: readonly Resource[];
  readonly 'layout-shift': readonly { readonly value: number }[];
}

/**
 * Runs in the page after the load, because an earlier observer would slow down the page. The
 * browser buffers earlier entries.
 */
const READ_ENTRIES = `(() => {
  const entriesOf = (type) => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type, buffered: true });
    const entries = observer.takeRecords();
    observer.disconnect();
    return entries.map((entry) => entry.toJSON());
  };
  const types = ['navigation', 'paint', 'largest-contentful-paint', 'resource', 'layout-shift'];
  return Object.fromEntries(types.map((type) => [type, entriesOf(type)]));
})()`;

/** Loads `url` throttled and with an empty cache, and returns the browser's measurements. */
export async function measureLoad(browser: Browser, url: string): Promise<PageLoad> {
  return onFreshPage(browser, async (page) => {
    await throttle(page);
    await page.goto(url, { waitUntil: 'load' });
    await wait(SETTLE_MS);
    return pageLoadOf(await page.evaluate<Entries>(READ_ENTRIES));
  });
}

/** Loads `url` without throttling or measuring. */
export async function loadOnce(browser: Browser, url: string): Promise<void> {
  await onFreshPage(browser, async (page) => {
    await page.goto(url, { waitUntil: 'load' });
  });
}

/** Opens a page like a phone's first visit: no cache, no cookie, no open connection. */
export async function onFreshPage<Result>(
  browser: Browser,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ ...PHONE, deviceScaleFactor: 2, locale: 'en-US' });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

function pageLoadOf(entries: Entries): PageLoad {
  const navigation = present('navigation', entries.navigation.at(0));
  if (navigation.responseEnd < LATENCY_MS) {
    throw new Error(
      `The browser did not throttle: the page arrived in ${navigation.responseEnd} ms`,
    );
  }
  const firstPaint = entries.paint.find(({ name }) => name === 'first-contentful-paint');
  // Each entry was the largest paint at its time.
  const largestPaint = entries['largest-contentful-paint'].at(-1);
  const script = entries.resource.find(({ initiatorType }) => initiatorType === 'script');
  return {
    navigation,
    script: present('script', script),
    firstContentfulPaintMs: present('first-contentful-paint', firstPaint).startTime,
    largestContentfulPaintMs: present('largest-contentful-paint', largestPaint).startTime,
    layoutShift: entries['layout-shift'].reduce((sum, { value }) => sum + value, 0),
  };
}

function present<Entry>(name: string, entry: Entry | undefined): Entry {
  if (entry === undefined) {
    throw new Error(`The browser has no entry for ${name}`);
  }
  return entry;
}
