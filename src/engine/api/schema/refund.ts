import * as v from 'valibot';
import { body } from '../../../kit/http/strict-body.ts';
import { MINOR_UNIT_HINTS, refundAmountField } from '../../refunds/amount-field.ts';
import { nameField, optional, textField, uniqueIdField } from './fields.ts';

/**
 * The body of POST …/refunds. Strict: with a misspelled `amountMinor` that is ignored, the whole
 * payment would be returned. For the same reason an empty `transactionId` is an error.
 */
export const refundSchema = body(
  {
    paymentIntentUniqueId: uniqueIdField,
    refundUniqueId: uniqueIdField,
    amountMinor: refundAmountField,
    reason: optional(textField),
    transactionId: v.nullish(nameField, null),
  },
  MINOR_UNIT_HINTS,
);
