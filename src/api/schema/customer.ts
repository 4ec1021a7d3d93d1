import * as v from 'valibot';
import type { Customer } from '../../domain/intent.ts';
import { booleanField, stringField } from '../../http/fields.ts';
import {
  CONTACT_CHARACTERS_MAX,
  optional,
  optionalOrEmpty,
  record,
  text,
  textField,
} from './fields.ts';
import { internationalPhone } from './phone.ts';

/**
 * Hosted: 9 and 8 digits (docs/api.md#error-6); here and below, empty = absent
 * (docs/decisions.md#3).
 */
const HOSTED_PHONE = /^9\d{8}$/;

const hostedPhoneField = v.pipe(
  stringField,
  v.regex(HOSTED_PHONE, 'Must be 9 digits, the first of them 9.'),
);

/** Express: any text; whether it is a usable number matters only to methods that need one. */
export const expressPhoneField = text(CONTACT_CHARACTERS_MAX);

const nameAndEmail = { name: optional(textField), email: optional(text(CONTACT_CHARACTERS_MAX)) };

export const hostedCustomerField = optional(
  record({
    ...nameAndEmail,
    phone: optionalOrEmpty(hostedPhoneField),
    isPhoneUpdatable: optional(booleanField),
  }),
);

export const expressCustomerField = optional(
  record({ ...nameAndEmail, phone: optionalOrEmpty(expressPhoneField) }),
);

/** The one field of `customerInfo` that the phone rule reads. */
export const customerPhonePart = optional(record({ phone: optionalOrEmpty(expressPhoneField) }));

/** An express customer; the phone in the international form where it has one. */
export function expressCustomer(
  given: v.InferOutput<typeof expressCustomerField>,
): Customer | null {
  if (given === null) {
    return null;
  }
  const phone = given.phone === null ? null : (internationalPhone(given.phone) ?? given.phone);
  return { ...given, phone, isPhoneUpdatable: null };
}
