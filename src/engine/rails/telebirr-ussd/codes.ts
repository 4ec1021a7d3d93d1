import type { FailureReason } from '../../domain/attempt.ts';
import type { TelebirrUssdSettings } from './settings.ts';

/** Success, in `ResponseCode`, `ResultCode`, `ResultType` and `ServiceStatus` alike. */
export const OK = '0';

/** A code of failure: anything but zeros, since `00` may be another spelling of success. */
const FAILURE_CODE = /^(?!0+$)[0-9A-Za-z_-]{1,32}$/;

/** A client of telebirr's payouts, on the same engine, got it when `Caller` was not accepted. */
const CALLER_NOT_AUTHENTICATED = '1001';

/** CPS's internal error, for example a timeout: the payment may have been booked. */
export const INTERNAL_ERROR = '-1';

/** Why telebirr refuses a request, or null when `code` proves nothing. */
export function refusalReason(code: string, settings: TelebirrUssdSettings): FailureReason | null {
  const isCaller = code === CALLER_NOT_AUTHENTICATED;
  return failureReason(code, settings, isCaller ? 'misconfigured' : 'declined');
}

/**
 * Why a payment failed, or null when `code` proves nothing. CPS posts a result after it has finished
 * the transaction, so a failure code is final, unless the operator's settings say otherwise.
 */
export function failureReason(
  code: string,
  { reasons }: TelebirrUssdSettings,
  otherwise: FailureReason = 'declined',
): FailureReason | null {
  if (!FAILURE_CODE.test(code)) {
    return null;
  }
  // Own properties only: `constructor` could be a code.
  const unlisted = code === INTERNAL_ERROR ? 'unknown' : otherwise;
  const meaning = (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? unlisted;
  return meaning === 'unknown' ? null : meaning;
}

/** A listed code with a cause on the customer's side needs no attention from the operator. */
export function logLevel(
  code: string | null,
  reason: FailureReason | null,
  { reasons }: TelebirrUssdSettings,
): 'info' | 'warn' {
  const isListed = code !== null && Object.hasOwn(reasons, code);
  const isCustomerCause =
    reason !== null && reason !== 'misconfigured' && reason !== 'rail_unavailable';
  return isListed && isCustomerCause ? 'info' : 'warn';
}
