import * as v from 'valibot';
import { AMOUNT_MINOR_MAX, majorText, minorFromMajor } from '../../domain/money.ts';

/** Longest id (docs/decisions.md#7): it is a key of storage and part of every webhook. */
export const ID_CHARACTERS_MAX = 255;

/** Longest name or description (docs/decisions.md#7). */
export const TEXT_CHARACTERS_MAX = 1_000;

/** Longest e-mail address or phone number as written; real ones are below (RFC 5321: 254). */
export const CONTACT_CHARACTERS_MAX = 255;

/** Most items of one payment (docs/decisions.md#7): the checkout page lists them all. */
export const ITEMS_MAX = 100;

/** Most beneficiaries of one payment (docs/decisions.md#7). */
export const SPLITS_MAX = 20;

/** Most entries of `methods`: duplicates collapse, but nobody repeats six methods for long. */
export const METHOD_ENTRIES_MAX = 100;

/** Largest quantity: `int32` (docs/api.md#item). */
export const QUANTITY_MAX = 2_147_483_647;

/** One message a field is enough, so a field's later rules are spared what an earlier refused. */
export const PARSING = { abortPipeEarly: true } as const;

const REQUIRED = 'This field is required.';

/** The message for a value of the wrong type, which an absent one is too. */
function mustBe(what: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => (input === undefined || input === null ? REQUIRED : `Must be ${what}.`);
}

/** An absent or null field is null (docs/decisions.md#6). */
export function optional<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, null);
}

/** As `optional`, and an empty string is absent too: forms send them. */
export function optionalOrEmpty<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(
    v.nullish(v.unknown(), null),
    v.transform((value) => (value === '' ? null : value)),
    v.nullable(schema),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object: valibot's `object` alone would take an array. Unknown fields are dropped. */
export function record<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isRecord, mustBe('a JSON object')),
    v.object(entries, REQUIRED),
  );
}

/** A list, absent or null = empty. One that is too long is refused without reading its entries. */
export function listOrNone<const Schema extends v.GenericSchema>(
  entry: Schema,
  entriesMax: number,
) {
  return v.nullish(requiredList(entry, entriesMax), []);
}

export function requiredList<const Schema extends v.GenericSchema>(
  entry: Schema,
  entriesMax: number,
) {
  return v.pipe(
    v.array(v.unknown(), mustBe('an array')),
    v.maxLength(entriesMax, `Must have at most ${entriesMax} entries.`),
    v.array(entry),
  );
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(
    values,
    mustBe(values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')),
  );
}

export const stringField = v.string(mustBe('a string'));

export const booleanField = v.boolean(mustBe('true or false'));

/** Text of at most so many characters; empty is allowed. */
export function text(charactersMax: number) {
  return v.pipe(
    stringField,
    v.check(
      (value) => hasAtMost(value, charactersMax),
      `Must be at most ${charactersMax} characters long.`,
    ),
  );
}

export const textField = text(TEXT_CHARACTERS_MAX);

/** Characters are code points; the first test spares counting what is far too long. */
function hasAtMost(value: string, charactersMax: number): boolean {
  if (value.length <= charactersMax) {
    return true;
  }
  return value.length <= 2 * charactersMax && Array.from(value).length <= charactersMax;
}

/**
 * Anything that prints as nothing or as something else: control, format, surrogate (two lone ones
 * would become one id in UTF-8), private use, unassigned, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const ALL_SPACES = /^\p{Zs}*$/u;

/** An id: 1 to 255 printable characters, kept exactly as written (docs/decisions.md#7). */
export const idField = v.pipe(
  stringField,
  v.check(
    (value) => value !== '' && hasAtMost(value, ID_CHARACTERS_MAX),
    `Must be 1 to ${ID_CHARACTERS_MAX} characters long.`,
  ),
  v.check(
    (value) => !UNPRINTABLE.test(value),
    'Must consist of printable characters: no control, invisible or line-breaking ones.',
  ),
  v.check((value) => !ALL_SPACES.test(value), 'Must not consist of spaces only.'),
);

/** A payment's id is a path segment of its own URLs, where dots mean something else. */
export const uniqueIdField = v.pipe(
  idField,
  v.check((value) => value !== '.' && value !== '..', 'Must not be "." or "..".'),
);

/**
 * Money in major units, as minor units: > 0, at most two decimals and the cap
 * (docs/decisions.md#5).
 */
export const moneyField = v.pipe(
  v.number(mustBe('a JSON number')),
  v.rawTransform<number, number>(({ dataset, addIssue, NEVER }) => {
    const amountMinor = minorFromMajor(dataset.value);
    const message = moneyProblem(dataset.value, amountMinor);
    if (message !== null || amountMinor === null) {
      addIssue({ message: message ?? 'Must be an amount of money.' });
      return NEVER;
    }
    return amountMinor;
  }),
);

function moneyProblem(amountMajor: number, amountMinor: number | null): string | null {
  if (!(amountMajor > 0)) {
    return 'Must be greater than 0.';
  }
  if (amountMajor > Number(majorText(AMOUNT_MINOR_MAX))) {
    return `Must be at most ${majorText(AMOUNT_MINOR_MAX)}.`;
  }
  return amountMinor === null ? 'Must have at most two decimal places.' : null;
}

/** An integer within bounds. */
export function wholeNumber(min: number, max: number, what: string) {
  return v.pipe(
    v.number(mustBe('a JSON number')),
    v.check(
      (value) => Number.isInteger(value) && value >= min && value <= max,
      `Must be a whole number${what} from ${min} to ${max}.`,
    ),
  );
}
