import type { Page } from 'playwright-core';
import type { Language } from '../../src/kit/i18n/language.ts';
import type { GalleryState } from '../support/gallery.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { htmlOf } from './support.ts';

/** Checks for every state in every look, with and without JavaScript. */

/** The problems of a page, as printable text. Requires reduced motion. */
export async function faultsOf(
  page: Page,
  state: GalleryState,
  language: Language,
): Promise<readonly string[]> {
  const viewportWidth = page.viewportSize()?.width ?? 0;
  const found = await page.evaluate(
    (width) => ({
      headings: [...document.querySelectorAll('h1')]
        .filter((heading) => heading.checkVisibility({ visibilityProperty: true }))
        .map((heading) => heading.textContent.trim()),
      language: document.documentElement.lang,
      hasTitle: document.title.trim() !== '',
      overflowPixels: Math.max(0, document.documentElement.scrollWidth - width),
      animations: document.getAnimations().length,
    }),
    viewportWidth,
  );
  const right: typeof found = {
    headings: [await expectedHeading(state, language)],
    language: TRANSLATIONS[language].locale,
    hasTitle: true,
    overflowPixels: 0,
    animations: 0,
  };
  return (Object.keys(right) as (keyof typeof right)[])
    .filter((key) => JSON.stringify(found[key]) !== JSON.stringify(right[key]))
    .map((key) => `${key}: ${JSON.stringify(found[key])}, not ${JSON.stringify(right[key])}`);
}

const headings = new Map<string, Promise<string>>();

/** The text of the served heading; never empty. */
function expectedHeading(state: GalleryState, language: Language): Promise<string> {
  const key = `${state} ${language}`;
  const heading = headings.get(key) ?? servedHeading(state, language);
  headings.set(key, heading);
  return heading;
}

async function servedHeading(state: GalleryState, language: Language): Promise<string> {
  const html = await htmlOf(state, language);
  const heading = /<h1>(?:<bdi>)?([^<]*[^<\s][^<]*)</.exec(html)?.[1];
  if (heading === undefined) {
    throw new Error(`${state} has no heading of plain text`);
  }
  return heading.trim();
}

/** Unfolds everything on the page, and shows the phone field. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      details.open = true;
    }
    document.querySelector<HTMLElement>('.needs-phone input')?.click();
  });
}

/** WCAG 2.2, 2.5.8. */
const TARGET_MIN_PIXELS = 24;

/** Links, buttons and fields that are too small for a finger, except links within a sentence. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  await openAll(page);
  return page.evaluate((min) => {
    const isInSentence = (element: Element): boolean =>
      getComputedStyle(element).display === 'inline' &&
      (element.parentElement?.textContent ?? '').trim() !== element.textContent.trim();
    return [...document.querySelectorAll('a, button, input:not([type=hidden]), summary')]
      .map((control) => control.closest('label') ?? control)
      .filter((target) => target.checkVisibility() && !isInSentence(target))
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width < min || box.height < min)
      .map(
        ({ target, box }) =>
          `too small: ${target.outerHTML.slice(0, 80)} ${box.width} × ${box.height}`,
      );
  }, TARGET_MIN_PIXELS);
}
