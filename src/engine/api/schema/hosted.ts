import * as v from 'valibot';
import { isRecord, PARSING } from '../../../kit/http/fields.ts';
import { returnUrlField } from '../../../kit/http/url-fields.ts';
import {
  COMMON_PARTS,
  checkBody,
  checkCommon,
  commonFields,
  commonOrder,
  ONLY_EXPRESS,
} from './common.ts';
import type { PaymentOrder, Validated, ValidationContext } from './context.ts';
import { hostedCustomerField, lockedPhone } from './customer.ts';
import { bodyRecord, uniqueIdField } from './fields.ts';
import { methodsField } from './methods.ts';

/** The hosted fields that rules across fields read, without the common ones. */
function hostedParts(context: ValidationContext) {
  return { methods: methodsField(context), customerInfo: hostedCustomerField };
}

/** The body of a hosted checkout (docs/api.md#hosted-payment), without the rules across fields. */
export function hostedSchema(context: ValidationContext) {
  return bodyRecord({
    ...commonFields(context),
    ...hostedParts(context),
    returnUrl: returnUrlField(context.appSchemes),
  });
}

/** Validates the body of a hosted checkout. Reports all errors. */
export function validateHosted(body: unknown, context: ValidationContext): Validated<PaymentOrder> {
  return checkBody(
    body,
    hostedSchema(context),
    { ...COMMON_PARTS, ...hostedParts(context) },
    (parts, problems) => {
      const phone = lockedPhone(parts.customerInfo);
      return checkCommon('hosted', parts, parts.methods, phone, context, problems);
    },
    (values, terms) => ({
      ...commonOrder(values, terms),
      kind: 'hosted',
      customer: values.customerInfo,
      description: null,
      debitAccount: null,
      returnUrl: values.returnUrl,
      simulation: context.environment === 'sandbox' ? 'interactive' : null,
      phone: null,
    }),
    ONLY_EXPRESS,
  );
}

/**
 * The paymentIntentUniqueId of a hosted or express body, if valid, else null. A taken id is a 409
 * even if other fields are invalid (docs/decisions.md#8).
 */
export function uniqueIdOf(body: unknown): string | null {
  if (!isRecord(body)) {
    return null;
  }
  const id = v.safeParse(uniqueIdField, body.paymentIntentUniqueId, PARSING);
  return id.success ? id.output : null;
}
