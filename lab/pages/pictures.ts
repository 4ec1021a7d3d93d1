import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { operatorSecret } from '../harness/operator.ts';
import { PHONE } from './browser.ts';
import { joinAsOwner } from './owner.ts';
import { type Scene, setScene } from './scene.ts';

/** Takes pictures of pages of every area, to look at before a change of pages lands. */

const WIDE = { viewport: { width: 1280, height: 800 } };

const LOCALES = { en: 'en-US', am: 'am-ET', om: 'om-ET', ti: 'ti-ET' } as const;

type Viewer = 'visitor' | 'member' | 'operator';
type Theme = 'light' | 'dark';
type Look = `${keyof typeof LOCALES} ${Theme} ${'phone' | 'wide'}`;

interface Subject {
  readonly viewer: Viewer;
  readonly path: (scene: Scene) => string;
  readonly looks: readonly Look[];
}

const PHONE_LOOKS: readonly Look[] = ['en light phone', 'am dark phone'];
const ALL_LOOKS: readonly Look[] = [...PHONE_LOOKS, 'en light wide'];

const SUBJECTS: Readonly<Record<string, Subject>> = {
  'checkout-choosing': {
    viewer: 'visitor',
    path: ({ open }) => open,
    looks: ['en light phone', 'am dark phone', 'om light phone', 'ti dark phone'],
  },
  'checkout-waiting': { viewer: 'visitor', path: ({ waiting }) => waiting, looks: PHONE_LOOKS },
  'checkout-receipt': { viewer: 'visitor', path: ({ refunded }) => refunded, looks: PHONE_LOOKS },
  'checkout-canceled': {
    viewer: 'visitor',
    path: ({ canceled }) => canceled,
    looks: ['en light phone'],
  },
  overview: { viewer: 'member', path: () => '/dashboard/sandbox/overview', looks: ALL_LOOKS },
  payments: { viewer: 'member', path: () => '/dashboard/sandbox/payments', looks: ALL_LOOKS },
  payment: {
    viewer: 'member',
    path: ({ refundedId }) => `/dashboard/sandbox/payments/${refundedId}`,
    looks: ALL_LOOKS,
  },
  refund: {
    viewer: 'member',
    path: ({ refundedId }) => `/dashboard/sandbox/payments/${refundedId}/refund`,
    looks: ['en light phone'],
  },
  webhooks: {
    viewer: 'member',
    path: () => '/dashboard/sandbox/webhooks',
    looks: ['en light phone'],
  },
  events: {
    viewer: 'member',
    path: () => '/dashboard/sandbox/webhooks/events',
    looks: ['en light phone', 'en dark wide'],
  },
  keys: {
    viewer: 'member',
    path: () => '/dashboard/sandbox/keys',
    looks: ['en light phone'],
  },
  branding: { viewer: 'member', path: () => '/dashboard/branding', looks: ['en light phone'] },
  account: { viewer: 'member', path: () => '/dashboard/account', looks: ['am light phone'] },
  'no-payments': {
    viewer: 'member',
    path: () => '/dashboard/production/payments',
    looks: ['en dark phone'],
  },
  attention: {
    viewer: 'operator',
    path: () => '/operator',
    looks: ['en light phone', 'en light wide'],
  },
  'operator-payment': {
    viewer: 'operator',
    path: ({ operatorPayment }) => operatorPayment,
    looks: ['en light phone', 'am dark wide'],
  },
  health: { viewer: 'operator', path: () => '/operator/health', looks: ['en dark wide'] },
  home: { viewer: 'visitor', path: () => '/', looks: PHONE_LOOKS },
  'no-page': { viewer: 'visitor', path: () => '/nope', looks: ['en light phone'] },
  docs: { viewer: 'visitor', path: () => '/docs', looks: ['en light phone'] },
  reference: { viewer: 'visitor', path: () => '/docs/reference', looks: ['en light wide'] },
};

/** Writes `page.language.theme.size.png` for each look of each page into the directory. */
export async function takePictures(
  browser: Browser,
  merchant: DemoMerchant,
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const scene = await setScene(merchant);
  const session = await memberSession(browser, merchant);
  const authorization = `Bearer ${await operatorSecret()}`;
  for (const [name, { viewer, path, looks }] of Object.entries(SUBJECTS)) {
    for (const look of looks) {
      const context = await browser.newContext({
        ...settingsOf(look),
        ...(viewer === 'member' && { storageState: session }),
        ...(viewer === 'operator' && { extraHTTPHeaders: { authorization, 'x-operator': 'hana' } }),
      });
      const page = await context.newPage();
      await page.goto(new URL(path(scene), merchant.baseUrl).href);
      const file = `${[name, ...look.split(' ')].join('.')}.png`;
      await page.screenshot({ path: join(directory, file), animations: 'disabled' });
      await context.close();
      console.log(file);
    }
  }
}

function settingsOf(look: Look) {
  const [language, theme, size] = look.split(' ') as [keyof typeof LOCALES, Theme, string];
  return {
    ...(size === 'phone' ? PHONE : WIDE),
    deviceScaleFactor: 1.5,
    locale: LOCALES[language],
    timezoneId: 'Africa/Addis_Ababa',
    colorScheme: theme,
    reducedMotion: 'reduce',
  } as const;
}

async function memberSession(
  browser: Browser,
  merchant: DemoMerchant,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  await joinAsOwner(await context.newPage(), merchant);
  const state = await context.storageState();
  await context.close();
  return state;
}
