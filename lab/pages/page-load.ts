import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { PHONE } from './browser.ts';
import { LATENCY_MS, throttle } from './throttling.ts';

/** The browser's measurements of a page load; times count from the start of the navigation. */
export interface PageLoad {
  /** At the socket, before DevTools delays the answer. */
  readonly responseStartMs: number;
  readonly responseEndMs: number;
  readonly domInteractiveMs: number;
  readonly domContentLoadedMs: number;
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  /** When the script has arrived completely. */
  readonly scriptEndMs: number;
  /** Sum of all layout shifts. */
  readonly layoutShift: number;
  /**
   * When the page is visible and complete. From then on, the customer can fill in and send the
   * form, because the pages work without the script.
   */
  readonly usableMs: number;
  readonly html: Transfer;
  readonly script: Transfer;
}

/** The transfer of one resource. */
export interface Transfer {
  readonly url: string;
  /** HTTP content encoding; empty for none. */
  readonly encoding: string;
  /** Includes the headers, whose size the browser estimates. */
  readonly transferredBytes: number;
  /** The encoded body. */
  readonly encodedBytes: number;
  /** The decoded body. */
  readonly decodedBytes: number;
}

/** Enough for the logo's paint and the script's changes while throttled. */
const SETTLE_MS = 1_000;

/** The fields that we read from the Performance API's entries, as `toJSON` returns them. */
interface Entries {
  readonly navigation: readonly (ResourceEntry & {
    readonly responseStart: number;
    readonly domInteractive: number;
    readonly domContentLoadedEventEnd: number;
  })[];
  readonly paint: readonly { readonly name: string; readonly startTime: number }[];
  readonly 'largest-contentful-paint': readonly { readonly startTime: number }[];
  readonly resource: readonly ResourceEntry[];
  readonly 'layout-shift': readonly { readonly value: number }[];
}

interface ResourceEntry {
  readonly name: string;
  readonly initiatorType: string;
  readonly contentEncoding: string;
  readonly responseEnd: number;
  readonly transferSize: number;
  readonly encodedBodySize: number;
  readonly decodedBodySize: number;
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
  const firstContentfulPaint = present(
    'first-contentful-paint',
    entries.paint.find(({ name }) => name === 'first-contentful-paint'),
  );
  const largestContentfulPaint = present(
    'largest-contentful-paint',
    // Each entry was the largest paint at its time.
    entries['largest-contentful-paint'].at(-1),
  );
  const script = present(
    'script',
    entries.resource.find(({ initiatorType }) => initiatorType === 'script'),
  );
  if (navigation.responseEnd < LATENCY_MS) {
    throw new Error(
      `The browser did not throttle: the page arrived in ${navigation.responseEnd} ms`,
    );
  }
  return {
    responseStartMs: navigation.responseStart,
    responseEndMs: navigation.responseEnd,
    domInteractiveMs: navigation.domInteractive,
    domContentLoadedMs: navigation.domContentLoadedEventEnd,
    firstContentfulPaintMs: firstContentfulPaint.startTime,
    largestContentfulPaintMs: largestContentfulPaint.startTime,
    scriptEndMs: script.responseEnd,
    layoutShift: entries['layout-shift'].reduce((sum, { value }) => sum + value, 0),
    usableMs: Math.max(firstContentfulPaint.startTime, navigation.domInteractive),
    html: transferOf(navigation),
    script: transferOf(script),
  };
}

function transferOf(entry: ResourceEntry): Transfer {
  return {
    url: entry.name,
    encoding: entry.contentEncoding,
    transferredBytes: entry.transferSize,
    encodedBytes: entry.encodedBodySize,
    decodedBytes: entry.decodedBodySize,
  };
}

function present<Entry>(name: string, entry: Entry | undefined): Entry {
  if (entry === undefined) {
    throw new Error(`The browser has no entry for ${name}`);
  }
  return entry;
}
