import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { readDocuments } from '../../site/documents.ts';
import { urlOf } from '../../site/markdown.ts';
import { SECTIONS } from '../../site/navigation.ts';
import { complaintsOf, DESKTOP, launchBrowser, PHONE } from '../support/browser.ts';
import { axeViolations, lookViolations, overflowOf } from '../support/page-checks.ts';

/**
 * Goal: the documentation under /docs is complete, accessible and light, and loads nothing from
 * elsewhere. Method: open every page of the shared gateway in Chromium, phone-sized first.
 */

const { baseUrl } = inject('sandbox');
const DOCUMENTS = readDocuments(PROJECT_DIRECTORY).map(({ name }) => name);
/** What a first visit may cost on a metered phone. */
const FIRST_VISIT_BYTES_MAX = 100_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser.close());

describe('the menu', () => {
  it('names every document once', () => {
    const named = SECTIONS.flatMap(({ documents }) => documents);
    expect([...named].sort()).toEqual(DOCUMENTS.filter((name) => name !== 'index'));
  });
});

describe('pages', () => {
  it.each(DOCUMENTS)('%s is accessible, fits a phone and loads only from here', async (name) => {
    const page = await browser.newPage({ ...PHONE, colorScheme: 'light' });
    const complaints = complaintsOf(page);
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${baseUrl}/`)) {
        foreign.push(request.url());
      }
    });
    await page.goto(baseUrl + urlOf(name));
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await lookViolations(page)).toEqual([]);
    await page.setViewportSize(DESKTOP.viewport);
    expect(await lookViolations(page)).toEqual([]);
    expect([...complaints, ...foreign]).toEqual([]);
    await page.close();
  });

  it('have links that lead somewhere', async () => {
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
  it('weighs little', async () => {
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

describe('the search', () => {
  it('finds a heading while the reader types, and opens it by Enter', async () => {
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

  it.each(['refund_too_large', 'refund too large'])('finds an error by "%s"', async (query) => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/`);
    await page.getByRole('searchbox').fill(query);
    const first = page.getByRole('search').getByRole('link').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toContain('errors#refund_too_large');
    await page.close();
  });

  it('says when nothing is found', async () => {
    const page = await browser.newPage(PHONE);
    await page.goto(`${baseUrl}/docs/`);
    await page.getByRole('searchbox').fill('xyzzyxyzzy');
    await page.getByRole('search').getByRole('status').getByText('Nothing found').waitFor();
    await page.close();
  });
});

describe('for programs', () => {
  it('llms.txt lists every page, and llms-full.txt has every text', async () => {
    const list = await (await fetch(`${baseUrl}/llms.txt`)).text();
    const full = await (await fetch(`${baseUrl}/llms-full.txt`)).text();
    for (const name of DOCUMENTS.filter((document) => document !== 'index')) {
      expect(list).toContain(`](${urlOf(name)})`);
    }
    expect(full).toContain(await readFile(join(PROJECT_DIRECTORY, 'docs/decisions.md'), 'utf8'));
  });
});
