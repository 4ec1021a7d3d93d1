import type { Browser, BrowserContext, Page } from 'playwright-core';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { confirmQuestions, launchBrowser, PHONE } from './browser.ts';
import { heading } from './e2e-customer.ts';
import { equip, goTo, join, pressButton, refund } from './e2e-dashboard.ts';
import { createPayments, type Payments } from './e2e-dashboard-data.ts';
import { Tab } from './e2e-dashboard-tab.ts';
import { linkIn, operate, signInOperator } from './e2e-operator.ts';
import { eventually, joinScene, type Scene } from './e2e-scene.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

/** A gateway whose dashboard and desk have content on every page, and browsers to check them. */
export interface DashboardStage {
  readonly scene: Scene;
  readonly things: Things;
  /** Serves at `path` an answer that no visitor can provoke, for visitors who are not signed in. */
  serve(path: string, answer: Answer): Promise<void>;
  tab(who: Who): Promise<Tab>;
  close(): Promise<void>;
}

type Answer = (request: Request) => Response;

export type Who = 'owner' | 'visitor' | 'operator';

/** The pages to check. */
export interface Things {
  readonly payments: Payments;
  /** Path of the event of a payment. */
  readonly eventPath: (uniqueId: string) => string;
  readonly merchantId: string;
  /** Path on the desk of a payment. */
  readonly deskPath: (uniqueId: string) => string;
  /** Path on the desk of the attempt in progress. */
  readonly attemptPath: string;
  /** Path on the desk of the form that refunds a paid attempt. */
  readonly deskAttemptToRefundPath: string;
  /** Path on the desk of a refund that waits for the operator, unless the simulator has played it. */
  readonly deskRefundPath: string;
  readonly endpointPath: string;
  readonly keyPath: string;
  readonly ownerPath: string;
  readonly viewerPath: string;
  /** Path of an unused invitation. */
  readonly joinPath: string;
}

export async function startDashboardStage(): Promise<DashboardStage> {
  const scene = await joinScene('dashboard');
  const browser = await launchBrowser();
  const { baseUrl } = scene.gateway;
  const { cookies, passkeys, things } = await prepare(scene, browser);
  const tabs = new Map<Who, Promise<Tab>>();
  const tabOf = (who: Who) => {
    const tab = tabs.get(who) ?? openTab(who);
    tabs.set(who, tab);
    return tab;
  };
  const openTab = async (who: Who) => {
    const context = await browser.newContext({ ...PHONE, baseURL: baseUrl });
    await context.addCookies(who === 'owner' ? cookies : []);
    const page = await context.newPage();
    await confirmQuestions(page);
    if (who === 'owner') {
      await passkeys.copyTo(await addVirtualAuthenticator(page));
    }
    if (who === 'operator') {
      await signInOperator(page);
    }
    return new Tab(page);
  };
  return {
    scene,
    things,
    serve: async (path, answer) => {
      const { page } = await tabOf('visitor');
      await page.route(
        ({ pathname }) => pathname === path,
        async (route) =>
          route.fulfill(await fulfilment(answer(new Request(route.request().url())))),
      );
    },
    tab: tabOf,
    close: async () => {
      await browser.close();
      await scene.close();
    },
  };
}

async function fulfilment(response: Response) {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Payments, keys, a signed-in owner, a viewer, and unused links. */
async function prepare(
  scene: Scene,
  browser: Browser,
): Promise<{
  readonly cookies: Cookies;
  /** The owner's, in a page that stays open. */
  readonly passkeys: VirtualAuthenticator;
  readonly things: Things;
}> {
  const { id: merchantId, name: merchantName } = scene.merchant;
  const context = await browser.newContext({ ...PHONE, baseURL: scene.gateway.baseUrl });
  const page = await context.newPage();
  const passkeys = await equip(page);
  const invite = (who: string, name: string, ...more: readonly string[]) =>
    operate(scene.gateway.baseUrl, who, 'invite', merchantId, '--name', name, ...more);
  const [payments, ownersLink] = await Promise.all([
    createPayments(scene),
    invite('owner', 'Abebe Kebede').then(linkIn),
  ]);
  await join(page, ownersLink, merchantName);
  await page.goto(`/dashboard/sandbox/payments/${payments.refundable}`);
  await refund(page, '500.50', 'One pot was broken');
  await refund(page, '100.25', 'The other one too');
  const viewersLink = linkIn(await invite('member', 'Sara Tesfaye', '--role', 'viewer'));
  await admitViewer(browser, viewersLink, merchantName);
  const unused = linkIn(await invite('member', 'Tigist Alemu', '--role', 'developer'));
  const deskPath = (uniqueId: string) =>
    `/operator/payments/sandbox/${merchantId}/${encodeURIComponent(uniqueId)}`;
  const show = async (uniqueId: string) =>
    JSON.parse(
      await operate(
        scene.gateway.baseUrl,
        ...['payment', 'show', 'sandbox', merchantId, uniqueId, '--json'],
      ),
    );
  const processing = await show(payments.processing);
  const refundable = await show(payments.refundable);
  const things = {
    payments,
    merchantId,
    deskPath,
    attemptPath: `${deskPath(payments.processing)}/attempts/${processing.attempts[0].reference}`,
    deskAttemptToRefundPath: `${deskPath(payments.refundable)}/refund/${refundable.attempts[0].reference}`,
    deskRefundPath: `${deskPath(payments.refundable)}/refunds/${refundable.refunds.at(-1).reference}`,
    eventPath: await eventPaths(page, payments),
    // After the payments, whose events some tests want without an address.
    endpointPath: await createEndpoint(page),
    keyPath: await createKeys(page),
    ...(await memberPaths(page)),
    joinPath: unused.slice(scene.gateway.baseUrl.length),
  };
  return { cookies: await context.cookies(), passkeys, things };
}

async function admitViewer(browser: Browser, link: string, merchantName: string): Promise<void> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await equip(page);
  await join(page, link, merchantName, 'Payments');
  await context.close();
}

/** Once the log of events lists all of them. */
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

/** Returns the path of its page. */
async function createEndpoint(page: Page): Promise<string> {
  await page.goto('/dashboard/sandbox/webhooks/endpoints/new');
  await page
    .getByLabel(english.webhooks.url, { exact: true })
    .fill('https://shop.example.com/hooks');
  await page.getByLabel(english.webhooks.description).fill('Warehouse');
  await page.getByLabel('PAYMENT_SUCCESS').check();
  await page.getByLabel(english.webhooks.signatureHeader).fill('X-Shop-Signature');
  await pressButton(page, english.webhooks.add);
  await goTo(page, 'Webhooks');
  return (await page.getByRole('link', { name: /^Warehouse/ }).getAttribute('href')) ?? '';
}

/** One in force, one with a successor, one revoked. Returns the path of the first. */
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
