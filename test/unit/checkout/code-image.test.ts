import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { codePng, codeSvg } from '../../../back-office/dashboard/links/code-image.ts';
import { qrModules } from '../../../src/engine/checkout/qr.ts';
import { readCode } from '../../support/read-code.ts';

/** Goal: the files of a link's code are what a phone reads: whole dots, with white around them. */

const QUIET_MODULES = 4;

/** The chunks of a PNG file by name; their checksums are right. */
function chunksOf(png: Buffer): ReadonlyMap<string, Buffer> {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND']);
  return chunks;
}

/** From version 2 to 11, with and without what longer codes have. */
const TEXTS = [20, 60, 80, 120, 210, 240].map((length) =>
  `https://pay.example.com/ክፈል/${'x'.repeat(length)}`.slice(0, length),
);

test.each(TEXTS)('a PNG of %s', async (text) => {
  const modules = qrModules(text);
  const chunks = chunksOf(Buffer.from(await (await codePng(modules)).arrayBuffer()));
  const pixels = modules.length * 16;
  const header = chunks.get('IHDR');
  expect([header?.readUInt32BE(0), header?.readUInt32BE(4)]).toEqual([pixels, pixels]);
  expect(header?.subarray(8)).toEqual(Buffer.from([1, 0, 0, 0, 0]));
  const raw = inflateSync(chunks.get('IDAT') ?? '');
  const rowBytes = pixels / 8 + 1;
  expect(raw.length).toBe(rowBytes * pixels);
  const isBlack = (x: number, y: number) =>
    (((raw[y * rowBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0;
  expect(readCode(pixels, pixels, isBlack)).toBe(text);
  const edge = QUIET_MODULES * 16 - 1;
  expect(isBlack(edge + 1, edge + 1)).toBe(true);
  for (let at = 0; at < pixels; at += 1) {
    expect([isBlack(at, edge), isBlack(edge, at), isBlack(at, pixels - 1 - edge)]).not.toContain(
      true,
    );
  }
});

test('an SVG', () => {
  const [text = ''] = TEXTS;
  const modules = qrModules(text);
  const svg = codeSvg(modules);
  expect(svg).toContain(`viewBox="0 0 ${modules.length} ${modules.length}"`);
  const dots = new Set(
    Array.from(svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g), ([, x, y]) => `${x} ${y}`),
  );
  expect(readCode(modules.length, modules.length, (x, y) => dots.has(`${x} ${y}`))).toBe(text);
});
