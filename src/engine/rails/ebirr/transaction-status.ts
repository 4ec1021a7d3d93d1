import type { Outcome } from '../../domain/attempt.ts';
import { postJson } from '../call-rail.ts';
import { codesOf, minorOf } from '../members.ts';
import { unknownUntilQuery, withProviderCode } from '../outcomes.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { normalizedState } from '../setting-fields.ts';
import { isCurrencyOf, membersIn, receiptsOf, SUCCESS_ERROR, SUCCESS_RESPONSE } from './answer.ts';
import { ebirrRequest } from './purchase.ts';
import { EBIRR_RAIL_ID, type EbirrSettings, PAID_STATE } from './settings.ts';

export const STATUS_SERVICE = 'API_TRANSACTIONSTATUS';

export const QUERY_TIMEOUT_MS = 10_000;

/** An answer that we do not understand changes nothing. */
export async function queryStatus(
  settings: EbirrSettings,
  { failedStates }: NonNullable<EbirrSettings['statusQuery']>,
  order: RailOrder,
  nowMs: number,
): Promise<Outcome> {
  const request = statusRequest(settings, order.attempt.reference, nowMs);
  const answer = await postJson(settings, settings.baseUrl, request, QUERY_TIMEOUT_MS);
  const { status } = answer;
  const text = status === 200 ? answer.text : '';
  const { proved, isOurs, providerCode } = readStatus(text, order, failedStates);
  if (proved?.type !== 'succeeded') {
    const level = isOurs ? 'info' : 'warn';
    logRailAnswer(EBIRR_RAIL_ID, STATUS_SERVICE, order, { status, providerCode, level });
  }
  const outcome = proved ?? unknownUntilQuery(order, nowMs);
  return withProviderCode(outcome, isOurs ? providerCode : null);
}

/**
 * The query for the purchase with this `referenceId`, as connectors to the vendor's own service send
 * it: with the credentials of the purchase.
 */
export function statusRequest(settings: EbirrSettings, referenceId: string, nowMs: number) {
  return ebirrRequest(settings, STATUS_SERVICE, crypto.randomUUID(), nowMs, { referenceId });
}

/**
 * No published code shows the answer. These are the names that the vendor uses in the answers to a
 * purchase and to its query about orders of its hosted page.
 */
const STATES = ['state', 'status', 'tranStatusDesc'] as const;
const AMOUNTS = ['txAmount', 'amount', 'tranAmount'] as const;
const REFERENCES = ['referenceId', 'invoiceId'] as const;
const OTHERS = [
  'responseCode',
  'errorCode',
  'currency',
  'tranStatusId',
  'transactionId',
  'issuerTransactionId',
] as const;

/** The vendor's number of "Approved". */
const PAID_STATUS_ID = '3';

/**
 * Reads the answer to a query about `order`: whether it is about this order, its codes and states for
 * the log and the operator, and what it proves, null for nothing. 2001 and 0 only say that eBirr
 * answered the query; the state says what became of the payment. A payment must name our reference
 * and amount, a failure our reference and one of `failedStates`, and nothing in the answer may
 * contradict it.
 */
function readStatus(text: string, order: RailOrder, failedStates: readonly string[]) {
  const answer = membersIn(text, [...STATES, ...AMOUNTS, ...REFERENCES, ...OTHERS]);
  if (answer === null) {
    return { proved: null, isOurs: false, providerCode: null };
  }
  const { responseCode, errorCode, currency, tranStatusId } = answer;
  const sent = (names: readonly (keyof typeof answer)[]) =>
    names.map((name) => answer[name]).filter((value) => value !== null);
  const states = [...new Set(sent(STATES).map(normalizedState))];
  const providerCode = codesOf(...sent(['responseCode', 'errorCode']), ...states);
  const references = sent(REFERENCES);
  const isOurs =
    references.length > 0 && references.every((reference) => reference === order.attempt.reference);
  const amounts = sent(AMOUNTS);
  const [state = ''] = states;
  const isPaid = state === PAID_STATE;
  const isProof =
    isOurs &&
    responseCode === SUCCESS_RESPONSE &&
    errorCode === SUCCESS_ERROR &&
    states.length === 1 &&
    amounts.every((amount) => minorOf(amount) === order.chargedMinor) &&
    isCurrencyOf(order, currency) &&
    (tranStatusId === null || (tranStatusId === PAID_STATUS_ID) === isPaid);
  let proved: Outcome | null = null;
  if (isProof && isPaid && amounts.length > 0) {
    proved = { type: 'succeeded', ...receiptsOf(answer) };
  } else if (isProof && failedStates.includes(state)) {
    proved = { type: 'failed', reason: 'declined' };
  }
  return { proved, isOurs, providerCode };
}
