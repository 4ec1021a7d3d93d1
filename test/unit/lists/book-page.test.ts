import { expect, test } from 'vitest';
import {
  type Found,
  mergeFound,
  type Place,
  SCANNED_ROWS_MAX,
  scan,
} from '../../../src/lists/book/queries/page.ts';

/** Goal: a page without an index for its filter stops after a while, and loses no row. */

const at = (id: number, volume = 0): Place => ({ atMs: id, id, volume });

/** Rows 1, 2, 3, … up to `last`. */
function upTo(last: number) {
  return (after: Place | null, limit: number): Found<number> => {
    const first = Number(after?.id ?? 0) + 1;
    const length = Math.max(0, Math.min(limit, last - first + 1));
    const rows = Array.from({ length }, (_, index) => first + index);
    return { rows: rows.map((row) => ({ row, place: at(row) })), coveredTo: null };
  };
}

test('a scan stops at its bound, and continues from there to the row that matches', () => {
  const wanted = 3 * SCANNED_ROWS_MAX;
  const read = upTo(wanted);
  let after: Place | null = null;
  for (let pages = 1; ; pages += 1) {
    const start: Place | null = after;
    const page: Found<number> = scan(
      (place, limit) => read(place ?? start, limit),
      (row) => row === wanted,
      20,
    );
    after = page.coveredTo;
    if (after === null) {
      expect([pages, page.rows.map(({ row }) => row)]).toEqual([3, [wanted]]);
      return;
    }
    expect(page.rows).toEqual([]);
  }
});

test('a scan that finds a page, or the end, reports no bound', () => {
  expect(scan(upTo(100), (row) => row % 2 === 0, 20)).toMatchObject({ coveredTo: null });
  expect(scan(upTo(100), () => false, 20)).toEqual({ rows: [], coveredTo: null });
});

test('merged lists show no row behind the place up to which one of them has looked', () => {
  const rows = (ids: readonly number[], volume: number) =>
    ids.map((id) => ({ row: `${volume}:${id}`, place: at(id, volume) }));
  const merged = mergeFound(
    [
      { rows: rows([9, 5], 0), coveredTo: at(4, 0) },
      { rows: rows([9, 6, 4, 2], 1), coveredTo: null },
    ],
    false,
    10,
  );
  expect(merged.rows.map(({ row }) => row)).toEqual(['1:9', '0:9', '1:6', '0:5', '1:4']);
  expect(merged.coveredTo).toEqual(at(4, 0));
  expect(mergeFound([{ rows: rows([9, 5], 0), coveredTo: at(4) }], false, 2).coveredTo).toBeNull();
});
