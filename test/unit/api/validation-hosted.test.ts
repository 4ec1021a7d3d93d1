import { describe, expect, test } from 'vitest';
import { uniqueIdOf, validateHosted } from '../../../src/engine/api/schema/hosted.ts';
import {
  CONTEXT,
  errorsOf,
  express,
  type Fields,
  HOSTED_BODY,
  hosted,
  ITEM,
  offered,
  orderOf,
  type Row,
  SANDBOX,
  SPLIT,
  withRules,
  wrong,
} from './validation-fixture.ts';

/** Production rails as CONTEXT's. M-PESA takes no cents. */
const WHOLE = {
  ...CONTEXT,
  methods: CONTEXT.methods.map(({ method, rules }) => ({
    method,
    rate: { basisPoints: 150, fixedMinor: 0 },
    rules: { ...rules, wholeAmountsOnly: method === 'M_PESA' },
  })),
};

describe('decisions.md#13: a method that takes no cents', () => {
  const methodsOf = (changes: object) =>
    orderOf(hosted({ ...changes }, WHOLE)).methods.map(({ method }) => method);

  test('is left out of a payment with cents, with either bearer of the commission', () => {
    for (const commissionPaidByCustomer of [true, false]) {
      const changes = { methods: ['CBE', 'M_PESA'], commissionPaidByCustomer };
      expect(methodsOf({ ...changes, amount: 153.76 })).toEqual(['CBE']);
      expect(methodsOf({ ...changes, amount: 153 })).toEqual(['CBE', 'M_PESA']);
    }
  });

  test('is a problem of the amount, or of the items, when no other method is left', () => {
    const message = 'M_PESA can take whole amounts only, without cents.';
    expect(errorsOf(hosted({ methods: ['M_PESA'], amount: 1.01 }, WHOLE))).toEqual({
      amount: message,
    });
    const items = [{ ...ITEM, quantity: 1, price: 1.01 }];
    const changes = { methods: ['M_PESA'], amount: undefined, items };
    expect(errorsOf(hosted(changes, WHOLE))).toEqual({ items: message });
    expect(errorsOf(express({ amount: 1.01 }, WHOLE))).toEqual({ amount: message });
  });

  test('decisions.md#15: rounds the commission up when the customer bears it', () => {
    const termsOf = (commissionPaidByCustomer: boolean) =>
      orderOf(hosted({ methods: ['CBE', 'M_PESA'], amount: 153, commissionPaidByCustomer }, WHOLE))
        .methods;
    expect(termsOf(true)).toEqual([
      { method: 'CBE', commissionMinor: 230 },
      { method: 'M_PESA', commissionMinor: 300 },
    ]);
    expect(termsOf(false)).toEqual([
      { method: 'CBE', commissionMinor: 230 },
      { method: 'M_PESA', commissionMinor: 230 },
    ]);
  });
});

