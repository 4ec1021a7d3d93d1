/** Reads a QR code (ISO/IEC 18004) of level M in byte mode, without correcting errors. */

/** Of each version from 1 on: the data bytes of its blocks. */
const BLOCKS: readonly (readonly number[])[] = [
  [16],
  [28],
  [44],
  [32, 32],
  [43, 43],
  [27, 27, 27, 27],
  [31, 31, 31, 31],
  [38, 38, 39, 39],
  [36, 36, 36, 37, 37],
  [43, 43, 43, 43, 44],
  [50, 51, 51, 51, 51],
];

/** The centers of alignment patterns, in both directions. */
const CENTERS: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
];

const MASKS: readonly ((y: number, x: number) => number)[] = [
  (y, x) => (y + x) % 2,
  (y) => y % 2,
  (_y, x) => x % 3,
  (y, x) => (y + x) % 3,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
  (y, x) => ((y * x) % 2) + ((y * x) % 3),
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2,
];

type IsBlack = (x: number, y: number) => boolean;

/** The text of a picture, whose pixels `isBlack` says. What is around the code is white. */
export function readCode(width: number, height: number, isBlack: IsBlack): string {
  const black: [x: number, y: number][] = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (isBlack(x, y)) {
        black.push([x, y]);
      }
    }
  }
  const [left, top] = [Math.min(...firstOf(black, 0)), Math.min(...firstOf(black, 1))];
  const right = black.reduce((most, [x]) => Math.max(most, x), 0) + 1;
  // The first row of black pixels begins with the edge of a finder pattern, seven modules long.
  let edge = 0;
  while (isBlack(left + edge, top)) {
    edge += 1;
  }
  const version = Math.round(((7 * (right - left)) / edge - 17) / 4);
  const size = 17 + 4 * version;
  const pixels = (right - left) / size;
  const at = (module: number, from: number) => Math.floor(from + (module + 0.5) * pixels);
  return textOf(size, (x, y) => isBlack(at(x, left), at(y, top)));
}

function firstOf(points: readonly (readonly number[])[], index: number): number[] {
  return [points.reduce((least, point) => Math.min(least, point[index] ?? 0), Infinity)];
}

function textOf(size: number, isBlack: IsBlack): string {
  const version = (size - 17) / 4;
  const [blocks, centers] = [BLOCKS[version - 1], CENTERS[version - 1]];
  if (blocks === undefined || centers === undefined) {
    throw new Error(`no code of ${size} modules`);
  }
  const last = size - 1;
  const bit = (x: number, y: number) => Number(isBlack(x, y));
  // Level M is 00; level and mask are stored with a pattern of their own.
  const level = (bit(0, 8) ^ 1) * 2 + bit(1, 8);
  const mask = MASKS[(bit(2, 8) ^ 1) * 4 + bit(3, 8) * 2 + (bit(4, 8) ^ 1)];
  if (level !== 0 || mask === undefined) {
    throw new Error(`level ${level}`);
  }
  const isAligned = (x: number, y: number) =>
    centers.some((cx) =>
      centers.some((cy) => {
        const isFinder =
          [cx, cy].every((one) => one === 6 || one === last - 6) && cx + cy < 2 * (last - 6);
        return !isFinder && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2;
      }),
    );
  const isFunction = (x: number, y: number) =>
    (x < 9 && (y < 9 || y > last - 8)) ||
    (y < 9 && x > last - 8) ||
    x === 6 ||
    y === 6 ||
    isAligned(x, y) ||
    (version >= 7 && ((y < 6 && x > last - 11) || (x < 6 && y > last - 11)));
  const bits: number[] = [];
  for (let right = last; right > 0; right -= right === 7 ? 3 : 2) {
    for (let step = 0; step < size; step += 1) {
      const y = ((right + 1) & 2) === 0 ? last - step : step;
      for (const x of [right, right - 1]) {
        if (!isFunction(x, y)) {
          bits.push(bit(x, y) ^ Number(mask(y, x) === 0));
        }
      }
    }
  }
  return bytesIn(version, inBlocks(blocks, bits));
}

/** The bits of the data, whose bytes are spread over the blocks. */
function inBlocks(blocks: readonly number[], bits: readonly number[]): number[] {
  const own: number[][] = blocks.map(() => []);
  let at = 0;
  for (let byte = 0; byte < Math.max(...blocks); byte += 1) {
    for (const [index, length] of blocks.entries()) {
      if (byte < length) {
        own[index]?.push(...bits.slice(at, at + 8));
        at += 8;
      }
    }
  }
  return own.flat();
}

function bytesIn(version: number, bits: readonly number[]): string {
  const number = (from: number, length: number) =>
    Number.parseInt(bits.slice(from, from + length).join(''), 2);
  if (number(0, 4) !== 4) {
    throw new Error(`mode ${number(0, 4)}`);
  }
  const countBits = version < 10 ? 8 : 16;
  const bytes = Array.from({ length: number(4, countBits) }, (_, index) =>
    number(4 + countBits + 8 * index, 8),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}
