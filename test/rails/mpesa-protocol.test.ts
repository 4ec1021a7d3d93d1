import { describe, expect, it, test } from 'vitest';
import type { FailureReason } from '../../src/engine/domain/attempt.ts';
import { NO_ANSWER } from '../../src/engine/rails/call-rail.ts';
import { isTokenRefused } from '../../src/engine/rails/mpesa/api.ts';
import { readMpesaCallback } from '../../src/engine/rails/mpesa/callback.ts';
import {
  amountText,
  descriptionText,
  passwordText,
  pushBody,
  readPush,
} from '../../src/engine/rails/mpesa/push.ts';
import { mpesaRail } from '../../src/engine/rails/mpesa/rail.ts';
import type { StartResult } from '../../src/engine/rails/rail.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import {
  SAMPLE_ANSWER,
  SAMPLE_ERRORS,
  SAMPLE_FAILED,
  SAMPLE_PAID,
  SAMPLE_REQUEST,
  sampleRequestText,
  settingsOf,
  VALID_SETTINGS,
  VECTORS,
} from '../support/rails/mpesa-fixtures.ts';
import { orderFor } from '../support/rails/order.ts';

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

describe('the protocol', () => {
  it('computes a password like the documented sample’s, whose passkey is unknown', async () => {
    const { timestamp, password, decoded } = VECTORS.officialSample;
    const ours = await passwordText(settingsOf(VALID_SETTINGS), timestamp);
    expect(Buffer.from(password, 'base64').toString()).toBe(decoded);
    expect(decoded).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(ours, 'base64').toString()).toMatch(/^[0-9a-f]{64}$/);
    expect(SAMPLE_REQUEST.Password).toBe(password);
  });

  it('writes the sample’s request byte for byte, except ids and password', async () => {
    const settings = settingsOf({ ...VALID_SETTINGS, shortcode: SAMPLE_REQUEST.BusinessShortCode });
    const order = orderFor(mpesaRail(settings), 'M_PESA', {
      attempt: { reference: REFERENCE },
      terms: { amountMinor: 2_000, merchantName: 'Payment' },
      order: { callbackUrl: SAMPLE_REQUEST.CallBackURL },
    });
    const nowMs = Date.UTC(2024, 8, 18, 2, 58, 23);
    const password = await passwordText(settings, SAMPLE_REQUEST.Timestamp);
    expect(await pushBody(settings, order, SAMPLE_REQUEST.PhoneNumber, nowMs)).toBe(
      sampleRequestText({
        MerchantRequestID: `"${REFERENCE}"`,
        Password: `"${password}"`,
        AccountReference: '"H7K2M9QX4T0B"',
        Value: `"${REFERENCE}"`,
      }),
    );
  });

  it('writes amounts as any JSON library writes the same number', () => {
    for (const amountMinor of [1, 10, 99, 100, 101, 110, 1_005, 2_000, 150_050, 99_999_999_999]) {
      expect(amountText(amountMinor)).toBe(JSON.stringify(amountMinor / 100));
    }
  });

  it('turns every merchant’s name into 1 to 13 plain characters', () => {
    expect(descriptionText('Tomoca Coffee')).toBe('Tomoca Coffee');
    expect(descriptionText('Café "Zoë" & Söhne')).toBe('Cafe Zoe Sohn');
    expect(descriptionText('ቶሞካ ቡና')).toBe('Payment');
    expect(descriptionText('☕'.repeat(500))).toBe('Payment');
    expect(descriptionText('')).toBe('Payment');
    expect(descriptionText('A\u0000\u202eB\ud800C')).toBe('A B C');
    expect(descriptionText(`12 characters${'x'.repeat(987)}`)).toBe('12 characters');
    expect(descriptionText('Twelve chars and more')).toBe('Twelve chars');
  });
});

