import type { FailureReason, Outcome } from '../../domain/attempt.ts';
import {
  codesOf,
  isAbsent,
  jsonObject,
  matching,
  membersOf,
  minorOf,
  scalarOf,
} from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { PAID_STATE } from './settings.ts';

/** The members that we read: strings, or numbers in some versions. */
const MEMBERS = [
  'responseCode',
  'errorCode',
  'responseMsg',
  'state',
  'referenceId',
  'transactionId',
  /** The wallet's own id, which the customer may see. */
  'issuerTransactionId',
  'txAmount',
  'currency',
] as const;

/**
 * What eBirr says about a purchase, in its answer or in its report to `returnUrl`. A member is null
 * when eBirr did not send it.
 */
export type EbirrReport = Readonly<Record<(typeof MEMBERS)[number], string | null>>;

/** Parses a report; null when it is not in eBirr's format. */
export function ebirrReport(text: string): EbirrReport | null {
  return membersIn(text, MEMBERS);
}

/** The members of these names as text, null where eBirr sent none; null for another format. */
export function membersIn<Name extends string>(
  text: string,
  names: readonly Name[],
): Readonly<Record<Name, string | null>> | null {
  const report = jsonObject(text);
  if (report === null) {
    return null;
  }
  // Answers have the ids within `params`, reports beside it. Refusals have an empty list there.
  const params = membersOf(report.params) ?? {};
  const members: Partial<Record<Name, string | null>> = {};
  for (const name of names) {
    const sent = [report[name], params[name]].filter((value) => !isAbsent(value) && value !== '');
    // A member in both places must have the same value.
    if (sent.some((value) => scalarOf(value) === null || value !== sent[0])) {
      return null;
    }
    members[name] = scalarOf(sent[0]);
  }
  return members as Record<Name, string | null>;
}

/** The report's codes and state, for the log. Never its free text. */
export function codeOf({ responseCode, errorCode, state }: EbirrReport): string | null {
  return codesOf(responseCode, errorCode, state);
}

/** How the report contradicts the order, or null. Compares only the members that eBirr sent. */
export function mismatchOf(
  report: EbirrReport,
  order: RailOrder,
): 'other_order' | 'wrong_amount' | null {
  const { referenceId, transactionId, issuerTransactionId, txAmount } = report;
  const { reference, receipt, issuerReceipt, isProved } = order.attempt;
  if (referenceId !== null && referenceId !== reference) {
    return 'other_order';
  }
  // Known once eBirr has proved the payment. Before that, an operator may have recorded any receipt.
  // A success under other ids may be a second payment, which the payment's record must show.
  const isOtherReceipt =
    isProved &&
    receipt !== null &&
    transactionId !== null &&
    ![transactionId, issuerTransactionId].includes(receipt);
  const isOtherIssuerReceipt =
    issuerReceipt !== null && ![null, issuerReceipt].includes(issuerTransactionId);
  const isPaid = marksOfSuccess(report).every((mark) => mark);
  if (!isPaid && (isOtherReceipt || isOtherIssuerReceipt)) {
    return 'other_order';
  }
  const isRight =
    (txAmount === null || minorOf(txAmount) === order.chargedMinor) &&
    isCurrencyOf(order, report.currency);
  return isRight ? null : 'wrong_amount';
}

/** Whether eBirr names no currency, or the payment's. */
export function isCurrencyOf({ terms }: Pick<RailOrder, 'terms'>, currency: string | null) {
  return currency === null || currency.toUpperCase() === terms.currency;
}

export const SUCCESS_RESPONSE = '2001';
export const SUCCESS_ERROR = '0';

/** "Transaction TIMEOUT (Gateway Timeout Error)", from live answers: the money may have moved. */
const UNDECIDED_CODES: readonly string[] = ['52061', 'E102051'];
const UNDECIDED: Outcome = { type: 'unknown', checkAtMs: null };

/** Success needs all three of them; a failure needs none. */
export function marksOfSuccess({
  responseCode,
  errorCode,
  state,
}: EbirrReport): readonly boolean[] {
  return [
    responseCode === SUCCESS_RESPONSE,
    errorCode === SUCCESS_ERROR,
    // The vendor's documentation has it in lower case too.
    state?.toUpperCase() === PAID_STATE,
  ];
}

/**
 * What the codes of a report say about the money. `unknown`: eBirr does not know itself, and may have
 * taken the payment. Null: a code whose meaning we do not know.
 */
