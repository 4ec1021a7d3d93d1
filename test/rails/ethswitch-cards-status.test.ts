import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/engine/domain/attempt.ts';
import { cardsCode } from '../../src/engine/rails/ethswitch/cards-call.ts';
import { readCardsState } from '../../src/engine/rails/ethswitch/cards-status.ts';
import { fixture } from '../support/rails/ethswitch-scene.ts';
import { orderFor } from '../support/rails/order.ts';
import { railOf } from '../support/rails/scene.ts';

const RAIL = railOf('ETS_SWITCH', {
  gateway: 'cards',
  baseUrl: 'http://localhost:9',
  userName: 'u',
  password: 'p',
});
const PAID = JSON.parse(fixture('cards-status-paid.json'));
const OFFERED = {
  railReference: '01491d0b-aaaa-7dd6-a20d-e96900a7d8c0',
  redirectUrl: 'https://epg.example.et:9443/',
};

/** After the end of the session, when no more tries are possible. */
const AFTER_SESSION_MS = 900_000;

function read(
  changed: object,
  attempt: Partial<Attempt> = OFFERED,
  afterMs: number = AFTER_SESSION_MS,
) {
  const order = orderFor(RAIL, 'ETS_SWITCH', { attempt });
  const nowMs = order.attempt.startedAtMs + afterMs;
  return readCardsState(JSON.stringify({ ...PAID, ...changed }), order, nowMs);
}

/** The state in the published answer with these changes. */
function stateWith(changed: object, afterMs?: number): string {
  const state = read(changed, OFFERED, afterMs);
  return state.type === 'failed' ? state.reason : state.type;
}

