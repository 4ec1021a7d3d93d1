import { describe, expect, test } from 'vitest';
import type { ValidationContext } from '../../../src/engine/api/schema/context.ts';
import type { Bindings } from '../../../src/engine/config.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import { productionRules } from '../../../src/engine/rails/settings.ts';
import {
  CONTEXT,
  errorsOf,
  express,
  type Fields,
  hosted,
  ITEM,
  orderOf,
  withRules,
} from './validation-fixture.ts';

/**
 * Goal: an answer says what a merchant would otherwise learn from a wrong charge, or first in
 * production (docs/api.md#warnings). Method: requests with and without the cause of the warning; a
 * warned request stores what it would store anyway.
 */

const COFFEE: Fields = { ...ITEM, price: 4, quantity: 2 };
const CAKE: Fields = { ...ITEM, price: 5, quantity: 1 };

describe('docs/decisions.md#4: items without an amount', () => {
  const bothSums =
    'items add up to 13.00 by price × quantity, which is charged, and to 9.00 by price alone. ' +
    'Send amount too, so that it is the one you mean.';

  test.each<[string, Fields, string[]]>([
    ['warns with both sums if they differ', { items: [COFFEE, CAKE] }, [bothSums]],
    ['is silent if there is one sum', { items: [CAKE, CAKE] }, []],
    ['is silent beside the one amount', { amount: 13, items: [COFFEE, CAKE] }, []],
    ['is silent beside the other amount', { amount: 9, items: [COFFEE, CAKE] }, []],
  ])('%s', (_name, changes, warnings) => {
    for (const validate of [hosted, express]) {
      const validated = validate({ amount: undefined, ...changes });
      expect(validated.warnings).toEqual(warnings);
      expect(validated.ok).toBe(true);
    }
  });

  test('charges price × quantity', () => {
    const order = orderOf(hosted({ amount: undefined, items: [COFFEE, CAKE] }));
    expect(order).toMatchObject({ amountMinor: 13_00, itemPriceBasis: 'unit' });
  });
});

describe('docs/decisions.md#12: a callbackUrl that gets no webhooks', () => {
  const context: ValidationContext = {
    ...CONTEXT,
    callbackUse: (url) => (url.startsWith('http:') ? 'ignores' : 'sends'),
  };
  const plain = { callbackUrl: 'http://shop.example/hook' };
  const warning = expect.stringMatching(/^callbackUrl begins with http:\/\/.* Use https\.$/);

  test.each([
    ['beside a valid body', plain, true],
    ['beside an error', { ...plain, currency: 'XXX' }, false],
  ])('warns %s', (_name, changes, isValid) => {
    for (const validate of [hosted, express]) {
      expect(validate(changes, context)).toMatchObject({ ok: isValid, warnings: [warning] });
    }
  });

  test('is stored as ignored, and one that gets them is not', () => {
    expect(orderOf(hosted(plain, context))).toMatchObject({ ...plain, isCallbackIgnored: true });
    const secure = { callbackUrl: 'https://shop.example/hook' };
    expect(orderOf(hosted(secure, context))).toMatchObject({ isCallbackIgnored: false });
  });
});

describe('docs/decisions.md#3: a phoneNumber that the method ignores', () => {
  const returnUrl = 'https://shop.example/done';
  const warning = 'phoneNumber is not a mobile number and was ignored: TELE_BIRR needs none.';

  test.each<[string, Fields, string[]]>([
    ['warns if it cannot be a phone', { method: 'TELE_BIRR', phoneNumber: 'call me' }, [warning]],
    ['is silent if it is a phone', { method: 'TELE_BIRR', phoneNumber: '0911223344' }, []],
    ['is silent without one', { method: 'TELE_BIRR', phoneNumber: null }, []],
  ])('%s', (_name, changes, warnings) => {
    const validated = express({ returnUrl, ...changes });
    expect(validated.warnings).toEqual(warnings);
    const plain = orderOf(express({ returnUrl, ...changes, phoneNumber: undefined }));
    const { phone } = orderOf(validated);
    expect({ ...orderOf(validated), phone: null }).toEqual(plain);
    expect(phone).toBe(changes.phoneNumber === '0911223344' ? '251911223344' : null);
  });
});

describe('values that are probably mistakes', () => {
  const idWarning =
    'paymentIntentUniqueId begins or ends with a blank: without it, it is another id.';
  const timeWarning = (expireIn: number, minutes: number) =>
    `expireIn is in seconds, and ${expireIn} looks like milliseconds: ` +
    `for ${minutes} min send ${60 * minutes}.`;

  test.each<[string, Fields, string[]]>([
    ['an id with a blank behind', { paymentIntentUniqueId: 'x ' }, [idWarning]],
    ['an id with a blank before', { paymentIntentUniqueId: '\u00a0x' }, [idWarning]],
    ['an id with a blank within', { paymentIntentUniqueId: 'x y' }, []],
    ['half an hour in milliseconds', { expireIn: 1_800_000 }, [timeWarning(1_800_000, 30)]],
    ['a minute in milliseconds', { expireIn: 60_000 }, [timeWarning(60_000, 1)]],
    ['a day in seconds', { expireIn: 86_400 }, []],
    ['thirty days in seconds', { expireIn: 2_592_000 }, []],
  ])('%s', (_name, changes, warnings) => {
    for (const validate of [hosted, express]) {
      const validated = validate(changes);
      expect(validated.warnings).toEqual(warnings);
      expect(orderOf(validated)).toMatchObject({
        uniqueId: changes.paymentIntentUniqueId ?? 'order-1',
        expireInSeconds: changes.expireIn ?? 600,
      });
    }
  });
});

