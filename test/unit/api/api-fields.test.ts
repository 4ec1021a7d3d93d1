import { expect, test } from 'vitest';
import { documentedFields } from '../../support/api-tables.ts';
import {
  errorsOf,
  express,
  type Fields,
  hosted,
  ITEM,
  SANDBOX,
  SPLIT,
} from './validation-fixture.ts';

/**
 * Goal: every field of the requests in docs/reference.md behaves as its table says: an error names a
 * missing required field, an optional field may be absent or null, and an error names a field of
 * the wrong type by its path. The other validation tests check the remaining rules.
 */

/** A number for text fields, and a text for all others. */
const WRONG = { text: 42, number: 'many', boolean: 'yes', list: 'all', object: 'one' } as const;

interface Table {
  readonly name: string;
  /** The fields that docs/reference.md lists. */
  readonly documented: readonly string[];
  /** Where an error of the table's fields is reported. */
  readonly path: string;
  readonly errors: (fields: Fields) => Record<string, string>;
  readonly rows: readonly (readonly [
    field: string,
    type: keyof typeof WRONG,
    need: 'required' | 'optional',
  ])[];
}

const TABLES: readonly Table[] = [
  {
    name: 'api.md#hosted-payment',
    documented: documentedFields('## Create a hosted payment'),
    path: '',
    errors: (fields) => errorsOf(hosted(fields)),
    rows: [
      // Either amount or items is required: this body has no items.
      ['amount', 'number', 'required'],
      ['items', 'list', 'optional'],
      ['currency', 'text', 'required'],
      ['paymentIntentUniqueId', 'text', 'required'],
      ['paymentLinkUniqueId', 'text', 'optional'],
      ['methods', 'list', 'required'],
      ['splitPayment', 'list', 'optional'],
      ['returnUrl', 'text', 'required'],
      ['expireIn', 'number', 'required'],
      ['callbackUrl', 'text', 'optional'],
      ['refundEvents', 'boolean', 'optional'],
      ['commissionPaidByCustomer', 'boolean', 'required'],
      ['customerInfo', 'object', 'optional'],
      ['metadata', 'object', 'optional'],
    ],
  },
  {
    name: 'api.md#express-payment',
    documented: documentedFields('## Create an express payment'),
    path: '',
    errors: (fields) =>
      errorsOf(express({ testMode: { testModeType: 'ACTUAL_TEST' }, ...fields }, SANDBOX)),
    rows: [
      ['amount', 'number', 'required'],
      ['items', 'list', 'optional'],
      ['currency', 'text', 'required'],
      ['paymentIntentUniqueId', 'text', 'required'],
      ['paymentLinkUniqueId', 'text', 'optional'],
      // This body's method is M_PESA, which needs a phone and no returnUrl.
      ['phoneNumber', 'text', 'required'],
      ['debitAccount', 'text', 'optional'],
      ['telebirrForm', 'text', 'optional'],
      ['description', 'text', 'optional'],
      ['method', 'text', 'required'],
      ['splitPayment', 'list', 'optional'],
      ['returnUrl', 'text', 'optional'],
      ['expireIn', 'number', 'required'],
      ['callbackUrl', 'text', 'optional'],
      ['refundEvents', 'boolean', 'optional'],
      ['commissionPaidByCustomer', 'boolean', 'required'],
      ['customerInfo', 'object', 'optional'],
      ['metadata', 'object', 'optional'],
      ['testMode', 'object', 'required'],
    ],
  },
  {
    name: 'api.md#item',
    documented: documentedFields('## Create a hosted payment', 'items[].'),
    path: 'items[0].',
    errors: (fields) => errorsOf(hosted({ amount: undefined, items: [{ ...ITEM, ...fields }] })),
    rows: [
      ['name', 'text', 'required'],
      ['description', 'text', 'optional'],
      ['image', 'text', 'optional'],
      ['quantity', 'number', 'required'],
      ['type', 'text', 'required'],
      ['price', 'number', 'required'],
    ],
  },
  {
    name: 'api.md#split',
    documented: documentedFields('## Create a hosted payment', 'splitPayment[].'),
    path: 'splitPayment[0].',
    errors: (fields) => errorsOf(hosted({ splitPayment: [{ ...SPLIT, ...fields }] })),
    rows: [
      ['amount', 'number', 'required'],
      ['bank', 'text', 'required'],
      ['splitType', 'text', 'required'],
      ['creditAccount', 'text', 'required'],
    ],
  },
  {
    name: 'api.md#customer-info',
    documented: documentedFields('## Create a hosted payment', 'customerInfo.'),
    path: 'customerInfo.',
    errors: (fields) => errorsOf(hosted({ customerInfo: fields })),
    rows: [
      ['email', 'text', 'optional'],
      ['phone', 'text', 'optional'],
      ['name', 'text', 'optional'],
      ['isPhoneUpdatable', 'boolean', 'optional'],
    ],
  },
  {
    name: 'api.md#test-mode',
    documented: documentedFields('## Create an express payment', 'testMode.'),
    path: 'testMode.',
    errors: (fields) =>
      errorsOf(
        express(
          { testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS', ...fields } },
          SANDBOX,
        ),
      ),
    rows: [
      ['testModeType', 'text', 'required'],
      ['simulationStatus', 'text', 'required'],
    ],
  },
];

const ROWS = TABLES.flatMap((table) =>
  table.rows.map(([field, type, need]) => ({ ...table, field, type, need })),
);

test.each(ROWS)('$name: $field ($type, $need)', ({ path, errors, field, type, need }) => {
  expect(Object.keys(errors({ [field]: WRONG[type] })), 'of the wrong type').toContain(
    path + field,
  );
  for (const nothing of [undefined, null]) {
    const missed = Object.keys(errors({ [field]: nothing }));
    expect(missed, `as ${nothing}`).toEqual(need === 'required' ? [path + field] : []);
  }
});

test.each(TABLES)('docs/reference.md lists the fields of $name', ({ documented, rows }) => {
  expect([...documented].sort()).toEqual(rows.map(([field]) => field).sort());
});
