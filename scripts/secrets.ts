import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { NamedKey } from '../src/config.ts';

/** The four secrets that the Worker requires (`[secrets]` in wrangler.toml). */
export const SECRET_NAMES = [
  'LINK_SIGNING_KEYS',
  'DATA_ENCRYPTION_KEYS',
  'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
  'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type Secrets = Readonly<Record<SecretName, string>>;

const SYMMETRIC_KEY_BYTES = 32;
/** Decision 17. */
const RSA_MODULUS_BITS = 2048;

/** A fresh key ring of one key, in the form `keyId:base64`. RSA keys are PKCS#8. */
export async function generateSecret(name: SecretName, keyId: string): Promise<string> {
  if (name === 'LINK_SIGNING_KEYS' || name === 'DATA_ENCRYPTION_KEYS') {
    return `${keyId}:${randomBytes(SYMMETRIC_KEY_BYTES).toString('base64')}`;
  }
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_MODULUS_BITS,
  });
  return `${keyId}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
}

/** The keys of a ring written as `keyId:base64,keyId:base64`. Throws when it is not that. */
export function namedKeys(name: SecretName, ring: string): readonly [NamedKey, ...NamedKey[]] {
  const keys = ring.split(',').map((entry) => {
    const [, keyId, base64] =
      /^\s*([A-Za-z0-9]{1,16}):([A-Za-z0-9+/]+={0,2})\s*$/.exec(entry) ?? [];
    if (keyId === undefined || base64 === undefined) {
      throw new Error(`${name} must be a list of keyId:base64, separated by commas`);
    }
    return { keyId, base64 };
  });
  const [first, ...others] = keys;
  if (first === undefined) {
    throw new Error(`${name} is empty`);
  }
  return [first, ...others];
}
