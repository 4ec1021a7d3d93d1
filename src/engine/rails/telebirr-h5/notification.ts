import type { CallbackSuspicion } from '../callback.ts';
import {
  formFields,
  isAbsent,
  isAbsentOr,
  jsonObject,
  type Members,
  membersOf,
  minorOf,
  scalarOf,
} from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { CURRENCY } from './messages.ts';
import { isOurs } from './order-state.ts';
import type { TelebirrH5Settings } from './settings.ts';

/**
 * The states in notifications, in upper case: those in the documentation (`Completed`) and those
 * in answers to queries (`PAY_SUCCESS`), which SDKs expect in notifications too.
 */
const PAID_STATES = ['COMPLETED', 'PAY_SUCCESS', 'SUCCESS', 'PAID'];
const OTHER_STATES = [
  ...['PENDING', 'PAYING', 'WAIT_PAY', 'ACCEPTED'],
  ...['EXPIRED', 'FAILURE', 'PAY_FAILED', 'PAY_CANCEL', 'ORDER_CLOSED'],
  ...['REFUNDING', 'REFUND_SUCCESS', 'REFUND_FAILED'],
];

/**
 * The fields of a notification, or null. It arrives as JSON, as a form, or, when a proxy has read
 * JSON as a form, as a form whose only name is the whole JSON.
 *
 * Rejects nested fields in `biz_content`: the signature would cover them instead of the fields that
 * we read.
 */
export function readNotification(text: string): Members | null {
  const fields = unwrapped(
    jsonObject(text) ?? jsonObject(formDecoded(text)) ?? formFields(text) ?? {},
  );
  const isFlat = typeof fields.biz_content !== 'object' || fields.biz_content === null;
  return isFlat && scalarOf(fields.sign) && scalarOf(fields.merch_order_id) ? fields : null;
}

/** Some notifications come as the only member, `data`, of another object. */
function unwrapped(fields: Members): Members {
  const { data, ...others } = fields;
  return (Object.keys(others).length === 0 ? membersOf(data) : null) ?? fields;
}

/** The decoded text of a form that consists of a single name. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).replace(/=$/, '');
  } catch {
    return '';
  }
}

/** What an authentic notification says about `order`, or why we refuse it. */
export function readClaim(
  fields: Members,
  settings: TelebirrH5Settings,
  order: RailOrder,
): { readonly claimsPaid: boolean } | { readonly suspicion: CallbackSuspicion } {
  if (!isOurs(fields, settings, order)) {
    return { suspicion: 'other_order' };
  }
  const { total_amount: amount } = fields;
  const isRightAmount =
    (isAbsent(amount) || minorOf(amount) === order.chargedMinor) &&
    isAbsentOr(fields.trans_currency, CURRENCY);
  if (!isRightAmount) {
    return { suspicion: 'wrong_amount' };
  }
  const state = (scalarOf(fields.trade_status) ?? '').toUpperCase();
  const claimsPaid = PAID_STATES.includes(state);
  return claimsPaid || OTHER_STATES.includes(state)
    ? { claimsPaid }
    : { suspicion: 'unknown_state' };
}
