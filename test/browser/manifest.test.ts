import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import {
  CHECKOUT_CSS,
  CHECKOUT_CSS_SHA256,
  CHECKOUT_SCRIPT_PATH,
  CHECKOUT_SCRIPT_SHA256,
} from '../../src/engine/checkout/assets.generated.ts';
import { LINK_CSS } from '../../src/engine/checkout/pages/payment-link.tsx';
import { GALLERY, GALLERY_STATES, type GalleryState } from '../support/gallery.ts';
import { LINK_GALLERY } from '../support/link-gallery.ts';
import { answerOf, htmlOf, statusOf, useStage } from './support.ts';

/**
 * The complete headers, scripts and styles of the pages: one that is not listed here must not be
 * served. A change to this file tells the reviewer that the pages' protection changes.
 */

/** The headers of every page, beside those of every answer (`src/kit/http/common-headers.ts`). */
const HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
};

/** The style sheets of the gallery's payments with branding. */
const BRAND_CSS: Readonly<Partial<Record<GalleryState, string>>> = {
  'choose-branded':
    ':root{--brand:#7a3b12;--brand-strong:#7a3b12;--on-brand:#fff;--link:#7a3b12;--selected:#7a3b12;--selected-tint:#f4efec;--focus:#7a3b12}@media(prefers-color-scheme:dark){:root{--link:var(--ink);--selected:var(--ink);--selected-tint:#1e1f19;--focus:var(--ink)}}',
  'choose-long-texts':
    ':root{--brand:#f5e642;--brand-strong:#f5e642;--on-brand:#000;--brand-edge:var(--edge);--link:var(--ink);--selected:var(--ink);--selected-tint:#fefdf0;--focus:var(--ink)}@media(prefers-color-scheme:dark){:root{--link:#f5e642;--selected:#f5e642;--selected-tint:#282d1d;--focus:#f5e642}}',
};

/** What a state adds to the style of all pages. */
function ownCss(state: GalleryState): string | undefined {
  return Object.hasOwn(LINK_GALLERY, state) ? LINK_CSS : BRAND_CSS[state];
}

/** Pages whose forms lead only to our own pages. */
const WITHOUT_FORM_TARGETS: readonly GalleryState[] = [
  'unknown',
  'receipt-over',
  'lost',
  'bad-form',
  'busy',
  'error',
  // In production it names the scheme of the merchant's URL, like a payment's own pages.
  'simulator',
  'simulator-settled',
];

const RETRY_AFTER_SECONDS: Readonly<Partial<Record<GalleryState, string>>> = {
  busy: '10',
  error: '5',
};

describe('headers', () => {
  test.each(GALLERY_STATES)('%s', async (state) => {
    const response = await answerOf(state, 'am');
    expect(response.status).toBe(statusOf(state));
    const retryAfter = RETRY_AFTER_SECONDS[state];
    expect(Object.fromEntries(response.headers)).toEqual({
      ...HEADERS,
      'content-security-policy': contentSecurityPolicy(state),
      'set-cookie': 'kefel_language=am; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    });
  });

  test('sets no cookie unless the customer chose a language', async () => {
    const response = await GALLERY.choose(new Request('http://localhost:8787/choose'), '/choose');
    expect(Object.fromEntries(response.headers)).toEqual({
      ...HEADERS,
      'content-security-policy': contentSecurityPolicy('choose'),
    });
  });
});

/** The complete policy of a state. */
function contentSecurityPolicy(state: GalleryState): string {
  const brand = ownCss(state);
  const brandSource = brand === undefined ? '' : ` 'sha256-${sha256(brand)}'`;
  const formTargets = WITHOUT_FORM_TARGETS.includes(state) ? "'self'" : "'self' https:";
  return (
    "default-src 'none'; " +
    "script-src 'self'; " +
    `style-src 'sha256-${CHECKOUT_CSS_SHA256}'${brandSource}; ` +
    "connect-src 'self'; " +
    "img-src 'self' data:; " +
    `form-action ${formTargets}; ` +
    "frame-ancestors 'none'; " +
    "base-uri 'none'; " +
    "require-trusted-types-for 'script'; " +
    "trusted-types 'none'"
  );
}

describe('documents', () => {
  const stage = useStage();

  test('the script is the file whose hash the pages name', async () => {
    const script = await readFile(join(PROJECT_DIRECTORY, 'public', CHECKOUT_SCRIPT_PATH));
    expect(sha256(script)).toBe(CHECKOUT_SCRIPT_SHA256);
    expect(sha256(CHECKOUT_CSS)).toBe(CHECKOUT_CSS_SHA256);
  });

  test('contain our script, our style and the brand, and no other active content', async () => {
    const context = await stage.context();
    const page = await context.newPage();
    for (const state of GALLERY_STATES) {
      const html = await htmlOf(state);
      // The browser's own parser, on a page without a policy. Nothing of the document runs.
      const held = await page.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, 'text/html');
        const attributesOf = (element: Element) =>
          Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
        const all = [...parsed.querySelectorAll('*')];
        return {
          scripts: [...parsed.querySelectorAll('script')].map((script) => ({
            ...attributesOf(script),
            text: script.text,
          })),
          styles: [...parsed.querySelectorAll('style')].map((style) => style.textContent),
          links: [...parsed.querySelectorAll('link')].map(attributesOf),
          foreign: all
            .map((element) => element.localName)
            .filter((name) => /^(iframe|object|embed|base|frame|template|portal)$/.test(name)),
          acting: all.flatMap((element) =>
            [...element.attributes]
              .map(({ name }) => name)
              .filter((name) => /^on|^style$|^srcdoc$/.test(name)),
          ),
        };
      }, html);
      const brand = ownCss(state);
      expect({ state, ...held }).toEqual({
        state,
        scripts: [
          {
            type: 'module',
            src: CHECKOUT_SCRIPT_PATH,
            integrity: `sha256-${CHECKOUT_SCRIPT_SHA256}`,
            text: '',
          },
        ],
        styles: brand === undefined ? [CHECKOUT_CSS] : [CHECKOUT_CSS, brand],
        links: [{ rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }],
        foreign: [],
        acting: [],
      });
    }
  });
});

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
