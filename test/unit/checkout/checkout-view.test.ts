import { describe, expect, test } from 'vitest';
import { readChoice } from '../../../src/engine/checkout/choice.ts';
import {
  type ChooseState,
  checkoutView,
  type ViewContext,
} from '../../../src/engine/checkout/view.ts';
import {
  ATTEMPTS_MAX,
  type Attempt,
  UNCOUNTED_ATTEMPTS_MAX,
} from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import { phoneFrom } from '../../../src/engine/domain/phone.ts';
import { moneyText } from '../../../src/kit/i18n/money-text.ts';
import {
  attemptWith,
  intentWith,
  itemWith,
  NOW_MS,
  termsWith,
} from '../../support/checkout-fixtures.ts';
import {
  cancelRefund,
  requestRefund,
  resolveRefund,
  startAttempt,
  succeed,
} from '../../support/intents.ts';

function chooseStateOf(intent: Intent, context: ViewContext = {}): ChooseState {
  const { state } = checkoutView(intent, NOW_MS, context);
  if (state.kind !== 'choose') {
    throw new Error(`not choosing but ${state.kind}`);
  }
  return state;
}

describe('the state shown', () => {
  test('an expired time counts without an alarm, also in the link back to the merchant', () => {
    const intent = intentWith();
    const { state, summary } = checkoutView(intent, intent.terms.expiresAtMs);
    expect(state.kind).toBe('expired');
    expect(summary.returnUrl).toContain('status=EXPIRED');
  });

  test('only hosted attempts can be abandoned for another', () => {
    const changed = { status: 'processing', attempts: [attemptWith()] } as const;
    expect(checkoutView(intentWith({}, changed), NOW_MS).state).toMatchObject({ canAbandon: true });
    expect(checkoutView(intentWith({ kind: 'express' }, changed), NOW_MS).state).toMatchObject({
      canAbandon: false,
    });
  });

  test.each([
    ['hosted', 1, true],
    ['hosted', ATTEMPTS_MAX - 1, true],
    ['hosted', ATTEMPTS_MAX, false],
    ['express', 1, false],
  ] as const)(
    'a prompt of a %s payment, attempt %i: another may follow: %s',
    (kind, made, mayRetry) => {
      for (const status of ['processing', 'unresolved'] as const) {
        const attempts = Array(made).fill(attemptWith({ flow: 'push', status }));
        const intent = intentWith({ kind }, { status: 'processing', attempts });
        expect(checkoutView(intent, NOW_MS).state).toMatchObject({ kind: 'push', mayRetry });
      }
    },
  );

  test('an attempt that outlasts the payment counts down to the expiry, then asks to wait', () => {
    const reportedUntilMs = NOW_MS + 2_000_000;
    for (const flow of ['push', 'redirect'] as const) {
      const attempts = [attemptWith({ flow, deadlineAtMs: reportedUntilMs })];
      const intent = intentWith({}, { status: 'processing', attempts });
      const { expiresAtMs } = intent.terms;
      const before = checkoutView(intent, expiresAtMs - 1);
      expect(before.remainingMs).toBe(1);
      expect(before.state).toMatchObject({ isUnresolved: false, reportedUntilMs });
      const after = checkoutView(intent, expiresAtMs);
      expect(after).toMatchObject({
        remainingMs: null,
        state: { isUnresolved: true, reportedUntilMs },
      });
      // It promises no other try.
      const other = flow === 'push' ? { mayRetry: false } : { canAbandon: false };
      expect(after.state).toMatchObject(other);
      expect(after.tag).not.toBe(before.tag);
    }
  });

  test("never links a rail's address that is not http", () => {
    const attempts = [attemptWith({ redirectUrl: 'javascript:alert(1)' })];
    const { state } = checkoutView(intentWith({}, { status: 'processing', attempts }), NOW_MS);
    expect(state).toMatchObject({ kind: 'redirect', redirectUrl: null });
  });

  test('an ended intent with an unresolved attempt says that money may still arrive', () => {
    const attempts = [attemptWith({ status: 'unresolved', windowIsFinal: false })];
    const failed = intentWith({}, { status: 'failed', attempts });
    expect(checkoutView(failed, NOW_MS).state).toMatchObject({ mayStillSettle: true });
  });
});

