import { postJson, type RailAnswer } from '../call-rail.ts';
import { withProviderCode } from '../outcomes.ts';
import type { StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import { codeOf, type EbirrReport, ebirrReport, meaningOf, mismatchOf } from './answer.ts';
import { purchaseRequest } from './purchase.ts';
import { EBIRR_RAIL_ID, type EbirrSettings } from './settings.ts';

/** Prompts the customer's phone. At most once per attempt: eBirr may charge a reference twice. */
export async function startPayment(
  settings: EbirrSettings,
  order: RailOrder,
  phone: string,
  timeoutMs: number,
): Promise<StartResult> {
  const request = purchaseRequest(settings, order, phone, Date.now());
  return purchased(await postJson(settings, settings.baseUrl, request, timeoutMs), order);
}

/** What the answer to a purchase proves, with the code of one that is about this order. */
function purchased(answer: RailAnswer, order: RailOrder): StartResult {
  const report = ebirrReport(answer.text);
  const result = startResult(answer, report, order);
  const providerCode = report && codeOf(report);
  if (result.type === 'resolved') {
    return { ...result, outcome: withProviderCode(result.outcome, providerCode) };
  }
  const isCustomerCause = result.type === 'refused' && result.reason !== 'misconfigured';
  const level = isCustomerCause ? 'info' : 'warn';
  const { status } = answer;
  logRailAnswer(EBIRR_RAIL_ID, 'API_PURCHASE', order, { status, providerCode, level });
  const isOurs = report !== null && mismatchOf(report, order) === null;
  return withProviderCode(result, isOurs ? providerCode : null);
}

function startResult(
  answer: RailAnswer,
  report: EbirrReport | null,
  order: RailOrder,
): StartResult {
  const byStatus = startByStatus(meaningOfStatus(answer, STATUSES.ebirr));
  if (byStatus !== null || report === null || mismatchOf(report, order) !== null) {
    return byStatus ?? { type: 'unknown' };
  }
  const outcome = meaningOf(report);
  switch (outcome?.type) {
    case 'succeeded':
      return { type: 'resolved', outcome };
    case 'failed':
      return { type: 'refused', reason: outcome.reason };
    default:
      return { type: 'unknown' };
  }
}
