import { type Cursor, cursorText, type Page, pageRows } from '../platform/paging.ts';
import { type Found, mergeFound, type PageStart, type Place } from './queries/page.ts';

/** Pages of lists whose rows are in several volumes. */

export type AskPage<Row> = (
  volume: number,
  start: PageStart,
  limit: number,
) => Promise<Found<Row> | null>;

/** One page of a list in all volumes. */
export async function readMergedPage<Row>(
  volumes: readonly number[],
  cursor: Cursor | null,
  limit: number,
  isOldestFirst: boolean,
  ask: AskPage<Row>,
): Promise<Page<Row>> {
  const isAscending = cursor === null ? isOldestFirst : cursor.direction === 'newer';
  const wanted = pageRows(limit);
  const after = cursor === null ? null : placeIn(cursor);
  const parts = await Promise.all(
    volumes.map(async (volume) => {
      const includesPlace =
        after !== null && (isAscending ? volume > after.volume : volume < after.volume);
      const start = { isAscending, after, includesPlace };
      const found = await ask(volume, start, wanted + 1);
      return found === null ? EMPTY : inVolume(found, volume);
    }),
  );
  return pageOf(mergeFound<Row>(parts, isAscending, wanted + 1), cursor, wanted, isOldestFirst);
}

const EMPTY: Found<never> = { rows: [], coveredTo: null };

function inVolume<Row>({ rows, coveredTo }: Found<Row>, volume: number): Found<Row> {
  return {
    rows: rows.map(({ row, place }) => ({ row, place: { ...place, volume } })),
    coveredTo: coveredTo === null ? null : { ...coveredTo, volume },
  };
}

/** A cursor's id is the place's id, a dot and the volume. */
function placeIn({ atMs, id }: Cursor) {
  const dot = id.lastIndexOf('.');
  const volume = Number(id.slice(dot + 1));
  return Number.isInteger(volume)
    ? { atMs, id: id.slice(0, dot), volume }
    : { atMs, id, volume: 0 };
}

function pageOf<Row>(
  { rows: found, coveredTo }: Found<Row>,
  cursor: Cursor | null,
  limit: number,
  isOldestFirst: boolean,
): Page<Row> {
  const [onward, back] = isOldestFirst
    ? (['newer', 'older'] as const)
    : (['older', 'newer'] as const);
  const isBackwards = cursor?.direction === back;
  const kept = found.slice(0, limit);
  const hasMore = found.length > kept.length || coveredTo !== null;
  const last = found.length > kept.length ? kept.at(-1)?.place : (coveredTo ?? kept.at(-1)?.place);
  // A short page may be empty; its neighbors then begin where its search ended.
  const first = kept[0]?.place ?? coveredTo;
  const cursorAt = (direction: Cursor['direction'], place: Place | null | undefined) =>
    place == null
      ? null
      : cursorText({ direction, atMs: place.atMs, id: `${place.id}.${place.volume}` });
  const rows = kept.map(({ row }) => row);
  // The caller followed a cursor from a page, so the page on that side exists.
  return isBackwards
    ? {
        rows: rows.reverse(),
        nextCursor: cursorAt(onward, first),
        previousCursor: hasMore ? cursorAt(back, last) : null,
      }
    : {
        rows,
        nextCursor: hasMore ? cursorAt(onward, last) : null,
        previousCursor: cursor === null ? null : cursorAt(back, first),
      };
}
