import * as v from 'valibot';
import type { MethodTerms } from '../../domain/intent.ts';
import { type Currency, METHODS, type Method } from '../../domain/method.ts';
import { commissionMinor, isWholeMajor, roundedUpToMajor } from '../../domain/money.ts';
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
      ({ input }) => `${input} is not enabled for this merchant.`,
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
    v.minLength(1, 'No payment method is enabled for this merchant.'),
  );
}

function enabledMethods(context: ValidationContext): Method[] {
  return context.methods.map(({ method }) => method);
}

/**
 * The methods that accept the currency: all in the sandbox, in production those whose rail declares
 * it. If none remains, the currency is the problem (docs/decisions.md#13).
 */
export function acceptedMethods(
  methods: readonly Method[],
  currency: Currency,
  context: ValidationContext,
  problems: Problems,
): readonly Method[] {
  if (context.environment === 'sandbox') {
    return methods;
  }
  const accepted = methods.filter((method) => context.railCurrencies(method).includes(currency));
  if (accepted.length === 0) {
    problems.add('currency', `${methods.join(', ')} cannot take ${currency}.`);
  }
  return accepted;
}

/** The methods that take the amount, cents included; none left is a problem of the amount. */
export function methodsTaking(
  methods: readonly Method[],
  amountMinor: number,
  path: 'amount' | 'items',
  { takesOnlyWholeAmounts }: ValidationContext,
  problems: Problems,
): readonly Method[] {
  const taking = methods.filter(
    (method) => isWholeMajor(amountMinor) || !takesOnlyWholeAmounts(method),
  );
  if (taking.length === 0 && methods.length > 0) {
    problems.add(path, `${methods.join(', ')} can take whole amounts only, without cents.`);
  }
  return taking;
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
