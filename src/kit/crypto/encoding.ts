export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export function base64FromBytes(bytes: Uint8Array | ArrayBuffer): string {
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''));
}

export function base64UrlFromBytes(bytes: Uint8Array): string {
  return base64FromBytes(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of canonical base64url text, or null for any other text. */
export function bytesFromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) {
    return null;
  }
  const bytes = bytesFromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return base64UrlFromBytes(bytes) === text ? bytes : null;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 base32 without padding: for providers that accept only letters and digits. */
export function base32FromBytes(bytes: Uint8Array): string {
  return regrouped(bytes, 8, 5)
    .map((value) => BASE32.charAt(value))
    .join('');
}

/** The bytes of canonical base32 text, or null for any other text. */
export function bytesFromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const values = Array.from(text, (character) => BASE32.indexOf(character));
  const bytes = Uint8Array.from(regrouped(values, 5, 8)).slice(
    0,
    Math.floor((text.length * 5) / 8),
  );
  return base32FromBytes(bytes) === text ? bytes : null;
}

/** The bits of values of `from` bits each, in values of `to` bits. Fills the last with zeros. */
function regrouped(values: Iterable<number>, from: number, to: number): number[] {
  const groups: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const value of values) {
    bits = ((bits << from) | value) & 0xfff;
    for (bitCount += from; bitCount >= to; bitCount -= to) {
      groups.push((bits >> (bitCount - to)) & (2 ** to - 1));
    }
  }
  return bitCount === 0 ? groups : [...groups, (bits << (to - bitCount)) & (2 ** to - 1)];
}

export function hexFromBytes(bytes: Uint8Array | ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function bytesFromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}

/** Lower-case hexadecimal SHA-256. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? utf8(data) : data;
  return hexFromBytes(await crypto.subtle.digest('SHA-256', bytes));
}
