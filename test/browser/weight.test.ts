import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { CHECKOUT_SCRIPT_PATH } from '../../src/engine/checkout/assets.generated.ts';
import { PHONE } from '../support/browser.ts';
import { GALLERY_STATES } from '../support/gallery.ts';
import { TRANSLATIONS } from '../support/translations.ts';
import { addressOf, htmlOf, LANGUAGE_CODES, useStage } from './support.ts';

/** The size of a page on a slow network and on paper; it loads nothing from another origin. */

/**
 * About what a server may send before the first acknowledgment: ten packets (RFC 6928) of 1,460
 * bytes, minus the headers. A page of this size needs no second round trip.
 */
const WEIGHT_BYTES_MAX = 14_000;

const SHOWN = GALLERY_STATES.flatMap((state) =>
  LANGUAGE_CODES.map((language) => ({ state, language })),
);

describe('weight', () => {
  test('a page and its script fit into the first packets of a connection', async () => {
    const script = await readFile(join(PROJECT_DIRECTORY, 'public', CHECKOUT_SCRIPT_PATH));
    const scriptBytes = gzipSync(script).length;
    const weights = await Promise.all(
      SHOWN.map(async ({ state, language }) => {
        const bytes = gzipSync(await htmlOf(state, language)).length + scriptBytes;
        return { page: `${state} ${language}`, bytes };
      }),
    );
    expect(weights.filter(({ bytes }) => bytes > WEIGHT_BYTES_MAX)).toEqual([]);
    expect(weights).toHaveLength(SHOWN.length);
  });
});

/**
 * Where links of the gallery's payments may lead: to the merchant, the provider, our own logo and the
 * operator's support.
 */
const OTHER_ADDRESSES = [
  'mailto:customers@payments.example.com',
  'https://status.example.com/',
  'tel:+251111112498',
  'https://shop.example.com/thanks?',
  'https://pay.example.com/simulator/',
  'https://pay.example.com/choose-branded/logo/',
];

/** Where the page of an unknown address leads: to the back office, which may have another host. */
const BACK_OFFICE_PAGES = ['', 'docs/', 'dashboard'].map(
  (path) => `https://pay.example.com/${path}`,
);

describe('addresses', () => {
  test.each(GALLERY_STATES)('%s names only ours, and contains its own style', async (state) => {
    for (const language of LANGUAGE_CODES) {
      const html = (await htmlOf(state, language)).replaceAll('&amp;', '&');
      const named = [...html.matchAll(/\b(?:href|src|action|formaction|srcset)="([^"]*)"/g)];
      expect(named.length).toBeGreaterThan(LANGUAGE_CODES.length);
      expect(named.map(([, address = '']) => address).filter(isForeign)).toEqual([]);
      const absolute = [...html.matchAll(/(?:\b[a-z][a-z+.-]*:)?\/\/[^\s"'<>]+/gi)];
      expect(absolute.map(([address]) => address).filter(isForeign)).toEqual([]);
      expect(html).not.toMatch(/@font-face|@import|url\(|rel="?(?:stylesheet|pre|dns)/i);
    }
  });
});

describe('what is fetched', () => {
  const stage = useStage();

  test.each([
    ['choose', []],
    ['choose-branded', [`/choose-branded/logo/${'a'.repeat(64)}`]],
    ['choose-logos', ['/logos/m-pesa.svg', '/logos/telebirr.svg']],
    ['push', []],
    ['paid', []],
    ['receipt', ['/receipt/qr.svg']],
    ['unknown', []],
  ] as const)('%s on a phone: the page, the script and a logo', async (state, images) => {
    const context = await stage.context(PHONE);
    const page = await context.newPage();
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url().replace(stage.baseUrl, '')));
    await page.goto(addressOf(state, 'en'));
    const address = addressOf(state, 'en');
    expect(fetched.toSorted()).toEqual([address, CHECKOUT_SCRIPT_PATH, ...images].toSorted());
  });
});

describe('paper', () => {
  const stage = useStage();

  test.each([
    ['A4', 'receipt-long-texts', 'en', 'light'],
    ['A4', 'receipt-partly-refunded', 'am', 'dark'],
    ['A6', 'receipt', 'en', 'light'],
    ['A6', 'receipt-refunded', 'am', 'dark'],
    ['A6', 'receipt-partly-refunded', 'ti', 'light'],
    ['A6', 'paid-already', 'om', 'light'],
  ] as const)(
    '%s: %s prints on one page in %s from %s',
    async (format, state, language, colors) => {
      const context = await stage.context({ colorScheme: colors });
      const page = await context.newPage();
      await page.goto(addressOf(state, language));
      const edge = format === 'A4' ? '15mm' : '8mm';
      const margin = { top: edge, right: edge, bottom: edge, left: edge };
      const file = (await page.pdf({ format, margin })).toString('latin1');
      expect(file.match(/\/Type \/Page\b/g)).toHaveLength(1);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('h1, h2').allInnerTexts()).toContain(
        TRANSLATIONS[language].receipt.title,
      );
      expect(
        await page.locator('.button, .languages, .back').filter({ visible: true }).count(),
      ).toBe(0);
    },
  );
});

function isForeign(address: string): boolean {
  const isOurs = /^\/(?!\/)/.test(address) || address.startsWith('?') || address === 'data:,';
  return (
    !isOurs &&
    !BACK_OFFICE_PAGES.includes(address) &&
    !OTHER_ADDRESSES.some((start) => address.startsWith(start))
  );
}
