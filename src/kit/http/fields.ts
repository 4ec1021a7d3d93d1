import * as v from 'valibot';
import { intactText, isIntact } from '../text.ts';
import { type FieldError, fieldError } from './field-error.ts';

/**
 * Validation of JSON bodies and queries, shared by all APIs of the gateway. `v.metadata` says in
 * JSON Schema what a check does, for the API's description.
 */

/** Reports one message per field: after a failed rule, the field's other rules are skipped. */
export const PARSING = { abortPipeEarly: true } as const;

export const REQUIRED = fieldError('required', 'This field is required.');

/** The error of a missing value or of a value of the wrong type. */
export function mustBe(
  what: string,
  code: 'invalid_type' | 'invalid_choice' = 'invalid_type',
): (issue: v.BaseIssue<unknown>) => FieldError {
  return ({ input }) =>
    input === undefined || input === null ? REQUIRED : fieldError(code, `Must be ${what}.`);
}

export const DAMAGED = fieldError(
  'invalid_format',
  'Must not contain control characters, or half of a character such as an emoji that was cut in two.',
);

/** Every text that a request contains: webhooks, lists and pages repeat most of them. */
export const stringField = v.pipe(v.string(mustBe('a string')), v.check(isIntact, DAMAGED));

export function tooLong(charactersMax: number): FieldError {
  return fieldError('too_long', `Must be at most ${charactersMax} characters long.`);
}

/** Text of at most `charactersMax` UTF-16 units. */
export function shortText(charactersMax: number) {
  return v.pipe(stringField, v.maxLength(charactersMax, tooLong(charactersMax)));
}

export const booleanField = v.boolean(mustBe('true or false'));

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(
    values,
    mustBe(
      values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or '),
      'invalid_choice',
    ),
  );
}

/** An integer within bounds. `what` completes the message, for example ` of seconds`. */
export function wholeNumber(min: number, max: number, what = '') {
  const text = `Must be a whole number${what} from ${min} to ${max}.`;
  return v.pipe(
    v.number(mustBe('a JSON number')),
    v.integer(fieldError('not_whole', text)),
    v.minValue(min, fieldError('too_small', text)),
    v.maxValue(max, fieldError('too_large', text)),
  );
}

/** An array. If it is too long, it is rejected before its entries are validated. */
export function listOf<const Entry extends v.GenericSchema>(entry: Entry, entriesMax: number) {
  return v.pipe(
    v.array(v.unknown(), mustBe('an array')),
    v.maxLength(entriesMax, fieldError('too_many', `Must have at most ${entriesMax} entries.`)),
    v.array(entry),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object. Valibot's own object schemas would accept an array. */
export const objectField = v.custom<Record<string, unknown>>(isRecord, mustBe('a JSON object'));

/** The error of an issue: every schema of an API gives its messages this form. */
export function errorOf({ message, path }: v.BaseIssue<unknown>): FieldError {
  const isEntry = typeof path?.at(-1)?.key === 'number';
  return message === REQUIRED && isEntry ? NULL_ENTRY : (message as FieldError);
}

const NULL_ENTRY = fieldError('invalid_type', 'Must not be null.');

/** The path of an error about the whole body. */
const WHOLE_BODY_PATH = 'body';

/** The path of a field as the caller wrote it: `items[0].price`. */
export function pathOf(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => (typeof key === 'number' ? key : String(key)));
  return pathText(keys ?? []) || WHOLE_BODY_PATH;
}

/** The path of names and of indexes in lists. Readable even if a name is not. */
export function pathText(steps: readonly (string | number)[]): string {
  const path = steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${intactText(step)}`))
    .join('');
  return path.replace(/^\./, '');
}
