import {
  type Cursor,
  isOrderedUp,
  type Page,
  pageOf,
  pageRows,
} from '../../kit/platform/paging.ts';
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
  const isAscending = isOrderedUp(cursor, isOldestFirst);
  const wanted = pageRows(limit) + 1;
  const after = cursor === null ? null : placeIn(cursor);
  const parts = await Promise.all(
    volumes.map(async (volume): Promise<Found<Row>> => {
      const includesPlace =
        after !== null && (isAscending ? volume > after.volume : volume < after.volume);
      const found = await ask(volume, { isAscending, after, includesPlace }, wanted);
      const { rows = [], coveredTo = null } = found ?? {};
      return {
        rows: rows.map(({ row, place }) => ({ row, place: { ...place, volume } })),
        coveredTo: coveredTo && { ...coveredTo, volume },
      };
    }),
  );
  const { rows, coveredTo } = mergeFound(parts, isAscending, wanted);
  const list = { isOldestFirst, placeOf: (found: (typeof rows)[number]) => shown(found.place) };
  const page = pageOf(list, rows, cursor, limit, coveredTo && shown(coveredTo));
  return { ...page, rows: page.rows.map(({ row }) => row) };
}

/** A cursor's id is the place's id, a dot and the volume. */
function shown({ atMs, id, volume }: Place) {
  return { atMs, id: `${id}.${volume}` };
}

function placeIn({ atMs, id }: Cursor) {
  const dot = id.lastIndexOf('.');
  const volume = Number(id.slice(dot + 1));
  return Number.isInteger(volume)
    ? { atMs, id: id.slice(0, dot), volume }
    : { atMs, id, volume: 0 };
}
