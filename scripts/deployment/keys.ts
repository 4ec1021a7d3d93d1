import type { NamedKey } from '../../src/kit/crypto/key-ring.ts';
import { seal, unseal } from '../../src/kit/crypto/sealed.ts';
import {
  BACK_OFFICE_SECRETS,
  generateSecret,
  PAYMENTS_SECRETS,
  type SecretName,
  type Secrets,
} from '../project/secrets.ts';
import { DERIVED_RINGS, type Deployment, SEALED_RINGS } from './deployment-file.ts';
import { derivedKey, fingerprintOf, type RecoveryKey, RecoveryKeyError } from './recovery-key.ts';

export type DerivedRing = (typeof DERIVED_RINGS)[number];
export type SealedRing = (typeof SEALED_RINGS)[number];
export type Ring = DerivedRing | SealedRing;
export type Keys = Deployment['keys'];
export const RINGS = [...DERIVED_RINGS, ...SEALED_RINGS] as const;
/** The planes' secrets, by the Worker that has them. */
export const SECRETS_OF = { payments: PAYMENTS_SECRETS, backOffice: BACK_OFFICE_SECRETS } as const;
export type Plane = keyof typeof SECRETS_OF;

/** Key ids distinguish generations while they overlap (docs/decisions.md#32): `k20261121120000`. */
export function keyIdAt(now: Date): string {
  // To the second, so that two rotations of one day do not collide; at most 16 characters.
  return `k${now.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}`;
}

/** The id of one more generation of keys, also where the last one was made in this second. */
export function newKeyId(keys: Keys, now: Date): string {
  const all = Object.values(keys).flat() as readonly (string | { readonly keyId: string })[];
  const known = new Set(all.map((key) => (typeof key === 'string' ? key : key.keyId)));
  const keyId = keyIdAt(now);
  return known.has(keyId) ? newKeyId(keys, new Date(now.getTime() + 1_000)) : keyId;
}

/** Rings of one key each. */
export async function createKeys(recoveryKey: RecoveryKey, keyId: string): Promise<Keys> {
  const derived = DERIVED_RINGS.map((ring) => [ring, [keyId]] as const);
  const sealed = await Promise.all(
    SEALED_RINGS.map(
      async (ring) => [ring, [await sealedRsaKey(recoveryKey, ring, keyId)]] as const,
    ),
  );
  return Object.fromEntries([...derived, ...sealed]) as Keys;
}

/** A new RSA key, sealed so that the deployment file may contain it. */
export async function sealedRsaKey(
  recoveryKey: RecoveryKey,
  ring: SealedRing,
  keyId: string,
): Promise<{ readonly keyId: string; readonly sealed: string }> {
  const entry = await generateSecret(ring, keyId);
  const base64 = entry.slice(entry.indexOf(':') + 1);
  return sealedKey(recoveryKey, ring, { keyId, base64 });
}

async function sealedKey(recoveryKey: RecoveryKey, ring: Ring, { keyId, base64 }: NamedKey) {
  const sealed = await seal([sealingKey(recoveryKey)], base64, contextOf(ring, keyId));
  return { keyId, sealed };
}

/**
 * The deployment under another recovery key: each ring has a new key first, and its older keys, which
 * links, API keys and backups need, sealed under the new recovery key.
 */
export async function rekeyed(
  deployment: Deployment,
  from: RecoveryKey,
  to: RecoveryKey,
  now: Date,
): Promise<Deployment> {
  checkFingerprint(deployment, from);
  const added = await createKeys(to, newKeyId(deployment.keys, now));
  const rings = await Promise.all(
    RINGS.map(async (ring) => {
      const older = await openRing(deployment, from, ring);
      const sealed = await Promise.all(older.map((key) => sealedKey(to, ring, key)));
      return [ring, [...added[ring], ...sealed]] as const;
    }),
  );
  const keys = Object.fromEntries(rings) as Keys;
  return { ...deployment, recoveryKey: fingerprintOf(to), keys };
}

/** The values of all secrets that both Workers require. Throws for another deployment's key. */
export async function secretsOf(
  deployment: Deployment,
  recoveryKey: RecoveryKey,
): Promise<Secrets> {
  checkFingerprint(deployment, recoveryKey);
  const rings = await Promise.all(
    RINGS.map(async (ring) => {
      const keys = await openRing(deployment, recoveryKey, ring);
      return [ring, keys.map(({ keyId, base64 }) => `${keyId}:${base64}`).join(',')] as const;
    }),
  );
  const operators = deployment.operators.map(({ name, sha256 }) => `${name}:sha256-${sha256}`);
  return Object.fromEntries([...rings, ['OPERATOR_SECRETS', operators.join(',')]]) as Secrets;
}

/** The keys of a ring, newest first, of RSA rings the private ones. */
export function openRing(
  deployment: Deployment,
  recoveryKey: RecoveryKey,
  ring: Ring,
): Promise<readonly NamedKey[]> {
  return Promise.all(
    deployment.keys[ring].map(async (key: Keys[Ring][number]) => {
      if (typeof key === 'string') {
        return { keyId: key, base64: derivedKey(recoveryKey, ring, key) };
      }
      const { keyId, sealed } = key;
      const base64 = await unseal([sealingKey(recoveryKey)], sealed, contextOf(ring, keyId));
      if (base64 === null) {
        throw new RecoveryKeyError(`the recovery key does not open the key ${keyId} of ${ring}`);
      }
      return { keyId, base64 };
    }),
  );
}

/**
 * Finds the key of a part of a backup. One of an earlier recovery key is in the deployment file; without
 * that file, only the earlier recovery key makes it.
 */
export async function backupKeys(
  deployment: Deployment | null,
  recoveryKey: RecoveryKey,
): Promise<(keyId: string) => NamedKey> {
  const isOwn = deployment?.recoveryKey === fingerprintOf(recoveryKey);
  const ring = isOwn ? await openRing(deployment, recoveryKey, 'BACKUP_KEYS') : [];
  return (keyId) =>
    ring.find((key) => key.keyId === keyId) ?? {
      keyId,
      base64: derivedKey(recoveryKey, 'BACKUP_KEYS', keyId),
    };
}

/** The id of a key in the deployment file. */
export function idOf(key: Keys[Ring][number]): string {
  return typeof key === 'string' ? key : key.keyId;
}

/** What identifies a secret's value without revealing it: the ids of its keys, newest first. */
export function secretVersion(deployment: Deployment, secret: SecretName): string {
  if (secret === 'OPERATOR_SECRETS') {
    return deployment.operators.map(({ name, keyId }) => `${name}:${keyId}`).join(',');
  }
  return deployment.keys[secret].map(idOf).join(',');
}

/** The id of the key that is first in a version of a ring. */
export function newestKeyOf(version: string | undefined): string | undefined {
  return version?.split(',')[0];
}

/** Refuses the key of another deployment before anything is derived from it. */
export function checkFingerprint(deployment: Deployment, recoveryKey: RecoveryKey): void {
  if (fingerprintOf(recoveryKey) !== deployment.recoveryKey) {
    throw new RecoveryKeyError('this is the recovery key of another deployment');
  }
}

function sealingKey(recoveryKey: RecoveryKey): NamedKey {
  return { keyId: 'recovery', base64: derivedKey(recoveryKey, 'SEALED_KEYS', 'recovery') };
}

/** Authenticated, so that one ring's key cannot be put in the place of another's. */
function contextOf(ring: Ring, keyId: string): string {
  return `${ring}:${keyId}`;
}
