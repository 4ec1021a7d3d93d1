import { base64FromBytes, bytesFromBase64, utf8 } from '../../../kit/crypto/encoding.ts';
import { type Members, membersOf, scalarOf } from '../members.ts';

/**
 * The paddings of signatures, in the order in which we try them on a notification. The portal says
 * "PSS". Its JavaScript and Java samples use a salt of 32 bytes, some libraries the longest possible
 * salt. Its Python sample uses PKCS#1 v1.5.
 */
export const SIGNATURE_SCHEMES = ['pss32', 'pssmax', 'pkcs1'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** The length of a SHA-256 hash. */
const SALT_BYTES_PSS32 = 32;
/** The longest salt in a signature of the prescribed 2048 bits: 256 - 32 - 2. */
const SALT_BYTES_PSSMAX = 222;

type RsaName = 'RSA-PSS' | 'RSASSA-PKCS1-v1_5';

const ALGORITHMS: Readonly<
  Record<SignatureScheme, { readonly name: RsaName; readonly saltLength?: number }>
> = {
  pss32: { name: 'RSA-PSS', saltLength: SALT_BYTES_PSS32 },
  pssmax: { name: 'RSA-PSS', saltLength: SALT_BYTES_PSSMAX },
  pkcs1: { name: 'RSASSA-PKCS1-v1_5' },
};

/** Not signed at any level: telebirr's own sample omits them. */
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
 * The text to sign according to telebirr's H5 documentation: the members of a message and of its
 * `biz_content` in one map, without empty ones, sorted by name in byte order, joined as `name=value`
 * with `&`, without encoding.
 */
export function canonicalText(message: Members, empties: 'dropped' | 'kept' = 'dropped'): string {
  const values = new Map<string, string>();
  for (const fields of [message, membersOf(message.biz_content) ?? {}]) {
    for (const [name, value] of Object.entries(fields)) {
      const text = scalarOf(value);
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

/** Base64 signature over `text`; null when the key cannot sign. */
export type Sign = (text: string) => Promise<string | null>;

/** Signs with the merchant's key. Caches the imported key: parsing costs more than signing. */
export function signer(pkcs8Base64: string, scheme: SignatureScheme): Sign {
  const algorithm = ALGORITHMS[scheme];
  let known: CryptoKey | undefined;
  return async (text) => {
    try {
      known ??= await importKey('pkcs8', pkcs8Base64, algorithm.name);
      return base64FromBytes(await crypto.subtle.sign(algorithm, known, utf8(text)));
    } catch {
      // Drops the error, which must not reveal anything about the private key.
      return null;
    }
  };
}

/** Whether the key's owner made a message's `sign`, with any of the paddings. */
export type Verify = (message: Members) => Promise<boolean>;

/**
 * Verifies with telebirr's key. The documentation omits empty values, but one integrator found them
 * signed. The live host sends `transId` and mostly signs it as `trans_id`. We try all of them. Each
 * try needs a full signature over every field, so more tries help no attacker.
 */
export function verifier(spkiBase64: string): Verify {
  const known = new Map<RsaName, CryptoKey>();
  return async (message) => {
    try {
      // In a badly encoded form, `+` arrives as a space.
      const signature = bytesFromBase64((scalarOf(message.sign) ?? '').replaceAll(' ', '+'));
      const texts = new Set(
        [message, asSigned(message)].flatMap((fields) => [
          canonicalText(fields),
          canonicalText(fields, 'kept'),
        ]),
      );
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
      // Invalid base64 or an invalid key proves nothing.
      return false;
    }
  };
}

/** The name under which the live host signs `transId`, which also changes its place in the order. */
function asSigned(message: Members): Members {
  const { transId, ...others } = message;
  return transId === undefined || others.trans_id !== undefined
    ? message
    : { ...others, trans_id: transId };
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
