/**
 * Whether a method's provider seems to be down (docs/decisions.md#66). Pure. Only starts that certainly
 * never reached the provider count, and one that reached it ends the outage.
 */

/** An outage ends by itself so long after its last start: nothing else may end it. */
export const OUTAGE_ENDS_AFTER_MS = 10 * 60_000;
/** One merchant's payments alone say nothing about the others'. */
const OTHERS_MIN = 2;

/** A merchant's id, and the failures of its payments. */
export type MerchantCount = readonly [merchantId: string, failures: number];

/** Whose payments show the outage. */
export interface Sight {
  readonly isForAll: boolean;
  /** Those whose own payments show it, also without the others'. */
  readonly merchantIds: readonly string[];
}

/**
 * Who sees an outage in so many failures of each merchant. Null: none. An order that only one
 * merchant's provider account refuses, or that a merchant makes fail on purpose, marks the method for
 * that merchant alone.
 */
export function sightOf(counts: readonly MerchantCount[], min: number): Sight | null {
  const numbers = counts.map(([, count]) => count);
  const total = numbers.reduce((sum, count) => sum + count, 0);
  const isForAll = total >= min && total - Math.max(0, ...numbers) >= OTHERS_MIN;
  const merchantIds = counts.filter(([, count]) => count >= min).map(([id]) => id);
  return isForAll || merchantIds.length > 0 ? { isForAll, merchantIds } : null;
}

export function isSeenBy({ isForAll, merchantIds }: Sight, merchantId: string): boolean {
  return isForAll || merchantIds.includes(merchantId);
}

/** How a start by a method ended. An unclear answer is none of these, and says nothing. */
export interface KnownStart {
  readonly merchantId: string;
  readonly paymentUuid: string;
  readonly hasReached: boolean;
}

/** What one isolate knows of a method from the starts that it has made. */
export interface MethodStarts {
  /** When a start last reached the provider; null: never. */
  readonly reachedAtMs: number | null;
  /** The payments whose starts have not reached it since, the oldest first. */
  readonly failed: readonly FailedStart[];
  /** When the first of them failed, which the list may have dropped. */
  readonly sinceMs: number | null;
}

interface FailedStart extends Pick<KnownStart, 'merchantId' | 'paymentUuid'> {
  readonly atMs: number;
}

export const NO_STARTS: MethodStarts = { reachedAtMs: null, failed: [], sinceMs: null };

/** So many payments in a row: a customer who tries one payment again and again is one. */
const PAYMENTS_MIN = 3;
/** A busy merchant must not push the others out of memory. */
const OF_MERCHANT_MAX = PAYMENTS_MIN;
const FAILED_MAX = 4 * OF_MERCHANT_MAX;

export function afterStart(known: MethodStarts, start: KnownStart, nowMs: number): MethodStarts {
  if (start.hasReached) {
    return { ...NO_STARTS, reachedAtMs: nowMs };
  }
  const isOver = !isRecent(known.failed.at(-1)?.atMs ?? null, nowMs);
  const { merchantId, paymentUuid } = start;
  const others = (isOver ? [] : known.failed).filter((one) => one.paymentUuid !== paymentUuid);
  const own = others.filter((one) => one.merchantId === merchantId);
  const dropped = own.length < OF_MERCHANT_MAX ? null : own[0];
  const kept = others.filter((one) => one !== dropped);
  return {
    reachedAtMs: known.reachedAtMs,
    failed: [...kept, { merchantId, paymentUuid, atMs: nowMs }].slice(-FAILED_MAX),
    sinceMs: isOver ? nowMs : (known.sinceMs ?? nowMs),
  };
}

/** An outage, and whose payments show it. */
export interface Outage extends Sight {
  readonly sinceMs: number;
  /** When the last start failed. */
  readonly atMs: number;
}

/** The outage that an isolate's own starts show; null: none. */
export function outageIn({ failed, sinceMs }: MethodStarts, nowMs: number): Outage | null {
  const last = failed.at(-1);
  if (last === undefined || sinceMs === null || !isRecent(last.atMs, nowMs)) {
    return null;
  }
  const sight = sightOf(countsOf(failed), PAYMENTS_MIN);
  return sight && { ...sight, sinceMs, atMs: last.atMs };
}

function countsOf(failed: readonly FailedStart[]): readonly MerchantCount[] {
  const byMerchant = Map.groupBy(failed, ({ merchantId }) => merchantId);
  return [...byMerchant].map(([merchantId, { length }]) => [merchantId, length]);
}

/** Also true of a time that another machine's clock puts into the near future. */
export function isRecent(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && Math.abs(nowMs - atMs) < OUTAGE_ENDS_AFTER_MS;
}

/** What the operator's object knows of a method, from all merchants' books. */
export interface KnownOutage {
  readonly outage: Outage | null;
  /** When an attempt last succeeded; null: not known. */
  readonly succeededAtMs: number | null;
}

/**
 * Since when customers of the merchant are told that the method does not work; null: it works. The
 * newer knowledge counts: a start that reached the provider ends an outage that began before it, and
 * so does a success of another merchant.
 */
export function outageSinceMs(
  own: MethodStarts,
  known: KnownOutage,
  merchantId: string,
  nowMs: number,
): number | null {
  const { outage, succeededAtMs } = known;
  const ownOutage = outageIn(own, nowMs);
  const seen = [
    ownOutage !== null && ownOutage.atMs > (succeededAtMs ?? 0) ? ownOutage : null,
    outage !== null && isRecent(outage.atMs, nowMs) && outage.sinceMs > (own.reachedAtMs ?? 0)
      ? outage
      : null,
  ];
  const times = seen.flatMap((one) => (one && isSeenBy(one, merchantId) ? [one.sinceMs] : []));
  return times.length === 0 ? null : Math.min(...times);
}
