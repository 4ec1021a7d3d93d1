import type { FailureReason } from '../../domain/intent.ts';

/** A code as text: the rail writes some as numbers. Null: no code. */
export function codeText(code: unknown): string | null {
  return typeof code === 'string' || typeof code === 'number' ? String(code) : null;
}

/** `ResponseCode` of a push that was taken, and `ResultCode` of one that was paid. */
export const SUCCESS_CODE = '0';

/**
 * `resultCode` of a refused token: client id, kind of authentication, header or password, grant type
 * (the official SDKs' table of errors).
 */
export const TOKEN_REFUSAL_CODES: ReadonlySet<string | null> = new Set([
  '999991',
  '999996',
  '999997',
  '999998',
]);

/**
 * `ResponseCode` of a push for which certainly no prompt was sent: the SDKs' table of errors for
 * this call. Of 1 and 3007 it says no more than that they are refusals.
 */
export const REFUSAL_BY_RESPONSE_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['1', 'declined'],
  ['3007', 'declined'],
  // "Forbidden request as the provided Password is incorrect": passkey, short code or form.
  ['SVC0403', 'misconfigured'],
]);

/** `errorCode` of a bearer token that was not taken. */
export const TOKEN_ERROR_CODES: ReadonlySet<string> = new Set(['404.001.03', '401.002.01']);

/**
 * `errorCode`, of the gateway before the service, with the same certainty. 500.001.1001 ("system
 * error") and 500.002.1001 ("under maintenance") are missing on purpose: they leave open whether a
 * prompt was sent.
 */
export const REFUSAL_BY_ERROR_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['403.001.01', 'misconfigured'],
  // "Bad Request - Invalid …": we check all but the operator's settings, such as our own address.
  ['400.002.02', 'misconfigured'],
  // "Invalid PhoneNumber".
  ['400', 'declined'],
]);

/**
 * `ResultCode` that certainly means "not paid". TP40087 and 17 stand in the SDKs; the others are
 * Kenya's, from where the API comes. Kenya also has codes that mean "not decided yet": whatever is
 * not in this list is for a person to look at.
 */
export const FAILURE_BY_RESULT_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['TP40087', 'wrong_pin'],
  // "M-PESA system internal error": told to try again, so it is over.
  ['17', 'declined'],
  ['1', 'insufficient_funds'],
  // Another transaction of the same customer is under way.
  ['1001', 'declined'],
  // The transaction expired; the phone did not answer.
  ['1019', 'timed_out'],
  ['1037', 'timed_out'],
  ['1031', 'canceled_by_customer'],
  ['1032', 'canceled_by_customer'],
  ['2001', 'wrong_pin'],
]);
