import { join as joinPath } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { localSecrets } from '../../scripts/local-secrets.ts';
import { frameWords } from '../../src/dashboard/frame-words.ts';
import type { DashboardLanguage } from '../../src/dashboard/words.ts';
import { LANGUAGE_PARAMETER } from '../../src/pages/language.ts';
import { complaintsOf, DESKTOP, launchBrowser, PHONE, SCREENSHOTS_DIRECTORY } from './browser.ts';
import { heading } from './e2e-customer.ts';
import { equip, goTo, join, pressButton } from './e2e-dashboard.ts';
import { createPayments, type Payments } from './e2e-dashboard-data.ts';
import { linkIn, operate } from './e2e-operator.ts';
import { eventually, type Scene, startScene } from './e2e-scene.ts';
import { axeViolations, overflowOf, visibleHeadings } from './page-checks.ts';

/** A gateway whose dashboard and desk have something on every page, and eyes to look at them. */
export interface DashboardStage {
  readonly scene: Scene;
  readonly things: Things;
  /** The page at `path` in a tab of its own kind; what is wrong with it, in each look. */
  inEachLook(
    name: string,
    wanted: { readonly who: Who; readonly path: string; readonly status?: number },
  ): Promise<readonly string[]>;
  /** Puts an answer that nobody can provoke at `path`, among the gateway's own. */
  serve(path: string, answer: Answer): void;
  /** A tab of the first look. */
  tab(who: Who): Promise<Tab>;
  close(): Promise<void>;
}

type Answer = (request: Request) => Response;

export type Who = 'owner' | 'nobody' | 'operator';

/** What there is to look at. */
export interface Things {
  readonly payments: Payments;
  /** Path of the event of a payment. */
  readonly eventPath: (uniqueId: string) => string;
  readonly keyPath: string;
  readonly ownerPath: string;
  readonly viewerPath: string;
  /** Path of an invitation that nobody has used. */
  readonly joinPath: string;
}

interface Look {
  readonly name: string;
  readonly language: DashboardLanguage;
  readonly options: BrowserContextOptions;
}

const LOOKS = [
  { name: 'phone-light-en', language: 'en', options: { ...PHONE, colorScheme: 'light' } },
  { name: 'phone-dark-am', language: 'am', options: { ...PHONE, colorScheme: 'dark' } },
  { name: 'desktop-light-en', language: 'en', options: { ...DESKTOP, colorScheme: 'light' } },
] as const satisfies readonly Look[];

const MERCHANT_NAME = 'Demo Shop';
const OPERATOR_NAME = 'operator';

export async function startDashboardStage(): Promise<DashboardStage> {
  const scene = await startScene();
  const browser = await launchBrowser();
  const { baseUrl } = scene.gateway;
  const { cookies, things } = await prepare(scene, browser);
  const served = new Map<string, Answer>();
  const tabs = new Map<string, Promise<Tab>>();
  const tabOf = (who: Who, look: Look) => {
    const name = `${who} ${look.name}`;
    const tab = tabs.get(name) ?? openTab(who, look);
    tabs.set(name, tab);
    return tab;
  };
  const openTab = async (who: Who, look: Look) => {
    const context = await browser.newContext({
      ...look.options,
      baseURL: baseUrl,
      ...(who === 'operator' ? { httpCredentials: await operatorCredentials() } : {}),
    });
    await context.addCookies(who === 'owner' ? cookies : []);
    await context.route(
      ({ pathname }) => served.has(pathname),
      async (route) => route.fulfill(await fulfilment(served, route.request().url())),
    );
    return new Tab(await context.newPage(), look);
  };
  return {
    scene,
    things,
    inEachLook: async (name, { who, path, status = 200 }) => {
      const wrong: string[] = [];
      for (const look of LOOKS) {
        const tab = await tabOf(who, look);
        await tab.open(path);
        wrong.push(...(await tab.problems(name, status)));
      }
      return wrong;
    },
    serve: (path, answer) => served.set(path, answer),
    tab: (who) => tabOf(who, LOOKS[0]),
    close: async () => {
      await browser.close();
      await scene.close();
    },
  };
}

