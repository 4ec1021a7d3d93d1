import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { readDocuments } from '../../site/documents.ts';
import { markdownUrlOf, urlOf } from '../../site/markdown.ts';
import { audienceOf, SECTIONS } from '../../site/navigation.ts';
import { Search, type SearchEntry } from '../../site/search.ts';
import { complaintsOf, DESKTOP, launchBrowser, PHONE } from '../support/browser.ts';
import {
  axeViolations,
  lookViolations,
  overflowOf,
  sizeViolations,
} from '../support/page-checks.ts';

/**
 * Goal: the documentation under /docs is complete, accessible and light, and loads nothing from
 * elsewhere. Method: open every page of the shared gateway in Chromium, phone-sized first.
 */

const { baseUrl } = inject('sandbox');
const DOCUMENTS = readDocuments(PROJECT_DIRECTORY).map(({ name }) => name);
const LONGEST_CALL = 'reference/create-a-hosted-payment';
/** The calls' pages are alike. */
const LOOKED_AT = DOCUMENTS.filter(
  (name) => !name.startsWith('reference/') || [LONGEST_CALL, 'reference/objects'].includes(name),
);
/** All pages have one style sheet; these have each kind of element. */
const DARK_DOCUMENTS = ['index', LONGEST_CALL, 'webhooks', 'dashboard'];
/** The whole reference on one page was 69,915. */
const PHONE_PIXELS_MAX = 10_000;
/** What a first visit may cost on a metered phone. */
const FIRST_VISIT_BYTES_MAX = 100_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser.close());

describe('the menu', () => {
  test('names every document once', () => {
    const named = SECTIONS.flatMap(({ documents }) => documents);
    expect([...named].sort()).toEqual(DOCUMENTS.filter((name) => name !== 'index'));
  });
});

describe('pages', () => {
  // One tab for all of them, which has the style sheet and the fonts after the first.
  let page: Page;
  let complaints: string[];
  const foreign: string[] = [];

  beforeAll(async () => {
    page = await browser.newPage({ ...PHONE, colorScheme: 'light' });
    complaints = complaintsOf(page);
    page.on('request', (request) => {
      if (!request.url().startsWith(`${baseUrl}/`)) {
        foreign.push(request.url());
      }
    });
  });

  afterAll(() => page.close());

  test.each(LOOKED_AT)('%s is accessible, fits a phone and loads only from here', async (name) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE.viewport);
    await page.goto(baseUrl + urlOf(name));
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    // A sample such as `<run>` is text, and opens no element.
    expect(await page.locator('pre code :not(span, br)').count()).toBe(0);
    if (DARK_DOCUMENTS.includes(name)) {
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await lookViolations(page)).toEqual([]);
    }
    await page.setViewportSize(DESKTOP.viewport);
    // What only wide windows show looks the same on all pages.
    const violations = name === 'index' ? lookViolations : sizeViolations;
    expect(await violations(page)).toEqual([]);
    expect([...complaints.splice(0), ...foreign.splice(0)]).toEqual([]);
  });

  test('have links that lead somewhere', async () => {
    const pages = new Map<string, string | null>();
    const pageAt = async (path: string): Promise<string | null> => {
      if (!pages.has(path)) {
        const answer = await fetch(baseUrl + path);
        pages.set(path, answer.ok ? await answer.text() : null);
      }
      return pages.get(path) ?? null;
    };
    const dead: string[] = [];
    for (const name of DOCUMENTS) {
      const html = (await pageAt(urlOf(name))) ?? '';
      for (const [, path = '', anchor] of html.matchAll(/href="(\/docs[^"#]*)(?:#([^"]*))?"/g)) {
        const target = await pageAt(path);
        if (target === null || (anchor !== undefined && !target.includes(`id="${anchor}"`))) {
          dead.push(`${name}: ${path}#${anchor ?? ''}`);
        }
      }
    }
    expect(dead).toEqual([]);
  });
});

describe('the first page', () => {
  test('weighs little', async () => {
    const page = await browser.newPage(PHONE);
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => bodies.push(response.body()));
    await page.goto(`${baseUrl}/docs/`, { waitUntil: 'networkidle' });
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_VISIT_BYTES_MAX);
    await page.close();
  });
});

