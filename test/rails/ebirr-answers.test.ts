import { describe, expect, test } from 'vitest';
import { ebirrReport, meaningOf } from '../../src/engine/rails/ebirr/answer.ts';
import type { StartResult } from '../../src/engine/rails/rail.ts';
import { hostileBodies } from '../support/rails/ebirr.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/**
 * Goal: only eBirr's three marks of success, for this order and amount, prove a payment, and only a
 * known refusal proves a failure.
 */

const BODY_BYTES_MAX = 64 * 1024;
const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

const scene = await useRailScene(PLAYERS.ebirr);

/** The result of a start that is answered with `body`, and that follows no redirect. */
async function startAgainst(body: string, status = 200): Promise<StartResult> {
  const headers = { location: `${scene.standIn.baseUrl}/asm` };
  const rail = await scene.scripted({ type: 'answer', status, headers, body });
  const attempt = { reference: REFERENCE };
  const started = await rail.start(scene.order({}, { attempt, terms: { amountMinor: 150_000 } }));
  expect(scene.standIn.calls).toEqual([]);
  return started;
}

describe('the marks of success', () => {
  function answer(changed: object = {}, params: object = {}): string {
    return JSON.stringify({
      responseCode: '2001',
      errorCode: '0',
      responseMsg: 'RCS_SUCCESS',
      params: {
        state: 'APPROVED',
        referenceId: REFERENCE,
        transactionId: '77',
        txAmount: '1500.00',
        ...params,
      },
      ...changed,
    });
  }

  test.each([
    ['the regular answer', answer()],
    ['codes as numbers', answer({ responseCode: 2001, errorCode: 0 })],
    ['the currency', answer({}, { currency: 'ETB' })],
    ['the currency in lower case', answer({}, { currency: 'etb' })],
    ['amount as a number', answer({}, { txAmount: 1500 })],
    ['amount with one decimal', answer({}, { txAmount: '1500.0' })],
    ['no reference and no amount', answer({}, { referenceId: undefined, txAmount: null })],
    ['additional members', answer({ toPayUrl: 'https://x.example', extra: {} })],
  ])('paid: %s', async (_name, body) => {
    expect(await startAgainst(body)).toEqual({
      type: 'resolved',
      outcome: {
        type: 'succeeded',
        receipt: '77',
        issuerReceipt: null,
        providerCode: '2001 0 APPROVED',
      },
    });
  });

  test('paid: the state in lower case', async () => {
    expect(await startAgainst(answer({}, { state: 'approved' }))).toMatchObject({
      type: 'resolved',
      outcome: { type: 'succeeded', receipt: '77' },
    });
  });

  test.each([
    ['no APPROVED', answer({}, { state: undefined })],
    ['another state', answer({}, { state: 'PENDING' })],
    ['no error code', answer({ errorCode: undefined })],
    ['another error code', answer({ errorCode: '5310' })],
    ['an approved refusal', answer({ responseCode: '5310', errorCode: '5310' })],
    ['another order', answer({}, { referenceId: 'H7K2M9QX4T0B8ZC3VN5E' })],
    ['another order beside the params', answer({ referenceId: 'H7K2M9QX4T0B8ZC3VN5E' })],
    ['another amount', answer({}, { txAmount: '1500.01' })],
    ['another currency', answer({}, { currency: 'USD' })],
    ['a malformed currency', answer({}, { currency: 230 })],
    ['an amount a hundred times as large', answer({}, { txAmount: '150000' })],
    ['a malformed amount', answer({}, { txAmount: '1,500.00' })],
    ['a reference that is not a string', answer({}, { referenceId: [REFERENCE] })],
    ['two states', answer({ state: 'DECLINED' })],
    ['two states, the other way round', answer({ state: 'APPROVED' }, { state: 'DECLINED' })],
    ['success alone', '{"responseCode":"2001"}'],
    ['an unknown code', '{"responseCode":"5999","errorCode":"E99999","responseMsg":"?"}'],
    ['no code', '{"schemaVersion":"1.0"}'],
    ['a refusal of another order', '{"errorCode":"5310","params":{"referenceId":"ANOTHER"}}'],
    ['a list', '[]'],
    ['an HTML page', '<html>OK</html>'],
    ['nothing', ''],
    ['half an answer', answer().slice(0, 90)],
    ['more than 64 KiB', answer({ padding: 'x'.repeat(BODY_BYTES_MAX) })],
  ])('unknown: %s', async (_name, body) => {
    expect(await startAgainst(body)).toMatchObject({ type: 'unknown' });
  });

  test.each([201, 202, 302, 307, 400, 408, 409, 429, 500, 502, 504])(
    'HTTP %i proves nothing, even with a known body',
    async (status) => {
      expect(await startAgainst(answer(), status)).toMatchObject({ type: 'unknown' });
      expect(await startAgainst('{"errorCode":"5310"}', status)).toEqual({
        type: 'unknown',
        providerCode: '5310',
      });
    },
  );

  test.each([401, 403, 404, 405])(
    'HTTP %i: rejected unread, so no customer was prompted',
    async (status) => {
      expect(await startAgainst('Forbidden', status)).toEqual({
        type: 'refused',
        reason: 'misconfigured',
      });
    },
  );

  test.each(hostileBodies(REFERENCE))('reads 64 KiB of %s in no time', async (_name, body) => {
    await startAgainst(body);
  });

  test.each([
    ['both ids', {}, '77', '88'],
    ["only the wallet's id", { transactionId: null }, null, '88'],
    ["only eBirr's id", { issuerTransactionId: null }, '77', null],
  ])('never takes one id for the other: %s', async (_name, params, receipt, issuerReceipt) => {
    expect(await startAgainst(answer({}, { issuerTransactionId: '88', ...params }))).toMatchObject({
      outcome: { type: 'succeeded', receipt, issuerReceipt },
    });
  });

  test('keeps a receipt only if it is an id', async () => {
    expect(await startAgainst(answer({}, { transactionId: 'x'.repeat(1_000) }))).toMatchObject({
      type: 'resolved',
      outcome: { type: 'succeeded', receipt: null },
    });
  });
});

