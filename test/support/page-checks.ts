import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';

/** What every page of ours must be, whichever part shows it. */

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules whose outcome depends on colors or on sizes, and not on the document alone. */
const LOOK_RULES = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

/** Half as long as `axe.source`: browsers read it again for each page. */
const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let axeSource: Promise<string> | null = null;

/** What axe-core finds wrong with the page: rule, element and why, as text to print. */
export function axeViolations(page: Page): Promise<readonly string[]> {
  return violationsOf(page, { type: 'tag', values: AXE_TAGS });
}

/** The same for a page that axe-core has seen whole in other colors or at another size. */
export function lookViolations(page: Page): Promise<readonly string[]> {
  return violationsOf(page, { type: 'rule', values: LOOK_RULES });
}

async function violationsOf(page: Page, runOnly: RunOnly): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    axeSource ??= readFile(AXE_FILE, 'utf8');
    // The debugger runs it, which the page's CSP and trusted types do not stop.
    await page.evaluate(await axeSource);
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

/** The texts of all visible headings of the first level. */
export async function visibleHeadings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('h1')]
      .filter((heading) => heading.checkVisibility({ visibilityProperty: true }))
      .map((heading) => heading.textContent.trim()),
  );
}
