import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/domain/intent.ts';
import { readCardsState } from '../../src/rails/ethswitch/cards-status.ts';
import { fixture, railOf } from '../support/rails/ethswitch-scene.ts';
import { orderFor } from '../support/rails/order.ts';

const RAIL = railOf({
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

function read(changed: object, attempt: Partial<Attempt> = OFFERED) {
  const order = orderFor(RAIL, 'ETS_SWITCH', { attempt });
  return readCardsState(JSON.stringify({ ...PAID, ...changed }), order);
}

/** What the published answer says when it is changed so. */
function stateWith(changed: object): string {
  const state = read(changed);
  return state.type === 'failed' ? state.reason : state.type;
}

describe('the status of a card order', () => {
  test('the published answer is paid, with the bank’s reference number', () => {
    expect(read({})).toEqual({ type: 'succeeded', receipt: '632509123456' });
    const { railReference } = OFFERED;
    expect(read({ authRefNum: null })).toEqual({ type: 'succeeded', receipt: railReference });
  });

  test('older and newer forms of the same', () => {
    const old = {
      errorCode: undefined,
      orderStatus: '2',
      amount: '150000',
      currency: 230,
      paymentAmountInfo: undefined,
    };
    expect(stateWith(old)).toBe('succeeded');
    expect(stateWith({ currency: undefined })).toBe('succeeded');
  });

  test.each([0, 1, 3, 4, 5, 7, 8, 9, -1, null, '', 'DEPOSITED', [2], true])(
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
    ['a currency that is none', { currency: 'ETB' }],
    ['a part only', { paymentAmountInfo: { depositedAmount: 100 } }],
    ['another state beside it', { paymentAmountInfo: { paymentState: 'REVERSED' } }],
    ['amounts that are none', { paymentAmountInfo: 'DEPOSITED' }],
    ['an error', { errorCode: '7' }],
    ['refused credentials', { errorCode: 5 }],
    ['an order not found', { errorCode: '6' }],
    ['an error that is none', { errorCode: 'none' }],
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
    [-2_014, 'timed_out'],
    [5, 'declined'],
    [100, 'declined'],
    [907, 'declined'],
    [-2_006, 'declined'],
    [0, 'declined'],
    [null, 'declined'],
    ['toString', 'declined'],
    // The gateway still asks the bank.
    [-30_001, 'unknown'],
  ])('declined with action code %j is %s', (actionCode, reason) => {
    expect(stateWith({ orderStatus: 6, actionCode })).toBe(reason);
  });

  test('the failure of another order is not ours', () => {
    expect(stateWith({ orderStatus: 6, orderNumber: 'A'.repeat(20) })).toBe('unknown');
    expect(stateWith({ orderStatus: 6, amount: 1 })).toBe('unknown');
  });

  test('an unknown order has failed only if nobody was ever sent to it', () => {
    const notFound = { errorCode: '6', errorMessage: 'Unknown order id' };
    const failed = { type: 'failed', reason: 'rail_unavailable' };
    expect(read(notFound, { railReference: null, redirectUrl: null })).toEqual(failed);
    expect(read(notFound, { ...OFFERED, railReference: null })).toEqual({ type: 'unknown' });
    expect(read(notFound, { ...OFFERED, redirectUrl: null })).toEqual({ type: 'unknown' });
  });

  test.each(['', 'null', '[]', '<html>', '{"orderStatus":2', '{}'])('%j is unknown', (text) => {
    const order = orderFor(RAIL, 'ETS_SWITCH', { attempt: OFFERED });
    expect(readCardsState(text, order)).toEqual({ type: 'unknown' });
  });
});
