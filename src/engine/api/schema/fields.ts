import * as v from 'valibot';
import { type FieldError, fieldError } from '../../../kit/http/field-error.ts';
import {
  isRecord,
  listOf,
  mustBe,
  objectField,
  REQUIRED,
  stringField,
  tooLong,
} from '../../../kit/http/fields.ts';
import { majorFromMinor, majorText, minorFromMajor } from '../../../kit/money.ts';
import { hasAtMost, isPrintable } from '../../../kit/text.ts';
import { ID_CHARACTERS_MAX } from '../../domain/identifiers.ts';
import { AMOUNT_MINOR_MAX } from '../../domain/money.ts';

/** The longest name or description (docs/decisions.md#7). */
export const TEXT_CHARACTERS_MAX = 1_000;

/** The longest email address or phone number; real ones are shorter (RFC 5321: 254). */
export const CONTACT_CHARACTERS_MAX = 255;

/** The most items of one payment (docs/decisions.md#7): the checkout page lists them all. */
export const ITEMS_MAX = 100;

/** The most beneficiaries of one payment (docs/decisions.md#7). */
export const SPLITS_MAX = 20;

/** The most entries of `methods`: enough for all methods with many duplicates. */
export const METHOD_ENTRIES_MAX = 100;

/** The largest quantity: `int32` (docs/api.md#item). */
export const QUANTITY_MAX = 2_147_483_647;

/** Null when the field is absent, null or an empty string, which forms send (docs/decisions.md#6). */
export function optional<const Schema extends v.GenericSchema>(
  schema: Schema,
  isAbsent: (value: unknown) => boolean = (value) => value === '',
) {
  return v.pipe(
    v.nullish(v.unknown(), null),
    v.transform((value) => (isAbsent(value) ? null : value)),
    v.nullable(schema),
  );
}

/** Null also for an empty list: PHP writes its empty map as `[]` (docs/decisions.md#6). */
export function optionalObject<const Schema extends v.GenericSchema>(schema: Schema) {
  return optional(schema, (value) => value === '' || (Array.isArray(value) && value.length === 0));
}

/**
 * Null when the URL is absent or null. An empty string is an error: it is usually a setting that
 * was never filled in, and to ignore it would send webhooks or customers elsewhere.
 */
export function optionalUrl<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, null);
}

/** A JSON object. Unknown fields are dropped. */
export function record<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(objectField, v.object(entries, REQUIRED));
}

/** A whole body: `null` is a value of the wrong type, not a missing one. */
export function bodyRecord<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom(isRecord, fieldError('invalid_type', 'Must be a JSON object.')),
    v.object(entries, REQUIRED),
  );
}

/** A list. Empty when the field is absent, null or an empty string. */
export function listOrNone<const Schema extends v.GenericSchema>(
  entry: Schema,
  entriesMax: number,
) {
  return v.pipe(
    optional(listOf(entry, entriesMax)),
    v.transform((list) => list ?? []),
  );
}

const ALL_SPACES = /^\p{Zs}*$/u;

/** Text of at most `charactersMax` characters; may be empty. */
export function text(charactersMax: number) {
  return v.pipe(
    stringField,
    v.check((value) => hasAtMost(value, charactersMax), tooLong(charactersMax)),
    v.metadata({ maxLength: charactersMax }),
  );
}

export const textField = text(TEXT_CHARACTERS_MAX);

/** A name that people read: not empty, and not only spaces. */
export const nameField = v.pipe(
  textField,
  v.check((value) => !ALL_SPACES.test(value), fieldError('empty', 'Must not be empty.')),
  v.metadata({ minLength: 1 }),
);

const ID_LENGTH = `Must be 1 to ${ID_CHARACTERS_MAX} characters long.`;

/** An id: 1 to 255 printable characters, kept exactly as written (docs/decisions.md#7). */
export const idField = v.pipe(
  stringField,
  v.nonEmpty(fieldError('empty', ID_LENGTH)),
  v.check((value) => hasAtMost(value, ID_CHARACTERS_MAX), fieldError('too_long', ID_LENGTH)),
  v.check(
    isPrintable,
    fieldError(
      'invalid_format',
      'Must consist of printable characters: no control, invisible or line-breaking ones.',
    ),
  ),
  v.check(
    (value) => !ALL_SPACES.test(value),
    fieldError('empty', 'Must not consist of spaces only.'),
  ),
  v.metadata({ minLength: 1, maxLength: ID_CHARACTERS_MAX }),
);

/** A payment's id is a path segment of URLs, where `.` and `..` have a special meaning. */
export const uniqueIdField = v.pipe(
  idField,
  v.check(
    (value) => value !== '.' && value !== '..',
    fieldError('invalid_format', 'Must not be "." or "..".'),
  ),
);

const TOO_MANY_DECIMALS = fieldError(
  'too_many_decimals',
  'Must have at most two decimal places: round to cents.',
);

/**
 * Converts money in major units to minor units: > 0, at most two decimals and AMOUNT_MINOR_MAX
 * (docs/decisions.md#5).
 */
export const moneyField = v.pipe(
  v.number(mustBe('a JSON number')),
  v.rawTransform<number, number>(({ dataset, addIssue, NEVER }) => {
    const amountMinor = minorFromMajor(dataset.value);
    const message = moneyError(dataset.value, amountMinor);
    if (message !== null || amountMinor === null) {
      addIssue({ message: message ?? TOO_MANY_DECIMALS });
      return NEVER;
    }
    return amountMinor;
  }),
  // Without `multipleOf: 0.01`: validators divide in floating point, and refuse 19.99.
  v.metadata({ exclusiveMinimum: 0, maximum: majorFromMinor(AMOUNT_MINOR_MAX) }),
);

function moneyError(amountMajor: number, amountMinor: number | null): FieldError | null {
  if (!(amountMajor > 0)) {
    return fieldError('too_small', 'Must be greater than 0.');
  }
  if (amountMajor > majorFromMinor(AMOUNT_MINOR_MAX)) {
    return fieldError('too_large', `Must be at most ${majorText(AMOUNT_MINOR_MAX)}.`);
  }
  return amountMinor === null ? TOO_MANY_DECIMALS : null;
}
