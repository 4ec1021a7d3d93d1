import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noticePage } from '../../back-office/dashboard/notices.tsx';
import { DASHBOARD_ROUTES, PUBLIC_ROUTES } from '../../back-office/dashboard/routes.ts';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import type { DashboardMessages } from '../../back-office/i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../back-office/i18n/texts.ts';
import { DESK_ROUTES } from '../../back-office/operator/desk/routes.ts';
import { DESKTOP } from '../support/browser.ts';
import { pressButton, Walk } from '../support/e2e-dashboard.ts';
import {
  type DashboardStage,
  startDashboardStage,
  type Things,
  type Who,
} from '../support/e2e-dashboard-stage.ts';
import { operate } from '../support/e2e-operator.ts';

type NoticeKind = keyof DashboardMessages['frame']['notices'];

/**
 * Goal: the home page and every page of dashboard and desk are accessible, on a phone and on a
 * desktop, light and dark, in both languages. Method: one gateway with real payments, keys and
 * members. The list of pages comes from the routes, and a page without
 * an example fails the test.
 */

const PAYMENTS = '/dashboard/sandbox/payments';
const KEYS = '/dashboard/sandbox/keys';
const WEBHOOKS = '/dashboard/sandbox/webhooks';
const TEAM = '/dashboard/team';
/** The phone of many payments in the tests. */
const PAYER = '0911223344';
/** The discard port, on which no server listens. */
const UNUSED_URL = 'http://localhost:9/hooks';

