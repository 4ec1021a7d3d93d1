/**
 * Two-key triple DES (FIPS 46-3, keying option 2) in ECB mode with PKCS#7 padding: the only cipher
 * that CBE's gateway supports. Web Crypto does not have it, and the maintained libraries need Node's
 * Buffer or shims. It is obsolete and protects little: no other code may use it.
 *
 * Bits are numbered as in the standard: 1 is the most significant bit of the first byte.
 */

const BLOCK_BYTES = 8;
const WORD_BITS = 32;
/** Half of a key without its parity bits. */
const KEY_HALF_BITS = 28;
const KEY_HALF_MASK = 0x0fff_ffff;

const INITIAL_PERMUTATION = [58, 60, 62, 64, 57, 59, 61, 63].flatMap((first) =>
  Array.from({ length: 8 }, (_, step) => first - 8 * step),
);
/** The inverse of the initial permutation. */
const FINAL_PERMUTATION = INITIAL_PERMUTATION.map(
  (_, index) => INITIAL_PERMUTATION.indexOf(index + 1) + 1,
);
const ROUND_PERMUTATION = [
  16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13,
  30, 6, 22, 11, 4, 25,
];

const KEY_CHOICE_LEFT = [
  57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
  52, 44, 36,
];
const KEY_CHOICE_RIGHT = [
  63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28,
  20, 12, 4,
];
const KEY_ROTATIONS = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];
/** Which bits of the rotated key each substitution box gets. */
const ROUND_KEY_CHOICES = [
  [14, 17, 11, 24, 1, 5],
  [3, 28, 15, 6, 21, 10],
  [23, 19, 12, 4, 26, 8],
  [16, 7, 27, 20, 13, 2],
  [41, 52, 31, 37, 47, 55],
  [30, 40, 51, 45, 33, 48],
  [44, 49, 39, 56, 34, 53],
  [46, 42, 50, 36, 29, 32],
];

/** The eight boxes, four rows of sixteen hexadecimal digits each. */
const SUBSTITUTION_BOXES = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
];

/** The output of each box for six bits, already shifted and permuted: one look-up per box. */
const SUBSTITUTED = SUBSTITUTION_BOXES.map((digits, box) =>
  Int32Array.from({ length: 64 }, (_, sixBits) => {
    const row = ((sixBits >> 4) & 2) | (sixBits & 1);
    const column = (sixBits >> 1) & 15;
    const fourBits = Number.parseInt(digits.charAt(16 * row + column), 16);
    return permuted(fourBits << (28 - 4 * box), 0, ROUND_PERMUTATION, WORD_BITS);
  }),
);

/** One number of six bits for each box. */
type RoundKey = readonly number[];
type KeySchedule = readonly RoundKey[];
type Word = number;

/** `key`: 16 bytes, K1 and K2. Encrypts with K1, decrypts with K2, encrypts with K1. */
export function tripleDes(key: Uint8Array) {
  const first = keySchedule(key.subarray(0, BLOCK_BYTES));
  const second = keySchedule(key.subarray(BLOCK_BYTES, 2 * BLOCK_BYTES));
  const forwards = [first, second.toReversed(), first];
  const backwards = [first.toReversed(), second, first.toReversed()];
  return {
    encrypt: (bytes: Uint8Array) => everyBlock(padded(bytes), forwards),
    /** Null when the length or padding is wrong: `encrypt` did not produce it with this key. */
    decrypt: (bytes: Uint8Array) =>
      bytes.length % BLOCK_BYTES === 0 ? unpadded(everyBlock(bytes, backwards)) : null,
  };
}

function everyBlock(bytes: Uint8Array, stages: readonly KeySchedule[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes.length);
  const input = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const output = new DataView(result.buffer);
  for (let offset = 0; offset < bytes.length; offset += BLOCK_BYTES) {
    let [left, right] = bothPermuted(
      input.getInt32(offset),
      input.getInt32(offset + 4),
      INITIAL_PERMUTATION,
    );
    // Each DES ends with the final permutation and the next begins with its inverse: we skip both.
    for (const roundKeys of stages) {
      for (const roundKey of roundKeys) {
        [left, right] = [right, left ^ mixed(right, roundKey)];
      }
      [left, right] = [right, left];
    }
    const [high, low] = bothPermuted(left, right, FINAL_PERMUTATION);
    output.setInt32(offset, high);
    output.setInt32(offset + 4, low);
  }
  return result;
}

/** The cipher function `f`: expansion (overlapping windows of six bits), key, boxes, permutation. */
function mixed(half: Word, roundKey: RoundKey): Word {
  let result = 0;
  for (const [box, keyBits] of roundKey.entries()) {
    const window = (half << (5 + 4 * box)) | (half >>> (27 - 4 * box));
    result |= SUBSTITUTED[box]?.[(window & 63) ^ keyBits] ?? 0;
  }
  return result;
}

function keySchedule(key: Uint8Array): KeySchedule {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const [high, low] = [view.getInt32(0), view.getInt32(4)];
  let left = permuted(high, low, KEY_CHOICE_LEFT, WORD_BITS);
  let right = permuted(high, low, KEY_CHOICE_RIGHT, WORD_BITS);
  return KEY_ROTATIONS.map((places) => {
    left = rotatedKeyHalf(left, places);
    right = rotatedKeyHalf(right, places);
    return ROUND_KEY_CHOICES.map((choice) => permuted(left, right, choice, KEY_HALF_BITS));
  });
}

function rotatedKeyHalf(half: Word, places: number): Word {
  return ((half << places) | (half >>> (KEY_HALF_BITS - places))) & KEY_HALF_MASK;
}

function bothPermuted(high: Word, low: Word, positions: readonly number[]): [Word, Word] {
  const half = positions.length / 2;
  return [
    permuted(high, low, positions.slice(0, half), WORD_BITS),
    permuted(high, low, positions.slice(half), WORD_BITS),
  ];
}

/** The bits at `positions` of two words of `wordBits` bits each, as one number. */
function permuted(high: Word, low: Word, positions: readonly number[], wordBits: number): Word {
  let result = 0;
  for (const position of positions) {
    const bit =
      position <= wordBits ? high >>> (wordBits - position) : low >>> (2 * wordBits - position);
    result = (result << 1) | (bit & 1);
  }
  return result;
}

/** PKCS#7: one to eight bytes, each equal to their count. */
function padded(bytes: Uint8Array): Uint8Array {
  const count = BLOCK_BYTES - (bytes.length % BLOCK_BYTES);
  const result = new Uint8Array(bytes.length + count).fill(count);
  result.set(bytes);
  return result;
}

function unpadded(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const count = bytes.at(-1) ?? 0;
  const isPadding =
    count >= 1 && count <= BLOCK_BYTES && bytes.subarray(-count).every((byte) => byte === count);
  return isPadding ? bytes.subarray(0, -count) : null;
}
