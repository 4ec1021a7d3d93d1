import { sha256Hex } from '../crypto/encoding.ts';

/**
 * What a merchant may bring along as its branding. Validation only, without any database: also
 * runs in Node, for the scripts.
 */

/** Enough for a mark of 256 pixels; customers on slow phones download it before they pay. */
export const LOGO_BYTES_MAX = 16 * 1024;

/**
 * The formats that every browser shows and that hold nothing but pixels. Never SVG: it is a
 * document that can carry script, and would be served from the origin of the payment pages.
 */
export type LogoMediaType = 'image/png' | 'image/webp' | 'image/jpeg';

export interface Logo {
  readonly mediaType: LogoMediaType;
  /** Lower-case hexadecimal SHA-256 of the bytes: its name in storage and addresses. */
  readonly digest: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** `incomplete`: cut short, or something was appended to the picture. */
export type LogoRefusal = 'too_large' | 'unknown_format' | 'incomplete';

export type LogoResult =
  | { readonly type: 'logo'; readonly logo: Logo }
  | { readonly type: 'refused'; readonly reason: LogoRefusal };

/** The colour `#rrggbb` in lower case, or null for any other way to write one. */
export function colourFrom(text: string): string | null {
  return /^#[0-9a-fA-F]{6}$/.test(text) ? text.toLowerCase() : null;
}

/**
 * The logo in these bytes. What it is, its bytes say: a file's name and a declared type are only
 * somebody's word. The end is looked at too, because a cut file would show customers half a logo.
 */
export async function logoFrom(bytes: Uint8Array<ArrayBuffer>): Promise<LogoResult> {
  if (bytes.length > LOGO_BYTES_MAX) {
    return { type: 'refused', reason: 'too_large' };
  }
  const format = FORMATS.find(({ hasStart }) => hasStart(bytes));
  if (format === undefined) {
    return { type: 'refused', reason: 'unknown_format' };
  }
  if (!format.hasEnd(bytes)) {
    return { type: 'refused', reason: 'incomplete' };
  }
  const digest = await sha256Hex(bytes);
  return { type: 'logo', logo: { mediaType: format.mediaType, digest, bytes } };
}

interface Format {
  readonly mediaType: LogoMediaType;
  /** By the magic bytes. */
  readonly hasStart: (bytes: Uint8Array) => boolean;
  /** Whether the last byte is where the format says. Only asked after `hasStart`. */
  readonly hasEnd: (bytes: Uint8Array) => boolean;
}

/** The signature, and the first chunk's length and name: IHDR is always first. */
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...ascii('IHDR')];
/** The empty chunk IEND with its checksum. */
const PNG_END = [0, 0, 0, 0, ...ascii('IEND'), 0xae, 0x42, 0x60, 0x82];
/** Start of image, and the first byte of the marker that follows. */
const JPEG_START = [0xff, 0xd8, 0xff];
const JPEG_END = [0xff, 0xd9];
/** A WebP file is a RIFF container: `RIFF`, its size in 4 bytes, `WEBP`. */
const RIFF_SIZE_OFFSET = 4;
const RIFF_FORM_OFFSET = 8;
const RIFF_HEADER_BYTES = 12;

const FORMATS: readonly Format[] = [
  {
    mediaType: 'image/png',
    hasStart: (bytes) => holdsAt(bytes, 0, PNG_START),
    hasEnd: (bytes) => holdsAt(bytes, bytes.length - PNG_END.length, PNG_END),
  },
  {
    mediaType: 'image/webp',
    hasStart: (bytes) =>
      holdsAt(bytes, 0, ascii('RIFF')) && holdsAt(bytes, RIFF_FORM_OFFSET, ascii('WEBP')),
    hasEnd: (bytes) =>
      bytes.length > RIFF_HEADER_BYTES && riffSizeBytes(bytes) === bytes.length - RIFF_FORM_OFFSET,
  },
  {
    mediaType: 'image/jpeg',
    hasStart: (bytes) => holdsAt(bytes, 0, JPEG_START),
    hasEnd: (bytes) => holdsAt(bytes, bytes.length - JPEG_END.length, JPEG_END),
  },
];

/** What the container says of its length, counted from its form on. */
function riffSizeBytes(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(RIFF_SIZE_OFFSET, true);
}

function holdsAt(bytes: Uint8Array, offset: number, wanted: readonly number[]): boolean {
  return offset >= 0 && wanted.every((byte, index) => bytes[offset + index] === byte);
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