async function fulfilment(served: ReadonlyMap<string, Answer>, url: string) {
  const response = served.get(new URL(url).pathname)?.(new Request(url));
  return {
    status: response?.status ?? 404,
    headers: Object.fromEntries(response?.headers ?? []),
    body: (await response?.text()) ?? '',
  };
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** What is typed when the browser asks. */
async function operatorCredentials() {
  const { OPERATOR_SECRETS } = await localSecrets();
  return { username: OPERATOR_NAME, password: OPERATOR_SECRETS.split(',')[0] ?? '' };
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
    const path = joinPath(SCREENSHOTS_DIRECTORY, `dashboard-${name}-${look}.png`);
    await page.screenshot({ path, fullPage: true });
    const headings = await visibleHeadings(page);
    const overflow = await overflowOf(page);
    const lang = await page.locator('html').getAttribute('lang');
    const wrong = [
      ...(await axeViolations(page)),
      ...this.#takeComplaints(status),
      ...(overflow === 0 ? [] : [`${overflow} px too wide`]),
      ...(headings.length === 1 ? [] : [`headings: ${headings.join(', ')}`]),
      ...(lang === frameWords[language].locale ? [] : [`in ${lang}`]),
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

/** Payments, keys, an owner who is signed in, a viewer, and links that nobody has used. */
async function prepare(
  scene: Scene,
  browser: Browser,
): Promise<{ readonly cookies: Cookies; readonly things: Things }> {
  const { merchantId } = scene.gateway.merchant;
  const context = await browser.newContext({ ...PHONE, baseURL: scene.gateway.baseUrl });
  const page = await context.newPage();
  await equip(page);
  const invite = (who: string, name: string, ...more: readonly string[]) =>
    operate(scene.gateway.baseUrl, who, 'invite', merchantId, '--name', name, ...more);
  const [payments, ownersLink] = await Promise.all([
    createPayments(scene),
    invite('owner', 'Abebe Kebede').then(linkIn),
  ]);
  await join(page, ownersLink, MERCHANT_NAME);
  await admitViewer(browser, linkIn(await invite('member', 'Sara Tesfaye', '--role', 'viewer')));
  const unused = linkIn(await invite('member', 'Tigist Alemu', '--role', 'developer'));
  const things = {
    payments,
    eventPath: await eventPaths(page, payments),
    keyPath: await createKeys(page),
    ...(await memberPaths(page)),
    joinPath: new URL(unused).pathname,
  };
  const cookies = await context.cookies();
  await context.close();
  return { cookies, things };
}

async function admitViewer(browser: Browser, link: string): Promise<void> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await equip(page);
  await join(page, link, MERCHANT_NAME);
  await context.close();
}

/** Once the log of events has all that there are. */
async function eventPaths(
  page: Page,
  { paid, dead, waiting, failed }: Payments,
): Promise<(uniqueId: string) => string> {
  const wanted = [paid, dead, waiting, failed];
  const paths = await eventually(
    async () => {
      await page.goto('/dashboard/sandbox/webhooks/events');
      const hrefs = await page
        .locator('td a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      return wanted.map((id) => hrefs.find((href) => href.includes(`/events/${id}/`)));
    },
    (found) => found.every((path) => path !== undefined),
  );
  return (uniqueId) => paths[wanted.indexOf(uniqueId)] ?? '';
}

/** One in force, one that is followed by another, one revoked. The path of the first. */
async function createKeys(page: Page): Promise<string> {
  await page.goto('/dashboard/sandbox/keys');
  for (const name of ['Web shop', 'Till in Bole', 'Old shop']) {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await pressButton(page, 'Create key');
    await goTo(page, 'API keys');
  }
  const manage = (name: string) => page.getByRole('link', { name: `Manage: ${name}` });
  await manage('Old shop').click();
  await pressButton(page, 'Revoke key');
  await heading(page, 'API keys');
  await manage('Till in Bole').click();
  await pressButton(page, 'Roll key');
  await heading(page, 'New API key: Till in Bole');
  await goTo(page, 'API keys');
  return (await manage('Web shop').getAttribute('href')) ?? '';
}

async function memberPaths(page: Page) {
  await page.goto('/dashboard/team');
  const pathOf = async (name: string) =>
    (await page.getByRole('link', { name: `Manage ${name}` }).getAttribute('href')) ?? '';
  return { ownerPath: await pathOf('Abebe Kebede'), viewerPath: await pathOf('Sara Tesfaye') };
}
