import { postJson } from '../call-rail.ts';
import { newReference, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { codeOf, ebirrReport, isNotAuthorized, SUCCESS_ERROR, SUCCESS_RESPONSE } from './answer.ts';
import type { EbirrSettings } from './settings.ts';
import { QUERY_TIMEOUT_MS, STATUS_SERVICE, statusRequest } from './transaction-status.ts';

const ACCOUNT = ['merchantUid', 'apiUserId', 'apiKey'];

/** A wrong key, and a service that eBirr has not enabled for the merchant. */
const REFUSALS: readonly string[] = ['5301', '5308'];

/**
 * A status query about a purchase that does not exist, also where queries are off: it names no
 * customer, so it can charge none. "Not found" comes after the check of the account.
 */
export async function probe(settings: EbirrSettings): Promise<ProbeResult> {
  const request = statusRequest(settings, newReference(), Date.now());
  const answer = await postJson(settings, settings.baseUrl, request, QUERY_TIMEOUT_MS);
  const report = ebirrReport(answer.text);
  const providerCode = report && codeOf(report);
  const query = probing(STATUS_SERVICE, answer.status, providerCode);
  if (report === null || providerCode === null || answer.status !== 200) {
    return query();
  }
  const { responseCode, errorCode } = report;
  const message = report.responseMsg ?? '';
  if (
    isNotAuthorized(message) ||
    REFUSALS.some((code) => [responseCode, errorCode].includes(code))
  ) {
    return query('refused', ACCOUNT);
  }
  const isAnswered =
    (responseCode === SUCCESS_RESPONSE && errorCode === SUCCESS_ERROR) ||
    responseCode === '5213' ||
    message.startsWith('RCS_TRAN_NOT_FOUND');
  return isAnswered ? query('accepted') : query('reached', ACCOUNT);
}
