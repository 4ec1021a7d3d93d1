export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export function base64FromBytes(bytes: Uint8Array | ArrayBuffer): string {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  let binary = '';
  for (const byte of view) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary);
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
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    bitCount += 8;
    for (; bitCount >= 5; bitCount -= 5) {
      text += BASE32.charAt((bits >> (bitCount - 5)) & 31);
    }
  }
  return bitCount === 0 ? text : text + BASE32.charAt((bits << (5 - bitCount)) & 31);
}

/** The bytes of canonical base32 text, or null for any other text. */
export function bytesFromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const character of text) {
    const value = BASE32.indexOf(character);
    if (value < 0) {
      return null;
    }
    bits = ((bits << 5) | value) & 0xfff;
    bitCount += 5;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes.push((bits >> bitCount) & 255);
    }
  }
  const decoded = Uint8Array.from(bytes);
  return base32FromBytes(decoded) === text ? decoded : null;
}

export function hexFromBytes(bytes: Uint8Array | ArrayBuffer): string {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  return Array.from(view, (byte) => byte.toString(16).padStart(2, '0')).join('');
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
