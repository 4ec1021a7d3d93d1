import * as v from 'valibot';
import { fieldError } from '../../kit/http/field-error.ts';
import { oneOf, shortText, wholeNumber } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import {
  basisPointsField,
  currencyField,
  filledList,
  fixedMinorField,
  lineField,
} from '../operator/fields.ts';
import { dateReader } from './dates.ts';
import { COLUMNS_MAX, DELIMITERS, ENCODINGS } from './rows.ts';

/**
 * How a provider's file is laid out: which columns have what. Operators make one for each export of a
 * portal, because no provider publishes the layout of its own. Pure.
 */

const NAME_CHARACTERS_MAX = 60;
/** The titles that exports have above the header. */
const HEADER_ROW_MAX = 50;
const TYPE_VALUES_MAX = 20;

/** The name of the column in the header, or its position, from 1. */
const column = v.union(
  [lineField(NAME_CHARACTERS_MAX), wholeNumber(1, COLUMNS_MAX)],
  fieldError(
    'invalid_type',
    `Must be the name of a column, or its position from 1 to ${COLUMNS_MAX}.`,
  ),
);

const columns = body({
  amount: column,
  /** Of refunds, where it stands apart: the debits beside the credits of a bank. */
  refundAmount: v.optional(column),
  date: column,
  /** The time of the day, where it stands apart. */
  time: v.optional(column),
  fee: v.optional(column),
  net: v.optional(column),
  receipt: v.optional(column),
  reference: v.optional(column),
  type: v.optional(column),
  currency: v.optional(column),
});

const values = filledList(shortText(NAME_CHARACTERS_MAX), TYPE_VALUES_MAX);

export const PROFILE_ENTRIES = {
  name: lineField(NAME_CHARACTERS_MAX),
  delimiter: oneOf(Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[]),
  encoding: v.optional(oneOf(ENCODINGS), 'utf-8'),
  /** The number of the row with the names of the columns; 0: there is none. */
  headerRow: wholeNumber(0, HEADER_ROW_MAX),
  /** The first cell of the row with the sums begins so: it and what follows are no payments. */
  footer: v.optional(lineField(NAME_CHARACTERS_MAX)),
  /** Such as `dd/MM/yyyy HH:mm:ss`, with a space before the column `time`. */
  dateFormat: v.pipe(
    shortText(NAME_CHARACTERS_MAX),
    v.check(
      (format) => dateReader(format) !== null,
      fieldError('invalid_format', 'Must be a form of dates such as yyyy-MM-dd HH:mm:ss.'),
    ),
  ),
  decimal: oneOf(['point', 'comma']),
  /** Of all amounts, where no column says it. */
  currency: currencyField,
  columns,
  /** What the column `type` has; rows with another value are skipped. */
  types: v.optional(body({ payment: values, refund: v.optional(values) })),
  /** What the provider takes by contract: a fee that differs is found. */
  fee: v.optional(body({ basisPoints: basisPointsField, fixedMinor: fixedMinorField })),
};

export const profileField = v.pipe(
  body(PROFILE_ENTRIES),
  v.check(
    ({ columns: { receipt, reference } }) => (receipt ?? reference) !== undefined,
    fieldError('required', 'The columns need receipt, reference or both.'),
  ),
  v.check(
    ({ columns: { type }, types }) => (type === undefined) === (types === undefined),
    fieldError('mismatch', 'The column type and types belong together.'),
  ),
);

export type Profile = v.InferOutput<typeof profileField>;
export type ColumnName = keyof Profile['columns'];
