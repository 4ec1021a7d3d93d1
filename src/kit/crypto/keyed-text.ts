import { base64UrlFromBytes, bytesFromBase64Url } from './encoding.ts';
import type { NamedKey } from './key-ring.ts';

/** Bytes with the id of the key that signed or encrypted them: `<keyId>.<base64url(bytes)>`. */
export function keyedText({ keyId }: NamedKey, ...parts: readonly Uint8Array[]): string {
  return `${keyId}.${base64UrlFromBytes(joined(...parts))}`;
}

/** The bytes, and the key that the text names. Null for an unknown key or malformed text. */
export function parseKeyedText(
  keys: readonly NamedKey[],
  text: string,
): { readonly key: NamedKey; readonly bytes: Uint8Array<ArrayBuffer> } | null {
  const dot = text.indexOf('.');
  const key = keys.find(({ keyId }) => keyId === text.slice(0, Math.max(dot, 0)));
  const bytes = bytesFromBase64Url(text.slice(dot + 1));
  return key === undefined || bytes === null ? null : { key, bytes };
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}