describe('decisions.md#3: a phone that the customer cannot change', () => {
  /** M-PESA's customers have other numbers. */
  const PHONES = withRules(CONTEXT, (method, rules) => ({
    ...rules,
    acceptsPhone: (phone) => method !== 'M_PESA' || phone.startsWith('2517'),
  }));
  const locked = { phone: '911234567', isPhoneUpdatable: false };
  const methodsOf = (changes: Fields, context = PHONES) =>
    orderOf(hosted(changes, context)).methods.map(({ method }) => method);

  test('leaves out the methods that cannot charge it', () => {
    const methods = ['M_PESA', 'CBE', 'TELE_BIRR'];
    const others = ['TELE_BIRR', 'CBE'];
    expect(methodsOf({ methods, customerInfo: locked })).toEqual(others);
    expect(methodsOf({ methods: [], customerInfo: locked })).not.toContain('M_PESA');
  });

  test.each([
    ['may change it', { ...locked, isPhoneUpdatable: true }],
    ['may change it, unless said otherwise', { phone: locked.phone }],
    ['enters one, because none was sent', { isPhoneUpdatable: false }],
    ['enters one, because the sent one is empty', { phone: '', isPhoneUpdatable: false }],
    ['is not known', null],
  ])('does not matter when the customer %s', (_when, customerInfo) => {
    expect(methodsOf({ methods: ['M_PESA'], customerInfo })).toEqual(['M_PESA']);
  });

  test('is a problem of the phone when no other method is left', () => {
    const changes = { methods: ['M_PESA'], customerInfo: locked };
    expect(errorsOf(hosted(changes, PHONES))).toEqual({
      'customerInfo.phone':
        'M_PESA cannot charge this number, and isPhoneUpdatable keeps the customer from changing it.',
    });
    // Besides the errors of other fields.
    expect(Object.keys(errorsOf(hosted({ ...changes, expireIn: 1 }, PHONES)))).toEqual([
      'expireIn',
      'customerInfo.phone',
    ]);
  });

  test('does not matter to methods without a phone, and in the sandbox', () => {
    const rules = { currencies: ['ETB'], acceptsPhone: () => false } as const;
    const none = withRules(PHONES, () => rules);
    const redirects = ['TELE_BIRR', 'ETS_SWITCH'];
    expect(methodsOf({ customerInfo: locked }, none)).toEqual(redirects);
    const simulated = { ...none, environment: 'sandbox' } as const;
    expect(methodsOf({ customerInfo: locked }, simulated)).toHaveLength(6);
  });
});

const REQUIRED = 'This field is required.';
const POSITIVE = 'Must be greater than 0.';
const TWO_DECIMALS = 'Must have at most two decimal places: round to cents.';
const CAP = 'Must be at most 999999999.99.';
const NEITHER = 'Either amount or a non-empty items list is required.';
const TOO_SMALL = 'The total must be at least 1.00.';
const BAD_URL = 'Must be a valid http or https URL.';
const ID_LENGTH = 'Must be 1 to 255 characters long.';
const UNPRINTABLE =
  'Must consist of printable characters: no control, invisible or line-breaking ones.';
const DAMAGED =
  'Must not contain control characters, or half of a character such as an emoji that was cut in two.';
const METHOD = 'Must be one of TELE_BIRR, TELE_BIRR_USSD, CBE, ETS_SWITCH, M_PESA, E_BIRR.';
const EXPIRE_IN = 'Must be a whole number of seconds from 5 to 31622400.';
const QUANTITY = 'Must be a whole number from 1 to 2147483647.';
const PHONE =
  'Must be 9 digits that begin with 9, without 0 or +251, such as 911223344. Leave out a number ' +
  'that begins with 7: the customer enters it on the page.';
const NO_DISCOUNT =
  'Must be greater than 0. For a discount lower a price, or leave out the items and lower amount.';

const items = (...changes: object[]) => changes.map((change) => ({ ...ITEM, ...change }));