describe('the answer to a push', () => {
  const accepted = { ...SAMPLE_ANSWER, MerchantRequestID: REFERENCE };
  const answerOf = (status: number, body: unknown) => {
    return { status, text: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  const read = (status: number, body: unknown) => readPush(answerOf(status, body));
  const isRefused = (status: number, body: unknown) => isTokenRefused(answerOf(status, body));

  it('accepts the sample with any MerchantRequestID', () => {
    const railReference = 'ws_CO_0412202401024714199700000000';
    expect(read(200, accepted)).toEqual({ type: 'accepted', redirectUrl: null, railReference });
    expect(read(200, { ...accepted, ResponseCode: 0 })).toMatchObject({ type: 'accepted' });
    expect(read(200, SAMPLE_ANSWER)).toEqual({
      type: 'accepted',
      redirectUrl: null,
      railReference,
    });
    expect(read(202, accepted)).toEqual({ type: 'unknown' });
    for (const CheckoutRequestID of [undefined, null, '', 7, 'x'.repeat(129)]) {
      expect(read(200, { ...accepted, CheckoutRequestID })).toEqual({ type: 'unknown' });
    }
  });

  it.each<readonly [string, FailureReason]>([
    ['1', 'declined'],
    ['3007', 'declined'],
    ['SVC0403', 'misconfigured'],
  ])('of ResponseCode %s is refused: %s', (ResponseCode, reason) => {
    expect(read(200, { ...accepted, ResponseCode })).toEqual({ type: 'refused', reason });
    expect(read(400, { ...accepted, ResponseCode })).toEqual({ type: 'refused', reason });
    expect(read(500, { ...accepted, ResponseCode })).toEqual({ type: 'unknown' });
  });

  it('is a refusal for every refusal in the samples', () => {
    const { stk, auth, api } = SAMPLE_ERRORS;
    for (const body of [...stk, ...auth]) {
      expect(read(200, body)).toMatchObject({ type: 'refused' });
    }
    for (const body of api) {
      expect(isRefused(404, body)).toBe(true);
    }
  });

  it.each<readonly [number, string, boolean]>([
    [404, '404.001.03', true],
    [400, '404.001.03', true],
    [401, '401.002.01', true],
    [403, '403.001.01', false],
    [404, '404.001.01', false],
    [500, '404.001.03', false],
  ])('of HTTP %i with errorCode %s refuses the token: %s', (status, errorCode, result) => {
    expect(isRefused(status, { requestId: 'x', errorCode, errorMessage: 'any' })).toBe(result);
    expect(isRefused(status, { ResponseCode: '1', errorCode })).toBe(status === 401);
  });

  it.each<readonly [number, string, StartResult]>([
    [403, '403.001.01', { type: 'refused', reason: 'misconfigured' }],
    [400, '400.002.02', { type: 'refused', reason: 'misconfigured' }],
    [400, '400', { type: 'refused', reason: 'declined' }],
    [500, '500.001.1001', { type: 'unknown' }],
    [500, '500.002.1001', { type: 'unknown' }],
    [200, '500.001.1001', { type: 'unknown' }],
    [400, '400.999.99', { type: 'unknown' }],
    [500, '404.001.03', { type: 'unknown' }],
  ])('of HTTP %i with errorCode %s', (status, errorCode, result) => {
    expect(read(status, { requestId: 'x', errorCode, errorMessage: 'any' })).toEqual(result);
  });

  it('is unknown when unclear, never refused', () => {
    const bodies = ['', 'null', '[]', '"0"', '<html>', '{"ResponseCode":"0"', '{}', accepted];
    for (const body of bodies) {
      for (const status of [201, 302, 404, 502]) {
        expect(read(status, body)).toEqual({ type: 'unknown' });
      }
    }
    const codes = ['', '2', '34', '00', ' 0', 'constructor', '__proto__', null, {}, [], true];
    for (const ResponseCode of codes) {
      expect(read(200, { ...accepted, ResponseCode })).toEqual({ type: 'unknown' });
    }
    expect(read(200, '{"resultCode":{"toString":1},"errorCode":["400"]}')).toEqual({
      type: 'unknown',
    });
    expect(readPush(NO_ANSWER)).toEqual({ type: 'unknown' });
  });

  it('is a refusal after too many requests or with a refused token', () => {
    expect(read(429, 'Spike arrest')).toEqual({ type: 'refused', reason: 'rail_unavailable' });
    expect(isRefused(401, '<html>')).toBe(true);
  });
});

describe('reading callbacks', () => {
  const PAID_ORDER = sampleOrder();
  const read = (text: string, order: RailOrder) => readMpesaCallback(text, order, VALID_SETTINGS);
  const paid = (changed: object = {}, items?: unknown) =>
    JSON.stringify({
      Envelope: {
        Body: {
          stkCallback: {
            ...SAMPLE_PAID.Envelope.Body.stkCallback,
            ...(items === undefined ? {} : { CallbackMetadata: { Item: items } }),
            ...changed,
          },
        },
      },
    });
  const SUCCEEDED = {
    type: 'outcome',
    outcome: {
      type: 'succeeded',
      receipt: 'TIN8ABCDEF',
      paidAtMs: Date.parse('2024-09-18T06:00:00+03:00'),
    },
  };

  it('accepts the samples, in Ethiopia’s format and in Kenya’s', () => {
    const wrongPin = { type: 'outcome', outcome: { type: 'failed', reason: 'wrong_pin' } };
    expect(read(JSON.stringify(SAMPLE_PAID), PAID_ORDER)).toEqual(SUCCEEDED);
    expect(read(JSON.stringify(SAMPLE_PAID.Envelope), PAID_ORDER)).toEqual(SUCCEEDED);
    expect(read(JSON.stringify(SAMPLE_FAILED), PAID_ORDER)).toEqual(wrongPin);
    expect(read(JSON.stringify(SAMPLE_FAILED.Envelope), PAID_ORDER)).toEqual(wrongPin);
  });

  it.each<readonly [string, FailureReason]>([
    ['1', 'insufficient_funds'],
    ['17', 'declined'],
    ['1001', 'declined'],
    ['1019', 'timed_out'],
    ['1031', 'canceled_by_customer'],
    ['1032', 'canceled_by_customer'],
    ['1037', 'timed_out'],
    ['2001', 'wrong_pin'],
    ['8006', 'wrong_pin'],
    ['1025', 'rail_unavailable'],
    ['2028', 'misconfigured'],
  ])('reads ResultCode %s as a number and as a string: %s', (code, reason) => {
    for (const ResultCode of [code, Number(code)]) {
      const text = paid({ ResultCode, CallbackMetadata: undefined });
      const failed = { type: 'outcome', outcome: { type: 'failed', reason } };
      expect(read(text, PAID_ORDER)).toEqual(failed);
    }
  });

  it('refuses an unknown code', () => {
    for (const ResultCode of [
      '34',
      4999,
      9999,
      '26',
      'TP40088',
      '',
      ' 0',
      '00',
      -1,
      'constructor',
    ]) {
      const reading = read(paid({ ResultCode }), PAID_ORDER);
      expect(reading).toEqual({ type: 'refused', suspicion: 'unknown_state' });
    }
    expect(read(paid({ ResultCode: '0' }), PAID_ORDER)).toEqual(SUCCEEDED);
  });

  it('binds by CheckoutRequestID and does not require our MerchantRequestID', () => {
    const foreign = { type: 'refused', suspicion: 'other_order' };
    for (const id of ['X', '', null, undefined, 7, ['X']]) {
      expect(read(paid({ MerchantRequestID: id }), PAID_ORDER)).toEqual(SUCCEEDED);
      expect(read(paid({ CheckoutRequestID: id }), PAID_ORDER)).toEqual(foreign);
      const failure = { CheckoutRequestID: id, ResultCode: 1032 };
      expect(read(paid(failure), PAID_ORDER)).toEqual(foreign);
    }
    const attempt = { ...PAID_ORDER.attempt, railReference: null };
    const unanswered = { ...PAID_ORDER, attempt };
    expect(read(paid({ MerchantRequestID: 'X' }), unanswered)).toEqual(SUCCEEDED);
    expect(read(paid({ CheckoutRequestID: undefined }), unanswered)).toEqual(foreign);
  });

  it('rejects another short code, where the callback names one', () => {
    const foreign = { type: 'refused', suspicion: 'other_order' };
    const { Item } = SAMPLE_PAID.Envelope.Body.stkCallback.CallbackMetadata;
    for (const BusinessShortCode of ['1020', 1020]) {
      expect(read(paid({ BusinessShortCode }), PAID_ORDER)).toEqual(SUCCEEDED);
    }
    expect(read(paid({ BusinessShortCode: '1021' }), PAID_ORDER)).toEqual(foreign);
    const named = [...Item, { Name: 'BusinessShortCode', Value: 1021 }];
    expect(read(paid({}, named), PAID_ORDER)).toEqual(foreign);
    const till = { ...VALID_SETTINGS, partyB: '1021' };
    expect(readMpesaCallback(paid({}, named), PAID_ORDER, till)).toEqual(SUCCEEDED);
  });

  it('compares the amount exactly, as a number or a string', () => {
    const readAmount = (Value: unknown) => read(paid({}, [{ Name: 'Amount', Value }]), PAID_ORDER);
    const outcome = { type: 'succeeded', receipt: null, paidAtMs: null };
    const noReceipt = { type: 'outcome', outcome };
    for (const value of [20, '20', '20.0', '20.00', '20.000']) {
      expect(readAmount(value)).toEqual(noReceipt);
    }
    for (const value of [20.01, 19.99, 2000, '20.01', '0', 0]) {
      expect(readAmount(value)).toEqual({ type: 'refused', suspicion: 'wrong_amount' });
    }
    const unreadable = ['', ' 20', '2e1', '٢٠', 20.001, -20, null, {}, [20], undefined];
    for (const value of unreadable) {
      expect(readAmount(value)).toEqual({ type: 'refused', suspicion: 'unreadable' });
    }
  });

  it('reads the date in Ethiopia’s time zone, and drops one that it cannot read', () => {
    const dateOf = (Value: unknown) => {
      const items = [
        { Name: 'Amount', Value: 20 },
        { Name: 'TransactionDate', Value },
      ];
      const reading = read(paid({}, items), PAID_ORDER);
      return (
        reading.type === 'outcome' && 'paidAtMs' in reading.outcome && reading.outcome.paidAtMs
      );
    };
    const expected = Date.parse('2026-01-31T09:34:56Z');
    expect([20260131123456, '20260131123456'].map(dateOf)).toEqual([expected, expected]);
    for (const value of ['', 'soon', 20260131, 20261331123456, 1e14, null, {}]) {
      expect(dateOf(value)).toBeNull();
    }
  });

  it('rejects a success whose amount is missing or appears twice', () => {
    const unreadable = { type: 'refused', suspicion: 'unreadable' };
    const amount = { Name: 'Amount', Value: 20 };
    for (const items of [[], {}, 'Amount', [null, 7, 'x'], [amount, amount]]) {
      expect(read(paid({}, items), PAID_ORDER)).toEqual(unreadable);
    }
    const unconfirmed = { type: 'refused', suspicion: 'not_confirmed' };
    for (const CallbackMetadata of [undefined, null, {}]) {
      expect(read(paid({ CallbackMetadata }), PAID_ORDER)).toEqual(unconfirmed);
    }
  });

  it('drops a receipt that does not look like one', () => {
    for (const Value of ['', 'a b', '<b>', 'x'.repeat(33), 7, null]) {
      const items = [
        { Name: 'Amount', Value: 20 },
        { Name: 'MpesaReceiptNumber', Value },
      ];
      const reading = read(paid({}, items), PAID_ORDER);
      expect(reading).toMatchObject({ outcome: { type: 'succeeded', receipt: null } });
    }
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"Envelope":null}',
    '{"Envelope":{"Body":{"Fault":{}}}}',
    '{"Body":{"stkCallback":[]}}',
    '{"Body":{"stkCallback":{}}}',
    '{"Body":{"stkCallback":{"ResultCode":{"toString":1}}}}',
    '{"__proto__":{"Body":{}}}',
    '\ufffd',
  ])('finds %j unreadable', (text) => {
    expect(read(text, PAID_ORDER)).toEqual({
      type: 'refused',
      suspicion: 'unreadable',
    });
  });

  it('reads any 64 KiB quickly', () => {
    const fill = (text: string) => text.repeat(Math.ceil(65_536 / text.length)).slice(0, 65_536);
    const bodies = ['[', '{"a":', ' ', '"', '\\', '{"Body":', '9', '\ud800'].map(fill);
    const item = '{"Name":"Amount","Value":20},';
    const items = `[${fill(item).slice(0, 65_000 - (65_000 % item.length) - 1)}]`;
    const long = paid({}, JSON.parse(items));
    for (const body of [...bodies, long, paid({ ResultCode: '9'.repeat(65_000) })]) {
      expect(read(body, PAID_ORDER)).toMatchObject({ type: 'refused' });
    }
  });
});

/** The order in the sample callbacks. */
function sampleOrder(): RailOrder {
  const { MerchantRequestID, CheckoutRequestID } = SAMPLE_PAID.Envelope.Body.stkCallback;
  return orderFor(mpesaRail(settingsOf(VALID_SETTINGS)), 'M_PESA', {
    attempt: { reference: MerchantRequestID, railReference: CheckoutRequestID },
    terms: { amountMinor: 2_000 },
  });
}