describe('the receipt', () => {
  const paid = decide(
    intentWith({ commissionPaidByCustomer: true, expiresAtMs: NOW_MS + 900_000 }),
    [startAttempt('a', { phone: '251911234567', deadlineAtMs: NOW_MS + 60_000 }), succeed('a')],
    NOW_MS,
  ).intent;
  const attempts = paid.attempts.map((attempt) => ({ ...attempt, isProved: true }));
  const shown = (commands: readonly Command[], changed: Partial<Intent> = {}) => {
    const { intent } = decide({ ...paid, attempts, ...changed }, commands, NOW_MS);
    const { state } = checkoutView(intent, NOW_MS);
    return state.kind === 'paid' ? { ...state.receipt, isFresh: state.isFresh } : null;
  };
  const claim = (refundId: string): Command => {
    return { type: 'claim_refund', refundId, claimId: refundId, deadlineAtMs: NOW_MS + 60_000 };
  };
  const refund = (id: string, amountMinor: number | null) =>
    requestRefund(id, { attemptId: 'a', amountMinor });
  const returned = (id: string, amountMinor: number | null) => [
    refund(id, amountMinor),
    claim(id),
    resolveRefund(id, { type: 'succeeded', railReference: null }),
  ];

  test.each<[string, readonly Command[], number, readonly (readonly [string, number])[]]>([
    ['no refund', [], 151_500, []],
    ['a part returned', returned('r', 50_000), 101_000, [['returned', 50_500]]],
    ['all returned', returned('r', null), 0, [['returned', 151_500]]],
    ['one on its way', [refund('r', 50_000)], 151_500, [['underway', 50_500]]],
    [
      'one returned, one on its way',
      [...returned('r', 50_000), refund('s', 50_000)],
      101_000,
      [
        ['returned', 50_500],
        ['underway', 50_500],
      ],
    ],
    ['one canceled', [refund('r', 50_000), cancelRefund('r')], 151_500, []],
  ])('%s: what is left of the amount paid', (_name, commands, netMinor, refunds) => {
    const receipt = shown(commands);
    expect(receipt).toMatchObject({ paidMinor: 151_500, netMinor });
    expect(receipt?.payments.map(({ phone }) => phone)).toEqual(['…4567']);
    expect(receipt?.refunds.map((row) => [row.shown, row.returnedMinor])).toEqual(refunds);
    expect(receipt?.isFresh).toBe(commands.length === 0);
  });

  test('counts a second payment until it has come back', () => {
    const other = { ...attempts[0], id: 'b', method: 'CBE', receipt: 'OTHER' } as Attempt;
    const twice = [...attempts, other];
    const both = 151_500 + 151_000;
    expect(shown([], { attempts: twice })).toMatchObject({ netMinor: both, hasPaidTwice: true });
    const ofSecond = [
      requestRefund('r', { attemptId: 'b' }),
      claim('r'),
      resolveRefund('r', { type: 'succeeded', railReference: null }),
    ];
    expect(shown(ofSecond, { attempts: twice })).toMatchObject({
      paidMinor: both,
      netMinor: 151_500,
      hasPaidTwice: false,
    });
  });

  test('counts one receipt of two attempts once', () => {
    const again = { ...attempts[0], id: 'b', receipt: 'ONE-1' } as Attempt;
    const paid = [{ ...attempts[0], receipt: 'one1' } as Attempt, again];
    expect(shown([], { attempts: paid })).toMatchObject({
      paidMinor: 151_500,
      hasPaidTwice: false,
    });
  });
});

