import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Language } from '../../src/kit/i18n/language.ts';
import { complaintsOf, DESKTOP, launchBrowser, PHONE } from '../support/browser.ts';
import { GALLERY, type Gallery, type GalleryState, startGallery } from '../support/gallery.ts';
import { TRANSLATIONS } from '../support/translations.ts';

export const LANGUAGE_CODES = Object.keys(TRANSLATIONS) as Language[];

export const SIZES = { phone: PHONE, desktop: DESKTOP } as const satisfies Record<
  string,
  BrowserContextOptions
>;

/** The same screens, zoomed to 200 %. */
export const HALF_SIZES = {
  phone: { viewport: { width: 180, height: 370 }, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
} as const satisfies Record<string, BrowserContextOptions>;

export const SIZE_NAMES = Object.keys(SIZES) as (keyof typeof SIZES)[];

/** The states with an error status. All others are 200. */
const ERROR_STATUS: Readonly<Partial<Record<GalleryState, number>>> = {
  'bad-form': 400,
  unknown: 404,
  'receipt-over': 410,
  lost: 404,
  busy: 429,
  error: 503,
  'link-off': 410,
  'link-over': 410,
  'link-sold-out': 410,
  'link-reserved': 410,
  'link-of-nobody': 410,
};

export function statusOf(state: GalleryState): number {
  return ERROR_STATUS[state] ?? 200;
}

/** Playwright's time limit for an action that the page does not allow. */
const ACTION_MS_MAX = 60_000;

/** The gallery, and a browser for it. */
export interface Stage {
  readonly baseUrl: string;
  /** A browser context that reports violations of the CSP. One that a test opens closes with it. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
}

/** The stage of a file: the customers' pages, or those of `pages`. */
export function useStage(pages: Gallery = GALLERY): Stage {
  let gallery: Awaited<ReturnType<typeof startGallery>> | undefined;
  let browser: Browser | undefined;
  let ofTest: BrowserContext[] = [];
  beforeAll(async () => {
    gallery = await startGallery(pages);
    browser = await launchBrowser();
  });
  beforeEach(() => {
    ofTest = [];
  });
  afterEach(async () => {
    await Promise.all(ofTest.map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await gallery?.stop();
  });
  return {
    get baseUrl() {
      return gallery?.baseUrl ?? '';
    },
    context: async (options = {}) => {
      if (gallery === undefined || browser === undefined) {
        throw new Error('the stage has not started');
      }
      const context = await browser.newContext({ baseURL: gallery.baseUrl, ...options });
      ofTest.push(context);
      context.setDefaultTimeout(ACTION_MS_MAX);
      await context.addInitScript(() => {
        addEventListener('securitypolicyviolation', (event) => {
          console.error(`violates ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
        });
      });
      return context;
    },
  };
}

/** A tab that opens one state after another; a new tab takes three times as long. */
export class Tab {
  readonly page: Page;
  readonly #complaints: string[];
  #isLeaving = false;
  #status = 200;

  private constructor(page: Page) {
    this.page = page;
    this.#complaints = complaintsOf(page);
    page.on('framenavigated', () => {
      if (this.#isLeaving) {
        // The navigation cancels requests of the state before: not errors of this one.
        this.#complaints.length = 0;
        this.#isLeaving = false;
      }
    });
  }

  /** `isStill`: the page's script neither polls nor returns to the merchant. */
  static async start(context: BrowserContext, { isStill = false } = {}): Promise<Tab> {
    const page = await context.newPage();
    if (isStill) {
      await page.addInitScript(dropSlowTimers, SLOW_TIMER_MS);
    }
    return new Tab(page);
  }

  async open(state: GalleryState, language: Language = 'en'): Promise<void> {
    this.#isLeaving = true;
    this.#status = statusOf(state);
    const response = await this.page.goto(addressOf(state, language));
    if (response?.status() !== this.#status) {
      throw new Error(`${state} answered ${response?.status()} instead of ${this.#status}`);
    }
  }

  /** The errors of the open state. The page's own error status does not count. */
  complaints(): readonly string[] {
    return this.#status < 400
      ? this.#complaints
      : withoutAnswer(this.#complaints, this.#status, this.page.url());
  }
}

/** The script's timers for polling and returning are at least this long. */
const SLOW_TIMER_MS = 500;

/** Runs in the page, before its own script. */
function dropSlowTimers(slowMs: number): void {
  const schedule = globalThis.setTimeout;
  const scheduleFast = (handler: () => void, delayMs = 0) =>
    delayMs < slowMs ? schedule(handler, delayMs) : 0;
  Object.assign(globalThis, { setTimeout: scheduleFast });
}

/** A state in its own tab. */
export async function visit(
  context: BrowserContext,
  state: GalleryState,
  language: Language = 'en',
): Promise<Page> {
  const tab = await Tab.start(context);
  await tab.open(state, language);
  return tab.page;
}

/** The path in the gallery, as the language switch links it. */
export function addressOf(state: GalleryState, language: Language): string {
  return `/${state}?lang=${language}`;
}

/** The HTML that the gallery's server sends. */
export async function htmlOf(state: GalleryState, language: Language = 'en'): Promise<string> {
  return (await answerOf(state, language)).text();
}

/** The response that the gallery's server sends, over https as in production. */
export function answerOf(state: GalleryState, language: Language = 'en'): Promise<Response> {
  const request = new Request(`https://pay.example.com${addressOf(state, language)}`);
  return GALLERY[state](request, `/${state}`);
}

/** Chromium reports a page with an error status twice: as a response and on the console. */
function withoutAnswer(all: readonly string[], status: number, url: string): readonly string[] {
  const onConsole = `error: Failed to load resource: the server responded with a status of ${status} `;
  return all.filter((told) => told !== `${status}: ${url}` && !told.startsWith(onConsole));
}
