import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';

/** Checks for every page, in every part of the product. */

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Rules that depend on sizes, and not only on the document. */
const SIZE_RULES = ['scrollable-region-focusable', 'target-size'];

/** Rules that depend on colors or sizes. Those about colors take the most time of all. */
const LOOK_RULES = ['color-contrast', 'link-in-text-block', ...SIZE_RULES];

/** Half as long as `axe.source`, which browsers parse again for each page. */
const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let axeSource: Promise<string> | null = null;

/** Pages that load axe-core with each document, in a third of the time. */
const prepared = new WeakSet<Page>();

/** The violations that axe-core finds: rule, element and reason, as text. */
export function axeViolations(page: Page): Promise<readonly string[]> {
  return violationsOf(page, { type: 'tag', values: AXE_TAGS });
}

/** The same for a page that axe-core has fully checked with other colors or at another size. */
export function lookViolations(page: Page): Promise<readonly string[]> {
  return violationsOf(page, { type: 'rule', values: LOOK_RULES });
}

/** The same at another size, with colors that axe-core has checked. */
export function sizeViolations(page: Page): Promise<readonly string[]> {
  return violationsOf(page, { type: 'rule', values: SIZE_RULES });
}

async function violationsOf(page: Page, runOnly: RunOnly): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    axeSource ??= readFile(AXE_FILE, 'utf8');
    // The debugger runs it, so the page's CSP and trusted types do not block it.
    await page.evaluate(await axeSource);
    if (!prepared.has(page)) {
      prepared.add(page);
      await page.addInitScript(await axeSource);
    }
  }
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ runOnly: rules, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
    );
  }, runOnly);
}

/** How much wider than the window the page is, in CSS pixels. */
export async function overflowOf(page: Page): Promise<number> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  return Math.max(0, width - (page.viewportSize()?.width ?? 0));
}

/** The texts of all visible first-level headings. */
export async function visibleHeadings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('h1')]
      .filter((heading) => heading.checkVisibility({ visibilityProperty: true }))
      .map((heading) => heading.textContent.trim()),
  );
}

/** The addresses that the page posts to from now on. */
export function postsOf(page: Page): readonly string[] {
  const urls: string[] = [];
  page.on('request', (sent) => sent.method() === 'POST' && urls.push(sent.url()));
  return urls;
}

/** The documents that the page fetches from now on, as `GET /path`. */
export function documentsOf(page: Page): readonly string[] {
  const documents: string[] = [];
  page.on('request', (sent) => {
    if (sent.isNavigationRequest()) {
      documents.push(`${sent.method()} ${new URL(sent.url()).pathname}`);
    }
  });
  return documents;
}