describe('whether a page is out of date', () => {
  const left = attemptWith({ status: 'unresolved', failureReason: 'abandoned' });
  const tagOf = (intent: Intent) => checkoutView(intent, NOW_MS).tag;

  test('an open form is current when an attempt abandoned before it changes', () => {
    const before = intentWith({}, { version: 3, attempts: [left] });
    const failed = { ...left, status: 'failed', failureReason: 'declined' } as const;
    expect(tagOf(intentWith({}, { version: 4, attempts: [failed] }))).toBe(tagOf(before));
  });

  test.each([
    ['another attempt was made', intentWith({}, { version: 2, attempts: [left] })],
    ['it is paid', intentWith({}, { version: 2, status: 'succeeded', attempts: [attemptWith()] })],
    ['it was canceled', intentWith({}, { version: 2, status: 'canceled' })],
    ['one is in flight', intentWith({}, { version: 2, status: 'processing', attempts: [left] })],
  ])('an open form is when %s', (_name, intent) => {
    expect(tagOf(intent)).not.toBe(tagOf(intentWith()));
  });

  test('the page that connects is out of date once the provider has answered, without a new version', () => {
    const inFlight = (redirectUrl: string | null) =>
      intentWith({}, { status: 'processing', attempts: [attemptWith({ redirectUrl })] });
    expect(tagOf(inFlight(null))).not.toBe(tagOf(inFlight('https://rail.example.com/pay')));
  });
});

