import type { FailureReason } from '../../domain/intent.ts';
import { jsonObject } from '../call-rail.ts';
import type { RailOrder } from '../rail.ts';

/** Members that are read: texts, or numbers in some versions. */
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
] as const;

/**
 * What eBirr says about a purchase, in the answer to the call or in the report to `returnUrl`;
 * null for what was not sent.
 */
export type EbirrReport = Readonly<Record<(typeof MEMBERS)[number], string | null>>;

/** The report that `text` is the JSON of, or null when it is not in eBirr's form. */
export function ebirrReport(text: string): EbirrReport | null {
  const report = jsonObject(text);
  if (report === null) {
    return null;
  }
  // The answer has the ids within `params`, the report beside it. Refusals have an empty list there.
  const params = isRecord(report.params) ? report.params : {};
  const members: Partial<Record<(typeof MEMBERS)[number], string | null>> = {};
  for (const name of MEMBERS) {
    const sent = [report[name], params[name]].filter((value) => !isAbsent(value));
    // Said twice, it must be the same.
    if (sent.some((value) => !isScalar(value) || value !== sent[0])) {
      return null;
    }
    members[name] = sent.length === 0 ? null : String(sent[0]);
  }
  return members as EbirrReport;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Mismatch = 'other_order' | 'wrong_amount';

/** Its codes and its state, for the log: never its prose. */
export function codeOf({ responseCode, errorCode, state }: EbirrReport): string | null {
  const codes = [responseCode, errorCode, state].filter((code) => code !== null);
  return codes.length === 0 ? null : [...new Set(codes)].join(' ');
}

/** What in `report` contradicts `order`, or null. Only what was sent can be compared. */
export function mismatchOf(report: EbirrReport, order: RailOrder): Mismatch | null {
  const { referenceId, transactionId, issuerTransactionId, txAmount } = report;
  if (referenceId !== null && referenceId !== order.attempt.reference) {
    return 'other_order';
  }
  // Known once the payment is proved.
  const known = order.attempt.railReference ?? order.attempt.receipt;
  if (
    known !== null &&
    transactionId !== null &&
    ![transactionId, issuerTransactionId].includes(known)
  ) {
    return 'other_order';
  }
  const isWrong = txAmount !== null && minorFromText(txAmount) !== order.chargedMinor;
  return isWrong ? 'wrong_amount' : null;
}

/** `"10"`, `"10.0"` and `"10.00"` as 1000; null for anything that is no plain amount. */
export function minorFromText(amountText: string): number | null {
  const parts = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(amountText);
  return parts === null ? null : Number(`${parts[1]}${(parts[2] ?? '').padEnd(2, '0')}`);
}

/** What a report means for the money. */
export type Meaning =
  | { readonly type: 'paid'; readonly receipt: string | null }
  /** eBirr says that it took nothing. */
  | { readonly type: 'failed'; readonly reason: FailureReason }
  /** eBirr itself does not know: the payment may have been taken. */
  | { readonly type: 'undecided' }
  /** We do not know what it means. */
  | { readonly type: 'unknown_state' };

const SUCCESS_RESPONSE = '2001';
const SUCCESS_ERROR = '0';
const SUCCESS_STATE = 'APPROVED';

/** "Transaction TIMEOUT (Gateway Timeout Error)": seen in the wild; the money may have moved. */
const UNDECIDED_CODES: readonly string[] = ['52061', 'E102051'];

/** Reads the codes; all three marks of success together, or none of them. */
export function meaningOf(report: EbirrReport): Meaning {
  const { responseCode, errorCode, state } = report;
  const marks = [
    responseCode === SUCCESS_RESPONSE,
    errorCode === SUCCESS_ERROR,
    state === SUCCESS_STATE,
  ];
  if (marks.every((mark) => mark)) {
    return { type: 'paid', receipt: receiptOf(report) };
  }
  if (marks.some((mark) => mark)) {
    // "Initiated" in one integrator's reading, or a contradiction: not a word about money either way.
    return { type: 'unknown_state' };
  }
  if ([responseCode, errorCode].some((code) => code !== null && UNDECIDED_CODES.includes(code))) {
    return { type: 'undecided' };
  }
  return refusalOf(errorCode ?? responseCode, report.responseMsg ?? '');
}

/** The vendor documents at most 50; what is no id is not worth keeping, and no reason for doubt. */
const RECEIPT = /^[!-~]{1,64}$/;

/** The id by which eBirr would take the payment back, else the wallet's. */
function receiptOf(report: EbirrReport): string | null {
  const ids = [report.transactionId, report.issuerTransactionId];
  return ids.find((id) => id !== null && RECEIPT.test(id)) ?? null;
}

/** An API user that eBirr does not know or does not let in; it comes under varying codes. */
const NOT_AUTHORIZED = 'RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API';

/** The codes by which eBirr says that no money was taken. What is not here is not understood. */
function refusalOf(code: string | null, message: string): Meaning {
  switch (code) {
    // The customer said no; also when the SIM is in no phone that could ask.
    case '5310':
      return { type: 'failed', reason: 'canceled_by_customer' };
    case '5306':
      return { type: 'failed', reason: 'canceled_by_customer' };
    // "No user action within 5 minutes" to the vendor, "balance too low" to one integrator.
    case '5309':
      return explained(message, 'declined');
    // Refused by the wallet: for want of money, and, where the message says so, for other reasons.
    case 'E10205':
      return explained(message, message.includes('(') ? 'declined' : 'insufficient_funds');
    // A wrong key, and a service that the merchant has not been given.
    case '5301':
    case '5308':
      return { type: 'failed', reason: 'misconfigured' };
    default:
      return message.startsWith(NOT_AUTHORIZED)
        ? { type: 'failed', reason: 'misconfigured' }
        : { type: 'unknown_state' };
  }
}

/**
 * Words of wallets behind a refusal, in English and Somali, from answers that integrators published;
 * the first that fits decides. They come as prose and as constants: `TIMED_OUT`. A time-out that is
 * not the customer's, and every word of doubt, may hide a payment: doubt comes before all reasons.
 */
const EXPLANATIONS: readonly (readonly [RegExp, FailureReason | 'undecided'])[] = [
  [
    /user[ _-]?action[ _-]?timed?[ _-]?out|dialog[ _-]?timed?[ _-]?out|waiting[ _-]user[ _-]response/i,
    'timed_out',
  ],
  [/tim(?:e[ds]?|ing)[ _-]?out/i, 'undecided'],
  [/unknown|(?<![a-z])pending|in[ _-]?progress|processing|being[ _-]?processed/i, 'undecided'],
  // "error occurred, please try again later": not a word about what it did before the error.
  [/error[ _-](?:has[ _-])?occurr?ed|try[ _-]?again[ _-]?later|unavailable/i, 'undecided'],
  [/(?:system|internal|server|network|connection)[ _-]?error/i, 'undecided'],
  [/(?<![a-z])pin(?![a-z])|sirta/i, 'wrong_pin'],
  [/(?:user|customer)[ _-]?(?:aborted|rejected)|cancel/i, 'canceled_by_customer'],
  [/balance|sufficient|haraaga|hadhaag/i, 'insufficient_funds'],
];

/** The vendor documents at most 255; the bound is on the work that a hostile message makes. */
const MESSAGE_LENGTH_READ_MAX = 500;

function explained(message: string, otherwise: FailureReason): Meaning {
  const read = message.slice(0, MESSAGE_LENGTH_READ_MAX);
  const reason = EXPLANATIONS.find(([words]) => words.test(read))?.[1] ?? otherwise;
  return reason === 'undecided' ? { type: 'undecided' } : { type: 'failed', reason };
}