describe('the reference', () => {
  test('has a page for each call, which a phone scrolls quickly, with the calls in its menu', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/payments`);
    expect(await page.locator('#menu').getByText('Read a payment', { exact: true }).count()).toBe(
      0,
    );
    await page.goto(baseUrl + urlOf(LONGEST_CALL));
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThan(PHONE_PIXELS_MAX);
    await page.locator('#menu').getByText('Read a payment', { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Read a payment' }).waitFor();
    await page.getByRole('link', { name: 'Payment', exact: true }).click();
    await page.waitForURL(/\/docs\/reference\/objects#payment$/);
    await page.close();
  });
});

describe('the contents of a page', () => {
  test('are folded on a phone, and beside the page in a wide window, with the part being read', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/payments`);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const link = contents.getByRole('link', { name: '5. Cancel' });
    expect(await link.isVisible()).toBe(false);
    await contents.getByText('On this page').click();
    await link.click();
    await page.waitForURL(/#cancel$/);
    await page.setViewportSize(DESKTOP.viewport);
    await contents.locator('[aria-current]', { hasText: '5. Cancel' }).waitFor();
    const main = await page.locator('main').boundingBox();
    const beside = await contents.boundingBox();
    expect(beside?.x).toBeGreaterThanOrEqual((main?.x ?? 0) + (main?.width ?? 0));
    await page.close();
  });
});

describe('a wide window', () => {
  test('shows the wordmark above the menu, with links home and to the dashboard, and samples beside their fields', async () => {
    const page = await browser.newPage(DESKTOP);
    await page.goto(baseUrl + urlOf(LONGEST_CALL));
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      return box ?? { x: Number.NaN, y: Number.NaN, width: 0 };
    };
    const mark = page.locator('.mark a').first();
    expect(await mark.getAttribute('href')).toBe('/');
    expect((await boxOf('.mark')).x).toBe((await boxOf('.pages')).x);
    expect(await page.locator('.bar').getByText('Dashboard').isVisible()).toBe(true);
    const table = await boxOf('.code + .scroll');
    const sample = await boxOf('.code:has(+ .scroll)');
    expect(sample.y).toBe(table.y);
    expect(sample.x).toBeGreaterThan(table.x + table.width);
    await page.close();
  });
});

