import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import {
  DASHBOARD_CSS_PATH,
  DASHBOARD_CSS_SHA256,
  DASHBOARD_SCRIPT_PATH,
  DASHBOARD_SCRIPT_SHA256,
} from '../../../back-office/ui/assets.generated.ts';
import {
  CHECKOUT_CSS,
  CHECKOUT_CSS_SHA256,
  CHECKOUT_SCRIPT_PATH,
  CHECKOUT_SCRIPT_SHA256,
} from '../../../src/engine/checkout/assets.generated.ts';
import { PAGE_COLOR, PAGE_COLOR_DARK } from '../../../src/kit/ui/document.tsx';

/**
 * Goal: the served files match the names and hashes in pages byte for byte; otherwise a browser
 * would show a page without style and script. `npm run check` compares the files with their
 * sources.
 */

const PUBLIC_DIRECTORY = join(import.meta.dirname, '../../../public');
const BACK_OFFICE_DIRECTORY = join(import.meta.dirname, '../../../back-office/public');
const SCRIPT_GZIPPED_BYTES_MAX = 3_072;

/** Merchants put it into pages that should not become slower by it; not gzipped. */
const EMBED_BYTES_MAX = 4 * 1024;

/** Inlined into the page: both must fit into the first few packets of the answer. */
const CSS_GZIPPED_BYTES_MAX = 10_000;

const script = readFileSync(join(PUBLIC_DIRECTORY, CHECKOUT_SCRIPT_PATH));

test('only files that pages name are served', () => {
  const served = [
    [PUBLIC_DIRECTORY, '/assets'],
    [BACK_OFFICE_DIRECTORY, '/dashboard-assets'],
  ].flatMap(([directory = '', path = '']) =>
    readdirSync(join(directory, path)).map((name) => `${path}/${name}`),
  );
  const named = [CHECKOUT_SCRIPT_PATH, DASHBOARD_CSS_PATH, DASHBOARD_SCRIPT_PATH];
  expect(served.sort()).toEqual(named.sort());
});

