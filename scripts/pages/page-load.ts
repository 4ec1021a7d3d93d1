import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { PHONE } from './browser.ts';
import { LATENCY_MS, throttle } from './throttling.ts';

/** What the browser says about one load of a page; times since the navigation began. */
export interface PageLoad {
  /** At the socket: DevTools holds the answer up only behind it. */
  readonly responseStartMs: number;
  readonly responseEndMs: number;
  readonly domInteractiveMs: number;
  readonly domContentLoadedMs: number;
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  /** When all of the script was there. */
  readonly scriptEndMs: number;
  /** Sum of all layout shifts. */
  readonly layoutShift: number;
  /**
   * On the screen and whole: the form can be filled in and sent from here on, because the pages work
   * without the script.
   */
  readonly usableMs: number;
  readonly html: Transfer;
  readonly script: Transfer;
}

/** A resource's way over the line. */
export interface Transfer {
  readonly url: string;
  /** Of HTTP; empty for none. */
  readonly encoding: string;
  /** With its headers, as the browser estimates them. */
  readonly transferredBytes: number;
  /** Body as it travelled. */
  readonly encodedBytes: number;
  /** Body as it was made. */
  readonly decodedBytes: number;
}

/** Late enough for the logo's paint and for what the script changes, throttled. */
const SETTLE_MS = 1_000;

/** The entries of the Performance API that are read here, as their `toJSON` has them. */
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
 * Run in the page, and only after the load: an observer that was there from the start would be part
 * of what is measured. What came before it is buffered.
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

/** Loads `url` throttled, with a cold cache, and asks the browser how it went. */
export async function measureLoad(browser: Browser, url: string): Promise<PageLoad> {
  return onFreshPage(browser, async (page) => {
    await throttle(page);
    await page.goto(url, { waitUntil: 'load' });
    await wait(SETTLE_MS);
    return pageLoadOf(await page.evaluate<Entries>(READ_ENTRIES));
  });
}

/** Loads `url` as fast as it goes; measures nothing. */
export async function loadOnce(browser: Browser, url: string): Promise<void> {
  await onFreshPage(browser, async (page) => {
    await page.goto(url, { waitUntil: 'load' });
  });
}

/** A phone that was never here: no cache, no cookie, no open connection. */
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
    // Each one was the largest when it came.
    entries['largest-contentful-paint'].at(-1),
  );
  const script = present(
    'script',
    entries.resource.find(({ initiatorType }) => initiatorType === 'script'),
  );
  if (navigation.responseEnd < LATENCY_MS) {
    throw new Error(`the browser did not throttle: the page came in ${navigation.responseEnd} ms`);
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
    throw new Error(`the browser has no entry for: ${name}`);
  }
  return entry;
}
