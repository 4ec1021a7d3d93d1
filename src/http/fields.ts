import * as v from 'valibot';

/**
 * Validation of JSON bodies and queries, shared by all APIs of the gateway. `v.metadata` says in
 * JSON Schema what a check does, for the API's description.
 */

/** Reports one message per field: after a failed rule, the field's other rules are skipped. */
export const PARSING = { abortPipeEarly: true } as const;

export const REQUIRED = 'This field is required.';

/** The message for a missing value or a value of the wrong type. */
export function mustBe(what: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => (input === undefined || input === null ? REQUIRED : `Must be ${what}.`);
}

export const stringField = v.string(mustBe('a string'));

export const booleanField = v.boolean(mustBe('true or false'));

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(
    values,
    mustBe(values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')),
  );
}

/** An integer within bounds. `what` completes the message, for example ` of seconds`. */
export function wholeNumber(min: number, max: number, what = '') {
  return v.pipe(
    v.number(mustBe('a JSON number')),
    v.check(
      (value) => Number.isInteger(value) && value >= min && value <= max,
      `Must be a whole number${what} from ${min} to ${max}.`,
    ),
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
  );
}

/**
 * An array. If its length does not fit, it is rejected before its entries are validated.
 * `jsonSchema`: the lengths that fit, for the API's description.
 */
export function listOf<const Entry extends v.GenericSchema>(
  entry: Entry,
  fits: (length: number) => boolean,
  message: string,
  jsonSchema: { readonly minItems?: number; readonly maxItems?: number } = {},
) {
  return v.pipe(
    v.array(v.unknown(), mustBe('an array')),
    v.check((list) => fits(list.length), message),
    v.array(entry),
    v.metadata(jsonSchema),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object. Valibot's own object schemas would accept an array. */
export const objectField = v.custom<Record<string, unknown>>(isRecord, mustBe('a JSON object'));

/** The path of an error about the whole body. */
const WHOLE_BODY_PATH = 'body';

/** The path of a field as the caller wrote it: `items[0].price`. */
export function pathOf(issue: v.BaseIssue<unknown>): string {
  let path = '';
  for (const { key } of issue.path ?? []) {
    const separator = path === '' ? '' : '.';
    path += typeof key === 'number' ? `[${key}]` : `${separator}${String(key)}`;
  }
  return path === '' ? WHOLE_BODY_PATH : path;
}
