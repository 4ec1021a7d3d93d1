import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { CHANNEL_SECRETS } from '../../src/control/alerts/config.ts';

/** The secrets that wrangler.toml requires. */
export const PAYMENTS_SECRETS = [
  'LINK_SIGNING_KEYS',
  'DATA_ENCRYPTION_KEYS',
  'BACKUP_KEYS',
  'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
  'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
] as const;
/** The secrets that back-office/wrangler.toml requires. */
export const BACK_OFFICE_SECRETS = ['BACK_OFFICE_KEYS', 'OPERATOR_SECRETS'] as const;
export const SECRET_NAMES = [...PAYMENTS_SECRETS, ...BACK_OFFICE_SECRETS] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type Secrets = Readonly<Record<SecretName, string>>;

/** Whether the payments' Worker may have it, although wrangler.toml does not list it. */
export function isOptionalSecret(name: string): boolean {
  return name.startsWith('RAIL_') || CHANNEL_SECRETS.some((known) => known === name);
}

/** Rings of random bytes. */
const SYMMETRIC: readonly SecretName[] = [
  'LINK_SIGNING_KEYS',
  'DATA_ENCRYPTION_KEYS',
  'BACKUP_KEYS',
  'BACK_OFFICE_KEYS',
];
const SYMMETRIC_KEY_BYTES = 32;
/** Merchants verify events with 2048-bit keys (docs/decisions.md#17). */
const RSA_MODULUS_BITS = 2048;

/**
 * A new key ring of one key, as `keyId:base64` with RSA keys in PKCS#8, or a new secret of the
 * operator, which has no id.
 */
export async function generateSecret(name: SecretName, keyId: string): Promise<string> {
  if (SYMMETRIC.includes(name)) {
    return `${keyId}:${randomBytes(SYMMETRIC_KEY_BYTES).toString('base64')}`;
  }
  if (name === 'OPERATOR_SECRETS') {
    return `kfl_op_${randomBytes(SYMMETRIC_KEY_BYTES).toString('base64url')}`;
  }
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_MODULUS_BITS,
  });
  return `${keyId}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
}