describe('tabs', () => {
  test('show one language at a time, remember it on other pages, and open for a link into one', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/payments`);
    const tabs = page.getByRole('tablist').first().getByRole('tab');
    expect(await tabs.allTextContents()).toEqual(['curl', 'TypeScript', 'PHP', 'Python']);
    expect(await page.getByText('new Kefel(').first().isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'curl' }).first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByText('kefel.payments.get').first().isVisible()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${baseUrl}/docs/refunds`);
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(
      Array(4).fill('TypeScript'),
    );
    await page.goto(`${baseUrl}/docs/quick-start#receiver`);
    expect(await page.locator('#receiver').isVisible()).toBe(true);
    expect(await page.locator('#charge').isVisible()).toBe(false);
    await page.goto(`${baseUrl}/docs/quick-start#account`);
    expect(await page.locator('#charge').isVisible()).toBe(true);
    expect(await page.locator('#account').getAttribute('aria-selected')).toBe('true');
    await page.close();
  });

  test('show everything without JavaScript', async () => {
    const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${baseUrl}/docs/payments`);
    for (const text of ['curl', 'TypeScript', 'PHP', 'Python']) {
      expect(await page.locator('.tab-label').getByText(text).first().isVisible()).toBe(true);
    }
    expect(await page.getByText('$kefel->payments->get').isVisible()).toBe(true);
    await context.close();
  });
});

describe('samples', () => {
  test('for merchants call the gateway that serves the page', async () => {
    const merchantsPages = DOCUMENTS.filter((name) => audienceOf(name) === 'merchants');
    for (const name of merchantsPages) {
      for (const url of [urlOf(name), markdownUrlOf(name)]) {
        const text = await (await fetch(baseUrl + url)).text();
        expect([url, text.match(/pay\.example\.com|localhost:8787\b/g)]).toEqual([url, null]);
      }
    }
    const hosted = await (await fetch(`${baseUrl}/docs/payments.md`)).text();
    expect(hosted).toContain(`curl -s ${baseUrl}/api/v1/payment/sandbox/intent`);
    expect(hosted).toContain(`baseUrl: '${baseUrl}'`);
  });

  test('install the command line from the gateway', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kefel-download-'));
    try {
      const archive = await fetch(`${baseUrl}/docs/download/kefel.tgz`);
      await writeFile(join(folder, 'kefel.tgz'), Buffer.from(await archive.arrayBuffer()));
      await promisify(execFile)('tar', ['-xzf', 'kefel.tgz'], { cwd: folder });
      const manifest = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
      const program = join(folder, 'package', manifest.bin.kefel);
      const { stdout } = await promisify(execFile)(process.execPath, [program, '--help']);
      expect(stdout).toMatch(/^kefel .*listen/s);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the search', () => {
  let entries: SearchEntry[] | undefined;

  test.each<[query: string, answer: string]>([
    ['401 unauthorized', 'questions#unauthorized'],
    ['403', 'questions#forbidden'],
    ['409 duplicate', 'questions#duplicate'],
    ['rate limit', 'questions#rate-limit'],
    ['phone number format', 'questions#phone-number'],
    ['phone number must be 9 digits', 'questions#phone-number'],
    ['webhook not received', 'questions#webhook-not-received'],
    ['verify signature', 'webhooks#verify'],
    ['raw body', 'questions#raw-body'],
    ['webhook retry', 'webhooks#retries'],
    ['ip whitelist webhook', 'questions#ip-whitelist'],
    ['test card', 'questions#test-card'],
    ['test payment fails', 'questions#test-fails'],
    ['currency usd', 'questions#currency'],
    ['amount in cents', 'questions#cents'],
    ['commission who pays', 'questions#commission'],
    ['partial refund', 'refunds'],
    ['refund status', 'questions#refund'],
    ['cancel payment', 'reference/cancel-a-payment'],
    ['payment expired but paid', 'questions#expired-but-paid'],
    ['idempotency', 'api#idempotency'],
    ['lost response', 'questions#lost-response'],
    ['list payments of a day', 'questions#day'],
    ['reconcile', 'questions#reconcile'],
    ['go live', 'sandbox#going-live'],
    ['api key rotate', 'questions#rotate-api-key'],
    ['payment link', 'links'],
    ['payout', 'questions#payout'],
    ['woocommerce', 'questions#woocommerce'],
    ['react native', 'embedding#react-native'],
    ['how do I verify a webhook in PHP', 'webhooks#verify'],
    ['refund_too_large', 'errors#refund_too_large'],
    ['refund too large', 'errors#refund_too_large'],
    // Some of the words, where no part has all.
    ['refund constructor', 'refunds'],
    ['settle', 'api#split'],
    ['dispute', 'refunds#paid-twice'],
    ['pagination', 'lists#lists'],
  ])('answers "%s" in its first two results', async (query, answer) => {
    entries ??= await (await fetch(`${baseUrl}/docs/search.json`)).json();
    const found = new Search(entries ?? []).find(query).slice(0, 2);
    const urls = found.map(({ url }) => url.replace(/^\/docs\/|-1$/g, ''));
    expect(urls).toContain(answer);
  });

  test('finds a heading while the reader types, and opens it by Enter', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/`);
    await page.keyboard.press('/');
    await page.keyboard.type('idempot');
    const first = page.getByRole('search').getByRole('link').first();
    await first.waitFor();
    expect(await first.textContent()).toContain('Idempotency');
    expect(await axeViolations(page)).toEqual([]);
    const address = await first.getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${baseUrl}${address}`);
    await page.close();
  });

  test('says when nothing is found', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/`);
    await page.getByRole('searchbox').fill('xyzzyxyzzy');
    await page.getByRole('search').getByRole('status').getByText('Nothing found').waitFor();
    await page.close();
  });
});

describe('for programs', () => {
  const textAt = async (path: string) => (await fetch(baseUrl + path)).text();

  test('llms.txt lists every page, llms-full.txt has every text, both with absolute links', async () => {
    const list = await textAt('/llms.txt');
    const full = await textAt('/llms-full.txt');
    for (const name of DOCUMENTS.filter((document) => document !== 'index')) {
      expect(list).toContain(`](${baseUrl}${markdownUrlOf(name)})`);
      expect(full).toContain(await textAt(markdownUrlOf(name)).then((text) => text.trim()));
    }
  });

  test('llms-merchant.txt has the pages for merchants, no other, and only absolute links', async () => {
    const text = await textAt('/llms-merchant.txt');
    for (const name of DOCUMENTS.filter((document) => document !== 'index')) {
      const isThere = text.includes(`<!-- ${baseUrl}${markdownUrlOf(name)} -->`);
      expect([name, isThere]).toEqual([name, audienceOf(name) === 'merchants']);
    }
    // The reader has an account, not a checkout of Kefel.
    expect(text).not.toContain('npm run webhooks');
    expect(text).not.toContain('## On your machine');
    const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
    const links = [...prose.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target ?? '');
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((target) => !/^(?:https?:\/\/|#)/.test(target))).toEqual([]);
    const own = new Set(links.filter((target) => target.startsWith(baseUrl)).map(withoutHash));
    for (const link of own) {
      expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    }
  });
});

function withoutHash(url: string): string {
  return url.replace(/#.*/, '');
}