const ROWS: readonly Row[] = [
  ['api.md#error-1: neither', { amount: undefined }, { amount: NEITHER }],
  ['api.md#error-1: empty items', { amount: undefined, items: [] }, { amount: NEITHER }],
  ['decisions.md#6: both null', { amount: null, items: null }, { amount: NEITHER }],
  [
    'api.md#error-2: neither sum equals amount',
    { amount: 15, items: [ITEM] },
    {
      amount:
        'Must equal the sum of the item prices (10.00) or the sum of price × quantity (20.00).',
    },
  ],
  [
    'api.md#error-2: both sums are the same',
    { amount: 15, items: items({ price: 25.5, quantity: 1 }) },
    { amount: 'Must equal the sum of the item prices (25.50).' },
  ],
  ['api.md#error-3: amount below 1.00', { amount: 0.99 }, { amount: TOO_SMALL }],
  [
    'api.md#error-3: items below 1.00',
    { amount: undefined, items: items({ price: 0.33, quantity: 3 }) },
    { items: TOO_SMALL },
  ],
  ...wrong('amount', POSITIVE, {
    'api.md#error-4: amount 0': 0,
    'api.md#error-4: amount negative': -5,
  }),
  [
    'api.md#item: a discount as an item',
    { items: items({ price: -10 }) },
    { 'items[0].price': NO_DISCOUNT },
  ],
  ['api.md#error-4: amount 1.005', { amount: 1.005 }, { amount: TWO_DECIMALS }],
  ['decisions.md#5: a numeric string', { amount: '100' }, { amount: 'Must be a JSON number.' }],
  ...wrong('amount', CAP, {
    'decisions.md#5: over the cap': 1_000_000_000,
    'decisions.md#5: far over the cap': 1e300,
  }),
  ['decisions.md#5: a boolean', { amount: true }, { amount: 'Must be a JSON number.' }],
  ...wrong('currency', REQUIRED, {
    'api.md#error-4: currency missing': undefined,
    'api.md#error-4: currency null': null,
  }),
  ['api.md#error-4: currency', { currency: 'etb' }, { currency: 'Must be ETB or USD.' }],
  ...wrong('commissionPaidByCustomer', REQUIRED, { 'api.md#error-4: no flag': undefined }),
  ...wrong('commissionPaidByCustomer', 'Must be true or false.', { 'flag is boolean': 'true' }),
  ['id missing', { paymentIntentUniqueId: undefined }, { paymentIntentUniqueId: REQUIRED }],
  ['id a number', { paymentIntentUniqueId: 7 }, { paymentIntentUniqueId: 'Must be a string.' }],
  ...['.', '..'].map(
    (id) =>
      [
        `decisions.md#21: id "${id}" could not be addressed`,
        { paymentIntentUniqueId: id },
        { paymentIntentUniqueId: 'Must not be "." or "..".' },
      ] as const,
  ),
  ...wrong('paymentIntentUniqueId', ID_LENGTH, {
    'decisions.md#7: id empty': '',
    'decisions.md#7: id 256 long': 'x'.repeat(256),
    'decisions.md#7: id of 256 emoji': '😀'.repeat(256),
  }),
  ...wrong('paymentIntentUniqueId', 'Must not consist of spaces only.', {
    'decisions.md#7: id of spaces': '  \u00a0',
  }),
  ...wrong('paymentIntentUniqueId', DAMAGED, {
    'decisions.md#7: id with NUL': 'a\u0000',
    'decisions.md#7: id half a pair': 'a\ud800',
  }),
  ...wrong('paymentIntentUniqueId', UNPRINTABLE, {
    'decisions.md#7: id with zero width': 'a\u200b',
    'decisions.md#7: id with a line': 'a\u2028b',
    'decisions.md#7: id private use': '\ue000',
  }),
  ...wrong('methods', REQUIRED, { 'methods missing': undefined, 'methods null': null }),
  ['methods a string', { methods: 'CBE' }, { methods: 'Must be an array.' }],
  [
    'decisions.md#13: unknown methods',
    { methods: ['CBE', 'BOGUS', 'M_PESA', 5, 'constructor'] },
    { 'methods[1]': METHOD, 'methods[3]': METHOD, 'methods[4]': METHOD },
  ],
  ['a method null', { methods: ['CBE', null] }, { 'methods[1]': 'Must not be null.' }],
  ['an item null', { items: [null] }, { 'items[0]': 'Must not be null.' }],
  ...wrong('methods', 'Must have at most 100 entries.', {
    'decisions.md#7: too many methods': Array(101).fill('CBE'),
  }),
  [
    'decisions.md#13: no method accepts the currency',
    { currency: 'USD', methods: ['CBE', 'M_PESA'] },
    { currency: 'CBE, M_PESA cannot take USD.' },
  ],
  ['api.md#error-5: returnUrl missing', { returnUrl: undefined }, { returnUrl: REQUIRED }],
  ...wrong('returnUrl', BAD_URL, {
    'decisions.md#6: returnUrl empty': '',
    'api.md#error-5: returnUrl': 'shop.example',
  }),
  ...wrong('returnUrl', 'Must not contain a user name or password.', {
    'decisions.md#12: userinfo': 'https://a@b.example',
  }),
  ['api.md#error-5: callbackUrl', { callbackUrl: 'ftp://a' }, { callbackUrl: BAD_URL }],
  ...wrong('callbackUrl', 'No webhook can be sent there: host is an IP address.', {
    'decisions.md#12: a callbackUrl that no webhook would be sent to': 'https://10.example.com/',
  }),
  ['decisions.md#6: callbackUrl empty', { callbackUrl: '' }, { callbackUrl: BAD_URL }],
  ['decisions.md#1: expireIn missing', { expireIn: undefined }, { expireIn: REQUIRED }],
  ...wrong('expireIn', EXPIRE_IN, {
    'decisions.md#1: expireIn 4': 4,
    'decisions.md#1: expireIn over 366 days': 31_622_401,
    'decisions.md#1: expireIn 5.5': 5.5,
  }),
  ['decisions.md#5: expireIn a string', { expireIn: '60' }, { expireIn: 'Must be a JSON number.' }],
  ...wrong('customerInfo.phone', PHONE, {
    'api.md#error-6: leading zero': '0911223344',
    'api.md#error-6: 8 digits': '91122334',
    'api.md#error-6: a 7': '711223344',
    'api.md#error-6: a line after': '911223344\n',
  }),
  [
    'customerInfo an array',
    { customerInfo: ['Abebe'] },
    { customerInfo: 'Must be a JSON object.' },
  ],
  [
    'decisions.md#7: customerInfo',
    { customerInfo: { name: 'x'.repeat(1_001), email: 'x'.repeat(256), isPhoneUpdatable: 1 } },
    {
      'customerInfo.name': 'Must be at most 1000 characters long.',
      'customerInfo.email': 'Must be at most 255 characters long.',
      'customerInfo.isPhoneUpdatable': 'Must be true or false.',
    },
  ],
  [
    'api.md#item: everything missing',
    { amount: undefined, items: [{}] },
    {
      'items[0].name': REQUIRED,
      'items[0].type': REQUIRED,
      'items[0].price': REQUIRED,
      'items[0].quantity': REQUIRED,
    },
  ],
  [
    'api.md#item: everything wrong',
    {
      amount: undefined,
      items: items(
        {},
        {
          name: 1,
          description: 'x'.repeat(1_001),
          image: '',
          type: 'FOOD',
          price: 0.001,
          quantity: 0,
        },
      ),
    },
    {
      'items[1].name': 'Must be a string.',
      'items[1].description': 'Must be at most 1000 characters long.',
      'items[1].image': BAD_URL,
      'items[1].type': 'Must be one of SERVICE, DIGITAL_PRODUCT, PHYSICAL_PRODUCT.',
      'items[1].price': TWO_DECIMALS,
      'items[1].quantity': QUANTITY,
    },
  ],
  [
    'decisions.md#6: an item without a name',
    { amount: 20, items: items({ name: '' }, { name: '  ' }) },
    { 'items[0].name': 'Must not be empty.', 'items[1].name': 'Must not be empty.' },
  ],
  [
    'api.md#error-4: quantity 1.5',
    { amount: 20, items: items({ quantity: 1.5 }) },
    { 'items[0].quantity': QUANTITY },
  ],
  [
    'decisions.md#4: quantity 2^31',
    { amount: 20, items: items({ quantity: 2 ** 31 }) },
    { 'items[0].quantity': QUANTITY },
  ],
  [
    'decisions.md#5: quantity a string',
    { amount: 20, items: items({ quantity: '2' }) },
    { 'items[0].quantity': 'Must be a JSON number.' },
  ],
  [
    'an item that is not an object',
    { amount: 20, items: [[]] },
    { 'items[0]': 'Must be a JSON object.' },
  ],
  ['items not an array', { amount: 20, items: { 0: ITEM } }, { items: 'Must be an array.' }],
  [
    'decisions.md#7: 101 items',
    { amount: 20, items: Array(101).fill({}) },
    { items: 'Must have at most 100 entries.' },
  ],
  [
    'decisions.md#4: total over the cap',
    { amount: undefined, items: items({ price: 999_999_999.99, quantity: 2_147_483_647 }) },
    { items: 'The sum of price × quantity must be at most 999999999.99.' },
  ],
  [
    'decisions.md#10: a field of an item and the sums at once',
    { amount: 15, items: items({ name: undefined }) },
    {
      'items[0].name': REQUIRED,
      amount:
        'Must equal the sum of the item prices (10.00) or the sum of price × quantity (20.00).',
    },
  ],
  [
    'decisions.md#10: fields and cross-field rules at once',
    {
      amount: undefined,
      currency: 'USD',
      methods: ['CBE'],
      returnUrl: undefined,
      expireIn: 1,
      splitPayment: [
        { ...SPLIT, amount: 60, splitType: 'PERCENTAGE', bank: 'NONE' },
        { ...SPLIT, amount: 50, splitType: 'PERCENTAGE' },
      ],
      customerInfo: { phone: '1' },
    },
    {
      amount: NEITHER,
      currency: 'CBE cannot take USD.',
      returnUrl: REQUIRED,
      expireIn: EXPIRE_IN,
      'splitPayment[0].bank': 'Is not in the list of banks.',
      splitPayment: 'The percentages must not exceed 100 together.',
      'customerInfo.phone': PHONE,
    },
  ],
  [
    'decisions.md#10: a quantity out of range, without a message about the sums',
    { amount: 15, items: items({ quantity: 0 }) },
    { 'items[0].quantity': QUANTITY },
  ],
];

