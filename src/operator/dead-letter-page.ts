import { type DeadLetter, type DeadLetterQuery, listStored } from '../dead-letters/store.ts';
import { validationProblem } from '../http/problem.ts';

/** A place between two letters: when the one before was stored, and its id. */
const CURSOR = /^(\d{1,15})\.([!-~]{1,128})$/;

export interface DeadLetterPage {
  readonly items: readonly DeadLetter[];
  readonly nextCursor: string | null;
}

/** Oldest first. Problem 400 for a cursor that is none of ours. */
export async function deadLetterPage(
  db: D1Database,
  query: Pick<DeadLetterQuery, 'status' | 'queue' | 'limit'> & { readonly cursor: string | null },
): Promise<DeadLetterPage> {
  const { status, queue, cursor, limit } = query;
  const [, storedAtMs, id] = (cursor === null ? null : CURSOR.exec(cursor)) ?? [];
  const after =
    storedAtMs === undefined || id === undefined ? null : { storedAtMs: Number(storedAtMs), id };
  if (cursor !== null && after === null) {
    throw validationProblem({ cursor: 'Is not a cursor.' });
  }
  const read = await listStored(db, { status, queue, after, limit: limit + 1 });
  const items = read.slice(0, limit);
  const last = items.at(-1);
  const hasMore = read.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? `${last.storedAtMs}.${last.id}` : null };
}
