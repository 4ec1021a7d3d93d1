/**
 * `npm run page-speed [-- --runs N] [--port N]`: measures by the browser's performance entries how
 * long a customer with a slow phone on slow 4G waits for the hosted page. Prints Markdown tables;
 * fails when a page's median misses the budget.
 */
import { cpus, loadavg } from 'node:os';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import type { DemoMerchant } from '../scripts/dev/demo-merchant.ts';
import { numberOption } from '../scripts/project/options.ts';
import { withGateway } from './harness/gateway.ts';
import { median } from './harness/quantile.ts';
import { runScript } from './harness/script.ts';
import { launchBrowser } from './pages/browser.ts';
import { chooseTelebirr, createDemoPayment, payToReceipt } from './pages/demo-payment.ts';
import {
  loadOnce,
  measureLoad,
  onFreshPage,
  type PageLoad,
  type Resource,
  usableMs,
} from './pages/page-load.ts';
import {
  CPU_SLOWDOWN,
  DOWNLOAD_KBIT_PER_SECOND,
  LATENCY_MS,
  UPLOAD_KBIT_PER_SECOND,
} from './pages/throttling.ts';

const SCRIPT = {
  usage: 'npm run page-speed',
  about: 'Measures how long a customer with a slow phone on slow 4G waits for the hosted page.',
  options: {
    runs: numberOption('N', 'how often each page loads', 9),
    port: numberOption('PORT', 'where the gateway listens', 8_793),
  },
};

/** Of network and rendering, until the customer can use the page. */
const USABLE_MS_MAX = 1_000;

/**
 * Unthrottled loads of each page before the runs: a cold isolate and the first fonts do not count.
 */
const WARM_UP_LOADS = 5;

/** Longer than any run. */
const EXPIRE_IN_SECONDS = 86_400;

/** The machine's load in the minute before. */
const [loadBefore = Number.NaN] = loadavg();

interface MeasuredPage {
  readonly name: string;
  readonly url: string;
  readonly loads: PageLoad[];
}

/** The rows of each table, in milliseconds. */
const TIMES: Readonly<Record<string, (load: PageLoad) => number>> = {
  'first byte at the socket, not yet throttled (`responseStart`), ms': ({ navigation }) =>
    navigation.responseStart,
  'last byte of the HTML (`responseEnd`), ms': ({ navigation }) => navigation.responseEnd,
  'HTML parsed (`domInteractive`), ms': ({ navigation }) => navigation.domInteractive,
  '`first-contentful-paint`, ms': (load) => load.firstContentfulPaintMs,
  '**usable**: the later of the last two, ms': usableMs,
  '`largest-contentful-paint`, ms': (load) => load.largestContentfulPaintMs,
  'last byte of the script (`responseEnd`), ms': ({ script }) => script.responseEnd,
  'script has run (`domContentLoadedEventEnd`), ms': ({ navigation }) =>
    navigation.domContentLoadedEventEnd,
};

await runScript(SCRIPT, ({ runs, port }) =>
  withGateway(port, async (merchant) => {
    const browser = await launchBrowser();
    try {
      const pages = await preparePages(browser, merchant);
      await measure(browser, pages, runs);
      return report(browser, pages, runs);
    } finally {
      await browser.close();
    }
  }),
);

/** All runs load the same payments, each as a first visit. */
async function preparePages(
  browser: Browser,
  merchant: DemoMerchant,
): Promise<readonly MeasuredPage[]> {
  const checkoutUrl = await createDemoPayment(merchant, EXPIRE_IN_SECONDS);
  const receiptUrl = await createDemoPayment(merchant, EXPIRE_IN_SECONDS);
  await onFreshPage(browser, async (page) => {
    await page.goto(receiptUrl);
    await chooseTelebirr(page);
    await payToReceipt(page);
  });
  return [
    { name: 'first page, English', url: checkoutUrl, loads: [] },
    { name: 'first page, Amharic', url: `${checkoutUrl}?lang=am`, loads: [] },
    { name: 'receipt, English', url: receiptUrl, loads: [] },
  ];
}

