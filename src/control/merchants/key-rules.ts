import {
  type GrantedPermissions,
  KEY_PERMISSIONS,
} from '../../engine/merchants/key-permissions.ts';
import { isPrintable } from '../../kit/text.ts';
import type { ApiKeyView } from './keys.ts';

/** What members may ask of API keys. Pure: forms check it before the passkey, changes check it again. */

/** Valid keys of one tenant: one for each of its servers, and room to roll them all. */
export const KEYS_ACTIVE_MAX = 20;
export const KEY_NAME_LENGTH_MAX = 100;

const HOUR_MS = 60 * 60 * 1_000;

/** How long the old key keeps working next to the new one. */
export const OVERLAPS_MS = {
  none: 0,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
} as const;

export type Overlap = keyof typeof OVERLAPS_MS;

/** The overlap with that name, or null. */
export function overlapFrom(text: string): Overlap | null {
  return Object.hasOwn(OVERLAPS_MS, text) ? (text as Overlap) : null;
}

export type NameProblem = 'missing' | 'too_long' | 'unprintable';

/** The problem of a key's name, or null. A name has 1 to 100 visible characters. */
export function nameProblem(name: string): NameProblem | null {
  if (name === '') {
    return 'missing';
  }
  // The length in code units first, which bounds the work below.
  if (name.length > KEY_NAME_LENGTH_MAX) {
    return 'too_long';
  }
  return isPrintable(name) ? null : 'unprintable';
}

/** Whether a form named a list of permissions that a key can have. */
export function isGrantable(granted: GrantedPermissions): boolean {
  return (
    granted === null ||
    (granted.length > 0 && granted.every((permission) => KEY_PERMISSIONS.includes(permission)))
  );
}

/** An id for one shown form, so that a form sent twice takes effect once. */
export function isFormId(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text);
}

/** Whether the key can be rolled: it has no end yet. */
export function isRollable(key: Pick<ApiKeyView, 'revokedAtMs' | 'expiresAtMs'>): boolean {
  return key.revokedAtMs === null && key.expiresAtMs === null;
}
