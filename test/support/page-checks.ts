import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What every page of ours must be, whichever part shows it. */

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds wrong with the page: rule, element and why, as text to print. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // Through the debugger, which the page's CSP and trusted types do not hold up.
  await page.evaluate(axe.source);
  return page.evaluate(async (tags) => {
    const { axe: injected } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await injected.run({ runOnly: tags, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
    );
  }, AXE_TAGS);
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
