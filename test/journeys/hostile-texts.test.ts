import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { complaintsOf, launchBrowser, PHONE } from '../support/browser.ts';
import { choose, heading, payButton, payWith } from '../support/e2e-customer.ts';
import { pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate, signInOperator } from '../support/e2e-operator.ts';
import { eventually, joinScene, MerchantApi, newId, type Scene } from '../support/e2e-scene.ts';
import { overflowOf } from '../support/page-checks.ts';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.ts';

/**
 * Goal: text from a merchant, its customers, its members or its server never runs in a browser
 * (docs/reliability.md#v3). Method: markup in every field that they fill, then Chromium on every page
 * that links lead to. A script that runs, a dialog, an error, a refused resource or a broken policy fails.
 */

/** Leaves text, attributes, titles, scripts and comments, and then runs `a()`. */
function hostile(name: string): string {
  return `${name}"'--></title></script><script>a()</script><img src=x onerror=a()>`;
}

/** Far more than there are, so that a page that links to endless others ends the test. */
const PAGES_MAX = 150;
/** Their first page is enough, or they have no page. */
const NOT_FOLLOWED = /\.csv|\/docs\/.|\/openapi|sign-out|[?&](?:lang|calendar)=/;

let scene: Scene;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const found: string[] = [];

beforeAll(async () => {
  [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  context = await browser.newContext({ ...PHONE, baseURL: scene.gateway.baseUrl });
  await context.addInitScript('window.a = () => console.error("a foreign script has run")');
  page = await tab();
  await signInOperator(page);
  await addVirtualAuthenticator(page);
});

afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

/** Each complaint is kept with the page that was shown. */
async function tab(): Promise<Page> {
  const opened = await context.newPage();
  const complaints = complaintsOf(opened);
  complaints.push = (...texts) => found.push(...texts.map((text) => `${opened.url()}: ${text}`));
  opened.on('dialog', (dialog) => {
    found.push(`${opened.url()}: dialog ${dialog.message()}`);
    void dialog.accept();
  });
  return opened;
}

/** Requests of ours that the browser ends when it leaves the page. */
const CUT_OFF = /: failed: \S*\/(?:status|dashboard\/join|payments\/[^?]*|assets\/[\w.-]+)$/;

/** Follows links from these pages on, each address once. Returns the paths that were opened. */
async function crawl(starts: readonly string[], mayOpen: (path: string) => boolean) {
  const waiting = [...starts];
  const opened = new Set<string>();
  while (waiting.length > 0 && opened.size < PAGES_MAX) {
    const address = new URL(waiting.shift() ?? '', scene.gateway.baseUrl);
    if (opened.has(address.pathname)) {
      continue;
    }
    opened.add(address.pathname);
    const response = await page.goto(address.href);
    expect([address.pathname, response?.status()]).toEqual([address.pathname, 200]);
    expect([address.pathname, await overflowOf(page)]).toEqual([address.pathname, 0]);
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    waiting.push(
      ...links.filter((link) => {
        const { origin, pathname } = new URL(link);
        return origin === scene.gateway.baseUrl && !NOT_FOLLOWED.test(link) && mayOpen(pathname);
      }),
    );
  }
  expect(opened.size).toBeLessThan(PAGES_MAX);
  return [...opened];
}

const merchantId = `mer_${newId().replaceAll('-', '').slice(-12)}`;
const PAID = hostile('payment');

test('every field takes markup as text', async () => {
  const { baseUrl } = scene.gateway;
  const merchant = hostile('merchant');
  await operate(baseUrl, 'merchant', 'create', '--name', merchant, '--id', merchantId);
  const invite = ['invite', merchantId, '--name', hostile('member')] as const;
  await page.goto(linkIn(await operate(baseUrl, 'owner', ...invite)));
  await page.locator('#passkey').fill(hostile('passkey'));
  await pressButton(page, english.signIn.join.button);
  await heading(page, 'Overview');

  await page.goto('/dashboard/sandbox/keys');
  await page.getByLabel('Name', { exact: true }).fill(hostile('key'));
  await pressButton(page, english.keys.create);
  const apiKey = await page.locator('#api-key').inputValue();
  await page.goto('/dashboard/sandbox/webhooks/endpoints/new');
  await page.getByLabel(english.webhooks.url, { exact: true }).fill(`${hook().url}?"><script>`);
  await page.getByLabel(english.webhooks.description).fill(hostile('endpoint'));
  await pressButton(page, english.webhooks.add);
  await page.getByText(english.webhooks.endpointCreated).waitFor();
  await page.goto('/dashboard/team');
  await page.locator('#name').fill(hostile('invited'));
  await pressButton(page, english.team.invite.button);
  await page.locator('#link').waitFor();

  const api = new MerchantApi(baseUrl, apiKey, 'sandbox');
  for (const id of [PAID, hostile('open')]) {
    const { status, raw } = await api.hosted(paymentOf(id));
    expect([status, raw]).toEqual([200, expect.any(String)]);
    const checkout = JSON.parse(raw).content;
    await page.goto(checkout);
    if (id === PAID) {
      await payWith(page, 'TELE_BIRR');
      await crawl([page.url()], (path) => path.startsWith('/checkout/'));
    } else {
      await choose(page, 'TELE_BIRR_USSD', hostile('phone').slice(0, 20));
      await payButton(page).click();
      await crawl([checkout], (path) => path.startsWith('/checkout/'));
    }
  }
  const refund = {
    paymentIntentUniqueId: PAID,
    refundUniqueId: hostile('refund'),
    reason: hostile('reason'),
    amountMinor: 100,
  };
  const refunded = await api.call('POST', 'sandbox/refund', { body: refund });
  expect([refunded.status, refunded.raw]).toEqual([200, expect.any(String)]);
  await eventually(
    async () => {
      await page.goto('/dashboard/sandbox/webhooks/events');
      return page.content();
    },
    (html) => html.includes('PAYMENT_SUCCESS') && html.includes('REFUND_SUCCESS'),
  );
});

/** The merchant's server answers every webhook with markup. */
function hook() {
  return scene.server.endpoint({ type: 'answer', status: 500, body: hostile('answer') });
}

function paymentOf(paymentIntentUniqueId: string) {
  const text = hostile('text');
  return {
    paymentIntentUniqueId,
    paymentLinkUniqueId: hostile('link'),
    amount: 100,
    currency: 'ETB',
    methods: [],
    expireIn: 3_600,
    commissionPaidByCustomer: false,
    returnUrl: 'https://shop.example.com/done?"><script>a()</script>',
    callbackUrl: hook().url,
    items: [{ name: text, description: text, type: 'SERVICE', price: 100, quantity: 1 }],
    customerInfo: { name: hostile('customer'), email: hostile('email') },
    metadata: { note: hostile('metadata') },
  };
}

test('markup runs on no page of the dashboard, the desk and the documents', async () => {
  const payment = encodeURIComponent(PAID);
  const dashboard = await crawl(['/dashboard', `/dashboard/sandbox/payments/${payment}`], (path) =>
    path.startsWith('/dashboard/'),
  );
  expect(dashboard.length).toBeGreaterThan(15);
  const desk = await crawl(
    [`/operator/merchants/${merchantId}`, `/operator/payments/sandbox/${merchantId}/${payment}`],
    (path) => /^\/operator\/?[a-z-]*$/.test(path) || path.includes(merchantId),
  );
  expect(desk.length).toBeGreaterThan(6);
  await crawl(['/', `/docs/?q=${encodeURIComponent(hostile('query'))}`], () => false);
  // What is searched for is shown again.
  await page.locator('[data-search] input').fill(hostile('telebirr'));
  const counted = page.locator('[data-search] [role=status]');
  await expect.poll(() => counted.textContent()).not.toBe('');
  await page.goto('/dashboard/sandbox/payments');
  await page.locator('input[name="search"]').fill(hostile('search'));
  await page.keyboard.press('Enter');
  await page.locator(`input[name="search"][value^="search"]`).waitFor();
  await page.goto('/operator/payments');
  await page.locator('input[name="search"]').first().fill(hostile('search'));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?/);
  expect(found.filter((text) => !CUT_OFF.test(text))).toEqual([]);
});

test('a script that did run would be noticed', async () => {
  const other = await tab();
  await other.setContent('<script>a()</script>');
  expect(found.at(-1)).toContain('a foreign script has run');
});
