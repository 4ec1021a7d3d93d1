import type { TimeRange } from '../../../kit/platform/paging.ts';
import type { PageStart } from './page.ts';

/**
 * The condition on a page of a list by time and id. At most one bound on either side: with two,
 * SQLite would seek by one of them and read all rows up to the other.
 */
export function placeRange(
  time: string,
  id: string,
  { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER }: TimeRange,
  { after, isAscending, includesPlace }: PageStart,
): { readonly condition: string; readonly params: readonly (string | number)[] } {
  const place = after === null ? [] : [after.atMs, after.id];
  const equal = includesPlace ? '=' : '';
  if (after !== null && isAscending && after.atMs >= fromMs) {
    return {
      condition: `(${time}, ${id}) >${equal} (?, ?) AND ${time} < ?`,
      params: [...place, toMs],
    };
  }
  if (after !== null && !isAscending && after.atMs < toMs) {
    return {
      condition: `(${time}, ${id}) <${equal} (?, ?) AND ${time} >= ?`,
      params: [...place, fromMs],
    };
  }
  return { condition: `${time} >= ? AND ${time} < ?`, params: [fromMs, toMs] };
}
