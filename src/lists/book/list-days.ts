import { businessDay, businessDayStartMs } from '../../kit/ethiopian-time.ts';
import type { DayRange, PaymentFilter } from './rows.ts';

/** All days, within any date that a payment can have. */
export const EVERY_DAY: DayRange = { fromDay: 0, toDay: Number.MAX_SAFE_INTEGER };

/** Whether the totals by day support a filter. A list with an unsupported one shows no totals. */
const KNOWN_TO_TOTALS: Readonly<Record<keyof PaymentFilter, boolean>> = {
  status: true,
  method: true,
  currency: true,
  createdFromMs: true,
  createdToMs: true,
  amountMinorMin: false,
  amountMinorMax: false,
  shownMinor: false,
  refunds: false,
};

/**
 * The days and the method of a list's filter, for its totals in every status and currency. Null when
 * the filter has a part that the totals do not know, such as a time within a day.
 */
export function daysOf(filter: PaymentFilter): DayRange | null {
  const names = Object.keys(KNOWN_TO_TOTALS) as (keyof PaymentFilter)[];
  const { createdFromMs = null, createdToMs = null, method } = filter;
  const fromDay = createdFromMs === null ? EVERY_DAY.fromDay : dayStartingAt(createdFromMs);
  const endDay = createdToMs === null ? EVERY_DAY.toDay : dayStartingAt(createdToMs);
  const isKnown = names.every((name) => KNOWN_TO_TOTALS[name] || filter[name] === undefined);
  return isKnown && fromDay !== null && endDay !== null
    ? { fromDay, toDay: createdToMs === null ? endDay : endDay - 1, method }
    : null;
}

function dayStartingAt(atMs: number): number | null {
  const day = businessDay(atMs);
  return businessDayStartMs(day) === atMs ? day : null;
}
