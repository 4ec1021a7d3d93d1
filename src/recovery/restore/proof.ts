import { registerOf } from '../../engine/register/client.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';
import { readIfWhole } from '../backup/bucket.ts';
import type { Manifest, RegisterExport, TableExport } from '../backup/manifest.ts';
import { nameOf } from '../payments/restore.ts';
import type { Counts } from '../restore-state.ts';
import { DIFFERENCES_MAX, tablesOf } from './steps.ts';

/** What a restore proves at its end: what the manifest says, beside what the gateway has. */

export interface ProofLine {
  readonly what: string;
  /** Null: the manifest does not say. */
  readonly inBackup: number | null;
  readonly inGateway: number;
}

export interface Proof {
  readonly lines: readonly ProofLine[];
  readonly differences: readonly string[];
}

/** Rows of the back office's tables, which it has counted itself. */
export type CountedRows = Readonly<Record<string, number>>;

export async function proofOf(
  env: Env,
  manifest: Manifest,
  counts: Counts,
  members: CountedRows,
): Promise<Proof> {
  const tables = await Promise.all(
    tablesOf(manifest.databases.payments).map(async ({ table, rows }) =>
      line(`payments: ${table}`, rows, await countOf(env.DB, table)),
    ),
  );
  const others = tablesOf(manifest.databases['back-office']).map(({ table, rows }) =>
    line(`back office: ${table}`, rows, members[table] ?? 0),
  );
  const lines = [...tables, ...others, ...(await linesOfBooks(env, manifest, counts))];
  const refunds = await Promise.all(
    manifest.registers.map((register) => lostRefunds(env, register)),
  );
  const lost = lines.filter(({ inBackup, inGateway }) => inBackup !== null && inGateway < inBackup);
  const unread = await concurrently(counts.unread, (name) => readIfWhole(env, name));
  const unshown = counts.found - counts.differences.length;
  return {
    lines,
    differences: [
      ...counts.differences,
      ...(unshown > 0 ? [`${unshown} more differences of payments and rows`] : []),
      ...unread.flatMap(({ differences }) => differences),
      ...secretDifferences(env, manifest.secrets),
      ...(manifest.databases['back-office'] === null ? ['the backup has no members'] : []),
      ...refunds.flat(),
      ...lost.map(({ what, inBackup, inGateway }) => `${what}: ${inGateway} of ${inBackup}`),
    ],
  };
}

/**
 * Secrets without which payments that came back do not work: their methods, links and signatures. A
 * ring may have newer keys, but lacks none. Names them, and no value.
 */
function secretDifferences(env: Env, secrets: Manifest['secrets']): readonly string[] {
  const own: Readonly<Record<string, unknown>> = { ...env };
  return Object.entries(secrets).flatMap(([name, value]) => {
    const has = own[name];
    if (typeof has !== 'string' || has.trim() === '') {
      return [`the secret ${name} is missing`];
    }
    if (!isRing(name)) {
      return has.trim() === value.trim() ? [] : [`the secret ${name} has another value`];
    }
    const known = entriesOf(has);
    return entriesOf(value)
      .filter((entry) => !known.includes(entry))
      .map((entry) => `the secret ${name} lacks the key ${entry.slice(0, entry.indexOf(':'))}`);
  });
}

function isRing(name: string): boolean {
  return /_KEYS(?:_|$)/.test(name);
}

function entriesOf(ring: string): readonly string[] {
  return ring.split(',').map((entry) => entry.trim());
}

/** A payment that came back from an older line than its register may lack refunds that were made. */
async function lostRefunds(env: Env, tenant: Tenant): Promise<readonly string[]> {
  const refunds = await registerOf(env, tenant).lostRefunds(DIFFERENCES_MAX);
  return refunds.map(
    ({ refundUniqueId, paymentUniqueId }) =>
      `${tenant.environment}/${tenant.merchantId}: refund ${refundUniqueId} is known to the register, not to its payment ${paymentUniqueId}`,
  );
}

/**
 * Payments of all books by their state, and refunds. The manifest's counts only grow: they include
 * erased payments, and those whose parts were deleted after their retention. So the proof counts
 * the payments of the parts and the refunds of the registers.
 */
async function linesOfBooks(
  env: Env,
  { books, registers, links = [] }: Manifest,
  counted: Counts,
): Promise<ProofLine[]> {
  const byStatus = new Map<string, number>();
  const lines: ProofLine[] = [];
  let refunds = 0;
  for (const book of books) {
    const counts = await bookOf(env, book, book.volume).ask('counts');
    const payments = counts?.payments ?? [];
    for (const { status, count } of payments) {
      byStatus.set(status, (byStatus.get(status) ?? 0) + count);
    }
    const total = payments.reduce((sum, { count }) => sum + count, 0);
    lines.push(line(`payments of ${nameOf(book)}`, counted.payments[nameOf(book)] ?? 0, total));
    refunds += counts?.refunds ?? 0;
  }
  const inBackup = rowsIn(registers);
  return [
    ...lines,
    ...[...byStatus].sort().map(([status, count]) => line(`payments ${status}`, null, count)),
    line('refunds', inBackup, counted.rows.refunds ?? 0),
    line('refunds of payments', null, refunds),
    line('payment links', rowsIn(links), counted.rows.payment_links ?? 0),
  ];
}

function rowsIn(exports: readonly RegisterExport[]): number {
  return exports.reduce((sum, { rows }) => sum + rows, 0);
}

function line(what: string, inBackup: number | null, inGateway: number): ProofLine {
  return { what, inBackup, inGateway };
}

/** `table` is a name from the manifest that `insertStatements` has accepted. */
async function countOf(db: D1Database, table: TableExport['table']): Promise<number> {
  const sql = `SELECT count(*) AS count FROM ${table}`;
  return (await prepare(db, { sql, params: [] }).first<number>('count')) ?? 0;
}