/**
 * URLs of each page, by a name; in the sandbox unless the URL names production. Without those that
 * `test/support/back-office-gallery.tsx` shows in every look.
 */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, (things: Things) => string>>>> = {
  '/dashboard/:environment/overview': {
    'overview-ethiopian': () => '/dashboard/sandbox/overview?calendar=ethiopian',
    'overview-bad-days': () =>
      '/dashboard/sandbox/overview?calendar=gregorian&since=2026-11-21&until=2026-11-20',
  },
  '/dashboard/:environment/payments': {
    'payments-filtered': () => '/dashboard/sandbox/payments?status=succeeded&min=1',
    'payments-bad-filter': () => '/dashboard/sandbox/payments?min=x&since=2026-02-30',
  },
  '/dashboard/:environment/payments/:uniqueId': {
    'payment-dead': ({ payments }) => paymentPath(payments.dead),
    'payment-waiting': ({ payments }) => paymentPath(payments.waiting),
    'payment-open': ({ payments }) => paymentPath(payments.open),
    'payment-canceled': ({ payments }) => paymentPath(payments.canceled),
    'payment-refunded': ({ payments }) => paymentPath(payments.refundable),
  },
  '/dashboard/:environment/payments/:uniqueId/refund': {
    refund: ({ payments }) => `${paymentPath(payments.paid)}/refund`,
    'refund-rest': ({ payments }) => `${paymentPath(payments.refundable)}/refund`,
    'refund-impossible': ({ payments }) => `${paymentPath(payments.failed)}/refund`,
  },
  '/dashboard/:environment/did-pay': {},
  '/dashboard/:environment/refunds': {},
  '/dashboard/:environment/links': {
    links: () => '/dashboard/sandbox/links',
  },
  '/dashboard/:environment/links/new': {
    'link-new': () => '/dashboard/sandbox/links/new',
  },
  '/dashboard/:environment/links/:link': {},
  '/dashboard/:environment/links/:link/sign': {},
  '/dashboard/:environment/links/:link/code.svg': {},
  '/dashboard/:environment/links/:link/code.png': {},
  '/dashboard/:environment/till': {},
  '/dashboard/:environment/till/:sale': {},
  '/dashboard/:environment/till/:sale/prompt': {},
  '/dashboard/:environment/notifications': {},
  '/dashboard/:environment/notifications/connections/:connection': {},
  '/dashboard/:environment/webhooks': {
    'webhooks-production': () => '/dashboard/production/webhooks',
  },
  '/dashboard/:environment/webhooks/endpoints/new': {
    'endpoint-new': () => '/dashboard/sandbox/webhooks/endpoints/new',
  },
  '/dashboard/:environment/webhooks/endpoints/:endpoint': {},
  '/dashboard/:environment/webhooks/events': {
    'events-bad-days': () => '/dashboard/sandbox/webhooks/events?from=2026-11-21&to=2026-11-20',
  },
  '/dashboard/:environment/webhooks/events/:uniqueId/:sequence': {
    'event-dead': ({ payments, eventPath }) => eventPath(payments.dead),
    'event-waiting': ({ payments, eventPath }) => eventPath(payments.waiting),
    'event-delivered': ({ payments, eventPath }) => eventPath(payments.paid),
    'event-undeliverable': ({ payments, eventPath }) => eventPath(payments.failed),
  },
  '/dashboard/:environment/webhooks/resend': {
    resend: () => '/dashboard/sandbox/webhooks/resend',
    'resend-none': () => '/dashboard/production/webhooks/resend',
  },
  '/dashboard/:environment/keys': {},
  '/dashboard/:environment/keys/:key': {},
  '/dashboard/:environment/requests': {},
  '/dashboard/:environment/methods': {
    'methods-production': () => '/dashboard/production/methods',
  },
  '/dashboard/branding': {},
  '/dashboard/audit': {},
  '/dashboard/team': {},
  '/dashboard/team/members/:member': {
    'member-oneself': ({ ownerPath }) => ownerPath,
  },
  '/dashboard/account': {},
  '/dashboard/sign-in': {},
  '/dashboard/join': {
    join: ({ joinPath }) => joinPath,
    'join-ended': () => `/dashboard/join?token=${'x'.repeat(43)}`,
  },
  '/operator': {},
  '/operator/attention/:environment/:reason/:merchantId': {},
  '/operator/attention/:environment/:reason/:merchantId/resend': {},
  '/operator/attention/:environment/:reason/:merchantId/review': {},
  '/operator/attention/:environment/:reason/:merchantId/unpaid': {},
  '/operator/chosen-letters/discard': {},
  '/operator/chosen-letters/retry': {},
  '/operator/add-merchant': { 'desk-add-merchant': () => '/operator/add-merchant' },
  '/operator/payments': {
    'desk-search': () => '/operator/payments',
  },
  '/operator/payments/:environment/:merchantId/:uniqueId': {
    'desk-refunded': ({ deskPath, payments }) => deskPath(payments.refundable),
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/attempts/:attemptId/paid': {
    'desk-paid': ({ attemptPath }) => `${attemptPath}/paid`,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/attempts/:attemptId/unpaid': {
    'desk-unpaid': ({ attemptPath }) => `${attemptPath}/unpaid`,
  },
  // Only where two operators decide; the form is that of the other decisions, with one field.
  '/operator/payments/:environment/:merchantId/:uniqueId/attempts/:attemptId/confirm': {},
  '/operator/payments/:environment/:merchantId/:uniqueId/review': {},
  '/operator/payments/:environment/:merchantId/:uniqueId/hold': {},
  '/operator/payments/:environment/:merchantId/:uniqueId/release': {
    'desk-release': ({ deskPath, payments }) => `${deskPath(payments.processing)}/release`,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/refund/:attemptId': {
    'desk-refund': ({ deskAttemptToRefundPath }) => deskAttemptToRefundPath,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/refunds/:refundReference/send-again': {
    'desk-send-again': ({ deskRefundPath }) => `${deskRefundPath}/send-again`,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/refunds/:refundReference/returned': {
    'desk-returned': ({ deskRefundPath }) => `${deskRefundPath}/returned`,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/refunds/:refundReference/not-returned': {
    'desk-not-returned': ({ deskRefundPath }) => `${deskRefundPath}/not-returned`,
  },
  '/operator/payments/:environment/:merchantId/:uniqueId/refunds/:refundReference/confirm': {},
  '/operator/merchants': {},
  '/operator/merchants/:merchantId': {},
  '/operator/sheet': {},
  '/operator/provider-files': {},
  '/operator/provider-files/:environment/:method/lines': {},
  '/operator/provider-files/:environment/:method/line/:key': {},
  '/operator/provider-files/:environment/:method/line/:key/assign': {},
  '/operator/provider-files/:environment/:method/line/:key/assign/:merchantId/:uniqueId': {},
  '/operator/provider-files/:environment/:method/line/:key/accept': {},
  // The same form with other words.
  '/operator/provider-files/:environment/:method/line/:key/not-ours': {},
  '/operator/provider-files/:environment/:method/line/:key/undo': {},
  '/operator/provider-files/:environment/:method': {},
  '/operator/provider-files/:environment/:method/upload': {},
  '/operator/provider-files/:environment/:method/upload/:fileId': {},
  '/operator/provider-files/:environment/:method/profiles': {},
  '/operator/provider-files/:environment/:method/profiles/:profile': {},
  '/operator/provider-files/:environment/:method/profiles/:profile/delete': {},
  '/operator/provider-files/:environment/:method/profiles/:profile/profile.json': {},
  '/operator/provider-files/:environment/:method/new-profile': {},
  '/operator/provider-files/:environment/:method/import-profile': {},
  '/operator/merchants/:merchantId/suspend': {
    'desk-suspend': ({ merchantId }) => `/operator/merchants/${merchantId}/suspend`,
  },
  '/operator/merchants/:merchantId/reactivate': {
    'desk-reactivate': ({ merchantId }) => `/operator/merchants/${merchantId}/reactivate`,
  },
  '/operator/merchants/:merchantId/close': {
    'desk-close': ({ merchantId }) => `/operator/merchants/${merchantId}/close`,
  },
  '/operator/merchants/:merchantId/:environment/keys/:digest/revoke': {},
  '/operator/merchants/:merchantId/members/:memberId/remove': {},
  '/operator/merchants/:merchantId/members/:memberId/recovery': {},
  '/operator/merchants/:merchantId/invitations/:invitationId/revoke': {},
  '/operator/merchants/:merchantId/invite': {
    'desk-invite': ({ merchantId }) => `/operator/merchants/${merchantId}/invite`,
  },
  '/operator/merchants/:merchantId/refund-limits': {
    'desk-refund-limits': ({ merchantId }) => `/operator/merchants/${merchantId}/refund-limits`,
  },
  '/operator/merchants/:merchantId/:environment/methods/:method/offer': {},
  // The same form with other words.
  '/operator/merchants/:merchantId/:environment/methods/:method/withdraw': {
    'desk-withdraw': ({ merchantId }) =>
      `/operator/merchants/${merchantId}/sandbox/methods/TELE_BIRR/withdraw`,
  },
  '/operator/merchants/:merchantId/:environment/methods/:method/commission': {
    'desk-commission': ({ merchantId }) =>
      `/operator/merchants/${merchantId}/production/methods/TELE_BIRR/commission`,
  },
  '/operator/dead-letters': {},
  // The gateway of this test loses no message; their tests are test/workers/operator/desk.long.test.ts.
  '/operator/dead-letters/:id': {},
  '/operator/dead-letters/:id/retry': {},
  '/operator/dead-letters/:id/discard': {},
  '/operator/rails': {},
  '/operator/rails/:environment/:method/switch-off': {
    'desk-switch-off': () => '/operator/rails/production/TELE_BIRR/switch-off',
  },
  // The same form without a field.
  '/operator/rails/:environment/:method/switch-on': {},
  '/operator/add-bank': { 'desk-add-bank': () => '/operator/add-bank' },
  '/operator/banks/:code/change': {
    'desk-change-bank': () => '/operator/banks/COOP/change',
  },
  '/operator/audit': {},
  '/operator/health': {},
  '/operator/health/begin-maintenance': {
    'desk-maintenance': () => '/operator/health/begin-maintenance',
  },
  // The same form with other words.
  '/operator/health/end-maintenance': {},
  '/operator/health/pause-changes': {},
  '/operator/health/resume-changes': {},
  '/operator/alerts': {},
  '/operator/check': {},
  '/': {},
};

