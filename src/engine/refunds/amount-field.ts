import * as v from 'valibot';
import { fieldError } from '../../kit/http/field-error.ts';
import { wholeNumber } from '../../kit/http/fields.ts';
import { AMOUNT_MINOR_MAX, REFUND_MINOR_MIN } from '../domain/money.ts';

/** `amountMinor` of a refund, in the requests of merchants and of operators. */

const NOT_NULL = fieldError(
  'invalid_type',
  'Must not be null. Leave amountMinor out to return all that is left.',
);

/**
 * Only an absent field means the whole remaining amount. JSON writes NaN as null, and a program
 * that failed to compute an amount must not return everything (docs/decisions.md#43).
 */
export const refundAmountField = v.optional(
  v.pipe(
    v.unknown(),
    v.check((value) => value !== null, NOT_NULL),
    wholeNumber(REFUND_MINOR_MIN, AMOUNT_MINOR_MAX, ' of minor units (5000 is 50.00)'),
  ),
);

/**
 * Payments have an `amount` in major units, so a wrong guess of the unit could return a hundred
 * times too much.
 */
export const MINOR_UNIT_HINTS: ReadonlyMap<string, string> = new Map([
  ['amount', 'Send amountMinor instead, in minor units: 5000 is 50.00.'],
]);
