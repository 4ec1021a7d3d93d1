/** What members, programs and signing know about signing secrets. Pure. */

/**
 * Valid secrets of the environment and of each endpoint: the newest and those that overlap after
 * rotations. Bounds the header.
 */
export const SECRETS_MAX = 10;

/** Hours that old secrets stay in force next to a new one. */
export const OVERLAP_HOURS = ['0', '1', '24', '72'] as const;
export const OVERLAP_HOURS_DEFAULT = '24';
/** Programs may choose any number of hours up to the longest. */
export const OVERLAP_HOURS_MAX = 72;

export interface SecretEntry {
  readonly id: string;
  readonly createdAtMs: number;
  /** Null until a newer secret replaces it. */
  readonly expiresAtMs: number | null;
}

/** Whether the secret may end at once: another one must have no end. */
export function mayEnd(secret: SecretEntry, all: readonly SecretEntry[]): boolean {
  return all.some((other) => other.id !== secret.id && other.expiresAtMs === null);
}
