import { expect } from 'vitest';
import type {
  OfferedMethod,
  PaymentOrder,
  Validated,
  ValidationContext,
} from '../../../src/engine/api/schema/context.ts';
import { validateExpress } from '../../../src/engine/api/schema/express.ts';
import { validateHosted } from '../../../src/engine/api/schema/hosted.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import type { RailRules } from '../../../src/engine/rails/rail.ts';
import { codeOf, FIELD_ERROR_CODES, textOf } from '../../../src/kit/http/field-error.ts';

export type Fields = Record<string, unknown>;

/** A method whose production rail accepts ETB, of ETS_SWITCH also USD. */
export function offered(method: Method, basisPoints = 0, fixedMinor = 0): OfferedMethod {
  const rules: RailRules = {
    currencies: method === 'ETS_SWITCH' ? ['ETB', 'USD'] : ['ETB'],
    acceptsPhone: (phone) => phone !== '251700000000',
  };
  return { method, rate: { basisPoints, fixedMinor }, rules };
}

/** All six methods without commission. */
export const CONTEXT: ValidationContext = {
  switchedOff: [],
  environment: 'production',
  methods: METHODS.map((method) => offered(method)),
  limits: {},
  appSchemes: [],
  banks: new Map([
    ['CBET', { supportsWithdrawal: true }],
    ['NOWD', { supportsWithdrawal: false }],
  ]),
  callbackUse: (url) => (url.includes('//10.') ? { refusal: 'host is an IP address' } : 'sends'),
  expireInSecondsMin: 5,
  expireInSecondsMax: 31_622_400,
};

export const SANDBOX: ValidationContext = { ...CONTEXT, environment: 'sandbox' };

/** The same, with other rules of its methods. */
export function withRules(
  context: ValidationContext,
  rulesOf: (method: Method, rules: RailRules) => RailRules,
): ValidationContext {
  const methods = context.methods.map(({ method, rate, rules }) => ({
    method,
    rate,
    rules: rulesOf(method, rules),
  }));
  return { ...context, methods };
}

export const HOSTED_BODY: Fields = {
  amount: 100.5,
  currency: 'ETB',
  paymentIntentUniqueId: 'order-1',
  methods: [],
  returnUrl: 'https://shop.example/done',
  expireIn: 600,
  commissionPaidByCustomer: true,
};

export const EXPRESS_BODY: Fields = {
  amount: 100.5,
  currency: 'ETB',
  paymentIntentUniqueId: 'order-1',
  method: 'M_PESA',
  phoneNumber: '0711223344',
  expireIn: 600,
  commissionPaidByCustomer: true,
};

export const ITEM: Fields = { name: 'Coffee', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 10 };

export const SPLIT: Fields = {
  amount: 10,
  bank: 'CBET',
  splitType: 'NUMBER',
  creditAccount: '1000123',
};

/** A body without the fields set to undefined, as JSON would carry it. */
function bodyOf(base: Fields, changes: Fields): unknown {
  return JSON.parse(JSON.stringify({ ...base, ...changes }));
}

export function hosted(changes: Fields = {}, context = CONTEXT): Validated<PaymentOrder> {
  return validateHosted(bodyOf(HOSTED_BODY, changes), context);
}

export function express(changes: Fields = {}, context = CONTEXT): Validated<PaymentOrder> {
  return validateExpress(bodyOf(EXPRESS_BODY, changes), context);
}

/** The valid order; throws when it is invalid. */
export function orderOf(validated: Validated<PaymentOrder>): PaymentOrder {
  expect(validated).toMatchObject({ ok: true });
  if (!validated.ok) {
    throw new Error('unreachable');
  }
  return validated.value;
}

/** The texts of the errors; empty when the body is valid. */
export function errorsOf(validated: Validated<PaymentOrder>): Record<string, string> {
  const errors = validated.ok ? [] : Object.entries(validated.errors);
  for (const [, error] of errors) {
    expect(FIELD_ERROR_CODES).toContain(codeOf(error));
  }
  return Object.fromEntries(errors.map(([path, error]) => [path, textOf(error)]));
}

/** `[source, changes to the valid body, exactly the expected errors]` */
export type Row = readonly [source: string, changes: Fields, errors: Record<string, string>];

/** The codes of the errors, by path; empty when the body is valid. */
export function codesOf(validated: Validated<PaymentOrder>): Record<string, string> {
  const errors = validated.ok ? [] : Object.entries(validated.errors);
  return Object.fromEntries(errors.map(([path, error]) => [path, codeOf(error)]));
}

/** Rows in which the field at `path` has a wrong value, by their source. */
export function wrong(
  path: string,
  error: string,
  values: Readonly<Record<string, unknown>>,
): readonly Row[] {
  const [field = '', member] = path.split('.');
  return Object.entries(values).map(([source, value]) => [
    source,
    { [field]: member === undefined ? value : { [member]: value } },
    { [path]: error },
  ]);
}
