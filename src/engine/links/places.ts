import type { Intent } from '../domain/intent.ts';

/**
 * How many payments of a link may be paid, when it has a maximum (docs/decisions.md#69). The register
 * holds a place for each payment whose customer may pay now, and keeps one for each that was paid.
 */

/**
 * The largest maximum. Each opening of the page counts the link's places, and the merchant's 10,000 links
 * must not fill their register, which holds ten gigabytes.
 */
export const LINK_PAYMENTS_MAX = 1_000;

/** What a payment has at its link. */
export type Place =
  | {
      readonly type: 'reserved';
      /** The number of the attempt that it is for, from 1. */
      readonly attempt: number;
      readonly untilMs: number;
    }
  | {
      /** `surplus`: it was paid when no place was left. */
      readonly type: 'committed' | 'surplus';
    };

/** How many places are taken. A reservation whose time is over takes none. */
export interface TakenPlaces {
  readonly committed: number;
  readonly reserved: number;
}

/** What a payment's object says about the payment. It may say so late, repeatedly and in any order. */
export type PlaceReport =
  /** `isSurplus`: the payment knows that it is; the register may have lost it. */
  | { readonly type: 'paid'; readonly isSurplus: boolean }
  /** The customer can pay none of its attempts, of which there were so many. */
  | { readonly type: 'unpaid'; readonly attempts: number };

/** What a payment says about its place; null: nothing, as it may be paid or has not been tried yet. */
export function placeReportOf(
  { status, attempts, anomalies }: Intent,
  nowMs: number,
): PlaceReport | null {
  if (status === 'succeeded') {
    return { type: 'paid', isSurplus: anomalies.some(({ kind }) => kind === 'surplus_payment') };
  }
  const mayBePaid = attempts.some(
    (attempt) =>
      attempt.status === 'processing' ||
      // The customer may have left it, and can still pay it.
      (attempt.status === 'unresolved' && attempt.deadlineAtMs > nowMs),
  );
  return attempts.length === 0 || mayBePaid ? null : { type: 'unpaid', attempts: attempts.length };
}

/** The places beside the payment's own, and the maximum as it is now; null: there is none any more. */
interface Others extends TakenPlaces {
  readonly paymentsMax: number | null;
}

/** The place for an attempt that is about to start; null: none is left. */
export function reservedPlace(
  own: Place | null,
  others: Others,
  attempt: number,
  untilMs: number,
): Place | null {
  if (own !== null && own.type !== 'reserved') {
    // The payment's object rejects the attempt.
    return own;
  }
  if (!isAnyLeft(others)) {
    return null;
  }
  // A form that is sent twice reserves twice, in any order.
  return {
    type: 'reserved',
    attempt: Math.max(attempt, own?.attempt ?? 0),
    untilMs: Math.max(untilMs, own?.untilMs ?? 0),
  };
}

/** The payment's place after a report; null: it has none. What is paid never changes again. */
export function settledPlace(
  own: Place | null,
  others: Others,
  report: PlaceReport,
  nowMs: number,
): Place | null {
  if (own !== null && own.type !== 'reserved') {
    return own;
  }
  if (report.type === 'unpaid') {
    // A report about an earlier attempt must not give back the place of the next one.
    return own !== null && own.attempt > report.attempts ? own : null;
  }
  const isHeld = own !== null && own.untilMs > nowMs;
  // The merchant may have lowered the maximum below what is reserved.
  const isCommitted = isHeld ? others.committed < maxOf(others) : isAnyLeft(others);
  return { type: isCommitted && !report.isSurplus ? 'committed' : 'surplus' };
}

/** Why a link takes no further payment; null: a place is left. */
export function fullness(taken: TakenPlaces, paymentsMax: number): 'sold_out' | 'reserved' | null {
  if (taken.committed >= paymentsMax) {
    return 'sold_out';
  }
  return isAnyLeft({ ...taken, paymentsMax }) ? null : 'reserved';
}

function isAnyLeft(others: Others): boolean {
  return others.committed + others.reserved < maxOf(others);
}

function maxOf({ paymentsMax }: Others): number {
  return paymentsMax ?? Number.POSITIVE_INFINITY;
}