describe('docs/decisions.md#22: the sandbox says what production would refuse', () => {
  /** The rules of a gateway whose production is not set up. */
  const rules = (method: Method) => productionRules({} as Bindings, method);
  const production = withRules(CONTEXT, rules);
  const sandbox: ValidationContext = { ...production, environment: 'sandbox' };

  const testMode = { testModeType: 'ACTUAL_TEST' };
  const locked = { phone: '911234567', isPhoneUpdatable: false };
  const cents = 'M_PESA can take whole amounts only, without cents.';
  const beginning = (digit: 7 | 9, method: Method) =>
    `Must begin with ${digit}, such as 0${digit}11223344: ${method} charges no other numbers.`;
  const REFUSES = 'would be refused in production:';
  const LEAVES_OUT = 'would leave out methods in production:';

  test.each<[string, Fields, string, string]>([
    ['M_PESA with cents', { amount: 150.5 }, 'amount', cents],
    [
      'M_PESA with items that have cents',
      { amount: undefined, items: [{ ...ITEM, price: 1.5, quantity: 1 }] },
      'items',
      cents,
    ],
    [
      'a phone that M_PESA cannot charge',
      { phoneNumber: '0911223344' },
      'phoneNumber',
      beginning(7, 'M_PESA'),
    ],
    [
      'a customer’s phone that E_BIRR cannot charge',
      { method: 'E_BIRR', phoneNumber: null, customerInfo: { phone: '0711223344' } },
      'customerInfo.phone',
      beginning(9, 'E_BIRR'),
    ],
    ['dollars by M_PESA', { currency: 'USD' }, 'currency', 'M_PESA cannot take USD.'],
  ])('express: %s', (_name, changes, path, text) => {
    const body = { amount: 100, testMode, ...changes };
    expect(express(body, sandbox)).toMatchObject({
      ok: true,
      warnings: [`${path} ${REFUSES} ${text}`],
    });
    // The same check makes both texts.
    expect(errorsOf(express(body, production))).toEqual({ [path]: text });
    expect(express(body, production).warnings).toEqual([]);
  });

  test.each<[string, Fields, string[], string[]]>([
    ['M_PESA alone, with cents', { methods: ['M_PESA'] }, [`amount ${REFUSES} ${cents}`], []],
    [
      'M_PESA and CBE, with cents',
      { methods: ['M_PESA', 'CBE'] },
      [`amount ${LEAVES_OUT} ${cents}`],
      ['CBE'],
    ],
    [
      'M_PESA alone, and a phone of another network that the customer cannot change',
      { amount: 100, methods: ['M_PESA'], customerInfo: locked },
      [
        `customerInfo.phone ${REFUSES} M_PESA cannot charge this number, ` +
          'and isPhoneUpdatable keeps the customer from changing it.',
      ],
      [],
    ],
    [
      'dollars by M_PESA and the cards, with cents',
      { currency: 'USD', methods: ['M_PESA', 'ETS_SWITCH'] },
      [`currency ${LEAVES_OUT} M_PESA cannot take USD.`],
      ['ETS_SWITCH'],
    ],
    ['methods that take all of it', { methods: ['CBE', 'E_BIRR'] }, [], ['CBE', 'E_BIRR']],
    [
      'all methods, with cents',
      { methods: [] },
      [`amount ${LEAVES_OUT} ${cents}`],
      METHODS.filter((method) => method !== 'M_PESA'),
    ],
    [
      'all methods, with dollars',
      { methods: [], currency: 'USD', amount: 100 },
      [`currency ${LEAVES_OUT} TELE_BIRR, TELE_BIRR_USSD, CBE, M_PESA, E_BIRR cannot take USD.`],
      ['ETS_SWITCH'],
    ],
    [
      'all methods, with cents and a phone that the customer cannot change',
      { methods: [], customerInfo: locked },
      [
        `customerInfo.phone ${LEAVES_OUT} M_PESA cannot charge this number, ` +
          'and isPhoneUpdatable keeps the customer from changing it.',
      ],
      METHODS.filter((method) => method !== 'M_PESA'),
    ],
    ['all methods, which take all of it', { methods: [], amount: 100 }, [], [...METHODS]],
  ])('hosted: %s', (_name, changes, warnings, inProduction) => {
    const simulated = hosted(changes, sandbox);
    expect(simulated.warnings).toEqual(warnings);
    const offered = orderOf(simulated).methods.map(({ method }) => method);
    const named = changes.methods as readonly Method[];
    expect([...offered].sort()).toEqual([...(named.length === 0 ? METHODS : named)].sort());
    const real = hosted(changes, production);
    expect(real.ok ? real.value.methods.map(({ method }) => method) : []).toEqual(inProduction);
  });

  test('stores what it would store without the warning', () => {
    const open = withRules(sandbox, () => ({ currencies: ['ETB', 'USD'] }));
    for (const changes of [{ currency: 'USD' }, { amount: 1.01 }]) {
      const body = { methods: ['M_PESA', 'CBE'], ...changes };
      const [warned, silent] = [hosted(body, sandbox), hosted(body, open)];
      expect(warned.warnings).not.toEqual([]);
      expect(silent.warnings).toEqual([]);
      expect(orderOf(warned)).toEqual(orderOf(silent));
    }
  });
});
