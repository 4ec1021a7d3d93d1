import * as v from 'valibot';
import type { Actor } from '../../../kit/audit/log.ts';
import {
  booleanField,
  listOf,
  objectField,
  oneOf,
  shortText,
  stringField,
  wholeNumber,
} from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { NAME_PROOFS } from '../../../kit/name-proof.ts';
import { type Cursor, PAGE_ROWS_MAX, type TimeRange } from '../../../kit/platform/paging.ts';
import type { Tenant } from '../../../kit/tenant.ts';
import { environmentField, merchantIdField, patternField } from '../../operator/fields.ts';
import type { Areas } from '../areas.ts';

/**
 * What the arguments of the interface consist of. A schema says what a value may be before the
 * function sees it: type, length and members. Rules that a member's form can break stay in the
 * functions, which answer them.
 */

type ArgumentsOf<Function> = Function extends (plane: never, ...args: infer Arguments) => unknown
  ? Arguments
  : never;

/** A schema for each argument. */
type SchemasOf<Arguments extends readonly unknown[]> = {
  readonly [Index in keyof Arguments]-?: v.GenericSchema<unknown, Arguments[Index]>;
};

/** The schemas of an area: a function without them does not compile. */
export type AreaArguments<Name extends keyof Areas> = {
  readonly [Function in keyof Areas[Name]]: SchemasOf<ArgumentsOf<Areas[Name][Function]>>;
};

/**
 * What a person types or an address names fits: a form has at most 32 KiB, an address 16 KiB. The
 * functions say what is wrong with it, damaged text included.
 */
const TYPED_CHARACTERS_MAX = 32 * 1_024;
export const typedField = v.pipe(v.string(), v.maxLength(TYPED_CHARACTERS_MAX));

/** Choices of one form; none has more boxes. */
const CHOICES_MAX = 100;
export const choicesField = listOf(typedField, CHOICES_MAX);

/** Names, ids and choices that the back office has checked, and nothing longer. */
const SHORT_CHARACTERS_MAX = 100;
export const shortField = shortText(SHORT_CHARACTERS_MAX);

/** A time or a day. Members may choose any date, also one before 1970. */
export const wholeField = wholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const countField = wholeNumber(0, Number.MAX_SAFE_INTEGER);
export const limitField = wholeNumber(1, PAGE_ROWS_MAX);

/** Only these two members: a book's volume, which the list of an API key knows, is not among them. */
export const tenantField: v.GenericSchema<unknown, Tenant> = body({
  environment: environmentField,
  merchantId: merchantIdField,
});

export const actorField: v.GenericSchema<unknown, Actor> = body({
  kind: oneOf(['member', 'operator', 'api_key']),
  id: shortField,
  name: shortField,
  isProved: v.exactOptional(booleanField),
  provedBy: v.exactOptional(oneOf(NAME_PROOFS)),
  address: v.nullable(shortField),
});

/** As `parseCursor` makes it. */
const cursor: v.GenericSchema<unknown, Cursor> = body({
  direction: oneOf(['older', 'newer']),
  atMs: countField,
  id: patternField(/^[\w.:=+/-]{1,128}$/, 'Must be the id of a row.'),
});
export const cursorField = v.nullable(cursor);

export const rangeEntries = { fromMs: v.optional(wholeField), toMs: v.optional(wholeField) };
export const rangeField: v.GenericSchema<unknown, TimeRange> = body(rangeEntries);

/** The longest host name has 253 characters. */
const ORIGIN_CHARACTERS_MAX = 300;
export const originField = v.pipe(
  stringField,
  v.maxLength(ORIGIN_CHARACTERS_MAX),
  v.regex(/^https?:\/\/[^\s/?#]+$/),
);

/** Texts by name: the parts of a path, or the parameters of an address. */
const NAMED_TEXTS_MAX = 100;

export function namedTexts<const Value extends v.GenericSchema>(value: Value) {
  return v.pipe(objectField, v.record(typedField, value), v.maxEntries(NAMED_TEXTS_MAX));
}
