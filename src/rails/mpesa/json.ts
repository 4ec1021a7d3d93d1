import type { Outcome } from '../../domain/intent.ts';
import { type CallbackReply, type CallbackSuspicion, jsonReply } from '../callback.ts';
import { matching, membersOf } from '../members.ts';

/** What M-PESA's callbacks and results have in common. */

/** What a callback proves about the order whose URL it came to, or what is wrong with it. */
export type MpesaReading =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'refused'; readonly suspicion: CallbackSuspicion };

export function acceptedReply(): CallbackReply {
  return jsonReply(200, { ResultCode: 0, ResultDesc: 'Accepted' });
}

export function rejectedReply(): CallbackReply {
  return jsonReply(400, { ResultCode: 1, ResultDesc: 'Rejected' });
}

/** We store and display it, so it must look like a receipt number. */
export function receiptOf(value: unknown): string | null {
  return matching(value, /^[A-Za-z0-9]{1,32}$/);
}

/** The value with that key in a list, or in a single entry; undefined when two entries have it. */
export function parameterOf(entries: unknown, key: string): unknown {
  const list = Array.isArray(entries) ? entries : [entries];
  const named = list.filter((entry) => membersOf(entry)?.Key === key);
  return named.length === 1 ? membersOf(named[0])?.Value : undefined;
}
