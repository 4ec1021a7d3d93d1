import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../back-office/i18n/texts.ts';
import { LANGUAGE_PARAMETER } from '../../src/kit/i18n/language.ts';
import { ARE_PICTURES_WANTED, complaintsOf, PHONE, SCREENSHOTS_DIRECTORY } from './browser.ts';
import { axeViolations, overflowOf, visibleHeadings } from './page-checks.ts';

/** The window's size and colors, and the page's language. */
export interface Look {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly language: BackOfficeLanguage;
}

/** `test/browser/back-office.test.ts` has more sizes, and checks colors in both themes. */
export const LOOKS = [
  { name: 'phone', viewport: PHONE.viewport, colorScheme: 'light', language: 'en' },
  { name: 'phone-dark', viewport: PHONE.viewport, colorScheme: 'dark', language: 'am' },
] as const satisfies readonly Look[];

/** The element with the focus. */
interface Stop {
  readonly name: string;
  /** Inside the window and not covered (WCAG 2.2, 2.4.11). */
  readonly isVisible: boolean;
  readonly isOutlined: boolean;
  readonly isInContent: boolean;
  readonly isAnything: boolean;
}

/** More than any page has. */
const STOPS_MAX = 150;

/** A page of one browser, with the browser's complaints. */
export class Tab {
  readonly page: Page;
  readonly #complaints: string[];
  #look: Look = LOOKS[0];

  constructor(page: Page) {
    this.page = page;
    this.#complaints = complaintsOf(page);
  }

  /** In the first look. */
  async open(path: string): Promise<void> {
    await this.#show(LOOKS[0]);
    await this.#load(path);
  }

  /** The problems of the page at `path`, in each look. */
  async openInEachLook(path: string, name: string, status = 200): Promise<readonly string[]> {
    await this.open(path);
    const wrong = [...(await this.problems(name, status))];
    for (const look of LOOKS.slice(1)) {
      await this.#show(look);
      await this.#load(path);
      wrong.push(...(await this.#problems(name, this.#takeComplaints(status))));
    }
    return wrong;
  }

  /** The problems of the page that was just loaded. */
  async problems(name: string, status = 200): Promise<readonly string[]> {
    const violations = await axeViolations(this.page);
    return this.#problems(name, [...this.#takeComplaints(status), ...violations]);
  }

  async #show(look: Look): Promise<void> {
    this.#look = look;
    await this.page.emulateMedia({ colorScheme: look.colorScheme });
    await this.page.setViewportSize(look.viewport);
  }

  async #load(path: string): Promise<void> {
    const separator = path.includes('?') ? '&' : '?';
    await this.page.goto(`${path}${separator}${LANGUAGE_PARAMETER}=${this.#look.language}`);
  }

  /** `found` and further problems; takes a picture when there are any. */
  async #problems(name: string, found: readonly string[]): Promise<readonly string[]> {
    const { page } = this;
    const { name: look, language } = this.#look;
    const headings = await visibleHeadings(page);
    const overflow = await overflowOf(page);
    const lang = await page.locator('html').getAttribute('lang');
    const wrong = [
      ...found,
      ...(overflow === 0 ? [] : [`${overflow} px too wide`]),
      ...(headings.length === 1 ? [] : [`headings: ${headings.join(', ')}`]),
      ...(lang === DASHBOARD_TEXTS[language].frame.locale ? [] : [`in ${lang}`]),
    ];
    if (wrong.length > 0 || ARE_PICTURES_WANTED) {
      const path = join(SCREENSHOTS_DIRECTORY, `dashboard-${name}-${look}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    return wrong.map((problem) => `${look}: ${problem}`);
  }

  /** Where the keyboard's focus is. */
  focused(): Promise<Stop> {
    return this.page.evaluate(async () => {
      // The browser has scrolled to the focused element by the next frame.
      await new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      });
      const focused = document.activeElement ?? document.body;
      // Each part of a wrapped line has its own box.
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

  /** Every element that the Tab key reaches, from the top of the page to its end. */
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

  /**
   * Since the last call. The browser reports a page with an error status twice, which is expected.
   */
  #takeComplaints(status: number): readonly string[] {
    const complaints = this.#complaints.splice(0);
    const itself = [`${status}: ${this.page.url()}`];
    const onConsole = `error: Failed to load resource: the server responded with a status of ${status} `;
    const rest = complaints.filter(
      (complaint) =>
        status < 400 || !(itself.includes(complaint) || complaint.startsWith(onConsole)),
    );
    const isAsExpected = status < 400 || rest.length < complaints.length;
    return isAsExpected ? rest : [...rest, `not answered with ${status}`];
  }
}
