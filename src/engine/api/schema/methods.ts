import * as v from 'valibot';
import { type FieldErrorCode, fieldError } from '../../../kit/http/field-error.ts';
import { listOf, oneOf } from '../../../kit/http/fields.ts';
import { type Currency, isWholeMajor, majorText, roundedUpToMajor } from '../../../kit/money.ts';
import { METHODS, type Method, TRAITS } from '../../domain/method.ts';
import { commissionMinor } from '../../domain/money.ts';
import type { MethodTerms } from '../../domain/terms.ts';
import type { RailRules } from '../../rails/rail.ts';
import type { ValidationContext } from './context.ts';
import { METHOD_ENTRIES_MAX } from './fields.ts';
import type { Problems } from './problems.ts';

/** A known method that is enabled for this merchant (docs/decisions.md#13). */
export function methodField(context: ValidationContext) {
  const enabled = enabledMethods(context);
  return v.pipe(
    oneOf(METHODS),
    v.check(
      (method) => enabled.includes(method),
      ({ input }) => fieldError('not_enabled', `${input} is not enabled for this merchant.`),
    ),
  );
}

/** The one method of an express payment, which cannot be charged while it is switched off. */
export function chargedMethodField(context: ValidationContext) {
  return v.pipe(
    methodField(context),
    v.check((method) => !context.switchedOff.includes(method), switchedOffError),
  );
}

/** `methods`: empty = all enabled; duplicates collapse (docs/decisions.md#13). */
export function methodsField(context: ValidationContext) {
  return v.pipe(
    listOf(methodField(context), METHOD_ENTRIES_MAX),
    v.transform((methods) =>
      methods.length === 0 ? enabledMethods(context) : [...new Set(methods)],
    ),
    v.check(
      (methods) => methods.length > 0,
      fieldError('not_enabled', 'No payment method is enabled for this merchant.'),
    ),
    // The others stay: the operator may switch them on again before the customer pays.
    v.check(
      (methods) =>
        methods.length === 0 || methods.some((method) => !context.switchedOff.includes(method)),
      switchedOffError,
    ),
  );
}

const switchedOffError = fieldError(
  'switched_off',
  'Not available now: the operator has switched off the payment method. Try again later, or name another one.',
);

function enabledMethods(context: ValidationContext): Method[] {
  return context.methods.map(({ method }) => method);
}

/** What a payment asks of its methods; undefined or null where an invalid field leaves it unknown. */
export interface Demands {
  readonly currency: Currency | undefined;
  readonly amountMinor: number | null;
  /** Where a problem of the amount is reported. */
  readonly amountPath: 'amount' | 'items';
  /** The phone, 251XXXXXXXXX, that a hosted payment's customer cannot change; null: none. */
  readonly lockedPhone: string | null;
}

/**
 * The methods that the payment can be paid by. Production leaves out what its rail cannot serve; if
 * that leaves none, the field that excluded the last is the problem (docs/decisions.md#13). The
 * sandbox leaves out none, and warns of each field that excludes a method (docs/decisions.md#22).
 */
export function acceptedMethods(
  methods: readonly Method[],
  { currency, amountMinor, amountPath, lockedPhone }: Demands,
  context: ValidationContext,
  problems: Problems,
): readonly Method[] {
  const isProduction = context.environment === 'production';
  let left = methods;
  const exclude = (
    fits: (method: Method) => boolean,
    path: string,
    code: FieldErrorCode,
    reason: (names: string) => string,
  ): void => {
    const excluded = left.filter((method) => !fits(method));
    left = left.filter(fits);
    if (excluded.length === 0) {
      return;
    }
    const text = reason(excluded.join(', '));
    if (isProduction && left.length === 0) {
      problems.add(path, fieldError(code, text));
    } else if (!isProduction) {
      problems.warn(path, `${left.length === 0 ? REFUSED : LEFT_OUT}: ${text}`);
    }
  };
  exclude(
    (method) => currency === undefined || rulesOf(method, context).currencies.includes(currency),
    'currency',
    'not_supported',
    (names) => `${names} cannot take ${currency}.`,
  );
  exclude(
    (method) =>
      lockedPhone === null ||
      !TRAITS[method].needsPhone ||
      canCharge(rulesOf(method, context), lockedPhone),
    'customerInfo.phone',
    'not_supported',
    (names) =>
      `${names} cannot charge this number, and isPhoneUpdatable keeps the customer from changing it.`,
  );
  exclude(
    (method) =>
      amountMinor === null ||
      isWholeMajor(amountMinor) ||
      rulesOf(method, context).wholeAmountsOnly !== true,
    amountPath,
    'too_many_decimals',
    (names) => `${names} can take whole amounts only, without cents.`,
  );
  return isProduction ? left : methods;
}

/** The predicates of a warning in the sandbox. */
export const REFUSED = 'would be refused in production';
const LEFT_OUT = 'would leave out methods in production';

/** What an enabled method takes in production. */
export function rulesOf(method: Method, { methods }: ValidationContext): RailRules {
  const offered = methods.find((it) => it.method === method);
  if (offered === undefined) {
    throw new Error(`${method} is not enabled`);
  }
  return offered.rules;
}

/** Whether a number, 251XXXXXXXXX, can have an account with the method. */
export function canCharge({ acceptsPhone }: RailRules, phone: string): boolean {
  return acceptsPhone?.(phone) ?? true;
}

/**
 * The accepted methods with their commission on the amount (docs/decisions.md#15). A commission on
 * top of the amount leaves the total whole where the method takes no cents.
 */
export function methodTerms(
  methods: readonly Method[],
  amountMinor: number,
  isPaidByCustomer: boolean,
  context: ValidationContext,
): MethodTerms[] {
  return context.methods
    .filter(({ method }) => methods.includes(method))
    .map(({ method, rate, rules }) => {
      const exact = commissionMinor(amountMinor, rate);
      const isRounded =
        isPaidByCustomer && context.environment === 'production' && rules.wholeAmountsOnly === true;
      return { method, commissionMinor: isRounded ? roundedUpToMajor(exact) : exact };
    });
}

/**
 * The methods whose commission, which the merchant bears, is at most the amount; none left is a
 * problem of the amount (docs/decisions.md#15).
 */
export function affordable(
  terms: readonly MethodTerms[],
  amountMinor: number,
  path: 'amount' | 'items',
  problems: Problems,
): readonly MethodTerms[] {
  const left = terms.filter(({ commissionMinor }) => commissionMinor <= amountMinor);
  if (left.length === 0 && terms.length > 0) {
    const least = Math.min(...terms.map(({ commissionMinor }) => commissionMinor));
    problems.add(
      path,
      fieldError('too_small', `Must cover the commission that you pay: ${majorText(least)}.`),
    );
  }
  return left;
}
