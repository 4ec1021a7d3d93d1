import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { demoLogo } from '../../../scripts/dev/demo-merchant.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { colorFrom, LOGO_BYTES_MAX, logoFrom } from '../../../src/control/merchants/branding.ts';
import type { LogoMediaType } from '../../../src/engine/merchants/logo.ts';
import { base64FromBytes, utf8 } from '../../../src/kit/crypto/encoding.ts';
import { PIXELS } from '../../support/logos.ts';

/**
 * Goal: a merchant's branding is exactly a color and a picture in one of three formats, independent
 * of file names, and contains nothing that a browser could run.
 */

const PIXEL = PIXELS['image/png'];
const MEDIA_TYPES = Object.keys(PIXELS) as LogoMediaType[];

function joined(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function repeated(byte: number, count: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(count).fill(byte);
}

describe('colors', () => {
  test.each([
    ['#0b6b4b', '#0b6b4b'],
    ['#0B6B4B', '#0b6b4b'],
    ['#000000', '#000000'],
    ['#FFFFFF', '#ffffff'],
  ])('stores %s as %s', (text, color) => {
    expect(colorFrom(text)).toBe(color);
  });

  test.each([
    '',
    '#',
    'green',
    '0b6b4b',
    '#0b6',
    '#0b6b4',
    '#0b6b4bf',
    '#0b6b4bff',
    '#0b6b4g',
    ' #0b6b4b',
    '#0b6b4b ',
    '#0b6b4b\n',
    '##0b6b4',
    '#０b6b4b',
    'rgb(11,107,75)',
    'var(--x)',
    '#0b6b4b;background:url(https://evil.example)',
    'javascript:alert(1)',
  ])('rejects %j', (text) => {
    expect(colorFrom(text)).toBeNull();
  });
});

describe('logos', () => {
  test.each(MEDIA_TYPES)('detects %s by its bytes', async (mediaType) => {
    const bytes = PIXELS[mediaType];
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(await logoFrom(bytes)).toEqual({ mediaType, digest, bytes });
  });

  test.each(MEDIA_TYPES)('rejects %s truncated at any byte', async (mediaType) => {
    const bytes = PIXELS[mediaType];
    for (let length = 0; length < bytes.length; length++) {
      const refusal = await logoFrom(bytes.slice(0, length));
      expect({ length, refusal }).toEqual({ length, refusal: expect.any(String) });
    }
    expect(await logoFrom(bytes.slice(0, -1))).toBe('incomplete');
  });

  test.each(MEDIA_TYPES)('rejects %s with extra bytes at the end', async (mediaType) => {
    const bytes = joined(PIXELS[mediaType], utf8('<script>alert(1)</script>'));
    expect(await logoFrom(bytes)).toBe('incomplete');
  });

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['nothing', joined()],
    ['SVG', utf8('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['SVG as XML', utf8('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['SVG behind a byte order mark', utf8('\uFEFF<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HTML', utf8('<!doctype html><script>alert(1)</script>')],
    ['a GIF', joined(utf8('GIF89a'), repeated(0, 40))],
    ['a BMP', joined(utf8('BM'), repeated(0, 60))],
    ['an AVIF', joined([0, 0, 0, 32], utf8('ftypavif'), repeated(0, 40))],
    ['a picture after a space', joined(utf8(' '), PIXEL)],
    ['a PNG broken by a text transfer', joined(PIXEL.slice(0, 4), PIXEL.slice(5))],
    ['a valid RIFF file', joined(utf8('RIFF'), [4, 0, 0, 0], utf8('WAVE'))],
  ])('rejects %s as a logo', async (_name, bytes) => {
    expect(await logoFrom(bytes)).toBe('unknown_format');
  });

  test('rejects more than 16 KiB before it parses anything', async () => {
    const ofLength = (length: number) =>
      joined(PIXEL.slice(0, -12), repeated(0, length - PIXEL.length), PIXEL.slice(-12));
    expect(LOGO_BYTES_MAX).toBe(16_384);
    expect(await logoFrom(ofLength(LOGO_BYTES_MAX))).toMatchObject({
      bytes: { length: LOGO_BYTES_MAX },
    });
    for (const bytes of [ofLength(LOGO_BYTES_MAX + 1), repeated(0, LOGO_BYTES_MAX + 1)]) {
      expect(await logoFrom(bytes)).toBe('too_large');
    }
  });

  test("the table's limit is the same 16 KiB, in base64", () => {
    const migration = readFileSync(
      join(PROJECT_DIRECTORY, 'migrations', '0001_baseline.sql'),
      'utf8',
    );
    const { length } = base64FromBytes(repeated(0, LOGO_BYTES_MAX));
    expect(migration).toContain(`length(base64) BETWEEN 4 AND ${length}`);
  });

  test("the demo merchant's logo is valid", async () => {
    const { mediaType, bytes } = await demoLogo();
    expect(mediaType).toBe('image/png');
    expect(bytes.length).toBeLessThan(3_000);
  });
});
