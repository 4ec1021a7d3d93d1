import * as v from 'valibot';
import { maintenanceStatement } from '../../control/modes/modes.ts';
import { type ActionCall, action } from '../../control/operator/call.ts';
import { patternField } from '../../control/operator/fields.ts';
import { operationProblem } from '../../control/operator/problems.ts';
import { bytesFromBase64, sha256Hex } from '../../kit/crypto/encoding.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { booleanField, listOf, wholeNumber } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare, runBatch } from '../../kit/platform/database.ts';
import { rememberJurisdiction } from '../../kit/platform/jurisdiction.ts';
import { asking, bucketOf, readIfWhole } from '../backup/bucket.ts';
import type { Manifest } from '../backup/manifest.ts';
import { runOfPart, runTimeMs } from '../backup/names.ts';
import { openPart, UnreadablePart } from '../backup/part.ts';
import {
  beginStatement,
  isStepTaken,
  type Place,
  type RestoreState,
  readState,
} from '../restore-state.ts';
import { proofOf } from './proof.ts';
import {
  beginRound,
  confirmMembers,
  finish,
  type MemberRows,
  noteUnread,
  readManifest,
  tablesOf,
  takeStep,
  UNREAD_MAX,
} from './steps.ts';

/**
 * Restores an empty gateway from a backup, in bounded calls that any later call continues. The back
 * office inserts the rows of its own database, because this Worker cannot reach it.
 */

const runField = v.pipe(
  patternField(/^\d{8}T\d{6}Z$/, 'Must be a run such as 20261127T011700Z.'),
  v.check((run) => runTimeMs(run) !== null, fieldError('invalid_format', 'There is no such time.')),
);

const indexField = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** The limit of a name in the bucket: longer than any that a backup has. */
const NAME_LENGTH_MAX = 400;
const NAME = /^(?:payments|registers|databases|runs)\/[A-Za-z0-9_./-]+$/;

const nameField = v.pipe(
  patternField(NAME, 'Must be the name of a part.'),
  v.maxLength(NAME_LENGTH_MAX, fieldError('invalid_format', 'Must be the name of a part.')),
);

const MISSING_CODE_LENGTH = 8;
const MISSING_CODE = /^[0-9a-f]{8}$/;

export interface RestoreProgress {
  readonly phase: Place['phase'];
  readonly rows: number;
  readonly payments: number;
  /** The back office must insert these, and then confirm them. */
  readonly members: MemberRows | null;
  /** Before the proof: the tables whose rows the back office must count. */
  readonly counts: readonly string[];
}

/**
 * Begins the restore, or takes its next step. `again`: at the proof, begins another round, for what has
 * come since. `unread`: parts of the operator's copy that did not open.
 */
export const restoreStep = action(
  body({
    run: runField,
    memberRows: indexField,
    again: v.optional(booleanField, false),
    unread: v.optional(listOf(nameField, UNREAD_MAX), []),
  }),
  async (call, _target, { run, memberRows, again, unread }): Promise<RestoreProgress> => {
    const manifest = await manifestOf(call, run);
    const state = await readState(call.env.DB);
    if (state === null) {
      await taking(run, begin(call, run, manifest, memberRows));
      if (unread.length > 0) {
        await taking(run, noteUnread(call, await stateOf(call, run), unread));
      }
      return progressOf(await stateOf(call, run), manifest, null);
    }
    checkRun(state, run);
    const members = await taking(run, stepFrom(call, state, manifest, { again, unread }));
    return progressOf(await stateOf(call, run), manifest, members);
  },
);

async function stepFrom(
  call: ActionCall,
  state: RestoreState,
  manifest: Manifest,
  { again, unread }: { readonly again: boolean; readonly unread: readonly string[] },
): Promise<MemberRows | null> {
  if (again && state.place.phase === 'proof') {
    await beginRound(call, state, unread);
    return null;
  }
  if (unread.length > 0 && state.place.phase !== 'finished') {
    await noteUnread(call, state, unread);
    return null;
  }
  return takeStep(call, state, manifest);
}

/** The back office has inserted the rows of this place, but for the orphans. */
export const confirmRestoredMembers = action(
  body({
    ...{ run: runField, round: indexField, table: indexField, part: indexField },
    ...{ rows: indexField, orphans: indexField, others: indexField },
  }),
  async (call, _target, { run, ...inserted }): Promise<RestoreProgress> => {
    const manifest = await manifestOf(call, run);
    await taking(run, confirmMembers(call, await stateOf(call, run), manifest, inserted));
    return progressOf(await stateOf(call, run), manifest, null);
  },
);

/**
 * Compares the gateway with the manifest. If nothing differs, this closes the restore. Else only the
 * operator's decision closes it: `without` is the code of all that is missing, which the proof gives.
 * Can be repeated.
 */
