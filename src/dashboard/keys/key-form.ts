import { base64UrlFromBytes } from '../../crypto/encoding.ts';
import { isPrintable } from '../../domain/text.ts';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { KEY_NAME_LENGTH_MAX, KEYS_ACTIVE_MAX } from '../../merchants/keys.ts';

/** What a form about a key brings, and what is wrong with it. Pure but for new form ids. */

const HOUR_MS = 60 * 60 * 1_000;

/** How long the old key goes on working beside the one that takes its place. */
export const OVERLAPS_MS = {
  none: 0,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
} as const;

export type Overlap = keyof typeof OVERLAPS_MS;

/** The overlap of that name, or null. */
export function overlapFrom(text: string): Overlap | null {
  return Object.hasOwn(OVERLAPS_MS, text) ? (text as Overlap) : null;
}

export type NameProblem = 'missing' | 'too_long' | 'unprintable';

/** What is wrong with a key's name, or null: 1 to 100 characters, all of them visible. */
export function nameProblem(name: string): NameProblem | null {
  if (name === '') {
    return 'missing';
  }
  // The length in code units first: it bounds the work on what follows.
  if (name.length > KEY_NAME_LENGTH_MAX) {
    return 'too_long';
  }
  return isPrintable(name) ? null : 'unprintable';
}

/** Why a key was not made. */
export type CreateProblem = NameProblem | 'too_many' | 'sent_twice';

/** Why no key took another's place. */
export type RollProblem = 'overlap' | 'too_many' | 'sent_twice' | 'ended';

/** Enough that no two forms of a tenant ever share one. */
const FORM_ID_BYTES = 16;
const FORM_ID = /^[A-Za-z0-9_-]{22}$/;

/** Names one showing of a form: sent twice, it is carried out once. */
export function newFormId(): string {
  return base64UrlFromBytes(crypto.getRandomValues(new Uint8Array(FORM_ID_BYTES)));
}

export function isFormId(text: string): boolean {
  return FORM_ID.test(text);
}

/** A key's name in paths: its digest. */
export function isKeyId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Why a key was not made or changed, as the member reads it. */
export function keyProblems(language: BackOfficeLanguage) {
  const { problem } = DASHBOARD_TEXTS[language].keys;
  return {
    ...problem,
    too_long: problem.too_long(KEY_NAME_LENGTH_MAX),
    too_many: problem.too_many(KEYS_ACTIVE_MAX),
  };
}