describe('the status of a card order', () => {
  test('reads the published answer as paid, with the bank’s reference number', () => {
    const paidAtMs = 1_795_251_700_000;
    expect(read({})).toEqual({ type: 'succeeded', receipt: '632509123456', paidAtMs });
    const { railReference } = OFFERED;
    const paid = { type: 'succeeded', receipt: railReference, paidAtMs };
    expect(read({ authRefNum: null })).toEqual(paid);
    for (const authDateTime of [undefined, null, 'today', 1.5]) {
      expect(read({ authDateTime })).toMatchObject({ type: 'succeeded', paidAtMs: null });
    }
  });

  test('reads older and newer formats', () => {
    const old = {
      errorCode: undefined,
      orderStatus: '2',
      amount: '150000',
      currency: 230,
      paymentAmountInfo: undefined,
    };
    expect(stateWith(old)).toBe('succeeded');
    expect(stateWith({ currency: undefined })).toBe('succeeded');
    expect(stateWith({ actionCode: undefined })).toBe('succeeded');
    expect(stateWith({ actionCode: '0' })).toBe('succeeded');
    expect(stateWith({ paymentAmountInfo: { refundedAmount: '0' } })).toBe('succeeded');
  });

  test.each([0, '0', 5])('status %j leaves the order open', (orderStatus) => {
    expect(stateWith({ orderStatus })).toBe('open');
  });

  test('money on hold is neither paid nor failed: docs/decisions.md#34', () => {
    const held = { approvedAmount: 150_000, depositedAmount: 0, paymentState: 'APPROVED' };
    expect(stateWith({ orderStatus: 1, paymentAmountInfo: held })).toBe('unknown');
    expect(stateWith({ orderStatus: 1 })).toBe('unknown');
  });

  test.each([1, 3, 4, 7, 8, 9, -1, null, '', 'DEPOSITED', [2], true])(
    'status %j proves nothing',
    (orderStatus) => {
      expect(stateWith({ orderStatus })).toBe('unknown');
    },
  );

  test.each<[string, object]>([
    ['another order', { orderNumber: 'A'.repeat(20) }],
    ['no order number', { orderNumber: null }],
    ['another amount', { amount: 149_999 }],
    ['no amount', { amount: undefined }],
    ['an amount in major units', { amount: 1500.5 }],
    ['another currency', { currency: '840' }],
    ['a malformed currency', { currency: 'ETB' }],
    ['a partial amount', { paymentAmountInfo: { depositedAmount: 100 } }],
    ['another action code', { actionCode: 5 }],
    ['an action code that waits', { actionCode: -30_001 }],
    ['a malformed action code', { actionCode: 'ok' }],
    ['money that went back', { paymentAmountInfo: { refundedAmount: 1 } }],
    [
      'money that went back beside the whole deposit',
      { paymentAmountInfo: { depositedAmount: 150_000, refundedAmount: '150000' } },
    ],
    ['a malformed sum of refunds', { paymentAmountInfo: { refundedAmount: 'none' } }],
    ['a contradicting state', { paymentAmountInfo: { paymentState: 'REVERSED' } }],
    ['malformed amounts', { paymentAmountInfo: 'DEPOSITED' }],
    ['an error', { errorCode: '7' }],
    ['refused credentials', { errorCode: 5 }],
    ['an order not found', { errorCode: '6' }],
    ['a malformed error', { errorCode: 'none' }],
  ])('%s is not paid', (_, changed) => {
    expect(stateWith(changed)).toBe('unknown');
  });

  test.each<[number | string | null, string]>([
    [51, 'insufficient_funds'],
    [116, 'insufficient_funds'],
    ['116', 'insufficient_funds'],
    [55, 'wrong_pin'],
    [117, 'wrong_pin'],
    [106, 'wrong_pin'],
    [-2_007, 'timed_out'],
    [-2_013, 'declined'],
    [-2_014, 'timed_out'],
    [5, 'declined'],
    [100, 'declined'],
    [907, 'declined'],
    [-2_006, 'declined'],
    [0, 'declined'],
    [null, 'declined'],
    ['toString', 'declined'],
    // The gateway still waits for the bank.
    [-30_001, 'open'],
  ])('declined with action code %j is %s', (actionCode, reason) => {
    expect(stateWith({ orderStatus: 6, actionCode })).toBe(reason);
  });

  test.each<[number | null, string]>([
    [5, 'open'],
    [116, 'open'],
    [117, 'open'],
    [-2_006, 'open'],
    [-2_009, 'open'],
    [-2_014, 'open'],
    [null, 'open'],
    // No time or no tries left.
    [-2_007, 'timed_out'],
    [-2_013, 'declined'],
  ])('declined with action code %j while the page is open is %s', (actionCode, state) => {
    expect(stateWith({ orderStatus: 6, actionCode }, AFTER_SESSION_MS - 1)).toBe(state);
  });

  test('a customer may try another card while the page is open, also after the payment expired', () => {
    const order = orderFor(RAIL, 'ETS_SWITCH', { attempt: OFFERED });
    const { startedAtMs, deadlineAtMs } = order.attempt;
    const terms = { ...order.terms, expiresAtMs: startedAtMs + 60_000 };
    const declined = JSON.stringify({ ...PAID, orderStatus: 6, actionCode: 5 });
    const read = (nowMs: number) => readCardsState(declined, { ...order, terms }, nowMs);
    expect(read(deadlineAtMs - 1)).toEqual({ type: 'open' });
    expect(read(deadlineAtMs)).toEqual({ type: 'failed', reason: 'declined' });
  });

  test('ignores the failure of another order', () => {
    expect(stateWith({ orderStatus: 6, orderNumber: 'A'.repeat(20) })).toBe('unknown');
    expect(stateWith({ orderStatus: 6, amount: 1 })).toBe('unknown');
  });

  test('fails an unknown order only if no customer has seen its page, or ever will', () => {
    const notFound = { errorCode: '6', errorMessage: 'Unknown order id' };
    const failed = { type: 'failed', reason: 'rail_unavailable', neverReached: true };
    const unanswered = { railReference: null, redirectUrl: null };
    // The start may take 20 s, and 10 s more to be sent.
    expect(read(notFound, unanswered, 30_000)).toEqual(failed);
    for (const afterMs of [-1_000, 0, 20_000, 29_999]) {
      expect(read(notFound, unanswered, afterMs)).toEqual({ type: 'open' });
    }
    expect(read(notFound, { ...OFFERED, railReference: null })).toEqual({ type: 'unknown' });
    expect(read(notFound, { ...OFFERED, redirectUrl: null })).toEqual({ type: 'unknown' });
  });

  test.each(['', 'null', '[]', '<html>', '{"orderStatus":2', '{}'])('%j is unknown', (text) => {
    const order = orderFor(RAIL, 'ETS_SWITCH', { attempt: OFFERED });
    expect(readCardsState(text, order, Date.now())).toEqual({ type: 'unknown' });
  });

  test.each([
    [{}, 'orderStatus 2 actionCode 0'],
    [{ orderStatus: '6', actionCode: undefined }, 'orderStatus 6 actionCode none'],
    [{ errorCode: 5 }, 'errorCode 5'],
    [{ errorCode: undefined, orderStatus: 3 }, 'orderStatus 3 actionCode 0'],
    [{ orderStatus: null }, null],
    [{ orderStatus: { a: 1 } }, null],
  ])('the answer with %j is logged as %j', (changed, providerCode) => {
    expect(cardsCode(JSON.stringify({ ...PAID, ...changed }))).toBe(providerCode);
  });
});
