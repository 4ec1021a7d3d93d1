import * as v from 'valibot';
import type { MethodTerms } from '../../domain/intent.ts';
import { type Currency, METHODS, METHODS_NEEDING_PHONE, type Method } from '../../domain/method.ts';
import { commissionMinor, isWholeMajor, majorText, roundedUpToMajor } from '../../domain/money.ts';
import { fieldError } from '../../http/field-error.ts';
import { oneOf } from '../../http/fields.ts';
import type { ValidationContext } from './context.ts';
import { METHOD_ENTRIES_MAX, requiredList } from './fields.ts';
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

/** `methods`: empty = all enabled; duplicates collapse (docs/decisions.md#13). */
export function methodsField(context: ValidationContext) {
  return v.pipe(
    requiredList(methodField(context), METHOD_ENTRIES_MAX),
    v.transform((methods) =>
      methods.length === 0 ? enabledMethods(context) : [...new Set(methods)],
    ),
    v.check(
      (methods) => methods.length > 0,
      fieldError('not_enabled', 'No payment method is enabled for this merchant.'),
    ),
  );
}

function enabledMethods(context: ValidationContext): Method[] {
  return context.methods.map(({ method }) => method);
}

/** What a payment asks of its methods; undefined where an invalid field leaves it unknown. */
export interface Demands {
  readonly currency: Currency | undefined;
  /** The phone, 251XXXXXXXXX, that a hosted payment's customer cannot change; null: none. */
  readonly lockedPhone: string | null;
}

/**
 * The methods that the payment can be paid by. Production leaves out what its rail cannot serve; if
 * that leaves none, the field that excluded the last is the problem (docs/decisions.md#13).
 */
export function acceptedMethods(
  methods: readonly Method[],
  { currency, lockedPhone }: Demands,
  context: ValidationContext,
  problems: Problems,
): readonly Method[] {
  if (context.environment === 'sandbox') {
    return methods;
  }
  const inCurrency = remaining(
    methods,
    (method) => currency === undefined || context.railCurrencies(method).includes(currency),
    (names) =>
      problems.add('currency', fieldError('not_supported', `${names} cannot take ${currency}.`)),
  );
  return remaining(
    inCurrency,
    (method) =>
      lockedPhone === null ||
      !METHODS_NEEDING_PHONE.includes(method) ||
      context.acceptsPhone(method, lockedPhone),
    (names) =>
      problems.add(
        'customerInfo.phone',
        fieldError(
          'not_supported',
          `${names} cannot charge this number, and isPhoneUpdatable keeps the customer from changing it.`,
        ),
      ),
  );
}

/** The methods that take the amount, cents included; none left is a problem of the amount. */
export function methodsTaking(
  methods: readonly Method[],
  amountMinor: number,
  path: 'amount' | 'items',
  { takesOnlyWholeAmounts }: ValidationContext,
  problems: Problems,
): readonly Method[] {
  return remaining(
    methods,
    (method) => isWholeMajor(amountMinor) || !takesOnlyWholeAmounts(method),
    (names) =>
      problems.add(
        path,
        fieldError('too_many_decimals', `${names} can take whole amounts only, without cents.`),
      ),
  );
}

/** The methods that fit. If none of several does, `report` gets their names. */
function remaining(
  methods: readonly Method[],
  fits: (method: Method) => boolean,
  report: (names: string) => void,
): readonly Method[] {
  const fitting = methods.filter(fits);
  if (fitting.length === 0 && methods.length > 0) {
    report(methods.join(', '));
  }
  return fitting;
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
    .map(({ method, rate }) => {
      const exact = commissionMinor(amountMinor, rate);
      const isRounded = isPaidByCustomer && context.takesOnlyWholeAmounts(method);
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
