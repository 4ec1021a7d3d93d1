import * as v from 'valibot';
import { fieldError } from '../../../kit/http/field-error.ts';
import { booleanField, stringField } from '../../../kit/http/fields.ts';
import type { Customer } from '../../domain/terms.ts';
import {
  CONTACT_CHARACTERS_MAX,
  optional,
  optionalObject,
  record,
  text,
  textField,
} from './fields.ts';

const COUNTRY_CODE = '251';

/** A mobile number, optionally with 0, 251 or +251 before it (docs/decisions.md#3). */
const MOBILE = /^(?:0|\+?251)?([79]\d{8})$/;

/** A phone number as 251XXXXXXXXX, or null when it is not an Ethiopian mobile number. */
export function internationalPhone(text: string): string | null {
  const subscriber = MOBILE.exec(text)?.[1];
  return subscriber === undefined ? null : COUNTRY_CODE + subscriber;
}

/**
 * Hosted: 9 and 8 digits (docs/api.md#error-6). An empty phone counts as absent
 * (docs/decisions.md#3).
 */
const HOSTED_PHONE = /^9[0-9]{8}$/;
/** Shop plugins show it to the shopper, who typed the number. */
const PHONE_ERROR = fieldError(
  'invalid_format',
  'Must be 9 digits that begin with 9, without 0 or +251, such as 911223344. Leave out a number ' +
    'that begins with 7: the customer enters it on the page.',
);

const hostedPhoneField = v.pipe(stringField, v.regex(HOSTED_PHONE, PHONE_ERROR));

/** Express: any text. Only methods that need a phone check the number. */
export const expressPhoneField = text(CONTACT_CHARACTERS_MAX);

const nameAndEmail = { name: optional(textField), email: optional(text(CONTACT_CHARACTERS_MAX)) };

export const hostedCustomerField = optionalObject(
  record({
    ...nameAndEmail,
    phone: optional(hostedPhoneField),
    isPhoneUpdatable: optional(booleanField),
  }),
);

/** The number, 251XXXXXXXXX, that a hosted customer's form shows and does not let them change. */
export function lockedPhone(
  customer: v.InferOutput<typeof hostedCustomerField> | undefined,
): string | null {
  const phone = customer?.isPhoneUpdatable === false ? customer.phone : null;
  return phone === null ? null : internationalPhone(phone);
}

export const expressCustomerField = optionalObject(
  record({ ...nameAndEmail, phone: optional(expressPhoneField) }),
);

/** The field of `customerInfo` that the phone rule reads. */
export const customerPhonePart = optionalObject(record({ phone: optional(expressPhoneField) }));

/** An express customer. A valid phone number is converted to its international form. */
export function expressCustomer(
  given: v.InferOutput<typeof expressCustomerField>,
): Customer | null {
  if (given === null) {
    return null;
  }
  const phone = given.phone === null ? null : (internationalPhone(given.phone) ?? given.phone);
  return { ...given, phone, isPhoneUpdatable: null };
}
