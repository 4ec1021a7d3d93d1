import * as v from 'valibot';
import { type FieldError, fieldError } from '../../../kit/http/field-error.ts';
import { DAMAGED, objectField, tooLong } from '../../../kit/http/fields.ts';
import type { Environment } from '../../../kit/tenant.ts';
import { hasAtMost, isIntact } from '../../../kit/text.ts';
import type { Metadata } from '../../domain/terms.ts';
import { isWebhookFault, WEBHOOK_FAULT_KEY, WEBHOOK_FAULTS } from '../../domain/webhook-fault.ts';
import { optionalObject } from './fields.ts';

/**
 * The bounds of `metadata` (docs/decisions.md#36): a merchant's notes beside a payment. Every
 * webhook repeats them, and each of them finds the payment.
 */
export const METADATA_ENTRIES_MAX = 20;
export const METADATA_KEY_CHARACTERS_MAX = 40;
export const METADATA_VALUE_CHARACTERS_MAX = 500;

/** Characters that need no escape in a query: `metadata[order.no]=7`. */
const KEY = new RegExp(`^[A-Za-z0-9_.-]{1,${METADATA_KEY_CHARACTERS_MAX}}$`);

/** An object has no ordinary property of this name in many languages. */
const RESERVED_KEY = '__proto__';

/** Why a text cannot be a key of metadata; null: it can. */
export function metadataKeyError(key: string): FieldError | null {
  if (key === RESERVED_KEY) {
    return fieldError('invalid_format', `Must not have the key ${RESERVED_KEY}.`);
  }
  return KEY.test(key)
    ? null
    : fieldError(
        'invalid_format',
        `Every key must be 1 to ${METADATA_KEY_CHARACTERS_MAX} letters, digits, dots, hyphens or underscores.`,
      );
}

/** Why a value cannot stand in metadata; null: it can. */
export function metadataValueError(value: unknown): FieldError | null {
  if (typeof value !== 'string') {
    return fieldError('invalid_type', 'Must be a string.');
  }
  if (!hasAtMost(value, METADATA_VALUE_CHARACTERS_MAX)) {
    return tooLong(METADATA_VALUE_CHARACTERS_MAX);
  }
  return isIntact(value) ? null : DAMAGED;
}

export const metadataObject = v.pipe(
  objectField,
  v.check(
    (given) => Object.keys(given).length <= METADATA_ENTRIES_MAX,
    fieldError('too_many', `Must have at most ${METADATA_ENTRIES_MAX} entries.`),
  ),
  v.rawTransform<Record<string, unknown>, Metadata>(({ dataset, addIssue, NEVER }) => {
    const input = dataset.value;
    const badKey = Object.keys(input)
      .map(metadataKeyError)
      .find((error) => error !== null);
    if (badKey != null) {
      addIssue({ message: badKey });
      return NEVER;
    }
    let isValid = true;
    for (const [key, value] of Object.entries(input)) {
      const message = metadataValueError(value);
      if (message !== null) {
        isValid = false;
        addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value }] });
      }
    }
    return isValid ? (input as Metadata) : NEVER;
  }),
  v.metadata({
    type: 'object',
    maxProperties: METADATA_ENTRIES_MAX,
    propertyNames: { pattern: KEY.source },
    additionalProperties: { type: 'string', maxLength: METADATA_VALUE_CHARACTERS_MAX },
  }),
);

const anyMetadata = v.pipe(
  optionalObject(metadataObject),
  v.transform((metadata): Metadata => metadata ?? {}),
);

/** A misspelled fault of the sandbox would be no fault, and pass for a merchant's correct code. */
const sandboxMetadata = v.pipe(
  anyMetadata,
  v.rawCheck(({ dataset, addIssue }) => {
    const input = dataset.typed ? dataset.value : {};
    const value = input[WEBHOOK_FAULT_KEY];
    if (value !== undefined && !isWebhookFault(value)) {
      addIssue({
        message: fieldError('invalid_choice', `Must be one of ${WEBHOOK_FAULTS.join(', ')}.`),
        path: [{ type: 'object', origin: 'value', input, key: WEBHOOK_FAULT_KEY, value }],
      });
    }
  }),
);

/** `metadata`: empty when the field is absent, null or an empty string. */
export function metadataField(environment: Environment) {
  return environment === 'sandbox' ? sandboxMetadata : anyMetadata;
}
