import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../../src/i18n/language.ts';
import { complaintsOf, DESKTOP, launchBrowser, PHONE } from '../support/browser.ts';
import { GALLERY, GALLERY_STATES, type GalleryState, startGallery } from '../support/gallery.ts';

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as Language[];

export const SIZES = { phone: PHONE, desktop: DESKTOP } as const satisfies Record<
  string,
  BrowserContextOptions
>;

export type Size = keyof typeof SIZES;

export const SIZE_NAMES = Object.keys(SIZES) as Size[];

/** One case for each state of each size. */
export const STATES_BY_SIZE = SIZE_NAMES.flatMap((size) =>
  GALLERY_STATES.map((state) => ({ size, state })),
);

/** The states that are answers to something wrong. All others are 200. */
const ERROR_STATUS: Readonly<Partial<Record<GalleryState, number>>> = {
  'refused-method': 400,
  'refused-phone-missing': 400,
  'refused-phone-invalid': 400,
  'refused-phone-not-taken': 400,
  'bad-form': 400,
  unknown: 404,
  busy: 429,
  'too-many-tries': 429,
  error: 503,
};

export function statusOf(state: GalleryState): number {
  return ERROR_STATUS[state] ?? 200;
}

/** What a page lets nobody do within this, it does not let anybody do. */
const ACTION_MS_MAX = 5_000;

/** The gallery, and a browser to look at it. */
export interface Stage {
  readonly baseUrl: string;
  /** A browser context that tells of violations of the CSP. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const gallery = await startGallery();
  const browser: Browser = await launchBrowser();
  return {
    baseUrl: gallery.baseUrl,
    context: async (options = {}) => {
      const context = await browser.newContext({ baseURL: gallery.baseUrl, ...options });
      context.setDefaultTimeout(ACTION_MS_MAX);
      await context.addInitScript(() => {
        addEventListener('securitypolicyviolation', (event) => {
          console.error(`violates ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
        });
      });
      return context;
    },
    close: async () => {
      await browser.close();
      await gallery.stop();
    },
  };
}

/** A page that shows a state, and what the browser had to complain about. */
export interface Visit {
  readonly page: Page;
  /** Without the browser's words about the answer itself, where that has to be an error. */
  complaints(): readonly string[];
}

/** A page of its own: what an earlier one still had under way is no complaint of the next. */
export async function visit(
  context: BrowserContext,
  state: GalleryState,
  language: Language = 'en',
): Promise<Visit> {
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const response = await page.goto(addressOf(state, language));
  const status = statusOf(state);
  if (response?.status() !== status) {
    throw new Error(`${state} answered ${response?.status()} instead of ${status}`);
  }
  return {
    page,
    complaints: () => (status < 400 ? complaints : withoutAnswer(complaints, status, page.url())),
  };
}

/** The path in the gallery, as the switch of languages links it. */
export function addressOf(state: GalleryState, language: Language): string {
  return `/${state}?lang=${language}`;
}

/** The very HTML that the gallery's server sends. */
export async function htmlOf(state: GalleryState, language: Language = 'en'): Promise<string> {
  return (await answerOf(state, language)).text();
}

/** The very answer that the gallery's server sends, over https as in production. */
export function answerOf(state: GalleryState, language: Language = 'en'): Promise<Response> {
  const request = new Request(`https://pay.example.com${addressOf(state, language)}`);
  return GALLERY[state](request, `/${state}`);
}

/** An error that the page itself is, is told twice: by Playwright and on the console. */
function withoutAnswer(all: readonly string[], status: number, url: string): readonly string[] {
  const onConsole = `error: Failed to load resource: the server responded with a status of ${status} `;
  return all.filter((told) => told !== `${status}: ${url}` && !told.startsWith(onConsole));
}
