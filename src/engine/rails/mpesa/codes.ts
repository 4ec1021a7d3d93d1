import type { FailureReason } from '../../domain/attempt.ts';

/** `ResponseCode` of an accepted push, and `ResultCode` of a paid one. */
export const SUCCESS_CODE = '0';

/**
 * `resultCode` of a refused token: wrong client id, authentication type, header or password, or
 * grant type (the official SDKs' table of errors).
 */
export const TOKEN_REFUSAL_CODES: ReadonlySet<string | null> = new Set([
  '999991',
  '999996',
  '999997',
  '999998',
]);

/**
 * `ResponseCode` of a push for which M-PESA sent no prompt: the SDKs' table of errors for this
 * call. About 1 and 3007 it only says that they are refusals.
 */
export const REFUSAL_BY_RESPONSE_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['1', 'declined'],
  ['3007', 'declined'],
  // "Forbidden request as the provided Password is incorrect": passkey, short code or form.
  ['SVC0403', 'misconfigured'],
]);

/** `errorCode` of a refused bearer token. */
export const TOKEN_ERROR_CODES: ReadonlySet<string | null> = new Set(['404.001.03', '401.002.01']);

/**
 * `errorCode` of the gateway in front of the service, also without a prompt. 500.001.1001 ("system
 * error") and 500.002.1001 ("under maintenance") are missing on purpose: M-PESA may have sent a
 * prompt.
 */
export const REFUSAL_BY_ERROR_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['403.001.01', 'misconfigured'],
  // "Bad Request - Invalid …": only the operator's settings, such as our own URL, can cause it.
  ['400.002.02', 'misconfigured'],
  // "Invalid PhoneNumber".
  ['400', 'declined'],
]);

/**
 * `ResultCode`s that certainly mean "not paid". TP40087 and 17 are in the SDKs; the others are
 * Kenya's, where the API comes from. Kenya also has codes that mean "not decided yet", so a code
 * outside this list needs an operator.
 */
export const FAILURE_BY_RESULT_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ['TP40087', 'wrong_pin'],
  // "M-PESA system internal error" tells the customer to try again, so this push is over.
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
  // The PIN is locked after wrong entries.
  ['8006', 'wrong_pin'],
  // M-PESA could not send the prompt.
  ['1025', 'rail_unavailable'],
  // The short code may not take this kind of payment.
  ['2028', 'misconfigured'],
]);
