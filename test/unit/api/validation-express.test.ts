import { describe, expect, test } from 'vitest';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import {
  CONTEXT,
  EXPRESS_BODY,
  errorsOf,
  express,
  type Fields,
  ITEM,
  orderOf,
  type Row,
  SANDBOX,
  withRules,
  wrong,
} from './validation-fixture.ts';

const REQUIRED = 'This field is required.';
const NO_PHONE = 'A phone number is required for M_PESA, here or in customerInfo.phone.';
const PHONE =
  'Must be a mobile number: 9 or 7 and 8 digits, optionally with 0, 251 or +251 before.';
const BAD_URL = 'Must be a valid http or https URL.';
const METHOD = 'Must be one of TELE_BIRR, TELE_BIRR_USSD, CBE, ETS_SWITCH, M_PESA, E_BIRR.';

const SIMULATED = { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' };
const RETURN = { returnUrl: 'https://shop.example/done' };

/** The gateway cannot start this method in this form. */
function notTaken(method: Method, form: string): string {
  return `${method} does not take ${form}: only TELE_BIRR does, once the operator has switched it on.`;
}

/** telebirr, started by a merchant's own app. */
const IN_APP = { method: 'TELE_BIRR', telebirrForm: 'IN_APP', ...RETURN };

const ROWS: readonly Row[] = [
  [
    'api.md#express-rule-1: neither amount nor items',
    { amount: undefined, items: [] },
    { amount: 'Either amount or a non-empty items list is required.' },
  ],
  ['api.md#error-4: amount 0', { amount: 0 }, { amount: 'Must be greater than 0.' }],
  ['api.md#error-4: method missing', { method: undefined }, { method: REQUIRED }],
  ...wrong('method', METHOD, { 'api.md#error-4: method': 'CASH', 'exactly one method': ['CBE'] }),
  ['decisions.md#13: currency', { currency: 'USD' }, { currency: 'M_PESA cannot take USD.' }],
  [
    'api.md#express-rule-2, decisions.md#2: TELE_BIRR',
    { method: 'TELE_BIRR' },
    { returnUrl: 'This field is required for TELE_BIRR.' },
  ],
  [
    'decisions.md#2: ETS_SWITCH, null',
    { method: 'ETS_SWITCH', returnUrl: null },
    { returnUrl: 'This field is required for ETS_SWITCH.' },
  ],
  ['decisions.md#2: bad where not required', { returnUrl: '' }, { returnUrl: BAD_URL }],
  ...wrong('phoneNumber', NO_PHONE, {
    'api.md#error-7, #express-rule-3: phone missing': undefined,
  }),
  [
    'decisions.md#3: empty phones',
    { phoneNumber: '', customerInfo: { phone: '' } },
    { phoneNumber: NO_PHONE },
  ],
  ...wrong('phoneNumber', PHONE, {
    'decisions.md#3: unusable phone': '0811223344',
    'decisions.md#3: 251 without digits': '251911',
    'decisions.md#3: spaces': '+251 911 223 344',
  }),
  [
    'decisions.md#3: phoneNumber wins',
    { phoneNumber: '12', customerInfo: { phone: '911223344' } },
    { phoneNumber: PHONE },
  ],
  [
    'decisions.md#3: unusable customerInfo.phone',
    { phoneNumber: null, customerInfo: { phone: '12' } },
    { 'customerInfo.phone': PHONE },
  ],
  [
    'a number of a network that the rail does not serve',
    { method: 'E_BIRR', phoneNumber: '0700000000' },
    { phoneNumber: 'Must begin with 9, such as 0911223344: E_BIRR charges no other numbers.' },
  ],
  ...wrong('telebirrForm', 'Must be IN_APP or MINI_APP.', {
    'decisions.md#67: form': 'CHECKOUT',
    'a form in lower case': 'in_app',
  }),
  [
    'decisions.md#67: a form of another method',
    { telebirrForm: 'IN_APP' },
    { telebirrForm: notTaken('M_PESA', 'IN_APP') },
  ],
  [
    'decisions.md#67: a form that is off, without its returnUrl',
    { method: 'TELE_BIRR', telebirrForm: 'MINI_APP' },
    {
      returnUrl: 'This field is required for TELE_BIRR.',
      telebirrForm: notTaken('TELE_BIRR', 'MINI_APP'),
    },
  ],
  ['phone a number', { phoneNumber: 911223344 }, { phoneNumber: 'Must be a string.' }],
  ['description', { description: 5 }, { description: 'Must be a string.' }],
  ['debitAccount', { debitAccount: 5 }, { debitAccount: 'Must be a string.' }],
  [
    'decisions.md#10: phone rule beside a bad customerInfo',
    { phoneNumber: undefined, customerInfo: { email: 5 } },
    { phoneNumber: NO_PHONE, 'customerInfo.email': 'Must be a string.' },
  ],
  [
    'decisions.md#10: fields and cross-field rules at once',
    { amount: undefined, method: 'TELE_BIRR', expireIn: 0, callbackUrl: 'x' },
    {
      amount: 'Either amount or a non-empty items list is required.',
      returnUrl: 'This field is required for TELE_BIRR.',
      expireIn: 'Must be a whole number of seconds from 5 to 31622400.',
      callbackUrl: BAD_URL,
    },
  ],
];

const SANDBOX_ROWS: readonly Row[] = [
  ['api.md#error-7: testMode missing', {}, { testMode: REQUIRED }],
  ['api.md#error-7: testMode null', { testMode: null }, { testMode: REQUIRED }],
  ['api.md#test-mode: no object', { testMode: 'x' }, { testMode: 'Must be a JSON object.' }],
  ['api.md#test-mode: type missing', { testMode: {} }, { 'testMode.testModeType': REQUIRED }],
  [
    'api.md#test-mode: enums',
    { testMode: { testModeType: 'X', simulationStatus: 'Y' } },
    {
      'testMode.testModeType': 'Must be ACTUAL_TEST or SIMULATED_TEST.',
      'testMode.simulationStatus': 'Must be SUCCESS or FAILED.',
    },
  ],
  [
    'api.md#error-7: simulationStatus missing, beside another field',
    { testMode: { testModeType: 'SIMULATED_TEST' }, currency: 'X' },
    {
      'testMode.simulationStatus': 'This field is required for SIMULATED_TEST.',
      currency: 'Must be ETB or USD.',
    },
  ],
];

describe('validateExpress rejects', () => {
  test.each(ROWS)('%s', (_source, changes, errors) => {
    expect(errorsOf(express(changes))).toEqual(errors);
  });

  test.each(SANDBOX_ROWS)('in the sandbox, %s', (_source, changes, errors) => {
    expect(errorsOf(express(changes, SANDBOX))).toEqual(errors);
  });

  test('decisions.md#13: a method that is not enabled', () => {
    expect(errorsOf(express({}, { ...CONTEXT, methods: [] }))).toEqual({
      method: 'M_PESA is not enabled for this merchant.',
    });
  });

  test.each(['M_PESA', 'TELE_BIRR_USSD', 'E_BIRR', 'CBE'])(
    'decisions.md#3: %s without phone',
    (method) => {
      expect(Object.keys(errorsOf(express({ method, phoneNumber: undefined })))).toEqual([
        'phoneNumber',
      ]);
    },
  );
});

describe('validateExpress accepts', () => {
  test('the smallest body, with every absent field null or empty', () => {
    expect(orderOf(express())).toEqual({
      kind: 'express',
      uniqueId: 'order-1',
      paymentLinkUniqueId: null,
      amountMinor: 10_050,
      currency: 'ETB',
      methods: [{ method: 'M_PESA', commissionMinor: 0 }],
      items: [],
      itemPriceBasis: 'unit',
      splits: [],
      commissionPaidByCustomer: true,
      customer: null,
      description: null,
      debitAccount: null,
      returnUrl: null,
      callbackUrl: null,
      isCallbackIgnored: false,
      refundEvents: false,
      simulation: null,
      metadata: {},
      expireInSeconds: 600,
      phone: '251711223344',
    });
  });

  test.each(METHODS)('decisions.md#2, #3: %s with a phone and a returnUrl', (method) => {
    expect(orderOf(express({ method, ...RETURN })).methods).toEqual([
      { method, commissionMinor: 0 },
    ]);
  });

  test.each(['911223344', '0911223344', '251911223344', '+251911223344'])(
    'decisions.md#3: %s is 251911223344',
    (phone) => {
      expect(orderOf(express({ phoneNumber: phone })).phone).toBe('251911223344');
      const byCustomer = orderOf(express({ phoneNumber: '', customerInfo: { phone } }));
      expect(byCustomer.phone).toBe('251911223344');
      expect(byCustomer.customer?.phone).toBe('251911223344');
    },
  );

  test('decisions.md#3: an unusable phone where none is needed', () => {
    const changes: Fields = { method: 'TELE_BIRR', phoneNumber: 'none', ...RETURN };
    expect(orderOf(express({ ...changes, customerInfo: { phone: '+1 555' } }))).toMatchObject({
      phone: null,
      customer: { phone: '+1 555' },
    });
  });

  test('api.md#customer-info: isPhoneUpdatable, and ignores it', () => {
    const order = orderOf(express({ customerInfo: { isPhoneUpdatable: 'x' } }));
    expect(order.customer?.isPhoneUpdatable).toBeNull();
  });

  test('decisions.md#4: any positive amount, not compared with the items', () => {
    expect(orderOf(express({ amount: 0.01 })).amountMinor).toBe(1);
    expect(orderOf(express({ amount: 15, items: [ITEM] }))).toMatchObject({
      amountMinor: 1_500,
      itemPriceBasis: 'unit',
    });
    expect(orderOf(express({ amount: 10, items: [ITEM] })).itemPriceBasis).toBe('line');
    expect(orderOf(express({ amount: undefined, items: [ITEM] })).amountMinor).toBe(2_000);
  });

  test('description and debitAccount; empty ones count as absent', () => {
    const given = { description: 'Coffee', debitAccount: '1000' };
    expect(orderOf(express(given))).toMatchObject(given);
    expect(express({ description: '', debitAccount: '', phoneNumber: '0711223344' })).toEqual(
      express(),
    );
  });

  test.each([
    [SIMULATED, 'succeed'],
    [{ ...SIMULATED, simulationStatus: 'FAILED' }, 'fail'],
    [{ testModeType: 'ACTUAL_TEST' }, 'interactive'],
    [{ testModeType: 'ACTUAL_TEST', simulationStatus: null }, 'interactive'],
    [{ testModeType: 'ACTUAL_TEST', simulationStatus: 'FAILED' }, 'interactive'],
  ])('decisions.md#22: %o is %s', (testMode, simulation) => {
    expect(orderOf(express({ testMode }, SANDBOX)).simulation).toBe(simulation);
  });

  test.each([[null], ['x'], [[]], [SIMULATED], [{ testModeType: 5 }]])(
    'decisions.md#22: production ignores testMode %j',
    (testMode) => {
      expect(express({ testMode })).toEqual(express());
    },
  );

  test('decisions.md#13: both currencies in the sandbox', () => {
    expect(orderOf(express({ currency: 'USD', testMode: SIMULATED }, SANDBOX)).currency).toBe(
      'USD',
    );
  });

  test('decisions.md#67: a form that the rail has switched on, and no other', () => {
    const context = withRules(CONTEXT, (method, rules) =>
      method === 'TELE_BIRR' ? { ...rules, appForms: ['IN_APP'] } : rules,
    );
    expect(orderOf(express(IN_APP, context))).toMatchObject({ appForm: 'IN_APP' });
    expect(errorsOf(express({ ...IN_APP, telebirrForm: 'MINI_APP' }, context))).toEqual({
      telebirrForm: notTaken('TELE_BIRR', 'MINI_APP'),
    });
    for (const telebirrForm of [null, '', undefined]) {
      expect(orderOf(express({ ...IN_APP, telebirrForm }, context))).not.toHaveProperty('appForm');
    }
  });

  test('decisions.md#22: any form in the sandbox, and warns', () => {
    const given = express({ ...IN_APP, testMode: SIMULATED }, SANDBOX);
    expect(orderOf(given)).toMatchObject({ appForm: 'IN_APP' });
    expect(given.warnings).toEqual([
      `telebirrForm would be refused in production: ${notTaken('TELE_BIRR', 'IN_APP')}`,
    ]);
  });

  test('decisions.md#6: unknown fields, and ignores them', () => {
    const given = express({ ...EXPRESS_BODY, methods: 5, extra: {} });
    expect(orderOf(given)).toEqual(orderOf(express()));
  });
});
