import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../src/i18n/back-office.ts';
import { LANGUAGE_PARAMETER } from '../../src/i18n/language.ts';
import { complaintsOf, SCREENSHOTS_DIRECTORY } from './browser.ts';
import { axeViolations, overflowOf, visibleHeadings } from './page-checks.ts';

/** A kind of device, its colours and its language. */
export interface Look {
  readonly name: string;
  readonly language: BackOfficeLanguage;
  readonly options: BrowserContextOptions;
}

/** Where the focus is. */
interface Stop {
  readonly name: string;
  /** In the window, and under nothing else (WCAG 2.2, 2.4.11). */
  readonly isVisible: boolean;
  readonly isOutlined: boolean;
  readonly isInContent: boolean;
  readonly isAnything: boolean;
}

/** More than any page has. */
const STOPS_MAX = 150;

/** A page of one browser, with what the browser complains of. */
export class Tab {
  readonly page: Page;
  readonly #look: Look;
  readonly #complaints: string[];

  constructor(page: Page, look: Look) {
    this.page = page;
    this.#look = look;
    this.#complaints = complaintsOf(page);
    page.on('dialog', (dialog) => void dialog.accept());
  }

  /** In the look's language. */
  async open(path: string): Promise<void> {
    const separator = path.includes('?') ? '&' : '?';
    await this.page.goto(`${path}${separator}${LANGUAGE_PARAMETER}=${this.#look.language}`);
  }

  /** What is wrong with the page as it stands, and a picture of it for people to look at. */
  async problems(name: string, status = 200): Promise<readonly string[]> {
    const { page } = this;
    const { name: look, language } = this.#look;
    const path = join(SCREENSHOTS_DIRECTORY, `dashboard-${name}-${look}.png`);
    await page.screenshot({ path, fullPage: true });
    const headings = await visibleHeadings(page);
    const overflow = await overflowOf(page);
    const lang = await page.locator('html').getAttribute('lang');
    const wrong = [
      ...(await axeViolations(page)),
      ...this.#takeComplaints(status),
      ...(overflow === 0 ? [] : [`${overflow} px too wide`]),
      ...(headings.length === 1 ? [] : [`headings: ${headings.join(', ')}`]),
      ...(lang === DASHBOARD_TEXTS[language].frame.locale ? [] : [`in ${lang}`]),
    ];
    return wrong.map((problem) => `${look}: ${problem}`);
  }

  /** Where the keyboard's focus is. */
  focused(): Promise<Stop> {
    return this.page.evaluate(async () => {
      // What the focus makes the browser scroll to is in its place with the next picture.
      await new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      });
      const focused = document.activeElement ?? document.body;
      // A stretch of a line that wraps has boxes of its own.
      const [box] = focused.getClientRects();
      const { top = 0, right = 0, bottom = 0, left = 0 } = box ?? {};
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const isUncovered = hit !== null && (focused.contains(hit) || hit.contains(focused));
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      return {
        name: focused.getAttribute('aria-label') ?? focused.textContent.trim(),
        isVisible: isUncovered && top >= 0 && bottom <= innerHeight,
        isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        isInContent: focused.closest('main') !== null,
        isAnything: focused !== document.body,
      };
    });
  }

  /** All places that the focus comes to, from the top of the page to its end. */
  async stops(): Promise<readonly Stop[]> {
    const stops: Stop[] = [];
    while (stops.length < STOPS_MAX) {
      await this.page.keyboard.press('Tab');
      const stop = await this.focused();
      if (!stop.isAnything) {
        return stops;
      }
      stops.push(stop);
    }
    throw new Error(`the focus never leaves the page: ${stops.map(({ name }) => name).join(', ')}`);
  }

  /** Since the last time; a page that is an error itself is told of twice by its browser. */
  #takeComplaints(status: number): readonly string[] {
    const complaints = this.#complaints.splice(0);
    const itself = [`${status}: ${this.page.url()}`];
    const onConsole = `error: Failed to load resource: the server responded with a status of ${status} `;
    const rest = complaints.filter(
      (told) => status < 400 || !(itself.includes(told) || told.startsWith(onConsole)),
    );
    const isAsExpected = status < 400 || rest.length < complaints.length;
    return isAsExpected ? rest : [...rest, `not answered with ${status}`];
  }
}
