import * as v from 'valibot';
import { isRecord, PARSING } from '../../http/fields.ts';
import { httpUrlField } from '../../http/url-fields.ts';
import { checkBody, checkMoney, commonFields, commonOrder, commonParts } from './common.ts';
import type { Validated, ValidationContext } from './context.ts';
import { hostedCustomerField } from './customer.ts';
import { record, uniqueIdField } from './fields.ts';
import { methodsField } from './methods.ts';
import type { PaymentOrder } from './order.ts';

/** The body of a hosted checkout (docs/api.md#hosted-payment), with all its errors at once. */
export function validatePaymentIntent(
  body: unknown,
  context: ValidationContext,
): Validated<PaymentOrder> {
  const ownParts = { methods: methodsField(context) };
  const schema = record({
    ...commonFields(context),
    ...ownParts,
    returnUrl: httpUrlField,
    customerInfo: hostedCustomerField,
  });
  return checkBody(
    body,
    schema,
    { ...commonParts, ...ownParts },
    (parts, problems) => checkMoney('hosted', parts, parts.methods, context, problems),
    (values, total, methods) => ({
      ...commonOrder(values, total, methods),
      kind: 'hosted',
      customer: values.customerInfo,
      description: null,
      debitAccount: null,
      returnUrl: values.returnUrl,
      simulation: context.environment === 'sandbox' ? 'interactive' : null,
      phone: null,
    }),
  );
}

/**
 * The body's paymentIntentUniqueId, hosted or express, if it alone is valid, else null: a taken id
 * is answered 409 whatever else is wrong with the body (docs/decisions.md#8).
 */
export function uniqueIdOf(body: unknown): string | null {
  if (!isRecord(body)) {
    return null;
  }
  const id = v.safeParse(uniqueIdField, body.paymentIntentUniqueId, PARSING);
  return id.success ? id.output : null;
}
