import { BOOKMARK_TOLERANCE_MS, type RecoveryResult } from '../../engine/intent/protocol.ts';
import type { PaymentRecord } from '../../engine/intent/record.ts';
import type { StoredEvent, StoredIntent } from '../../engine/intent/store.ts';
import { bookmarkOf } from '../../kit/platform/bookmark.ts';
import { errorText, log } from '../../kit/platform/log.ts';

/**
 * What a payment remembers of money and messages since a time: point-in-time recovery would make it
 * forget them, and call a provider or announce an event again (docs/decisions.md#49).
 */

/** Commands that a payment may forget: what they record, a person can see elsewhere. */
const FORGETTABLE: readonly string[] = [
  'review_anomalies',
  'report_callback',
  'report_receipt_conflict',
  'report_surplus',
];

/** In the words of the operator's message; null: nothing. */
function memoryAfter(
  stored: StoredIntent | null,
  events: readonly StoredEvent[],
  atMs: number,
): string | null {
  const intent = stored?.intent ?? null;
  if (stored === null || intent === null) {
    return 'there is no such payment, or only its tombstone';
  }
  if (intent.terms.createdAtMs > atMs) {
    return 'it was created later';
  }
  if (intent.attempts.some(({ startedAtMs }) => startedAtMs > atMs)) {
    return 'an attempt was started later';
  }
  // No version says when a start was claimed. It was before the end of the window.
  const mayBeClaimed = intent.attempts.some(
    ({ startClaim, deadlineAtMs }) => startClaim === 'taken' && deadlineAtMs > atMs,
  );
  if (mayBeClaimed) {
    return 'its provider may have been called later';
  }
  if (intent.attempts.some(({ updatedAtMs }) => updatedAtMs > atMs)) {
    return 'its provider answered later';
  }
  if (intent.refunds.some(({ updatedAtMs }) => updatedAtMs > atMs)) {
    return 'a refund was requested or changed later';
  }
  if (events.some(({ createdAtMs }) => createdAtMs > atMs)) {
    return 'an event was announced later';
  }
  if ((stored.hold?.changedAtMs ?? 0) > atMs) {
    return 'an operator held or released it later';
  }
  const history: readonly { readonly atMs: number; readonly command: string }[] = JSON.parse(
    stored.history,
  );
  const later = history.find((entry) => entry.atMs > atMs && !FORGETTABLE.includes(entry.command));
  return later === undefined ? null : `its history has ${later.command} later`;
}

/** Prepares the recovery, and stops commits, unless the payment would forget something. */
export async function restoreTo(
  storage: DurableObjectStorage,
  record: PaymentRecord,
  atMs: number,
  isVouchedFor: boolean,
): Promise<RecoveryResult> {
  const bookmark = await bookmarkOf(storage, atMs);
  if (bookmark === null) {
    return { type: 'not_offered' };
  }
  try {
    const what = memoryAfter(record.stored(), record.events(), atMs - BOOKMARK_TOLERANCE_MS);
    if (what !== null) {
      return { type: 'remembers', what };
    }
  } catch (error) {
    if (!isVouchedFor) {
      log('error', 'record_unreadable', { error: errorText(error) });
      return { type: 'unreadable' };
    }
  }
  record.freeze();
  try {
    const undoBookmark = await storage.onNextSessionRestoreBookmark(bookmark);
    return { type: 'restored', undoBookmark };
  } catch (error) {
    record.freeze(false);
    throw error;
  }
}
