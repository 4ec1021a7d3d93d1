import { base64FromBytes, bytesFromBase64, utf8 } from '../../crypto/encoding.ts';

/** Members of a message or of its `biz_content`, as they came or as they go out. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * How a signature is padded. The portal says "PSS", which its JavaScript and Java samples read as
 * a salt of 32 bytes and some libraries as the longest possible; its Python sample has PKCS#1 v1.5.
 * In the order in which a notification's signature is tried.
 */
export const SIGNATURE_SCHEMES = ['pss32', 'pssmax', 'pkcs1'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** As long as SHA-256's hash. */
const SALT_BYTES_PSS32 = 32;
/** The most that a signature of the prescribed 2048 bits has room for: 256 - 32 - 2. */
const SALT_BYTES_PSSMAX = 222;

type RsaName = 'RSA-PSS' | 'RSASSA-PKCS1-v1_5';

const ALGORITHMS: Readonly<
  Record<SignatureScheme, { readonly name: RsaName; readonly saltLength?: number }>
> = {
  pss32: { name: 'RSA-PSS', saltLength: SALT_BYTES_PSS32 },
  pssmax: { name: 'RSA-PSS', saltLength: SALT_BYTES_PSSMAX },
  pkcs1: { name: 'RSASSA-PKCS1-v1_5' },
};

/** Never signed, at whichever level: telebirr's own sample leaves them out. */
const UNSIGNED = new Set([
  'sign',
  'sign_type',
  'header',
  'refund_info',
  'openType',
  'raw_request',
  'biz_content',
  'wallet_reference_data',
]);

/**
 * What is signed, as telebirr's H5 documentation builds it: the members of a message and of its
 * `biz_content` in one map, without those that are empty, sorted by name in byte order, joined as
 * `name=value` with `&`, nothing encoded.
 */
export function canonicalText(message: Fields, empties: 'dropped' | 'kept' = 'dropped'): string {
  const values = new Map<string, string>();
  for (const fields of [message, nested(message.biz_content)]) {
    for (const [name, value] of Object.entries(fields)) {
      const text = textOf(value);
      if (!UNSIGNED.has(name) && text !== null && (text !== '' || empties === 'kept')) {
        values.set(name, text);
      }
    }
  }
  return [...values.keys()]
    .sort()
    .map((name) => `${name}=${values.get(name)}`)
    .join('&');
}

function nested(content: unknown): Fields {
  return typeof content === 'object' && content !== null ? (content as Fields) : {};
}

/** A value of a message as text: everything is a string in the documentation, not always in life. */
export function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return null;
  }
}

/** Base64 signature over `text`; null when the key cannot sign. */
export type Sign = (text: string) => Promise<string | null>;

/** Signs with the merchant's key. Keeps the imported key: parsing costs more than signing. */
export function signer(pkcs8Base64: string, scheme: SignatureScheme): Sign {
  const algorithm = ALGORITHMS[scheme];
  let known: CryptoKey | undefined;
  return async (text) => {
    try {
      known ??= await importKey('pkcs8', pkcs8Base64, algorithm.name);
      return base64FromBytes(await crypto.subtle.sign(algorithm, known, utf8(text)));
    } catch {
      // The cause stays out: nothing about a private key belongs in an error.
      return null;
    }
  };
}

/** Whether `sign` of a message was made by the owner of the key, whichever way it was padded. */
export type Verify = (message: Fields) => Promise<boolean>;

/**
 * Verifies with telebirr's key. The documentation drops empty values, one integrator found them
 * signed: both are tried. Each is a full signature, so trying more lets nobody in.
 */
export function verifier(spkiBase64: string): Verify {
  const known = new Map<RsaName, CryptoKey>();
  return async (message) => {
    try {
      // `+` becomes a space in a form that was not encoded well.
      const signature = bytesFromBase64((textOf(message.sign) ?? '').replaceAll(' ', '+'));
      const texts = new Set([canonicalText(message), canonicalText(message, 'kept')]);
      for (const text of texts) {
        for (const scheme of SIGNATURE_SCHEMES) {
          const algorithm = ALGORITHMS[scheme];
          const key =
            known.get(algorithm.name) ?? (await importKey('spki', spkiBase64, algorithm.name));
          known.set(algorithm.name, key);
          if (await crypto.subtle.verify(algorithm, key, signature, utf8(text))) {
            return true;
          }
        }
      }
      return false;
    } catch {
      // No base64, or no key: either way nothing is proved.
      return false;
    }
  };
}

function importKey(format: 'pkcs8' | 'spki', base64: string, name: RsaName): Promise<CryptoKey> {
  const use = format === 'pkcs8' ? 'sign' : 'verify';
  return crypto.subtle.importKey(
    format,
    bytesFromBase64(base64),
    { name, hash: 'SHA-256' },
    false,
    [use],
  );
}
