/**
 * `npm run lab -- page-speed [--runs N] [--port N]`: measures by the browser's performance entries how
 * long a customer with a slow phone on slow 4G waits for the hosted page. Prints Markdown tables;
 * fails when a page's median misses the budget.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { numberOption } from '../scripts/project/options.ts';
import { withGateway } from './harness/gateway.ts';
import { median } from './harness/quantile.ts';
import { runLabScript } from './harness/script.ts';
import { launchBrowser, PHONE } from './pages/browser.ts';
import {
  chooseTelebirr,
  createDemoPayment,
  openSimulator,
  payToReceipt,
} from './pages/demo-payment.ts';

const SCRIPT = {
  usage: 'npm run lab -- page-speed',
  about: 'Measures how long a customer with a slow phone on slow 4G waits for the hosted page.',
  options: {
    runs: numberOption('N', 'how often each page loads', 9),
    port: numberOption('PORT', 'where the gateway listens', 8_793),
  },
};

/** The time of network and rendering until the customer can use the page. */
const USABLE_MS_MAX = 1_000;
/** Unthrottled loads of each page before the runs: a cold isolate and the first fonts do not count. */
const WARM_UP_LOADS = 5;
/** Longer than any run. */
const EXPIRE_IN_SECONDS = 86_400;
/** Enough for the logo's paint and the script's changes while throttled. */
const SETTLE_MS = 1_000;

/**
 * Slow 4G and the slow processor as in Lighthouse's mobile preset, applied by DevTools:
 * `throttling.mobileSlow4G` in its core/config/constants.js. The line has a round trip of 150 ms and
 * 1.6 Mbit/s down, 750 kbit/s up. DevTools delays whole requests and ignores handshakes and packets,
 * hence Lighthouse's factors of 3.75 and 0.9. Its kbit has 1,024 bits (core/lib/emulation.js).
 */
const LATENCY_MS = 150 * 3.75;
const BYTES_PER_KBIT = 1024 / 8;
const NETWORK = {
  offline: false,
  latency: LATENCY_MS,
  downloadThroughput: Math.floor(1.6 * 1024 * 0.9 * BYTES_PER_KBIT),
  uploadThroughput: Math.floor(750 * 0.9 * BYTES_PER_KBIT),
};
const CPU_SLOWDOWN = 4;

/** The machine's load in the minute before. */
const [loadBefore = Number.NaN] = loadavg();

/**
 * Runs in the page after the load, because an earlier observer would slow down the page. The
 * browser buffers earlier entries. Each paint's entry was the largest one at its time.
 */
const READ_FIGURES = `(() => {
  const entriesOf = (type) => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type, buffered: true });
    const entries = observer.takeRecords();
    observer.disconnect();
    return entries;
  };
  const [html] = entriesOf('navigation');
  const script = entriesOf('resource').find((entry) => entry.initiatorType === 'script');
  const painted = entriesOf('paint').find((entry) => entry.name === 'first-contentful-paint');
  return {
    'first byte at the socket, not yet throttled (\`responseStart\`), ms': html.responseStart,
    'last byte of the HTML (\`responseEnd\`), ms': html.responseEnd,
    'HTML parsed (\`domInteractive\`), ms': html.domInteractive,
    '\`first-contentful-paint\`, ms': painted.startTime,
    '**usable**: the later of the last two, ms': Math.max(html.domInteractive, painted.startTime),
    '\`largest-contentful-paint\`, ms': entriesOf('largest-contentful-paint').at(-1).startTime,
    'last byte of the script (\`responseEnd\`), ms': script.responseEnd,
    'script has run (\`domContentLoadedEventEnd\`), ms': html.domContentLoadedEventEnd,
    'layout shifts': entriesOf('layout-shift').reduce((sum, { value }) => sum + value, 0),
    'HTML, transferred bytes': html.transferSize,
    'HTML, uncompressed bytes': html.decodedBodySize,
    'script, transferred bytes': script.transferSize,
    'script, uncompressed bytes': script.decodedBodySize,
  };
})()`;

/**
 * The browser's figures of a page load; times count from the start of the navigation. A usable page
 * is visible and complete: the customer can send its form, because pages work without the script.
 */
type Figures = Readonly<Record<string, number>>;

await runLabScript(SCRIPT, ({ runs, port }) =>
  withGateway(port, async (merchant) => {
    const browser = await launchBrowser();
    try {
      // All runs load the same payments, each as a first visit.
      const checkoutUrl = await createDemoPayment(merchant, EXPIRE_IN_SECONDS);
      const receiptUrl = await createDemoPayment(merchant, EXPIRE_IN_SECONDS);
      await onFreshPage(browser, async (page) => {
        await page.goto(receiptUrl);
        await chooseTelebirr(page);
        await openSimulator(page);
        await payToReceipt(page);
      });
      const pages = [
        { name: 'first page, English', url: checkoutUrl, loads: [] as Figures[] },
        { name: 'first page, Amharic', url: `${checkoutUrl}?lang=am`, loads: [] as Figures[] },
        { name: 'receipt, English', url: receiptUrl, loads: [] as Figures[] },
      ];
      // In turn: a disturbance of the machine affects all pages.
      for (let run = -WARM_UP_LOADS; run < runs; run += 1) {
        for (const { url, loads } of pages) {
          const figures = await onFreshPage(browser, (page) => load(page, url, run >= 0));
          loads.push(...(run >= 0 ? [figures] : []));
        }
      }
      console.log(
        `Chromium ${browser.version()}, ${cpus().length} cores, wrangler dev on loopback; load of` +
          ` the machine before: ${loadBefore.toFixed(1)} (above 0.5 the figures are too high).\n` +
          `${runs} runs of each page with a cold cache, after ${WARM_UP_LOADS} unthrottled loads: a` +
          ' cold isolate is not measured.',
      );
      return pages.map(({ name, loads }) => isFastEnough(name, loads)).every(Boolean);
    } finally {
      await browser.close();
    }
  }),
);

/** Opens a page like a phone's first visit: no cache, no cookie, no open connection. */
async function onFreshPage<Result>(
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

async function load(page: Page, url: string, isThrottled: boolean): Promise<Figures> {
  if (isThrottled) {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  }
  await page.goto(url, { waitUntil: 'load' });
  await wait(SETTLE_MS);
  return page.evaluate<Figures>(READ_FIGURES);
}

/** Prints a page's figures, and whether its median meets the budget. */
function isFastEnough(name: string, loads: readonly Figures[]): boolean {
  console.log(`\n| ${name} | median | min | max |\n|---|---:|---:|---:|`);
  const medians = Object.keys(loads[0] ?? {}).map((figure) => {
    const values = loads.map((figures) => figures[figure] ?? Number.NaN);
    const row = [median(values), Math.min(...values), Math.max(...values)];
    console.log(`| ${[figure, ...row.map((value) => Number(value.toFixed(3)))].join(' | ')} |`);
    return [figure, median(values)] as const;
  });
  const [, usableMs = Number.NaN] = medians.find(([figure]) => figure.includes('usable')) ?? [];
  const [, htmlMs = 0] = medians.find(([figure]) => figure.includes('of the HTML')) ?? [];
  if (htmlMs < LATENCY_MS) {
    throw new Error(`The browser did not throttle: the page arrived in ${htmlMs} ms`);
  }
  const isMet = usableMs <= USABLE_MS_MAX;
  console.log(
    `\nusable after ${usableMs.toFixed(0)} ms of ${USABLE_MS_MAX} ms: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}
