import * as v from 'valibot';
import { booleanField } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { type AreaArguments, actorField, tenantField, typedField, wholeField } from './fields.ts';

/** As typed: `problemOf` says what is wrong with it. */
const refund = body({
  refundUniqueId: typedField,
  transactionId: v.nullable(typedField),
  amountMinor: v.nullable(wholeField),
  reason: v.nullable(typedField),
});

export const PAYMENTS: AreaArguments<'payments'> = {
  read: [tenantField, typedField, booleanField],
  cancel: [tenantField, actorField, typedField],
  rehearse: [tenantField, typedField, refund],
  refund: [tenantField, actorField, typedField, refund],
  cancelRefund: [tenantField, actorField, typedField, typedField],
};