export function meaningOf(report: EbirrReport): Outcome | null {
  const { responseCode, errorCode } = report;
  const marks = marksOfSuccess(report);
  if (marks.every((mark) => mark)) {
    return { type: 'succeeded', ...receiptsOf(report) };
  }
  if (marks.some((mark) => mark)) {
    // One integrator reads it as "initiated". Otherwise a contradiction: it proves nothing.
    return null;
  }
  if ([responseCode, errorCode].some((code) => code !== null && UNDECIDED_CODES.includes(code))) {
    return UNDECIDED;
  }
  const message = report.responseMsg ?? '';
  // eBirr names the reason in either code, and then writes a code that we do not know in the other.
  return refusalOf(errorCode, message) ?? refusalOf(responseCode, message);
}

/** The vendor documents at most 50 characters. We drop other values but still believe the report. */
const RECEIPT = /^[!-~]{1,64}$/;

/** The two ids of a payment. eBirr returns it by the first one only, so they are never mixed up. */
export function receiptsOf({
  transactionId,
  issuerTransactionId,
}: Pick<EbirrReport, 'transactionId' | 'issuerTransactionId'>) {
  return {
    receipt: matching(transactionId, RECEIPT),
    // The wallet's own receipt.
    issuerReceipt: matching(issuerTransactionId, RECEIPT),
  };
}

/** eBirr does not know or does not admit the API user. The code varies, the message does not. */
export function isNotAuthorized(message: string): boolean {
  return message.startsWith('RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API');
}

/** The codes that say that eBirr took no money. All others are unknown. */
function refusalOf(code: string | null, message: string): Outcome | null {
  switch (code) {
    // The customer refused. eBirr also sends it when no phone with the SIM can show the prompt.
    case '5310':
    case '5306':
      return { type: 'failed', reason: 'canceled_by_customer' };
    // "No user action within 5 minutes" for the vendor, "balance too low" for one integrator.
    case '5309':
      return explained(message, 'declined');
    // The wallet refused: the balance is too low, unless the message gives another reason.
    case 'E10205':
      return explained(message, message.includes('(') ? 'declined' : 'insufficient_funds');
    // The wallet refused, or eBirr did, for the reason in the message.
    case '5206':
    case '5010':
      return explained(message, 'declined');
    // A wrong key; a service that eBirr has not enabled for the merchant.
    case '5301':
    case '5308':
      return { type: 'failed', reason: 'misconfigured' };
    default:
      return isNotAuthorized(message) ? { type: 'failed', reason: 'misconfigured' } : null;
  }
}

/**
 * What wallets write in refusals, in English and Somali, from answers that integrators published;
 * the first match decides. Some write sentences, others constants such as `TIMED_OUT`. A timeout
 * that the customer did not cause, or any sign of doubt, may hide a payment, so the doubtful
 * patterns come before the reasons.
 */
const EXPLANATIONS: readonly (readonly [RegExp, FailureReason | 'undecided'])[] = [
  [
    /no[ _-]?user[ _-]?action|user[ _-]?action[ _-]?timed?[ _-]?out|dialog[ _-]?timed?[ _-]?out|waiting[ _-]user[ _-]response/i,
    'timed_out',
  ],
  [/tim(?:e[ds]?|ing)[ _-]?out/i, 'undecided'],
  [/unknown|(?<![a-z])pending|in[ _-]?progress|processing|being[ _-]?processed/i, 'undecided'],
  // "error occurred, please try again later": the wallet may have paid before the error.
  [/error[ _-](?:has[ _-])?occurr?ed|try[ _-]?again[ _-]?later|unavailable/i, 'undecided'],
  [/(?:system|internal|server|network|connection)[ _-]?error/i, 'undecided'],
  [/(?<![a-z])pin(?![a-z])|sirta/i, 'wrong_pin'],
  [/(?:user|customer)[ _-]?(?:aborted|rejected)|cancel/i, 'canceled_by_customer'],
  [/balance|sufficient|haraaga|hadhaag/i, 'insufficient_funds'],
];

/** The vendor documents at most 255. Bounds the work that a hostile message can cause. */
const MESSAGE_LENGTH_READ_MAX = 500;

function explained(message: string, otherwise: FailureReason): Outcome {
  const read = message.slice(0, MESSAGE_LENGTH_READ_MAX);
  const reason = EXPLANATIONS.find(([pattern]) => pattern.test(read))?.[1] ?? otherwise;
  return reason === 'undecided' ? UNDECIDED : { type: 'failed', reason };
}
