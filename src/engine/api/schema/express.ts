import * as v from 'valibot';
import { fieldError } from '../../../kit/http/field-error.ts';
import { oneOf } from '../../../kit/http/fields.ts';
import { returnUrlField } from '../../../kit/http/url-fields.ts';
import type { Environment } from '../../../kit/tenant.ts';
import { APP_FORMS } from '../../domain/app-form.ts';
import { type Method, TRAITS } from '../../domain/method.ts';
import type { Simulation } from '../../domain/terms.ts';
import {
  COMMON_PARTS,
  checkBody,
  checkCommon,
  commonFields,
  commonOrder,
  ONLY_HOSTED,
} from './common.ts';
import type { PaymentOrder, Validated, ValidationContext } from './context.ts';
import {
  customerPhonePart,
  expressCustomer,
  expressCustomerField,
  expressPhoneField,
  internationalPhone,
} from './customer.ts';
import { bodyRecord, idField, optional, optionalUrl, record, textField } from './fields.ts';
import { canCharge, chargedMethodField, REFUSED, rulesOf } from './methods.ts';
import type { Parts, Problems } from './problems.ts';

const testModeField = record({
  testModeType: oneOf(['ACTUAL_TEST', 'SIMULATED_TEST']),
  simulationStatus: optional(oneOf(['SUCCESS', 'FAILED'])),
});

/** Production ignores testMode, even one of a wrong type (docs/decisions.md#22). */
const ignoredField = v.pipe(
  v.nullish(v.unknown(), null),
  v.transform(() => null),
);

/** The express fields that rules across fields read, without the common ones. */
function expressParts(context: ValidationContext) {
  return {
    method: chargedMethodField(context),
    telebirrForm: optional(oneOf(APP_FORMS)),
    returnUrl: optionalUrl(returnUrlField(context.appSchemes)),
    phoneNumber: optional(expressPhoneField),
    customerInfo: customerPhonePart,
    testMode: context.environment === 'sandbox' ? testModeField : ignoredField,
  };
}
type ExpressParts = Parts<ReturnType<typeof expressParts>>;

/** The body of an express payment (docs/api.md#express-payment), without the rules across fields. */
export function expressSchema(context: ValidationContext) {
  return bodyRecord({
    ...commonFields(context),
    ...expressParts(context),
    customerInfo: expressCustomerField,
    debitAccount: optional(idField),
    description: optional(textField),
  });
}

/** Validates the body of an express payment. Reports all errors. */
export function validateExpress(
  body: unknown,
  context: ValidationContext,
): Validated<PaymentOrder> {
  return checkBody(
    body,
    expressSchema(context),
    { ...COMMON_PARTS, ...expressParts(context) },
    (parts, problems) => {
      const methods = parts.method === undefined ? undefined : [parts.method];
      const terms = checkCommon('express', parts, methods, null, context, problems);
      checkReturnUrl(parts, problems);
      checkPhone(parts, context, problems);
      checkForm(parts, context, problems);
      checkSimulation(parts, problems);
      return terms;
    },
    (values, terms) => ({
      ...commonOrder(values, terms),
      kind: 'express',
      customer: expressCustomer(values.customerInfo),
      description: values.description,
      debitAccount: values.debitAccount,
      ...(values.telebirrForm !== null && { appForm: values.telebirrForm }),
      returnUrl: values.returnUrl,
      simulation: simulationOf(values.testMode, context.environment),
      phone: usablePhone(values.phoneNumber ?? values.customerInfo?.phone ?? null),
    }),
    ONLY_HOSTED,
  );
}

/** Methods that redirect the customer need a returnUrl (docs/decisions.md#2). */
function checkReturnUrl({ method, returnUrl }: ExpressParts, problems: Problems): void {
  if (method !== undefined && returnUrl === null && TRAITS[method].needsReturnUrl) {
    problems.add('returnUrl', fieldError('required', `This field is required for ${method}.`));
  }
}

