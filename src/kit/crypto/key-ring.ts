/** A named key of a key ring. The first key of a ring signs. */
export interface NamedKey {
  readonly keyId: string;
  /** Base64 as configured: raw bytes, or PKCS#8 for RSA. */
  readonly base64: string;
}

/** Keys of one purpose, newest first: the first signs, all verify (docs/decisions.md#32). */
export type KeyRing = readonly [NamedKey, ...NamedKey[]];