describe('files with fixed names, which browsers and crawlers ask for', () => {
  const { assets } = parse(
    readFileSync(join(PUBLIC_DIRECTORY, '../wrangler.toml'), 'utf8'),
  ) as unknown as { readonly assets: { readonly run_worker_first: readonly string[] } };

  test.each([
    ['favicon.ico', /PNG/],
    ['kefel.js', /Kefel:/],
    ['icon.svg', /^<svg /],
    ['robots.txt', /^User-agent: \*\nDisallow: \/api\/\n/m],
  ])('/%s is served without starting the Worker', (name, content) => {
    expect(readFileSync(join(PUBLIC_DIRECTORY, name), 'latin1')).toMatch(content);
    expect(assets.run_worker_first.filter((path) => path.includes(name))).toEqual([]);
    // Patterns end in "/*"; one that is only "/*" would cover every file.
    expect(assets.run_worker_first).not.toContain('/*');
  });

  test('crawlers may open checkout pages, whose "noindex" they would not read otherwise', () => {
    const robots = readFileSync(join(PUBLIC_DIRECTORY, 'robots.txt'), 'utf8');
    expect(robots).not.toMatch(/^Disallow: \/(?:checkout.*)?$/m);
  });

  test("the browser's bars have the color of the page", () => {
    const css = readFileSync(join(PUBLIC_DIRECTORY, '../src/kit/ui/styles/tokens.css'), 'utf8');
    const colors = [...css.matchAll(/--page: (#[0-9a-f]{6});/g)].map(([, color]) => color);
    expect(colors).toEqual([PAGE_COLOR, PAGE_COLOR_DARK]);
  });
});

test.each(['favicon.ico', 'icon.svg', 'robots.txt'])('both planes serve the same %s', (name) => {
  const [payments, backOffice] = [PUBLIC_DIRECTORY, BACK_OFFICE_DIRECTORY].map((directory) =>
    readFileSync(join(directory, name)),
  );
  expect(backOffice).toEqual(payments);
});

describe("the dashboard's files", () => {
  test.each([
    [DASHBOARD_SCRIPT_PATH, DASHBOARD_SCRIPT_SHA256],
    [DASHBOARD_CSS_PATH, DASHBOARD_CSS_SHA256],
  ])('the name and integrity of %s match its content', (path, digest) => {
    const content = readFileSync(join(BACK_OFFICE_DIRECTORY, path));
    const hash = createHash('sha256').update(content).digest('hex');
    expect(path).toContain(`.${hash.slice(0, 8)}.`);
    expect(digest).toBe(sha256(content));
  });
});

describe("the customer's script", () => {
  test('is named after its content, so that browsers can cache it without expiry', () => {
    const hash = createHash('sha256').update(script).digest('hex');
    expect(CHECKOUT_SCRIPT_PATH).toBe(`/assets/checkout.${hash.slice(0, 8)}.js`);
    const headers = readFileSync(join(PUBLIC_DIRECTORY, '_headers'), 'utf8');
    expect(headers).toContain(
      '\n/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n',
    );
  });

  test('has the integrity that pages demand', () => {
    expect(CHECKOUT_SCRIPT_SHA256).toBe(sha256(script));
  });

  test('is small', () => {
    expect(gzipSync(script).byteLength).toBeLessThanOrEqual(SCRIPT_GZIPPED_BYTES_MAX);
  });

  test.each([
    /unsafe/i,
    /\beval\b/,
    /\bFunction\(/,
    /(?:inner|outer)HTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment/,
    /setAttribute\("(?:style|on)/,
    /\.style\b|cssText/,
    /https?:/,
    /sourceMappingURL/,
    /\bimport\b|\bexport\b/,
    /localStorage|sessionStorage|cookie/,
  ])('contains no %s', (pattern) => {
    expect(script.toString('utf8')).not.toMatch(pattern);
  });

  test('contains no text for the customer, because pages provide the translations', () => {
    expect(script.toString('utf8')).toMatch(/^[\x20-\x7e\n]*$/);
    expect(script.toString('utf8')).not.toMatch(/["'`][A-Z][a-z]+ [a-z]/);
  });
});

describe('the script of the merchants', () => {
  const embed = readFileSync(join(PUBLIC_DIRECTORY, 'kefel.js'));

  test('is small', () => {
    expect(embed.byteLength).toBeLessThanOrEqual(EMBED_BYTES_MAX);
  });

  test.each([
    /\beval\b|\bFunction\(/,
    /(?:inner|outer)HTML|insertAdjacentHTML|document\.write/,
    /localStorage|sessionStorage|cookie/,
    /sourceMappingURL|\bimport\b|\bexport\b/,
    // Only BroadcastChannel takes a message without a target.
    /postMessage\([^)]*"\*"/,
  ])('contains no %s', (pattern) => {
    expect(embed.toString('utf8')).not.toMatch(pattern);
  });
});

describe('the style sheets', () => {
  const sheets = globSync('{src,back-office,site}/**/*.css', { exclude: ['**/public/**'] })
    .filter((path) => !path.endsWith('tokens.css'))
    .map((path) => [path, readFileSync(path, 'utf8')] as const);
  const others = (values: RegExp, allowed: RegExp) =>
    sheets.flatMap(([path, css]) =>
      [...css.replace(/\n +--[\w-]+: [^;]+;/g, '').matchAll(values)]
        .filter(([, value = '']) => !allowed.test(value))
        .map(([declaration]) => `${path}: ${declaration}`),
    );

  test('have three weights, the corners of the scale, and colors that have a name', () => {
    expect(others(/font-weight: ([^;]+)/g, /^(?:400|600|700)$/)).toEqual([]);
    expect(others(/-radius: ([^;]+)/g, /^(?:0|var\(--radius(?:-s|-full)?\))$/)).toEqual([]);
    // Logos and QR codes are made for white paper.
    expect(others(/[:,] (#[0-9a-f]{3,8}|rgb[^;]+)/g, /^#fff$/)).toEqual([]);
  });
});

describe('the style sheet', () => {
  test('has the hash that the CSP allows', () => {
    expect(CHECKOUT_CSS_SHA256).toBe(sha256(CHECKOUT_CSS));
  });

  test('is small, loads nothing, and stays within its element', () => {
    expect(gzipSync(CHECKOUT_CSS).byteLength).toBeLessThanOrEqual(CSS_GZIPPED_BYTES_MAX);
    expect(CHECKOUT_CSS).not.toMatch(/@import|https?:|<\/|sourceMappingURL/i);
  });
});

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
