import * as v from 'valibot';
import { METHODS } from '../../engine/domain/method.ts';
import { AMOUNT_MINOR_MAX } from '../../engine/domain/money.ts';
import { businessDayStartMs, DAY_MS, timeMsOf } from '../../kit/ethiopian-time.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import {
  listOf,
  oneOf,
  PARSING,
  REQUIRED,
  shortText,
  stringField,
  wholeNumber,
} from '../../kit/http/fields.ts';
import { problem, validationProblem } from '../../kit/http/problem.ts';
import { CURRENCIES } from '../../kit/money.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { isPrintable } from '../../kit/text.ts';
import type { Target } from './call.ts';

/** What requests of operators consist of. Pure: the back office and the command line use it too. */

/** A sentence or two for the audit log. */
export const REASON_CHARACTERS_MAX = 500;
/** What customers read of a method that is switched off. Also a constraint of the table. */
export const SWITCH_TEXT_CHARACTERS_MAX = 200;
/** The name of a bank. */
export const BANK_NAME_CHARACTERS_MAX = 100;
/** What the operator noted about a payment. Also a constraint of the table. */
export const NOTE_CHARACTERS_MAX = 500;

/** Part of every key and object id of a merchant, so it never changes. */
export const MERCHANT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** One line of text, trimmed: 1 to `charactersMax` printable characters. */
export function lineField(charactersMax: number) {
  return v.pipe(
    shortText(charactersMax),
    v.trim(),
    v.nonEmpty(fieldError('empty', 'Must not be empty.')),
    v.check(isPrintable, fieldError('invalid_format', 'Must consist of printable characters.')),
  );
}

export function patternField(pattern: RegExp, text: string) {
  return v.pipe(stringField, v.regex(pattern, fieldError('invalid_format', text)));
}

/** Identifies one decision: a repeated request has no further effect. Random when absent. */
export const decisionIdField = v.optional(
  patternField(/^[A-Za-z0-9-]{8,64}$/, 'Must be a UUID.'),
  () => crypto.randomUUID(),
);

/** The provider's proof of a payment or of a refund. */
export function proofField(charactersMax: number) {
  return patternField(
    new RegExp(`^[!-~]{1,${charactersMax}}$`),
    `Must be 1 to ${charactersMax} letters, digits and signs without spaces.`,
  );
}

/** A time for point-in-time recovery. */
export const recoveryTimeField = v.pipe(
  patternField(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/,
    'Must be a time such as 2026-11-23T20:15Z.',
  ),
  v.transform((text) => timeMsOf(text) ?? Number.NaN),
  v.check((atMs) => Number.isFinite(atMs), fieldError('invalid_format', 'There is no such time.')),
);

/** A month of Addis Ababa, such as 2026-11. */
export const monthField = patternField(
  /^20\d\d-(?:0[1-9]|1[0-2])$/,
  'Must be a month such as 2026-11.',
);

/** Names a page of the file of a month: the first one, or the one after the place in `after`. */
export const MONTH_PAGE = { month: monthField, after: v.optional(stringField) };

/** The days of such a month, as `businessDay` counts them. */
export function daysOfMonth(month: string): { readonly fromDay: number; readonly toDay: number } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return {
    fromDay: Date.UTC(year, number - 1) / DAY_MS,
    toDay: Date.UTC(year, number) / DAY_MS - 1,
  };
}

/** A day of Addis Ababa, or a month. */
export const periodField = v.pipe(
  stringField,
  v.check(
    isPeriod,
    fieldError('invalid_format', 'Must be a day such as 2026-11-28, or a month such as 2026-11.'),
  ),
);

export function isPeriod(text: string): boolean {
  return v.is(monthField, text) || (/^20\d\d-\d\d-\d\d$/.test(text) && timeMsOf(text) !== null);
}

/** Its days, as `businessDay` counts them. */
export function daysOfPeriod(period: string): { readonly fromDay: number; readonly toDay: number } {
  const day = Date.parse(period) / DAY_MS;
  return v.is(monthField, period) ? daysOfMonth(period) : { fromDay: day, toDay: day };
}

/** The days of a month in milliseconds since 1970, without the end. */
export function timesOfMonth(month: string): { readonly fromMs: number; readonly toMs: number } {
  const { fromDay, toDay } = daysOfMonth(month);
  return { fromMs: businessDayStartMs(fromDay), toMs: businessDayStartMs(toDay + 1) };
}

export const environmentField = oneOf(ENVIRONMENTS);
export const methodField = oneOf(METHODS);
export const currencyField = oneOf(CURRENCIES);
export const merchantIdField = patternField(MERCHANT_ID, 'Must be the id of a merchant.');

/** Hundredths of a percent; 10,000 is the whole amount. */
/** 100 %. */
export const BASIS_POINTS_MAX = 10_000;

export const basisPointsField = wholeNumber(0, BASIS_POINTS_MAX);
export const fixedMinorField = wholeNumber(0, AMOUNT_MINOR_MAX);

/** A list of 1 to `entriesMax` entries. */
export function filledList<const Entry extends v.GenericSchema>(entry: Entry, entriesMax: number) {
  return v.pipe(
    listOf(entry, entriesMax),
    v.nonEmpty(fieldError('empty', 'Must have at least one entry.')),
  );
}

/** Fields that belong to one outcome each, which needs it: the outcome, and the error elsewhere. */
type Belonging = Readonly<Record<string, readonly [outcome: string, elsewhere: string]>>;

/** Problem 400 for a field that its outcome lacks, or that another outcome has. */
export function requireBelonging(
  given: { readonly outcome: string } & Readonly<Record<string, unknown>>,
  belonging: Belonging,
): void {
  const errors = Object.entries(belonging).flatMap(([name, [outcome, elsewhere]]) => {
    const isHere = given.outcome === outcome;
    const error = isHere ? REQUIRED : fieldError('mismatch', elsewhere);
    return isHere === (given[name] !== undefined) ? [] : [[name, error] as const];
  });
  if (errors.length > 0) {
    throw validationProblem(Object.fromEntries(errors));
  }
}

/** The tenant that the path names. Problem 404 for a malformed path. */
export function tenantIn({ environment, merchantId }: Target): Tenant {
  return {
    environment: pathPart(environmentField, environment),
    merchantId: pathPart(merchantIdField, merchantId),
  };
}

/** A part of the path. Problem 404 when it is malformed. */
export function pathPart<Schema extends v.GenericSchema>(
  schema: Schema,
  text: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, text, PARSING);
  if (!result.success) {
    throw problem('not_found');
  }
  return result.output;
}