const UNDECIDED = { type: 'unknown', checkAtMs: null };

function meaning(text: string) {
  const report = ebirrReport(text);
  return report === null ? 'no report' : meaningOf(report);
}

describe('the meaning of a refusal', () => {
  test.each([
    ['5310', '', 'canceled_by_customer'],
    ['5306', '', 'canceled_by_customer'],
    ['5309', '', 'declined'],
    ['5309', 'RCS_HPP_USERACTION_TIMEOUT', 'timed_out'],
    ['5309', 'Insufficient balance', 'insufficient_funds'],
    ['E10205', '', 'insufficient_funds'],
    ['E10205', 'RCS_TRAN_FAILED_AT_ISSUER_SYSTEM', 'insufficient_funds'],
    ['E10205', 'Payment Failed (Haraaga xisaabtaadu kuguma filna)', 'insufficient_funds'],
    [
      'E10205',
      'X (STATE: declined, ERRCODE: 8001 - Hadhaagaagu kuguma filna)',
      'insufficient_funds',
    ],
    ['E10205', 'X (STATE: rejected, ERRCODE: 4004 - User Aborted)', 'canceled_by_customer'],
    ['E10205', 'X (Invalid PIN code)', 'wrong_pin'],
    ['E10205', 'X (Numberka sirta ah waa khalad)', 'wrong_pin'],
    ['E10205', 'X (Receiver is Locked)', 'declined'],
    ['E10205', 'X (Dialog Timedout)', 'timed_out'],
    ['E10205', 'X (timeout occured waiting user response)', 'timed_out'],
    ['5309', 'USER_ACTION_TIMED_OUT', 'timed_out'],
    ['5309', 'RCS_DIALOG_TIMED_OUT', 'timed_out'],
    ['5309', 'RCS_NO_USER_ACTION', 'timed_out'],
    ['E10205', 'RCS_INVALID_PIN', 'wrong_pin'],
    ['E10205', 'X (Invalid PIN, try again)', 'wrong_pin'],
    ['E10205', 'RCS_USER_ABORTED', 'canceled_by_customer'],
    ['E10205', 'X (You are over your spending limit)', 'declined'],
    // The message does not overrule what the code proves.
    ['5310', 'RCS_TRAN_TIMED_OUT', 'canceled_by_customer'],
    ['5301', 'RCS_INVALID_HPPKEY', 'misconfigured'],
    ['5308', 'RCS_HPP_SUBSCRIPTION_ISNOT_ENABLED', 'misconfigured'],
    ['E1', 'RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API', 'misconfigured'],
  ])('%s %j: %s', (errorCode, responseMsg, reason) => {
    const text = JSON.stringify({ responseCode: '5206', errorCode, responseMsg, params: [] });
    expect(meaning(text)).toEqual({ type: 'failed', reason });
  });

  test.each([
    ['E10205', 'X (Gateway Timeout)', UNDECIDED],
    ['E10205', 'RCS_TRAN_TIMED_OUT', UNDECIDED],
    ['5309', 'RCS_TRAN_TIMED_OUT', UNDECIDED],
    ['5309', 'REQUEST_TIME_OUT', UNDECIDED],
    ['5309', 'REQUEST-TIME-OUT', UNDECIDED],
    ['E10205', 'X (The request is timing out)', UNDECIDED],
    ['E10205', 'X (Unknown)', UNDECIDED],
    ['E10205', 'RCS_UNKNOWN_STATE', UNDECIDED],
    ['E10205', 'X (STATE: pending)', UNDECIDED],
    ['E10205', 'RCS_TRAN_PENDING', UNDECIDED],
    ['E10205', 'X (Another transaction is in progress)', UNDECIDED],
    ['E10205', 'RCS_TRAN_IN_PROGRESS', UNDECIDED],
    ['E10205', 'X (Your request is being processed)', UNDECIDED],
    ['5309', 'RCS_PROCESSING', UNDECIDED],
    ['E10205', 'X (error occurred, please try again later)', UNDECIDED],
    ['E10205', 'X (An error has occured)', UNDECIDED],
    ['E10205', 'X (Please try again later)', UNDECIDED],
    ['E10205', 'X (System error)', UNDECIDED],
    ['E10205', 'X (Service temporarily unavailable)', UNDECIDED],
    // Signs of doubt come before all reasons.
    ['E10205', 'X (error occurred while your balance was read)', UNDECIDED],
    ['E10205', 'X (cancellation pending)', UNDECIDED],
    ['5309', 'Transaction timed out', UNDECIDED],
    ['E102051', 'RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API', UNDECIDED],
    ['E10207', 'already cancelled', null],
    ['E10309', '', null],
  ])('%s %j proves nothing', (errorCode, responseMsg, outcome) => {
    expect(meaning(JSON.stringify({ errorCode, responseMsg }))).toEqual(outcome);
  });

  test.each([
    ['5306', 'E10300', '', 'canceled_by_customer'],
    ['5309', 'E10301', 'RCS_HPP_USERACTION_TIMEOUT', 'timed_out'],
    ['5310', 'E10302', '', 'canceled_by_customer'],
    ['5206', 'E10303', 'X (Invalid PIN code)', 'wrong_pin'],
    ['5206', 'E10303', '', 'declined'],
    ['5010', 'E10304', '', 'declined'],
    ['5999', '5306', '', 'canceled_by_customer'],
    // The error code decides where it is known.
    ['5206', '5310', 'X (Invalid PIN code)', 'canceled_by_customer'],
  ])('%s with %s %j: %s', (responseCode, errorCode, responseMsg, reason) => {
    const text = JSON.stringify({ responseCode, errorCode, responseMsg });
    expect(meaning(text)).toEqual({ type: 'failed', reason });
  });

  test.each(['5206', '5010', '5309'])('%s with words of doubt proves nothing', (responseCode) => {
    const text = { responseCode, errorCode: 'E10303', responseMsg: 'X (Gateway Timeout)' };
    expect(meaning(JSON.stringify(text))).toEqual(UNDECIDED);
  });

  test('falls back to the response code when there is no error code', () => {
    expect(meaning('{"responseCode":"5310"}')).toEqual({
      type: 'failed',
      reason: 'canceled_by_customer',
    });
    expect(meaning('{"responseCode":"52061"}')).toEqual(UNDECIDED);
  });
});