describe('choosing', () => {
  test('offers every method until the payment expires, however long its provider takes', () => {
    const methods = METHODS.map((method) => ({ method, commissionMinor: 0 }));
    const { state } = checkoutView(intentWith({ methods, expiresAtMs: NOW_MS + 1 }), NOW_MS);
    const offered = state.kind === 'choose' ? state.methods.map(({ method }) => method) : [];
    expect(offered).toEqual(METHODS);
  });

  test('after a failed attempt: the reason, and the same method again', () => {
    const attempts = [
      attemptWith({
        method: 'CBE',
        phone: '251911111111',
        status: 'failed',
        failureReason: 'declined',
      }),
    ];
    const state = chooseStateOf(intentWith({}, { attempts }));
    expect(state).toMatchObject({ lastFailure: 'declined', selected: 'CBE' });
    const [first, ...others] = state.methods;
    expect(first).toMatchObject({ method: 'CBE', isRetry: true });
    expect(others.map(({ method, isRetry }) => [method, isRetry])).toEqual([
      ['TELE_BIRR', false],
      ['TELE_BIRR_USSD', false],
      ['ETS_SWITCH', false],
      ['M_PESA', false],
      ['E_BIRR', false],
    ]);
    expect(state.phone).toEqual({ value: '0911 111 111', isReadOnly: false, wasAsked: null });
  });

  const off = (method: Method) => ({ environment: 'sandbox' as const, method, text: null });
  test.each<[string, ViewContext, Method | null, string, Method | null]>([
    [
      'what does not work is last, what is switched off after it',
      { down: ['CBE'], switchedOff: [off('ETS_SWITCH')] },
      null,
      'TELE_BIRR TELE_BIRR_USSD M_PESA E_BIRR CBE ETS_SWITCH',
      null,
    ],
    [
      'also when it has just failed, and then it is not proposed',
      { down: ['CBE'] },
      'CBE',
      'TELE_BIRR TELE_BIRR_USSD ETS_SWITCH M_PESA E_BIRR CBE',
      null,
    ],
    [
      'another one that has just failed is the first',
      { down: ['CBE'] },
      'M_PESA',
      'M_PESA TELE_BIRR TELE_BIRR_USSD ETS_SWITCH E_BIRR CBE',
      'M_PESA',
    ],
    [
      'one way of an account works: the other stays beside it',
      { down: ['TELE_BIRR'] },
      null,
      'TELE_BIRR_USSD TELE_BIRR CBE ETS_SWITCH M_PESA E_BIRR',
      null,
    ],
    [
      'neither way of an account works',
      { down: ['TELE_BIRR', 'TELE_BIRR_USSD'] },
      null,
      'CBE ETS_SWITCH M_PESA E_BIRR TELE_BIRR TELE_BIRR_USSD',
      null,
    ],
    [
      'the customer chose it all the same, with a wrong number',
      { down: ['M_PESA'], refusedForm: { method: 'M_PESA', phone: '1', problem: 'phone_invalid' } },
      null,
      'TELE_BIRR TELE_BIRR_USSD CBE ETS_SWITCH E_BIRR M_PESA',
      'M_PESA',
    ],
  ])('%s', (_, context, failed, order, selected) => {
    const failure = { status: 'failed', failureReason: 'rail_unavailable' } as const;
    const attempts = failed === null ? [] : [attemptWith({ method: failed, ...failure })];
    const state = chooseStateOf(intentWith({}, { attempts }), context);
    expect(state.methods.map(({ method }) => method).join(' ')).toBe(order);
    expect(state.selected).toBe(selected);
  });

  test('a single method that does not work is proposed all the same', () => {
    const intent = intentWith({ methods: [{ method: 'CBE', commissionMinor: 0 }] });
    expect(chooseStateOf(intent, { down: ['CBE'] }).selected).toBe('CBE');
  });

  test.each<[number, number, boolean]>([
    [ATTEMPTS_MAX - 2, 3, false],
    [ATTEMPTS_MAX - 1, 0, true],
    [ATTEMPTS_MAX - 1, 3, true],
    [ATTEMPTS_MAX - 3, UNCOUNTED_ATTEMPTS_MAX + 2, true],
  ])('after %i failures and %i without the provider, says that one try is left: %s', (...row) => {
    const [failures, unreached, isLastAttempt] = row;
    const failed = attemptWith({ status: 'failed', failureReason: 'declined' });
    const attempts = [
      ...Array(failures).fill(failed),
      ...Array(unreached).fill({ ...failed, neverReached: true }),
    ];
    expect(chooseStateOf(intentWith({}, { attempts }))).toMatchObject({ isLastAttempt });
  });

  test('does not suggest to try an abandoned attempt again, which may still be paid', () => {
    const left = attemptWith({ status: 'unresolved', failureReason: 'abandoned', method: 'CBE' });
    const { methods } = chooseStateOf(intentWith({}, { attempts: [left] }));
    expect(methods[0]?.method).toBe('TELE_BIRR');
    expect(methods.some(({ isRetry }) => isRetry)).toBe(false);
  });

  test.each(['sandbox', 'production'] as const)(
    'the numbers that methods take: %s',
    (environment) => {
      const { methods } = chooseStateOf(intentWith({ environment }));
      expect(
        Object.fromEntries(methods.map((choice) => [choice.method, choice.phoneStarts])),
      ).toEqual({
        TELE_BIRR: null,
        TELE_BIRR_USSD: '79',
        CBE: null,
        ETS_SWITCH: null,
        M_PESA: environment === 'production' ? '7' : '79',
        E_BIRR: '79',
      });
    },
  );

  test('preselects a single method, and asks for a phone only when it is needed', () => {
    const state = chooseStateOf(
      intentWith({ methods: [{ method: 'TELE_BIRR', commissionMinor: 0 }] }),
    );
    expect(state).toMatchObject({ selected: 'TELE_BIRR', phone: null });
  });

  test.each([
    [true, '911234567', { value: '0911 234 567', isReadOnly: false }],
    [null, '911234567', { value: '0911 234 567', isReadOnly: false }],
    [false, '911234567', { value: '0911 234 567', isReadOnly: true }],
    [false, null, { value: '', isReadOnly: false }],
  ])('phone with isPhoneUpdatable %s and %s', (isPhoneUpdatable, phone, expected) => {
    const customer = { name: null, email: null, phone, isPhoneUpdatable };
    expect(chooseStateOf(intentWith({ customer })).phone).toMatchObject(expected);
  });
});