/** GET routes that are not pages: a redirect to the list, files, and what a page asks for. */
const NO_PAGES = [
  '/dashboard',
  '/dashboard/:environment/overview.csv',
  '/dashboard/:environment/payments.csv',
  '/operator/merchants/:merchantId/:environment/payments.csv',
  '/operator/statements/:environment/statements.csv',
  '/operator/audit/audit.csv',
  '/dashboard/:environment/till/:sale/state',
];

const STATUS: Readonly<Record<string, number>> = {
  'overview-bad-days': 400,
  'payments-bad-filter': 400,
  'refund-impossible': 409,
  'events-bad-days': 400,
  'join-ended': 404,
};

const ROUTES: readonly (readonly [path: string, who: Who])[] = [
  ...pathsOf(DASHBOARD_ROUTES).map((path) => [path, 'owner'] as const),
  ...pathsOf(PUBLIC_ROUTES).map((path) => [path, 'visitor'] as const),
  ...pathsOf(DESK_ROUTES).map((path) => [path, 'operator'] as const),
  ['/', 'visitor'],
];

const PAGES = ROUTES.flatMap(([path, who]) =>
  Object.entries(EXAMPLES[path] ?? {}).map(([name, address]) => ({
    name,
    who,
    address,
    status: STATUS[name] ?? 200,
  })),
);

function pathsOf(routes: readonly { readonly method: string; readonly path: string }[]) {
  return routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
}

function paymentPath(uniqueId: string): string {
  return `/dashboard/sandbox/payments/${uniqueId}`;
}

