/**
 * Every way in which a field can break a rule: the values of `validationErrorCodes`. Closed, so that
 * clients can handle all of them. docs/errors.md says what each means.
 */
export const FIELD_ERROR_CODES = [
  'required',
  'empty',
  'invalid_type',
  'invalid_format',
  'invalid_choice',
  'not_whole',
  'too_small',
  'too_large',
  'too_many_decimals',
  'too_long',
  'too_many',
  'mismatch',
  'not_enabled',
  'switched_off',
  'not_supported',
  'undeliverable',
  'duplicate',
  'unknown_field',
] as const;

export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** A code and a sentence for people, in one string, because Valibot's messages are strings. */
export type FieldError = `${FieldErrorCode}: ${string}`;

/** Errors by the field's path in the body: `items[0].price`. */
export type FieldErrors = Readonly<Record<string, FieldError>>;

export function fieldError(code: FieldErrorCode, text: string): FieldError {
  return `${code}: ${text}`;
}

export function codeOf(error: FieldError): string {
  return error.slice(0, error.indexOf(': '));
}

export function textOf(error: FieldError): string {
  return error.slice(error.indexOf(': ') + 2);
}
