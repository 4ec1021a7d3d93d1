import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  type CallbackSuspicion,
  jsonReply,
  refusedCallback,
} from '../callback.ts';
import { withProviderCode } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { codeOf, ebirrReport, meaningOf, mismatchOf } from './answer.ts';
import { EBIRR_RAIL_ID } from './settings.ts';

/**
 * Reads what eBirr posts to `returnUrl`. It is unsigned. We believe it because only eBirr knows both
 * the URL, which we gave to eBirr alone, and the order's reference. The transaction id and the amount
 * must match where both sides have them. `checkAtMs`: when to query eBirr after an undecided report;
 * null without a status query.
 */
export function readEbirrCallback(
  call: CallbackCall,
  order: RailOrder,
  checkAtMs: number | null,
): CallbackReading {
  if (call.method === 'GET') {
    // A browser that eBirr sent to `returnUrl`. Its query proves nothing. The
    // operator must know: with the URL and the reference, anyone can forge a report.
    logRailAnswer(EBIRR_RAIL_ID, 'browser', order, {});
    const headers = { location: order.checkoutUrl };
    return { type: 'inconclusive', reply: { status: 303, headers, body: null } };
  }
  const report = ebirrReport(bodyText(call));
  if (report === null || report.referenceId === null) {
    return refused('unreadable', 400);
  }
  const mismatch = mismatchOf(report, order);
  if (mismatch !== null) {
    return refused(mismatch, 403);
  }
  const meaning = meaningOf(report);
  const outcome = meaning?.type === 'unknown' ? { ...meaning, checkAtMs } : meaning;
  const providerCode = codeOf(report);
  if (outcome?.type !== 'succeeded') {
    const level = outcome?.type === 'failed' ? 'info' : 'warn';
    logRailAnswer(EBIRR_RAIL_ID, 'callback', order, { providerCode, level });
  }
  if (outcome === null) {
    return refused('unknown_state', 422);
  }
  return {
    type: 'outcome',
    outcome: withProviderCode(outcome, providerCode),
    // eBirr documents no expected reply; integrators answer 200.
    reply: jsonReply(200, { received: true }),
  };
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackReading {
  return refusedCallback(suspicion, jsonReply(status, { received: false }));
}