export const proveRestore = action(
  body({
    run: runField,
    memberRows: v.record(v.string(), v.number()),
    without: v.optional(patternField(MISSING_CODE, 'Must be the code that the proof gives.')),
  }),
  async (call, _target, { run, memberRows, without }) => {
    const manifest = await manifestOf(call, run);
    const state = await stateOf(call, run);
    const { place, counts } = state;
    if (place.phase !== 'proof' && place.phase !== 'finished') {
      if (without !== undefined) {
        throw operationProblem('restore_missing_changed', { run });
      }
      throw new Error('the restore has not reached its proof');
    }
    const proof = await proofOf(call.env, manifest, counts, memberRows);
    // What is closed says for good what it was closed without.
    const isOver = place.phase === 'finished';
    const differences = isOver ? counts.differences : proof.differences;
    const missing = differences.length === 0 ? null : await codeOf(differences);
    if (without !== undefined && without !== missing) {
      throw operationProblem('restore_missing_changed', { run });
    }
    if (!isOver && (missing === null || without !== undefined)) {
      await taking(run, finish(call, state, differences));
    }
    const { finishedAtMs: closedAtMs } = await stateOf(call, run);
    const { lines: linesOfPayments, restored, kept } = counts;
    const { lines } = proof;
    return { lines, differences, linesOfPayments, restored, kept, missing, closedAtMs };
  },
);

/** Names these differences and no others. */
async function codeOf(differences: readonly string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(differences))).slice(0, MISSING_CODE_LENGTH);
}

/** Puts a part of a fetched backup into the bucket. Making one needs BACKUP_KEYS. */
export const uploadBackupPart = action(
  body({
    name: nameField,
    // A copy that stopped in the middle may have empty files.
    base64: patternField(/^[A-Za-z0-9+/]*={0,2}$/, 'Must be base64.'),
  }),
  async (call, _target, { name, base64 }) => {
    // One that opens is as good or newer: an erasure may have rewritten it.
    const isNew = (await readIfWhole(call.env, name)).part === null;
    if (isNew) {
      const bytes = bytesFromBase64(base64);
      await reading(openPart(call.config.backupKeys, name, bytes));
      // Only its run tells when a part was written. Others begin to age now.
      const run = runOfPart(name);
      const writtenAtMs = String((run && runTimeMs(run)) ?? call.nowMs);
      await asking(bucketOf(call.env).put(name, bytes, { customMetadata: { writtenAtMs } }));
    }
    return { name, isNew };
  },
);

async function manifestOf({ env }: ActionCall, run: string): Promise<Manifest> {
  const manifest = await reading(readManifest(env, run));
  if (manifest === null) {
    throw operationProblem('backup_not_found', { run });
  }
  return manifest;
}

async function stateOf({ env }: ActionCall, run: string): Promise<RestoreState> {
  const state = await readState(env.DB);
  if (state === null) {
    throw new Error('the restore has not reached its proof');
  }
  checkRun(state, run);
  return state;
}

function checkRun(state: RestoreState, run: string): void {
  if (state.run !== run) {
    throw operationProblem(
      state.finishedAtMs === null ? 'restore_under_way' : 'gateway_not_empty',
      {
        run: state.run,
      },
    );
  }
}

/**
 * With the maintenance mode: until an operator has compared the gateway with the providers, a repeated
 * create or refund could move money again that moved after the backup.
 */
async function begin(
  call: ActionCall,
  run: string,
  manifest: Manifest,
  memberRows: number,
): Promise<void> {
  const { env, actor, nowMs } = call;
  const merchants = await prepare(env.DB, {
    sql: 'SELECT count(*) AS count FROM merchants',
    params: [],
  }).first<number>('count');
  if (merchants !== 0 || memberRows > 0) {
    throw operationProblem('gateway_not_empty', { run });
  }
  await checkMigrations(env, manifest);
  await runBatch(env.DB, [
    // The migrations fill this table, and the backup has it as the operator changed it.
    { sql: 'DELETE FROM banks', params: [] },
    maintenanceStatement(call, `Restored from the backup ${run}`),
    // As the first merchant does.
    rememberJurisdiction(call.config.placement),
    beginStatement(run, actor.name, nowMs),
  ]);
}

/** A backup of a newer release may have tables and columns that this one lacks. */
async function checkMigrations(env: Env, { databases }: Manifest): Promise<void> {
  const known = databases.payments.migrations;
  if (known.length === 0) {
    return;
  }
  const sql = 'SELECT name FROM d1_migrations';
  const { results } = await prepare(env.DB, { sql, params: [] }).all<{ name: string }>();
  const applied = results.map(({ name }) => name);
  const missing = known.find((name) => !applied.includes(name));
  if (missing !== undefined) {
    throw operationProblem('backup_newer', { migration: missing });
  }
}

/** Problem 409 for a part that cannot be opened. */
async function reading<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof UnreadablePart) {
      throw operationProblem('backup_unreadable', { why: error.message });
    }
    throw error;
  }
}

/** Problem 503 for a step that another call has taken, such as that of a second operator. */
async function taking<T>(run: string, step: Promise<T>): Promise<T> {
  try {
    return await reading(step);
  } catch (error) {
    throw isStepTaken(error)
      ? operationProblem('restore_step_taken', { run, retryAfterSeconds: 1 })
      : error;
  }
}

function progressOf(
  { place, counts }: RestoreState,
  { databases }: Manifest,
  members: MemberRows | null,
): RestoreProgress {
  const isOver = place.phase === 'proof' || place.phase === 'finished';
  return {
    phase: place.phase,
    rows: Object.values(counts.rows).reduce((sum, rows) => sum + rows, 0),
    payments: counts.restored,
    members,
    counts: isOver ? tablesOf(databases['back-office']).map(({ table }) => table) : [],
  };
}

export type RestoreProof = Awaited<ReturnType<typeof proveRestore>>;
