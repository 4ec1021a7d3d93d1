import { DELIMITERS, ENCODINGS } from '../../../src/control/provider-files/rows.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { CURRENCIES } from '../../../src/kit/money.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import type { ActionField, FieldName, Fields, Input, TextName } from './action.ts';

/** A profile as a form: each field is a path in the document, such as `columns.amount`. */

/** Between the values of a column's type. They may have commas. */
export const VALUES_SEPARATOR = ' | ';

const orNone = (typed: string) => (typed === '' ? undefined : typed);
/** The name of a column, or its position. */
const columnFrom = (typed: string) => (/^\d{1,3}$/.test(typed) ? Number(typed) : orNone(typed));
const amountFrom = (typed: string) =>
  typed === '' ? undefined : (amountMinorFrom(typed) ?? typed);
const valuesFrom = (typed: string) => {
  const values = typed.split('|').map((value) => value.trim());
  return typed === '' ? undefined : values.filter((value) => value !== '');
};

const COLUMN = {
  hint: 'pages.providerProfile.columnHint',
  lengthMax: 60,
  read: columnFrom,
} as const;
const VALUES = {
  hint: 'pages.providerProfile.valuesHint',
  lengthMax: 600,
  read: valuesFrom,
} as const;

/** A column that a file may lack. */
function column(label: TextName): ActionField {
  const hint = 'pages.providerProfile.optionalColumnHint';
  return { input: { ...COLUMN, hint, label, isOptional: true } };
}

function choice(label: TextName, values: readonly string[]): ActionField {
  const options: Input['options'] = ({ pages }) =>
    values.map((value) => {
      const names: Readonly<Record<string, string>> = pages.providerProfile.values;
      return [value, names[value] ?? value];
    });
  return { input: { label, options } };
}

export const PROFILE_INPUTS = {
  name: {
    input: { label: 'pages.name', hint: 'pages.providerProfile.nameHint', lengthMax: 60 },
  },
  delimiter: choice('pages.providerProfile.delimiter', Object.keys(DELIMITERS)),
  encoding: choice('pages.providerProfile.encoding', ENCODINGS),
  headerRow: {
    input: {
      label: 'pages.providerProfile.headerRow',
      hint: 'pages.providerProfile.headerRowHint',
      lengthMax: 2,
      read: (typed) => (/^\d{1,2}$/.test(typed) ? Number(typed) : typed),
    },
  },
  footer: {
    input: {
      label: 'pages.providerProfile.footer',
      hint: 'pages.providerProfile.footerHint',
      ...{ lengthMax: 60, isOptional: true, read: orNone },
    },
  },
  dateFormat: {
    input: {
      label: 'pages.providerProfile.dateFormat',
      hint: 'pages.providerProfile.dateFormatHint',
      lengthMax: 60,
    },
  },
  decimal: choice('pages.providerProfile.decimal', ['point', 'comma']),
  currency: choice('pages.providerProfile.currency', CURRENCIES),
  'columns.amount': { input: { ...COLUMN, label: 'pages.providerProfile.amountColumn' } },
  'columns.refundAmount': column('pages.providerProfile.refundAmountColumn'),
  'columns.date': { input: { ...COLUMN, label: 'pages.providerProfile.dateColumn' } },
  'columns.receipt': column('pages.providerProfile.receiptColumn'),
  'columns.reference': column('pages.providerProfile.referenceColumn'),
  'columns.fee': column('pages.providerProfile.feeColumn'),
  'columns.net': column('pages.providerProfile.netColumn'),
  'columns.time': column('pages.providerProfile.timeColumn'),
  'columns.currency': column('pages.providerProfile.currencyColumn'),
  'columns.type': column('pages.providerProfile.typeColumn'),
  'types.payment': {
    input: { ...VALUES, label: 'pages.providerProfile.paymentTypes', isOptional: true },
  },
  'types.refund': {
    input: { ...VALUES, label: 'pages.providerProfile.refundTypes', isOptional: true },
  },
  'fee.basisPoints': {
    input: {
      label: 'pages.providerProfile.feePercent',
      hint: 'pages.providerProfile.feeHint',
      ...{ lengthMax: 6, isOptional: true, read: amountFrom },
    },
  },
  'fee.fixedMinor': {
    input: { label: 'pages.providerProfile.feeFixed', isOptional: true, read: amountFrom },
  },
} as const satisfies Partial<Record<FieldName, ActionField>>;

export const PROFILE_FIELDS = Object.keys(PROFILE_INPUTS) as (keyof typeof PROFILE_INPUTS)[];

/** The document. What the form leaves empty is left out. */
export function profileFrom(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const top = given.filter(([path]) => !path.includes('.'));
  const partsOf = (name: string) =>
    given.flatMap(([path, value]) =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), value] as const] : [],
    );
  const [types, fee] = [partsOf('types'), partsOf('fee')];
  return {
    ...Object.fromEntries(top),
    columns: Object.fromEntries(partsOf('columns')),
    ...(types.length > 0 && { types: Object.fromEntries(types) }),
    ...(fee.length > 0 && { fee: { basisPoints: 0, fixedMinor: 0, ...Object.fromEntries(fee) } }),
  };
}

/** Names the fields of the form where the document is wrong as a whole, or in an entry of a list. */
export function namingFields(error: unknown): unknown {
  if (!(error instanceof Problem) || error.validationErrors === null) {
    return error;
  }
  const named = Object.entries(error.validationErrors).map(([path, problem]) => {
    const isTypes = problem.startsWith('mismatch') || path === 'types';
    const whole = isTypes ? 'types.payment' : 'columns.receipt';
    return [path === 'body' || path === 'types' ? whole : path.replace(/\[\d+\]$/, ''), problem];
  });
  const validationErrors = Object.fromEntries(named);
  return new Problem(error.code, error.status, error.message, { validationErrors });
}
