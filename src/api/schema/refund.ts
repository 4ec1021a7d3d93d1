import * as v from 'valibot';
import { body } from '../../http/strict-body.ts';
import { moneyField, nameField, optional, textField, uniqueIdField } from './fields.ts';

/**
 * The body of POST …/refund. Strict: with a misspelled `amount` that is ignored, the whole payment
 * would be returned. For the same reason an empty `amount` or `transactionId` is an error.
 */
export const refundSchema = body({
  paymentIntentUniqueId: uniqueIdField,
  refundUniqueId: uniqueIdField,
  amount: v.nullish(moneyField, null),
  reason: optional(textField),
  transactionId: v.nullish(nameField, null),
});
