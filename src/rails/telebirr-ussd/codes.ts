import type { FailureReason } from '../../domain/intent.ts';
import type { TelebirrUssdSettings } from './settings.ts';

/** Of `ResponseCode`, `ResultCode`, `ResultType` and `ServiceStatus` alike: all is well. */
export const OK = '0';

/** A code that says something other than success; zeros in another spelling do not. */
const FAILURE_CODE = /^(?!0+$)[0-9A-Za-z_-]{1,32}$/;

/** Seen by a client of telebirr's payouts, on the same engine: `Caller` did not pass. */
const CALLER_NOT_AUTHENTICATED = '1001';

/** Why telebirr does not go about a request, or null when `code` proves nothing. */
export function refusalReason(code: string, settings: TelebirrUssdSettings): FailureReason | null {
  return reasonOf(code, settings, code === CALLER_NOT_AUTHENTICATED ? 'misconfigured' : 'declined');
}

/**
 * Why a payment was not made, or null when `code` proves nothing. CPS posts a result once it is done
 * with the transaction, so a code of failure is final, unless the operator says otherwise.
 */
export function failureReason(code: string, settings: TelebirrUssdSettings): FailureReason | null {
  return reasonOf(code, settings, 'declined');
}

function reasonOf(
  code: string,
  { reasons }: TelebirrUssdSettings,
  otherwise: FailureReason,
): FailureReason | null {
  if (!FAILURE_CODE.test(code)) {
    return null;
  }
  // Only the operator's own: `constructor` is a code like any other.
  const meaning = (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? otherwise;
  return meaning === 'unknown' ? null : meaning;
}

/** A code in the operator's list, and the customer's affair, is nothing that anybody must look at. */
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