/**
 * An unusable phoneNumber is an error even beside a usable customerInfo.phone, because charging the
 * other phone would charge the wrong person (docs/decisions.md#3).
 */
function checkPhone(
  { method, phoneNumber, customerInfo }: ExpressParts,
  context: ValidationContext,
  problems: Problems,
): void {
  if (method === undefined) {
    return;
  }
  if (!TRAITS[method].needsPhone) {
    if (typeof phoneNumber === 'string' && internationalPhone(phoneNumber) === null) {
      problems.warn('phoneNumber', `is not a mobile number and was ignored: ${method} needs none.`);
    }
    return;
  }
  if (typeof phoneNumber === 'string') {
    checkUsable('phoneNumber', phoneNumber, method, context, problems);
  } else if (phoneNumber === null && typeof customerInfo?.phone === 'string') {
    checkUsable('customerInfo.phone', customerInfo.phone, method, context, problems);
  } else if (phoneNumber === null && customerInfo !== undefined) {
    const text = `A phone number is required for ${method}, here or in customerInfo.phone.`;
    problems.add('phoneNumber', fieldError('required', text));
  }
}

function checkUsable(
  path: string,
  phone: string,
  method: Method,
  context: ValidationContext,
  problems: Problems,
): void {
  const number = internationalPhone(phone);
  if (number === null) {
    problems.add(
      path,
      fieldError(
        'invalid_format',
        'Must be a mobile number: 9 or 7 and 8 digits, optionally with 0, 251 or +251 before.',
      ),
    );
  } else if (!canCharge(rulesOf(method, context), number)) {
    const text = chargeable(method, number, context);
    if (context.environment === 'production') {
      problems.add(path, fieldError('not_supported', text));
    } else {
      problems.warn(path, `${REFUSED}: ${text}`);
    }
  }
}

/** Which numbers the method can charge, where the first digit decides. */
function chargeable(method: Method, number: string, context: ValidationContext): string {
  const start = ['7', '9'].find((digit) =>
    canCharge(rulesOf(method, context), number.replace(/^251./, `251${digit}`)),
  );
  return start === undefined
    ? `Must be a number that can have an account with ${method}.`
    : `Must begin with ${start}, such as 0${start}11223344: ${method} charges no other numbers.`;
}

function usablePhone(phone: string | null): string | null {
  return phone === null ? null : internationalPhone(phone);
}

/** Only a rail whose operator has switched the form on can start in it (docs/decisions.md#67). */
function checkForm(
  { method, telebirrForm }: ExpressParts,
  context: ValidationContext,
  problems: Problems,
): void {
  const isTaken =
    method === undefined ||
    telebirrForm == null ||
    rulesOf(method, context).appForms?.includes(telebirrForm);
  if (isTaken) {
    return;
  }
  const text = `${method} does not take ${telebirrForm}: only TELE_BIRR does, once the operator has switched it on.`;
  if (context.environment === 'production') {
    problems.add('telebirrForm', fieldError('not_supported', text));
  } else {
    problems.warn('telebirrForm', `${REFUSED}: ${text}`);
  }
}

/** A simulated test must name its outcome (docs/api.md#error-7). */
function checkSimulation({ testMode }: ExpressParts, problems: Problems): void {
  if (testMode?.testModeType === 'SIMULATED_TEST' && testMode.simulationStatus === null) {
    problems.add(
      'testMode.simulationStatus',
      fieldError('required', 'This field is required for SIMULATED_TEST.'),
    );
  }
}

/** How the sandbox simulates the payment (docs/decisions.md#22). */
function simulationOf(
  testMode: v.InferOutput<typeof testModeField> | null,
  environment: Environment,
): Simulation | null {
  if (environment === 'production') {
    return null;
  }
  if (testMode?.testModeType !== 'SIMULATED_TEST') {
    return 'interactive';
  }
  return testMode.simulationStatus === 'SUCCESS' ? 'succeed' : 'fail';
}