describe('money (decisions.md#4, #15)', () => {
  test('shows no commission that the merchant pays', () => {
    expect(checkoutView(intentWith(), NOW_MS).summary.totals).toEqual({
      subtotalMinor: 150_000,
      commissionMinor: 0,
      totalMinor: 150_000,
    });
  });

  test("shows the customer's commission by method, and the total once one is chosen", () => {
    const intent = intentWith({ commissionPaidByCustomer: true });
    expect(checkoutView(intent, NOW_MS).summary.totals.totalMinor).toBeNull();
    expect(chooseStateOf(intent).methods.map((choice) => choice.chargedMinor)).toEqual([
      151_500, 151_500, 151_000, 152_250, 151_500, 151_500,
    ]);
    const started = { ...intent, status: 'processing', attempts: [attemptWith()] } as const;
    expect(checkoutView(started, NOW_MS).summary.totals.totalMinor).toBe(151_500);
  });

  test('prices items by the basis that was accepted', () => {
    const items = [itemWith({ quantity: 3, priceMinor: 100 })];
    const unit = checkoutView(intentWith({ items, amountMinor: 300 }), NOW_MS).summary.items[0];
    expect(unit).toMatchObject({ unitPriceMinor: 100, lineTotalMinor: 300 });
    const line = checkoutView(
      intentWith({ items, amountMinor: 100, itemPriceBasis: 'line' }),
      NOW_MS,
    ).summary.items[0];
    expect(line).toMatchObject({ unitPriceMinor: null, lineTotalMinor: 100 });
  });

  test('shows no prices of items that do not add up (express)', () => {
    const items = [itemWith({ quantity: 2_147_483_647, priceMinor: 99_999_999_999 })];
    const { summary } = checkoutView(intentWith({ items }), NOW_MS);
    expect(summary.items[0]).toMatchObject({ unitPriceMinor: null, lineTotalMinor: null });
  });

  test.each([
    [5, 'ETB', 'ETB 0.05'],
    [100, 'USD', 'USD 1.00'],
    [123_450, 'ETB', 'ETB 1,234.50'],
    [99_999_999_999, 'ETB', 'ETB 999,999,999.99'],
  ] as const)('formats %d %s as %s', (amountMinor, currency, text) => {
    expect(moneyText(amountMinor, currency, 'en-ET').replaceAll('\u00a0', ' ')).toBe(text);
  });
});

describe('phones', () => {
  test.each([
    '911234567',
    '0911234567',
    '251911234567',
    '+251911234567',
    ' (+251) 911-234-567 ',
    '+251 (0) 911-23 45 67',
    '+2510911234567',
    '2510911234567',
    '00251911234567',
    '00251 0911 234 567',
    '0911.23.45.67',
    '\u202a+251\u00a0911\u2011234\u2011567\u202c',
    '0911\ufe0d 234 567\ufffc',
  ])('accepts %j as a phone', (input) => {
    expect(phoneFrom(input)).toBe('251911234567');
  });

  test.each([
    '',
    '91123456',
    '9112345678',
    '811234567',
    '+252911234567',
    '+0911234567',
    '+911234567',
    '000911234567',
    '0251911234567',
    '000251911234567',
    '+25100911234567',
    '251251911234567',
    '09112345 67x',
    '9'.repeat(1e6),
  ])('rejects a text that is not a phone', (input) => {
    expect(phoneFrom(input)).toBeNull();
  });
});

const takesSafaricom = (method: string, phone: string) =>
  method !== 'M_PESA' || phone.startsWith('2517');

describe('reading the form', () => {
  test.each<[Record<string, string>, string]>([
    [{}, 'method_missing'],
    [{ method: 'BITCOIN' }, 'method_missing'],
    [{ method: 'E_BIRR' }, 'phone_missing'],
    [{ method: 'E_BIRR', phone: '12' }, 'phone_invalid'],
    [{ method: 'M_PESA', phone: '0911234567' }, 'phone_not_taken'],
  ])('%j: %s', (fields, problem) => {
    expect(readChoice(termsWith(), new URLSearchParams(fields), takesSafaricom)).toMatchObject({
      type: 'refused',
      form: { problem },
    });
  });
});