describe('validateHosted rejects', () => {
  test.each(ROWS)('%s', (_source, changes, errors) => {
    expect(errorsOf(hosted(changes))).toEqual(errors);
  });

  test.each([[null], [[]], ['text'], [5], [undefined]])('a body that is no object: %j', (body) => {
    const errors = { body: 'Must be a JSON object.' };
    expect(errorsOf(validateHosted(body, CONTEXT))).toEqual(errors);
  });

  test('decisions.md#10: an empty object, and names all missing fields', () => {
    expect(errorsOf(validateHosted({}, CONTEXT))).toEqual({
      amount: NEITHER,
      currency: REQUIRED,
      paymentIntentUniqueId: REQUIRED,
      methods: REQUIRED,
      returnUrl: REQUIRED,
      expireIn: REQUIRED,
      commissionPaidByCustomer: REQUIRED,
    });
  });

  test('decisions.md#13: methods that are not enabled, and an empty list when none is', () => {
    const onlyCbe = {
      ...CONTEXT,
      methods: CONTEXT.methods.filter(({ method }) => method === 'CBE'),
    };
    expect(errorsOf(hosted({ methods: ['M_PESA', 'CBE', 'BOGUS'] }, onlyCbe))).toEqual({
      'methods[0]': 'M_PESA is not enabled for this merchant.',
      'methods[2]': METHOD,
    });
    expect(errorsOf(hosted({}, { ...CONTEXT, methods: [] }))).toEqual({
      methods: 'No payment method is enabled for this merchant.',
    });
  });
});

