import type { FieldErrorCode } from '../../src/kit/http/field-error.ts';

/** What each value of `validationErrorCodes` means. */
export const FIELD_ERRORS: Readonly<Record<FieldErrorCode, string>> = {
  required: 'the field is missing or null, and this request needs it',
  empty: 'the text or list is empty',
  invalid_type: 'another JSON type is expected, such as a number without quotes',
  invalid_format:
    'the text has the wrong form: a URL, phone number or id, or [damaged text](api.md#limits)',
  invalid_choice: 'the value is not one of those allowed, or the bank is unknown',
  not_whole: 'a whole number is expected',
  too_small: 'the number is below the smallest allowed one',
  too_large: 'the number is above the largest allowed one, or above your limit',
  too_many_decimals: 'more than two decimals, or cents where the method takes none',
  too_long: 'the text has too many characters',
  too_many: 'the list has too many entries',
  mismatch: 'the field contradicts another one, such as an amount unequal to its items',
  not_enabled: 'the method is not enabled for you in this environment',
  switched_off: 'the operator has switched the method off for now, for all merchants',
  not_supported: 'the method or bank cannot do this, such as take the currency',
  undeliverable: 'no webhook would be sent to this `callbackUrl`',
  duplicate: 'the value, field or parameter is given twice',
  unknown_field:
    "a list has no such parameter, or a webhook endpoint or refund no such field (other bodies get `warnings`; the operator's API refuses them)",
};
