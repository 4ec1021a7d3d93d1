import { type ErasureTerms, keptFromErasure } from '../domain/erasure.ts';
import type { LegalHold } from '../domain/retention.ts';
import type { EraseResult, Retention } from './protocol.ts';
import type { PaymentRecord } from './record.ts';

/** How long a payment's object keeps the payment (docs/retention.md). */

/** Null when there is no such payment, or only its tombstone. */
export function retentionIn({ schedule }: PaymentRecord): Retention | null {
  const kept = schedule.kept();
  return kept && { hold: kept.hold, endsAtMs: schedule.retentionEndsAtMs() };
}

/**
 * Stores an operator's hold, or ends the one there is. False when there is no such payment, or
 * nothing to end.
 */
export function setHold(
  record: PaymentRecord,
  hold: LegalHold | 'released',
  nowMs: number,
): boolean {
  const kept = record.schedule.kept();
  const released = kept?.hold && { ...kept.hold, untilMs: nowMs, changedAtMs: nowMs };
  const next = hold === 'released' ? released : hold;
  if (kept === null || !next) {
    return false;
  }
  record.commit(() => record.setHold(next, nowMs));
  return true;
}

/** Deletes all but the tombstone, unless something must keep the payment. */
export function erase(record: PaymentRecord, terms: ErasureTerms): EraseResult {
  const kept = record.schedule.kept();
  if (kept === null) {
    return { type: record.stored() === null ? 'not_found' : 'deleted' };
  }
  const reason = keptFromErasure(kept, terms);
  if (reason !== null) {
    return { type: 'kept', ...reason };
  }
  record.purge();
  return { type: 'deleted' };
}
