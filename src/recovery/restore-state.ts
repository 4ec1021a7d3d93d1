import { isConstraintFailure, prepare, type SqlStatement } from '../kit/platform/database.ts';

/**
 * How far the restore of a gateway is: one row in D1, so that any call can continue it. It stays open
 * at its proof while anything is missing, and each new round takes what has come since.
 */

/** What the next step restores. Numbers count from 0 in the lists of the manifest. */
export type Place =
  | { readonly phase: 'tables' | 'members'; readonly table: number; readonly part: number }
  | { readonly phase: 'registers'; readonly register: number; readonly part: number }
  | {
      readonly phase: 'payments';
      readonly book: number;
      /** Null: the newest part of the newest generation. */
      readonly from: PaymentsPlace | null;
    }
  | {
      readonly phase: 'unnamed';
      /** The prefix of the last book that was passed. */
      readonly after: string;
      readonly from: PaymentsPlace | null;
    }
  | { readonly phase: 'proof' }
  | { readonly phase: 'finished' };

/** A place among the parts of a book, which are read from the newest to the oldest. */
export interface PaymentsPlace {
  readonly generation: string;
  readonly sequence: number;
  /** The lines of the part that were restored. */
  readonly lines: number;
}

/** What the steps of this round have counted. */
export interface Counts {
  /** Counts from 1. */
  readonly round: number;
  /**
   * The parts of tables that this round takes; null: all. A later round takes none of those that came
   * back whole, because it would bring back what members have removed since, such as a passkey.
   */
  readonly only: readonly string[] | null;
  /** The parts of tables that were missing, damaged or left something out: for the next round. */
  readonly untaken: readonly string[];
  /** Parts of the operator's copy that did not open, and that the bucket lacks or cannot open. */
  readonly unread: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  /** Lines of payments: a payment that changed after its backup has several. */
  readonly lines: number;
  readonly restored: number;
  readonly kept: number;
  /** How many payments the parts of each book have, each counted once. */
  readonly payments: Readonly<Record<string, number>>;
  /** What is not as the manifest says, in a few words each: the first ones. */
  readonly differences: readonly string[];
  /** How many differences there are. */
  readonly found: number;
}

export interface RestoreState {
  readonly run: string;
  readonly startedAtMs: number;
  readonly startedBy: string;
  readonly place: Place;
  readonly counts: Counts;
  readonly finishedAtMs: number | null;
}

export const NO_COUNTS: Counts = {
  ...{ round: 1, only: null, untaken: [], unread: [] },
  ...{ rows: {}, lines: 0, restored: 0, kept: 0, payments: {}, differences: [], found: 0 },
};

/** The counts of the next round. */
export function nextRound({ round, untaken, unread }: Counts): Counts {
  return { ...NO_COUNTS, round: round + 1, only: untaken, unread };
}

/** The first place of a restore: D1's tables, so that the payments find their merchants. */
export const FIRST_PLACE: Place = { phase: 'tables', table: 0, part: 0 };

type Row = Omit<RestoreState, 'place' | 'counts'> & Record<'place' | 'counts', string>;

/** Null when this gateway was never restored. */
export async function readState(db: D1Database): Promise<RestoreState | null> {
  const sql = `SELECT run, started_at_ms AS startedAtMs, started_by AS startedBy, place, counts,
    finished_at_ms AS finishedAtMs FROM restore`;
  const row = await prepare(db, { sql, params: [] }).first<Row>();
  return row && { ...row, place: JSON.parse(row.place), counts: JSON.parse(row.counts) };
}

/** Begins a restore. Fails when this gateway has one. */
export function beginStatement(run: string, startedBy: string, nowMs: number): SqlStatement {
  return {
    sql: `INSERT INTO restore (id, run, started_at_ms, started_by, place, counts)
      VALUES (1, ?1, ?2, ?3, ?4, ?5)`,
    params: [run, nowMs, startedBy, JSON.stringify(FIRST_PLACE), JSON.stringify(NO_COUNTS)],
  };
}

/**
 * Moves the restore on, in the batch of what the step wrote. The batch fails if another call has
 * taken this step meanwhile, also that of another round: `run` takes no NULL.
 */
export function moveStatement(
  before: RestoreState,
  place: Place,
  counts: Counts,
  nowMs: number,
): SqlStatement {
  return {
    sql: `UPDATE restore SET run = iif(place = ?1 AND counts ->> '$.round' = ?5, run, NULL),
      place = ?2, counts = ?3, finished_at_ms = ?4`,
    params: [
      JSON.stringify(before.place),
      JSON.stringify(place),
      JSON.stringify(counts),
      place.phase === 'finished' ? nowMs : null,
      before.counts.round,
    ],
  };
}

/** Whether a batch failed because another call has begun the restore or taken the step meanwhile. */
export function isStepTaken(error: unknown): boolean {
  return isConstraintFailure(error) && String(error).includes(' failed: restore.');
}
