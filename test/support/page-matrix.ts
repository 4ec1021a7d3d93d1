/**
 * `npm run lab -- page-matrix [--only PATTERN]`: opens every state of every page in each language, and
 * looks at it in both themes, at four widths and with text of twice the size: nothing scrolls sideways
 * or is cut off, and axe finds nothing. The tests have one theme and one language of each page at two
 * widths.
 */
import type { Page } from 'playwright-core';
import { runLabScript } from '../../lab/harness/script.ts';
import { launchBrowser, PHONE } from '../../lab/pages/browser.ts';
import type { Language } from '../../src/kit/i18n/language.ts';
import { bundledGallery } from './bundled-gallery.ts';
import { axeViolations, lookViolations, overflowOf } from './page-checks.ts';

/** The smallest phone, a common one, a tablet and a desktop. */
const WIDTHS = [320, 360, 768, 1280];
const THEMES = ['light', 'dark'] as const;

const SCRIPT = {
  usage: 'npm run lab -- page-matrix',
  about: 'Looks at every state of every page in all languages, themes, widths and sizes of text.',
  options: { only: { value: 'PATTERN', about: 'only states whose name matches' } },
};

await runLabScript(SCRIPT, async ({ only = '' }) => {
  const { startWholeGallery, LANGUAGES_BY_STATE } = await bundledGallery();
  const gallery = await startWholeGallery(0);
  const browser = await launchBrowser();
  const context = await browser.newContext({ baseURL: gallery.baseUrl, reducedMotion: 'reduce' });
  const page = await context.newPage();
  let views = 0;
  let faults = 0;
  for (const [state, languages] of LANGUAGES_BY_STATE) {
    if (!new RegExp(only).test(state)) {
      continue;
    }
    for (const language of languages) {
      const found = await faultsOf(page, state, language);
      views += THEMES.length * (WIDTHS.length + 1);
      faults += found.length;
      for (const fault of found) {
        console.log(`${state}, ${language}, ${fault}`);
      }
    }
  }
  await browser.close();
  await gallery.stop();
  console.log(`${views} views of ${LANGUAGES_BY_STATE.size} states, ${faults} faults`);
  return faults === 0;
});

async function faultsOf(page: Page, state: string, language: Language): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.setViewportSize(PHONE.viewport);
  await page.goto(`/${state}?lang=${language}`);
  faults.push(...(await axeViolations(page)));
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: PHONE.viewport.height });
      const wide = await overflowOf(page);
      if (wide > 0) {
        faults.push(`${colorScheme}, ${width} px: ${wide} px too wide`);
      }
    }
    const looks = await lookViolations(page);
    faults.push(...looks.map((look) => `${colorScheme}, ${WIDTHS.at(-1)} px: ${look}`));
    await page.setViewportSize(PHONE.viewport);
    await setTextSize(page, '200%');
    const wide = await overflowOf(page);
    if (wide > 0) {
      faults.push(`${colorScheme}, text of twice the size: ${wide} px too wide`);
    }
    await setTextSize(page, '');
  }
  return faults;
}

function setTextSize(page: Page, fontSize: string): Promise<void> {
  return page.evaluate((size) => {
    document.documentElement.style.fontSize = size;
  }, fontSize);
}
