import type { MethodTally } from '../../engine/alerts/standing.ts';
import type { AttemptCount, ProjectionMessage } from '../../engine/intent/book-message.ts';

/** A change that is older comes from a rebuilt or restored payment, and says nothing about today. */
const RECENT_MS = 10 * 60_000;

export type AttemptCounts = Pick<MethodTally, 'method' | 'succeeded' | 'refused' | 'unreached'> &
  Required<Pick<MethodTally, 'neverReached'>>;

interface Before {
  readonly attempts: string;
  readonly paid_at_ms: number | null;
}

/** The attempts that have ended since the row before, by method. Null: the payment had no row. */
export function endedAttempts(
  before: Before | null,
  { row, paidAtMs }: ProjectionMessage,
  nowMs: number,
): readonly AttemptCounts[] {
  if (nowMs - row.updatedAtMs > RECENT_MS) {
    return [];
  }
  const known: readonly AttemptCount[] = JSON.parse(before?.attempts ?? '[]');
  const hasPaid = paidAtMs !== null && (before?.paid_at_ms ?? null) === null;
  const tallies = row.attempts.map((after) => {
    const earlier = known.find(({ method }) => method === after.method);
    const succeeded = after.succeeded - (earlier?.succeeded ?? 0);
    const unreached = (after.unreached ?? 0) - (earlier?.unreached ?? 0);
    const ended = after.ended - (earlier?.ended ?? 0);
    const neverReached = (after.neverReached ?? 0) - (earlier?.neverReached ?? 0);
    const refused = ended - succeeded - unreached;
    return { method: after.method, succeeded, refused, unreached, neverReached };
  });
  const paid =
    hasPaid && row.method !== null
      ? [{ method: row.method, succeeded: 1, refused: 0, unreached: 0, neverReached: 0 }]
      : [];
  return [...tallies, ...paid].filter(
    ({ succeeded, refused, unreached }) => succeeded + refused + unreached > 0,
  );
}