describe('validateHosted accepts', () => {
  test('the smallest body, with every absent field null or empty', () => {
    expect(orderOf(hosted())).toEqual({
      kind: 'hosted',
      uniqueId: 'order-1',
      paymentLinkUniqueId: null,
      amountMinor: 10_050,
      currency: 'ETB',
      methods: CONTEXT.methods.map(({ method }) => ({ method, commissionMinor: 0 })),
      items: [],
      itemPriceBasis: 'unit',
      splits: [],
      commissionPaidByCustomer: true,
      customer: null,
      description: null,
      debitAccount: null,
      returnUrl: 'https://shop.example/done',
      callbackUrl: null,
      isCallbackIgnored: false,
      refundEvents: false,
      simulation: null,
      metadata: {},
      expireInSeconds: 600,
      phone: null,
    });
  });

  test('decisions.md#6: null optional fields and unknown ones, as if they were absent', () => {
    const nulls = {
      items: null,
      paymentLinkUniqueId: null,
      splitPayment: null,
      callbackUrl: null,
      refundEvents: null,
      customerInfo: null,
      metadata: null,
    };
    const given = hosted({ ...nulls, testMode: 5, phoneNumber: 5, description: 5 });
    expect(orderOf(given)).toEqual(orderOf(hosted()));
  });

  test('decisions.md#6: an empty string in an optional field that is no URL, as if it were absent', () => {
    const empty = {
      items: '',
      paymentLinkUniqueId: '',
      splitPayment: '',
      customerInfo: '',
      metadata: '',
    };
    expect(hosted(empty)).toEqual(hosted());
    const customerInfo = { name: '', email: '', phone: '', isPhoneUpdatable: '' };
    expect(hosted({ customerInfo })).toEqual(hosted({ customerInfo: {} }));
    const [item] = orderOf(hosted({ amount: 20, items: items({ description: '' }) })).items;
    expect(item?.description).toBeNull();
  });

  test('names of the prototype as ordinary names', () => {
    const text = JSON.stringify(HOSTED_BODY).replace(
      '{',
      '{"__proto__":{"callbackUrl":"bad"},"constructor":1,"toString":null,',
    );
    expect(orderOf(validateHosted(JSON.parse(text), CONTEXT))).toEqual(orderOf(hosted()));
    const inherited = JSON.parse(`{"__proto__":${JSON.stringify(HOSTED_BODY)}}`);
    expect(validateHosted(inherited, CONTEXT).ok).toBe(false);
  });

  test.each([
    ['the sum of prices', 10, 'line'],
    ['the sum of price × quantity', 20, 'unit'],
  ])('decisions.md#4: an amount equal to %s', (_name, amount, itemPriceBasis) => {
    const order = orderOf(hosted({ amount, items: [ITEM] }));
    expect(order).toMatchObject({ amountMinor: amount * 100, itemPriceBasis });
  });

  test('decisions.md#4: both sums alike, as unit prices', () => {
    const order = orderOf(hosted({ amount: 10, items: items({ quantity: 1 }) }));
    expect(order.itemPriceBasis).toBe('unit');
  });

  test('decisions.md#4: a line total although price × quantity exceeds the cap', () => {
    const order = orderOf(
      hosted({ amount: 999_999_999.99, items: items({ price: 999_999_999.99, quantity: 9 }) }),
    );
    expect(order.itemPriceBasis).toBe('line');
  });

  test('decisions.md#4: items alone, and an empty list beside an amount', () => {
    const order = orderOf(
      hosted({ amount: undefined, items: items({ price: 0.1, quantity: 10 }) }),
    );
    expect(order).toMatchObject({
      amountMinor: 100,
      itemPriceBasis: 'unit',
      items: [
        {
          name: 'Coffee',
          description: null,
          image: null,
          quantity: 10,
          type: 'PHYSICAL_PRODUCT',
          priceMinor: 10,
        },
      ],
    });
    expect(hosted({ items: [] })).toEqual(hosted());
  });

  test.each([
    ['decisions.md#5: 1.15', 1.15, 115],
    ['decisions.md#5: the cap', 999_999_999.99, 99_999_999_999],
    ['api.md#limits: 1.00', 1, 100],
  ])('%s', (_source, amount, amountMinor) => {
    expect(orderOf(hosted({ amount })).amountMinor).toBe(amountMinor);
  });

  test.each([5, 30, 31_622_400])('decisions.md#1: expireIn %d', (expireIn) => {
    expect(orderOf(hosted({ expireIn })).expireInSeconds).toBe(expireIn);
  });

  test.each(['x', 'x'.repeat(255), '😀'.repeat(255), 'ትዕዛዝ 1/2', '__proto__', ' padded '])(
    'decisions.md#7: id %#',
    (paymentIntentUniqueId) => {
      expect(orderOf(hosted({ paymentIntentUniqueId })).uniqueId).toBe(paymentIntentUniqueId);
    },
  );

  test('decisions.md#3: a phone of 9 and 8 digits; an empty one is absent', () => {
    const customerInfo = { name: 'Abebe', phone: '911223344', isPhoneUpdatable: false };
    expect(orderOf(hosted({ customerInfo })).customer).toEqual({ ...customerInfo, email: null });
    expect(orderOf(hosted({ customerInfo: { phone: '' } })).customer?.phone).toBeNull();
  });

  test('decisions.md#13: duplicates collapse; in production a method without the currency drops out', () => {
    const methods = ['ETS_SWITCH', 'CBE', 'ETS_SWITCH'];
    const names = (currency: string, context = CONTEXT) =>
      orderOf(hosted({ methods, currency }, context)).methods.map(({ method }) => method);
    expect(names('ETB')).toEqual(['CBE', 'ETS_SWITCH']);
    expect(names('USD')).toEqual(['ETS_SWITCH']);
    expect(names('USD', SANDBOX)).toEqual(['CBE', 'ETS_SWITCH']);
  });

  test('decisions.md#15: the commission of each method, rounded half up', () => {
    const methods = [offered('CBE', 150, 10), offered('M_PESA')];
    expect(orderOf(hosted({ amount: 1 }, { ...CONTEXT, methods })).methods).toEqual([
      { method: 'CBE', commissionMinor: 12 },
      { method: 'M_PESA', commissionMinor: 0 },
    ]);
  });

  describe('decisions.md#15: a commission that the merchant bears and that exceeds the amount', () => {
    const context = {
      ...CONTEXT,
      methods: [offered('CBE', 0, 100), offered('M_PESA', 0, 500)],
    };
    const names = (changes: object) =>
      orderOf(hosted({ amount: 1, ...changes }, context)).methods.map(({ method }) => method);

    test('leaves the method out', () => {
      expect(names({ commissionPaidByCustomer: false })).toEqual(['CBE']);
      expect(names({ commissionPaidByCustomer: false, amount: 5 })).toEqual(['CBE', 'M_PESA']);
      expect(names({ commissionPaidByCustomer: true })).toEqual(['CBE', 'M_PESA']);
    });

    test('is a problem of the amount when no method is left', () => {
      const borne = { commissionPaidByCustomer: false, method: 'M_PESA', amount: 4.99 };
      expect(errorsOf(express(borne, context))).toEqual({
        amount: 'Must cover the commission that you pay: 5.00.',
      });
      expect(orderOf(express({ ...borne, amount: 5 }, context)).amountMinor).toBe(500);
    });
  });

  test('decisions.md#22: the sandbox simulates and production does not', () => {
    expect(orderOf(hosted({}, SANDBOX)).simulation).toBe('interactive');
    expect(orderOf(hosted()).simulation).toBeNull();
  });
});

describe('uniqueIdOf (decisions.md#8)', () => {
  test.each([
    [{ paymentIntentUniqueId: 'a', amount: 'bad' }, 'a'],
    [{ paymentIntentUniqueId: '' }, null],
    [{ paymentIntentUniqueId: 5 }, null],
    [{}, null],
    [null, null],
    [['a'], null],
    ['a', null],
  ])('%j is %j', (body, id) => {
    expect(uniqueIdOf(body)).toBe(id);
  });
});
