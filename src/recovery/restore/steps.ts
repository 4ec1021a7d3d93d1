import { registerOf } from '../../engine/register/client.ts';
import { type Actor, auditEntry } from '../../kit/audit/log.ts';
import { prepare, runBatch, type SqlStatement } from '../../kit/platform/database.ts';
import { readPart } from '../backup/bucket.ts';
import type {
  DatabaseExport,
  Manifest,
  RegisterExport,
  RowLine,
  TableExport,
} from '../backup/manifest.ts';
import { type BookName, manifestName, paymentsPrefix } from '../backup/names.ts';
import { PAYMENTS_TABLES } from '../backup/tables.ts';
import { nameOf, type RestoredLines, restorePayments } from '../payments/restore.ts';
import {
  type Counts,
  FIRST_PLACE,
  moveStatement,
  nextRound,
  type Place,
  type RestoreState,
} from '../restore-state.ts';
import { linesOf, restoreRegisterPart } from './parts.ts';
import { countOthers, insertStatements, withParents } from './rows.ts';
import { nextUnnamedBook } from './unnamed-books.ts';

/**
 * One step of a restore: a part of a table or of a register, or a hundred payments. A step that dies
 * is repeated: D1's rows and the place after them are one batch, and objects keep what they have.
 */

export interface StepCall {
  readonly env: Env;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** Rows that the back office inserts into its own database before it confirms the step. */
export interface MemberRows {
  readonly place: RowsPlace;
  readonly round: number;
  readonly table: string;
  readonly rows: readonly RowLine[];
}

/** Differences that are kept: what is wrong shows in the first ones. The others are counted. */
export const DIFFERENCES_MAX = 50;

/** Parts of a copy that do not open: more of them are no copy. */
export const UNREAD_MAX = 200;

/** What the entry in the audit log names. */
const MISSING_IN_AUDIT_MAX = 20;

/** Null: the bucket has no such run. Throws UnreadablePart for another key. */
export async function readManifest(env: Env, run: string): Promise<Manifest | null> {
  const part = await readPart<Manifest>(env, manifestName(run));
  return part?.lines[0] ?? null;
}

/** The tables in the order of restoring: a row follows the rows that it refers to. */
export function tablesOf(database: DatabaseExport | null): readonly TableExport[] {
  return (database?.tables ?? []).toReversed();
}

/** Takes the next step and moves on, unless the back office must insert rows first. */
export async function takeStep(
  call: StepCall,
  state: RestoreState,
  manifest: Manifest,
): Promise<MemberRows | null> {
  const { place } = state;
  switch (place.phase) {
    case 'tables':
      await restoreRows(call, state, manifest, place);
      return null;
    case 'members':
      return memberRows(call, state, manifest, place);
    case 'registers':
      await restoreRegister(call, state, manifest, place);
      return null;
    case 'payments':
      await restoreBook(call, state, manifest, place);
      return null;
    case 'unnamed':
      await restoreUnnamed(call, state, manifest, place);
      return null;
    case 'proof':
    case 'finished':
      return null;
  }
}

type RowsPlace = Extract<Place, { phase: 'tables' | 'members' }>;

async function restoreRows(
  call: StepCall,
  state: RestoreState,
  manifest: Manifest,
  place: RowsPlace,
): Promise<void> {
  const tables = tablesOf(manifest.databases.payments);
  const wanted = wantedRows(tables, place, state.counts);
  const table = tables[wanted.table];
  if (table === undefined) {
    return move(call, state, { phase: 'members', table: 0, part: 0 });
  }
  const found = await rowsAt(call.env, table, wanted.part);
  const { rows, orphans } = await withParents(call.env.DB, table.table, found.rows);
  const others = await countOthers(call.env.DB, PAYMENTS_TABLES, table.table, rows);
  const left = { orphans, others };
  const counts = countTable(state.counts, 'payments', table, wanted, found, left);
  const statements = [...insertStatements(table.table, rows), ...pauseStatements(table, rows)];
  await move(call, state, nextRows(wanted, table), counts, statements);
}

/** The next part that this round takes. */
function wantedRows(
  tables: readonly TableExport[],
  place: RowsPlace,
  { only }: Pick<Counts, 'only'>,
): RowsPlace {
  let wanted = place;
  for (;;) {
    const table = tables[wanted.table];
    const name = table?.parts[wanted.part]?.name;
    if (table === undefined || only === null || (name !== undefined && only.includes(name))) {
      return wanted;
    }
    wanted = nextRows(wanted, table);
  }
}

function countTable(
  counts: Counts,
  database: string,
  { table, parts }: TableExport,
  { part }: RowsPlace,
  {
    rows,
    differences,
  }: { readonly rows: readonly RowLine[]; readonly differences: readonly string[] },
  { orphans, others }: { readonly orphans: number; readonly others: number },
): Counts {
  const name = parts[part]?.name;
  const all = [
    ...differences,
    ...(orphans === 0
      ? []
      : [`${name}: ${orphans} rows of ${table} refer to rows that are missing`]),
    ...(others === 0
      ? []
      : [`${name}: the gateway has other values in ${others} rows of ${table}`]),
  ];
  const counted = countRows(counts, `${database} ${table}`, rows.length - orphans, all);
  return all.length === 0 || name === undefined
    ? counted
    : { ...counted, untaken: [...counted.untaken, name] };
}

/**
 * The migrations fill the one row of the settings, so it is not inserted. Of the backup's row only the
 * pause of members' changes counts: the restore has its own maintenance, and objects a new place.
 */
function pauseStatements({ table }: TableExport, rows: readonly RowLine[]): SqlStatement[] {
  const sql = `UPDATE gateway_settings SET members_read_only = 1, members_read_only_since_ms = ?1,
    members_read_only_by = ?2`;
  return rows
    .filter((row) => table === 'gateway_settings' && row.members_read_only === 1)
    .map(({ members_read_only_since_ms: sinceMs = null, members_read_only_by: by = null }) => ({
      sql,
      params: [sinceMs, by],
    }));
}

async function memberRows(
  call: StepCall,
  state: RestoreState,
  manifest: Manifest,
  place: RowsPlace,
): Promise<MemberRows | null> {
  const tables = tablesOf(manifest.databases['back-office']);
  const wanted = wantedRows(tables, place, state.counts);
  const table = tables[wanted.table];
  if (table === undefined) {
    await move(call, state, { phase: 'registers', register: 0, part: 0 });
    return null;
  }
  const { rows } = await rowsAt(call.env, table, wanted.part);
  return { place: wanted, round: state.counts.round, table: table.table, rows };
}

/**
 * The back office has inserted the rows of this place but for the orphans, perhaps after another call
 * did.
 */
export async function confirmMembers(
  call: StepCall,
  state: RestoreState,
  manifest: Manifest,
  inserted: Pick<MemberRows, 'round'> & {
    readonly table: number;
    readonly part: number;
    readonly rows: number;
    readonly orphans: number;
    readonly others: number;
  },
): Promise<void> {
  const { place } = state;
  if (place.phase !== 'members' || state.counts.round !== inserted.round) {
    return;
  }
  const tables = tablesOf(manifest.databases['back-office']);
  const wanted = wantedRows(tables, place, state.counts);
  const table = tables[wanted.table];
  if (table === undefined || wanted.table !== inserted.table || wanted.part !== inserted.part) {
    return;
  }
  const found = await rowsAt(call.env, table, wanted.part);
  if (found.rows.length !== inserted.rows) {
    // The part came or went since the back office got its rows: it gets them again.
    return;
  }
  const counts = countTable(state.counts, 'back office', table, wanted, found, inserted);
  await move(call, state, nextRows(wanted, table), counts);
}

function nextRows({ phase, table, part }: RowsPlace, { parts }: TableExport): RowsPlace {
  return part + 1 < parts.length
    ? { phase, table, part: part + 1 }
    : { phase, table: table + 1, part: 0 };
}

async function rowsAt(env: Env, { parts }: TableExport, part: number) {
  const digest = parts[part];
  return digest === undefined ? { rows: [], differences: [] } : linesOf<RowLine>(env, digest);
}

async function restoreRegister(
  call: StepCall,
  state: RestoreState,
  { registers, links = [] }: Manifest,
  place: Extract<Place, { phase: 'registers' }>,
): Promise<void> {
  const register = [...registers, ...links][place.register];
  if (register === undefined) {
    await restoreVolumes(call.env);
    return move(call, state, { phase: 'payments', book: 0, from: null });
  }
  const { table, rows, differences } = await restoreRegisterPart(call.env, register, place.part);
  const next: Place =
    place.part + 1 < register.parts.length
      ? { ...place, part: place.part + 1 }
      : { ...place, register: place.register + 1, part: 0 };
  await move(call, state, next, countRows(state.counts, table, rows, differences));
}

/** Few merchants have a second volume. */
async function restoreVolumes(env: Env): Promise<void> {
  const sql = `SELECT merchant_id AS merchantId, environment, volume, opened_at_ms AS openedAtMs
    FROM book_volumes ORDER BY volume`;
  const { results } = await prepare(env.DB, { sql, params: [] }).all<
    Pick<RegisterExport, 'merchantId' | 'environment'> & { volume: number; openedAtMs: number }
  >();
  for (const { volume, openedAtMs, ...tenant } of results) {
    await registerOf(env, tenant).restore({ volumes: [{ volume, openedAtMs }] });
  }
}

async function restoreBook(
  call: StepCall,
  state: RestoreState,
  { books }: Manifest,
  place: Extract<Place, { phase: 'payments' }>,
): Promise<void> {
  const book = books[place.book];
  if (book === undefined) {
    return move(call, state, { phase: 'unnamed', after: '', from: null });
  }
  const done = await restorePayments(call.env, book, place.from);
  const { next } = done;
  await move(
    call,
    state,
    next === null ? { ...place, book: place.book + 1, from: null } : { ...place, from: next },
    countPayments(state.counts, book, done),
  );
}

async function restoreUnnamed(
  call: StepCall,
  state: RestoreState,
  manifest: Manifest,
  place: Extract<Place, { phase: 'unnamed' }>,
): Promise<void> {
  const { book, after } = await nextUnnamedBook(call.env, manifest, place.after);
  if (after === null) {
    return move(call, state, { phase: 'proof' });
  }
  if (book === null) {
    return move(call, state, { ...place, after });
  }
  const done = await restorePayments(call.env, book, place.from);
  const { next } = done;
  const found = next === null ? [`${nameOf(book)}: the manifest does not name this book`] : [];
  await move(
    call,
    state,
    next === null
      ? { ...place, after: paymentsPrefix(book), from: null }
      : { ...place, after, from: next },
    withDifferences(countPayments(state.counts, book, done), found),
  );
}

function countPayments(counts: Counts, book: BookName, done: RestoredLines): Counts {
  const name = nameOf(book);
  // The object keeps what it has when an older line of its payment comes.
  const found = (counts.payments[name] ?? 0) + done.lines - done.kept;
  return withDifferences(
    {
      ...counts,
      lines: counts.lines + done.lines,
      restored: counts.restored + done.restored,
      kept: counts.kept + done.kept,
      payments: { ...counts.payments, [name]: found },
    },
    done.differences,
  );
}

function countRows(
  counts: Counts,
  name: string,
  rows: number,
  differences: readonly string[],
): Counts {
  const total = (counts.rows[name] ?? 0) + rows;
  return withDifferences({ ...counts, rows: { ...counts.rows, [name]: total } }, differences);
}

function withDifferences(counts: Counts, found: readonly string[]): Counts {
  const differences = [...counts.differences, ...found].slice(0, DIFFERENCES_MAX);
  return { ...counts, differences, found: counts.found + found.length };
}

/** Walks through the backup once more, for what has come since. */
export function beginRound(
  call: StepCall,
  state: RestoreState,
  unread: readonly string[],
): Promise<void> {
  return move(call, state, FIRST_PLACE, withUnread(nextRound(state.counts), unread));
}

/** Notes parts of the operator's copy that did not open, so that the proof looks for them. */
export function noteUnread(
  call: StepCall,
  state: RestoreState,
  names: readonly string[],
): Promise<void> {
  return move(call, state, state.place, withUnread(state.counts, names));
}

function withUnread(counts: Counts, names: readonly string[]): Counts {
  return { ...counts, unread: [...new Set([...counts.unread, ...names])] };
}

async function move(
  { env, nowMs }: StepCall,
  state: RestoreState,
  place: Place,
  counts: Counts = state.counts,
  statements: readonly SqlStatement[] = [],
): Promise<void> {
  await runBatch(env.DB, [...statements, moveStatement(state, place, counts, nowMs)]);
}

/** Closes the restore for good, with its entry in the audit log, which names what is missing. */
export async function finish(
  { env, actor, nowMs }: StepCall,
  state: RestoreState,
  missing: readonly string[],
): Promise<void> {
  const counts = { ...state.counts, differences: missing, found: missing.length };
  const about = { actor, merchantId: null, environment: null, atMs: nowMs } as const;
  await runBatch(env.DB, [
    moveStatement(state, { phase: 'finished' }, counts, nowMs),
    // The maintenance began with the restore. Only now all entries of the backup have their ids.
    auditEntry({ ...about, action: 'maintenance.began', target: null }),
    auditEntry({
      ...about,
      action: 'gateway.restored',
      target: state.run,
      detail: {
        payments: counts.restored,
        differences: missing.length,
        ...(missing.length > 0 && { missing: missing.slice(0, MISSING_IN_AUDIT_MAX).join('; ') }),
      },
    }),
  ]);
}
