import * as v from 'valibot';
import { CURRENCIES, ENVIRONMENTS, METHODS } from '../../src/domain/method.ts';
import { AMOUNT_MINOR_MAX } from '../../src/domain/money.ts';
import { isPrintable } from '../../src/domain/text.ts';
import { fieldError } from '../../src/http/field-error.ts';
import { listOf, oneOf, PARSING, stringField, wholeNumber } from '../../src/http/fields.ts';
import { readJsonBody } from '../../src/http/json-body.ts';
import { checked } from '../../src/http/strict-body.ts';

export { body, checked } from '../../src/http/strict-body.ts';

import { problem, validationProblem } from '../../src/http/problem.ts';

/** The largest body is a list of object ids. */
const BODY_BYTES_MAX = 64 * 1024;

/** Part of every key and object id of a merchant, so it never changes. */
export const MERCHANT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** One line of text, trimmed: 1 to `charactersMax` printable characters. */
export function lineField(charactersMax: number) {
  return v.pipe(
    stringField,
    v.maxLength(
      charactersMax,
      fieldError('too_long', `Must be at most ${charactersMax} characters long.`),
    ),
    v.trim(),
    v.nonEmpty(fieldError('empty', 'Must not be empty.')),
    v.check(isPrintable, fieldError('invalid_format', 'Must consist of printable characters.')),
  );
}

export function patternField(pattern: RegExp, text: string) {
  return v.pipe(stringField, v.regex(pattern, fieldError('invalid_format', text)));
}

export const environmentField = oneOf(ENVIRONMENTS);
export const methodField = oneOf(METHODS);
export const currencyField = oneOf(CURRENCIES);

/** Hundredths of a percent; 10,000 is the whole amount. */
export const basisPointsField = wholeNumber(0, 10_000);
export const fixedMinorField = wholeNumber(0, AMOUNT_MINOR_MAX);

/** A list of 1 to `entriesMax` entries. */
export function filledList<const Entry extends v.GenericSchema>(entry: Entry, entriesMax: number) {
  return v.pipe(
    listOf(entry, entriesMax),
    v.nonEmpty(fieldError('empty', 'Must have at least one entry.')),
  );
}

/** The validated body. Problems: those of `readJsonBody`, and 400 with every failing field. */
export async function readBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const { value } = await readJsonBody(request, BODY_BYTES_MAX);
  return checked(schema, value);
}

/** The validated query. Problem 400 as for a body, and for a repeated parameter. */
export function readQuery<Schema extends v.GenericSchema>(
  url: URL,
  schema: Schema,
): v.InferOutput<Schema> {
  const names = [...url.searchParams.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw validationProblem({ [twice]: fieldError('duplicate', 'Must not be given twice.') });
  }
  return checked(schema, Object.fromEntries(url.searchParams));
}

/** A part of the path. Problem 404 when it is malformed. */
export function pathPart<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, text, PARSING);
  if (!result.success) {
    throw problem('not_found');
  }
  return result.output;
}