async function measure(
  browser: Browser,
  pages: readonly MeasuredPage[],
  runs: number,
): Promise<void> {
  for (const { url } of pages) {
    for (let load = 0; load < WARM_UP_LOADS; load += 1) {
      await loadOnce(browser, url);
    }
  }
  // In turn: a disturbance of the machine affects all pages.
  for (let run = 0; run < runs; run += 1) {
    for (const { url, loads } of pages) {
      loads.push(await measureLoad(browser, url));
    }
  }
}

async function report(
  browser: Browser,
  pages: readonly MeasuredPage[],
  runs: number,
): Promise<boolean> {
  console.log(`Chromium ${browser.version()}, ${cpus().length} cores, wrangler dev on loopback;`);
  console.log(
    `load of the machine before: ${loadBefore.toFixed(1)} (above 0.5 the figures are too high)`,
  );
  console.log(
    `Slow 4G as in Lighthouse's mobile preset: ${LATENCY_MS} ms for each request,` +
      ` ${DOWNLOAD_KBIT_PER_SECOND.toFixed(2)} kbit/s down, ${UPLOAD_KBIT_PER_SECOND} kbit/s up;` +
      ` the processor ${CPU_SLOWDOWN} times slower.`,
  );
  console.log(
    `${runs} runs of each page with a cold cache, after ${WARM_UP_LOADS} unthrottled loads: a cold` +
      ' isolate is not measured.',
  );
  for (const page of pages) {
    reportTimes(page);
  }
  await reportSizes(pages);
  return reportVerdict(pages);
}

function reportTimes({ name, loads }: MeasuredPage): void {
  console.log(`\n| ${name} | median | min | max |\n|---|---:|---:|---:|`);
  for (const [name, timeOf] of Object.entries(TIMES)) {
    const texts = spread(loads.map(timeOf)).map((value) => value.toFixed(0));
    console.log(`| ${name} | ${texts.join(' | ')} |`);
  }
  const shifts = spread(loads.map(({ layoutShift }) => layoutShift));
  console.log(`| layout shift | ${shifts.map((value) => value.toFixed(3)).join(' | ')} |`);
}

/** Median, smallest, largest. */
function spread(values: readonly number[]): readonly number[] {
  return [median(values), Math.min(...values), Math.max(...values)];
}

async function reportSizes(pages: readonly MeasuredPage[]): Promise<void> {
  // `wrangler dev` need not compress as the edge does: the last column shows what gzip makes of it.
  console.log('\n| bytes | transferred | its body | encoding | uncompressed | by `gzip -6` |');
  console.log('|---|---:|---:|---|---:|---:|');
  for (const { name, loads } of pages) {
    const [load] = loads;
    if (load !== undefined) {
      console.log(await sizeRow(`HTML: ${name}`, load.navigation));
    }
  }
  const script = pages[0]?.loads[0]?.script;
  if (script !== undefined) {
    console.log(await sizeRow('script', script));
  }
}

async function sizeRow(name: string, resource: Resource): Promise<string> {
  const { transferSize, encodedBodySize, decodedBodySize } = resource;
  const response = await fetch(resource.name);
  const gzippedBytes = gzipSync(await response.bytes()).byteLength;
  const encoding = resource.contentEncoding === '' ? 'none' : resource.contentEncoding;
  return (
    `| ${name} | ${count(transferSize)} | ${count(encodedBodySize)} | ${encoding} |` +
    ` ${count(decodedBodySize)} | ${count(gzippedBytes)} |`
  );
}

function count(bytes: number): string {
  return bytes.toLocaleString('en');
}

function reportVerdict(pages: readonly MeasuredPage[]): boolean {
  console.log('\n| usable, median | budget | measured | |\n|---|---:|---:|---|');
  const misses = pages.filter(({ name, loads }) => {
    const medianMs = median(loads.map(usableMs));
    const isMet = medianMs <= USABLE_MS_MAX;
    const verdict = isMet ? 'met' : 'MISSED';
    console.log(`| ${name} | ${USABLE_MS_MAX} ms | ${medianMs.toFixed(0)} ms | ${verdict} |`);
    return !isMet;
  });
  return misses.length === 0;
}
