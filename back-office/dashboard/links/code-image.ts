import type { LinkSign } from '../../../src/control/rpc/links.ts';
import { utf8 } from '../../../src/kit/crypto/encoding.ts';

/** A code to print, as a picture of whole dots. */

type Modules = LinkSign['modules'];

/** Without a size: it fills its place. */
export function codeSvg(modules: Modules): string {
  const size = modules.length;
  const dots = modules.flatMap((row, y) =>
    row.flatMap((isBlack, x) => (isBlack ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dots.join('')}"/></svg>`;
}

/** Bytes of a module in each row of pixels, eight pixels each: 16 pixels print sharply at 8 cm. */
const MODULE_BYTES = 2;
const MODULE_PIXELS = 8 * MODULE_BYTES;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** One bit for each pixel (https://www.w3.org/TR/png-3/). */
export async function codePng(modules: Modules): Promise<Blob> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, modules.length * MODULE_PIXELS);
  header.setUint32(4, modules.length * MODULE_PIXELS);
  // One bit of gray; the rest is the only choice that there is.
  header.setUint8(8, 1);
  const rows = modules.flatMap((row) => {
    const pixels = row.flatMap((isBlack) => Array(MODULE_BYTES).fill(isBlack ? 0x00 : 0xff));
    // Each row begins with its filter: none.
    return Array(MODULE_PIXELS)
      .fill([0, ...pixels])
      .flat();
  });
  const zipped = new Blob([new Uint8Array(rows)])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  const chunks = [
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', new Uint8Array(await new Response(zipped).arrayBuffer())),
    chunk('IEND', new Uint8Array()),
  ];
  return new Blob([new Uint8Array(SIGNATURE), ...chunks], { type: 'image/png' });
}

/** Its length, its name, its data, and the checksum of the last two. */
function chunk(name: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(utf8(name), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

/** The files have a kilobyte, so that a table would not pay. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
    }
  }
  return ~crc;
}
