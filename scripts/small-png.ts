import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * A screenshot in less than half of its bytes: Chromium packs in haste, and spends three bytes on
 * each pixel. Here a pixel is one byte that names one of 256 colours. A page has few; what goes
 * beyond are shades at the edges of letters, which become the nearest one.
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png);
  const palette = commonColours(pixels);
  const indices = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    // The row's first byte stays 0: no filter, which does flat colours no good.
    for (let column = 0; column < width; column += 1) {
      const colour = pixels[row * width + column] ?? 0;
      const index = indices.get(colour) ?? nearest(palette, colour);
      indices.set(colour, index);
      rows[row * (width + 1) + 1 + column] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BIT_DEPTH, PALETTE_COLOUR], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => channelsOf(colour)))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const BIT_DEPTH = 8;
const TRUE_COLOUR = 2;
const PALETTE_COLOUR = 3;
const PALETTE_SIZE = 256;
const PIXEL_BYTES = 3;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB each, row by row. */
  readonly pixels: Uint32Array;
}

/** Reads what Chromium writes: 8 bits, red, green and blue, not interlaced. */
function decoded(png: Buffer): Picture {
  const data: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE.byteLength; at < png.byteLength; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      header = Buffer.from(content);
    } else if (type === 'IDAT') {
      data.push(content);
    }
    at += 12 + length;
  }
  const [bitDepth, colourType, , , interlace] = header.subarray(8);
  if (bitDepth !== BIT_DEPTH || colourType !== TRUE_COLOUR || interlace !== 0) {
    throw new Error('a screenshot is no PNG as Chromium writes them');
  }
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * PIXEL_BYTES);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index += 1) {
    pixels[index] = bytes.readUIntBE(index * PIXEL_BYTES, PIXEL_BYTES);
  }
  return { width, height, pixels };
}

/** Undoes the filters of the PNG specification's section 9: each row begins with the one it has. */
function unfiltered(filtered: Buffer, rowBytes: number): Buffer {
  const rows = filtered.byteLength / (rowBytes + 1);
  const bytes = Buffer.alloc(rows * rowBytes);
  for (let row = 0; row < rows; row += 1) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column;
      const isFirst = column < PIXEL_BYTES;
      const left = isFirst ? 0 : (bytes[at - PIXEL_BYTES] ?? 0);
      const above = bytes[at - rowBytes] ?? 0;
      const aboveLeft = isFirst ? 0 : (bytes[at - rowBytes - PIXEL_BYTES] ?? 0);
      const difference = filtered[at + row + 1] ?? 0;
      bytes[at] = difference + predicted(filter, left, above, aboveLeft);
    }
  }
  return bytes;
}

function predicted(filter: number, left: number, above: number, aboveLeft: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return Math.floor((left + above) / 2);
    case 4: {
      // Paeth: the neighbour that is nearest to where the slope leads.
      const slope = left + above - aboveLeft;
      const distances = [left, above, aboveLeft].map((value) => Math.abs(slope - value));
      return [left, above, aboveLeft][distances.indexOf(Math.min(...distances))] ?? 0;
    }
    default:
      return 0;
  }
}

/** The most frequent first. */
function commonColours(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) {
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, PALETTE_SIZE)
    .map(([colour]) => colour);
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((candidate) => distanceOf(candidate, colour));
  return distances.indexOf(Math.min(...distances));
}

function distanceOf(one: number, other: number): number {
  const channels = channelsOf(other);
  return channelsOf(one).reduce(
    (sum, value, index) => sum + (value - (channels[index] ?? 0)) ** 2,
    0,
  );
}

function channelsOf(colour: number): readonly number[] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.byteLength);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