/** Pages that are answers to forms, with the button that sends the form. */
const ANSWERS: readonly {
  readonly name: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly button: string | RegExp;
  readonly status?: number;
}[] = [
  {
    name: 'found',
    path: PAYMENTS,
    fields: { [english.payments.searchLabel]: PAYER },
    button: 'Search',
  },
  { name: 'key-shown', path: KEYS, fields: { Name: 'App' }, button: 'Create key' },
  { name: 'key-unnamed', path: KEYS, fields: { Name: ' ' }, button: 'Create key', status: 400 },
  { name: 'secret-shown', path: WEBHOOKS, button: /^Show secret / },
  { name: 'secret-new', path: WEBHOOKS, button: english.webhooks.rotate },
  {
    name: 'address-refused',
    path: `${WEBHOOKS}/endpoints/new`,
    fields: { [english.webhooks.url]: 'ftp://shop.example.com' },
    button: english.webhooks.add,
    status: 400,
  },
  {
    name: 'test-event',
    path: WEBHOOKS,
    fields: { [english.webhooks.url]: UNUSED_URL },
    button: 'Send test event',
  },
  { name: 'resent', path: `${WEBHOOKS}/resend`, button: /^Resend \(/ },
  { name: 'link-shown', path: TEAM, fields: { Name: 'Dawit' }, button: english.team.invite.button },
];

/** The merchant's book reports to the operator's list. */
const LISTED_MS_MAX = 60_000;
/** The first payment begins above this place in a phone's window of 740 px. */
const FIRST_PAYMENT_MAX = 440;
/** Two lines of text and one of badges, with the distance to the next payment. */
const THREE_LINES_MAX = 112;

/** The smallest page has the skip link, the logo and two languages. */
const STOPS_MIN = 4;

/** The pages for the test with the keyboard. */
const BY_KEYBOARD: readonly (readonly [path: string, who: Who])[] = [
  ['/dashboard/sandbox/overview', 'owner'],
  [PAYMENTS, 'owner'],
  [KEYS, 'owner'],
  [WEBHOOKS, 'owner'],
  [TEAM, 'owner'],
  ['/dashboard/sign-in', 'visitor'],
  ['/operator/merchants', 'operator'],
];

let stage: DashboardStage;

beforeAll(async () => {
  stage = await startDashboardStage();
});

afterAll(() => stage?.close());

test('every page has an example, and every example has a page', () => {
  const paths = ROUTES.map(([path]) => path).filter((path) => !NO_PAGES.includes(path));
  expect(Object.keys(EXAMPLES).sort()).toEqual(paths.sort());
});

describe('every page', () => {
  test.each(PAGES)('$name', async ({ name, who, address, status }) => {
    const path = address(stage.things);
    const tab = await stage.tab(who);
    expect(await tab.openInEachLook(path, name, status)).toEqual([]);
  });
});

describe('the list of payments', () => {
  test.each(['en', 'am'])(
    'has its first payment above y=440 on a phone, each on three lines: %s',
    async (language) => {
      const tab = await stage.tab('owner');
      await tab.open(PAYMENTS);
      await tab.page.goto(`${PAYMENTS}?lang=${language}`);
      const rows = await tab.page.locator('.payment-list tbody tr').evaluateAll((all) =>
        all.map((row) => ({
          top: row.getBoundingClientRect().top,
          height: row.getBoundingClientRect().height,
          // More than one badge may take a line more.
          badges: row.querySelectorAll('.badge').length,
        })),
      );
      expect(rows[0]?.top).toBeLessThan(FIRST_PAYMENT_MAX);
      const lines = rows.filter(({ badges }) => badges === 1).map(({ height }) => height);
      expect(Math.max(...lines)).toBeLessThan(THREE_LINES_MAX);
    },
  );

  test('has search, filters and the file in one row, and `/` leads to the search', async () => {
    const tab = await stage.tab('owner');
    await tab.open(PAYMENTS);
    const { page } = tab;
    const tops = await page
      .locator('.list-tools > *')
      .evaluateAll((all) => all.map((part) => part.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await page.keyboard.press('/');
    expect(await page.getByRole('searchbox').evaluate((field) => field.matches(':focus'))).toBe(
      true,
    );
    // In the field it is a character.
    await page.keyboard.type('a/b');
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/b');
  });

  test('right-aligns money, with digits of one width', async () => {
    const tab = await stage.tab('owner');
    await tab.open(PAYMENTS);
    await tab.page.setViewportSize(DESKTOP.viewport);
    const amounts = await tab.page.locator('.payment-list td .money').evaluateAll((all) =>
      all.map((money) => ({
        right: money.getBoundingClientRect().right,
        digits: getComputedStyle(money).fontVariantNumeric,
      })),
    );
    expect(amounts.length).toBeGreaterThan(1);
    expect(new Set(amounts.map(({ right }) => right)).size).toBe(1);
    expect(new Set(amounts.map(({ digits }) => digits))).toEqual(new Set(['tabular-nums']));
  });
});

describe('every notice', () => {
  test.each(Object.keys(DASHBOARD_TEXTS.en.frame.notices) as NoticeKind[])('%s', async (kind) => {
    const path = `/dashboard/notice/${kind}`;
    await stage.serve(path, (request) => noticePage({ request }, kind));
    const { status } = noticePage({ request: new Request(`http://localhost${path}`) }, kind);
    const tab = await stage.tab('visitor');
    expect(await tab.openInEachLook(path, `notice-${kind}`, status)).toEqual([]);
  });
});

describe('every response to a form', () => {
  test.each(ANSWERS)('$name', async ({ name, path, fields = {}, button, status }) => {
    const tab = await stage.tab('owner');
    await tab.open(path);
    await tab.page.evaluate(() => {
      for (const details of document.querySelectorAll('main details')) {
        details.setAttribute('open', '');
      }
    });
    for (const [label, value] of Object.entries(fields)) {
      await tab.page.getByLabel(label, { exact: true }).fill(value);
    }
    await Promise.all([tab.page.waitForEvent('load'), pressButton(tab.page, button)]);
    expect(await tab.problems(`answer-${name}`, status)).toEqual([]);
  });
});

describe('by keyboard alone', () => {
  test.each(BY_KEYBOARD)('%s', async (path, who) => {
    const tab = await stage.tab(who);
    await tab.open(path);
    const { page } = tab;
    await page.keyboard.press('Tab');
    expect(await tab.focused()).toMatchObject({ name: 'Skip to content', isVisible: true });
    await page.keyboard.press('Enter');
    expect(await tab.focused()).toMatchObject({ isInContent: true });
    await tab.open(path);
    const stops = await tab.stops();
    expect(stops.filter(({ isVisible, isOutlined }) => !isVisible || !isOutlined)).toEqual([]);
    expect(stops.length).toBeGreaterThan(STOPS_MIN);
  });
});

describe('the operator', () => {
  test('records a refund by hand with three taps besides the fields', async () => {
    const { payments, merchantId } = stage.things;
    const { refundable } = payments;
    // A new one: the sandbox returns this amount by itself after a minute.
    const asked = {
      paymentIntentUniqueId: refundable,
      refundUniqueId: 'by-hand',
      amountMinor: 10_025,
    };
    const { status } = await stage.scene.sandbox.call('POST', 'sandbox/refunds', { body: asked });
    expect(status).toBe(200);
    const tab = await stage.tab('operator');
    const { page } = tab;
    const item = page.getByRole('link', { name: refundable }).first();
    await expect
      .poll(
        async () => {
          // Other refunds of the file may share the group.
          await tab.open(`/operator/attention/sandbox/refund_requires_action/${merchantId}?all=1`);
          return item.count();
        },
        { timeout: LISTED_MS_MAX },
      )
      .toBe(1);
    const walk = new Walk(page);
    await walk.tap(item);
    await walk.tap(page.getByRole('link', { name: 'Record as returned' }).first());
    await page.getByLabel('Provider’s number of the refund').fill('R-77');
    await page.getByLabel('Note').fill('Seen in the portal');
    await walk.tap(page.getByRole('button', { name: 'Record as returned' }));
    await page.getByText('The outcome of the refund was recorded').waitFor();
    expect([walk.taps, walk.documents.length]).toEqual([3, 4]);
  });
});

describe('while the merchant is suspended', () => {
  const PATHS = [PAYMENTS, KEYS, WEBHOOKS, TEAM, '/dashboard/branding', '/dashboard/account'];

  test('every page says so, and an open form is refused', async () => {
    const { merchant, gateway } = stage.scene;
    const tab = await stage.tab('owner');
    await tab.open(KEYS);
    await operate(gateway.baseUrl, 'merchant', 'suspend', merchant.id, '--reason', 'A test');
    await tab.page.getByLabel('Name', { exact: true }).fill('Too late');
    await Promise.all([tab.page.waitForEvent('load'), pressButton(tab.page, 'Create key')]);
    expect(await tab.problems('answer-suspended', 403)).toEqual([]);
    const wrong: string[] = [];
    for (const path of PATHS) {
      await tab.open(path);
      await tab.page.getByText(english.frame.suspendedBanner).waitFor();
      wrong.push(...(await tab.problems(`suspended-${path.split('/').at(-1)}`)));
    }
    expect(wrong).toEqual([]);
  });
});
