import type { Logo, LogoMediaType } from '../../engine/merchants/logo.ts';
import { sha256Hex } from '../../kit/crypto/encoding.ts';

/**
 * Validates a merchant's branding. Uses no database, because scripts run this in Node.
 */

/** Enough for a logo of 256 pixels. Customers on slow phones download it before they pay. */
export const LOGO_BYTES_MAX = 16 * 1024;

/** Per merchant. Logos are never deleted, because payments refer to them. */
export const LOGOS_MAX = 100;

/** `incomplete`: the file is truncated, or has extra bytes at its end. */
export type LogoRefusal = 'too_large' | 'unknown_format' | 'incomplete';

/** The color `#rrggbb` in lower case, or null for any other notation. */
export function colorFrom(text: string): string | null {
  return /^#[0-9a-fA-F]{6}$/.test(text) ? text.toLowerCase() : null;
}

/**
 * The logo in these bytes, or why not. The bytes decide the format: a file name or a declared type may be
 * wrong. Also checks the end, because a truncated file would show customers half a logo.
 */
export async function logoFrom(bytes: Uint8Array<ArrayBuffer>): Promise<Logo | LogoRefusal> {
  if (bytes.length > LOGO_BYTES_MAX) {
    return 'too_large';
  }
  const format = FORMATS.find(({ hasStart }) => hasStart(bytes));
  if (format === undefined) {
    return 'unknown_format';
  }
  if (!format.hasEnd(bytes)) {
    return 'incomplete';
  }
  return { mediaType: format.mediaType, digest: await sha256Hex(bytes), bytes };
}

interface Format {
  readonly mediaType: LogoMediaType;
  /** Checks the magic bytes. */
  readonly hasStart: (bytes: Uint8Array) => boolean;
  /** Whether the file ends as the format requires. Called only after `hasStart` is true. */
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

/** The length in the container's header, counted from RIFF_FORM_OFFSET. */
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
