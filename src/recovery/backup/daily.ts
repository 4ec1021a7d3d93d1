import { registerOf } from '../../engine/register/client.ts';
import { finishDailyRun } from '../../kit/platform/daily-runs.ts';
import { prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { isIncomplete } from '../incomplete.ts';
import { hasBucket, writePart } from './bucket.ts';
import { purgeBackups } from './expiry.ts';
import type { BookBackup, Manifest, PartDigest, RegisterExport } from './manifest.ts';
import {
  isRegisterPart,
  manifestName,
  type RegisterPart,
  registerPartName,
  runTimeMs,
} from './names.ts';
import { databaseFacts, type Place, readPage } from './pages.ts';
import {
  commitStep,
  END,
  exportOf,
  finishRun,
  type Progress,
  partsOf,
  releaseRun,
  storePage,
  takeRun,
} from './runs.ts';
import { PAYMENTS_TABLES } from './tables.ts';

/**
 * The daily run of the payments plane: its database, the registers, and then the manifest, which makes
 * the run a backup. The payments themselves are copied by the books' alarms (src/recovery/payments/book-backup.ts).
 */

/**
 * Pages and registers of one call: each takes three calls of D1 and the bucket, and a Worker may
 * make 10,000 of these. Compressing them takes seconds of processor time.
 */
const STEPS_MAX = 500;

/** Refunds of one part, of about 150 bytes each. */
const REFUNDS_PER_PART = 5_000;
/** Links of the largest size make a part of nine megabytes. */
const LINKS_PER_PART = 300;
/** A page must end within the lease of its run. */
const REGISTERS_PER_PAGE = 20;
const BOOKS_PER_PAGE = 1_000;

/** The place of the registers, after the tables. */
const REGISTERS = 'registers';

/**
 * `finished`: the run has ended. `unfinished`: call again. `busy`: another call works on it.
 * `idle`: today's run has ended, there is no bucket, or this gateway has less than a backup may have.
 */
export type RunOutcome = {
  readonly state: 'finished' | 'unfinished' | 'busy' | 'idle';
  readonly run: string | null;
};

export async function continueBackup(
  env: Env,
  nowMs: number,
  { isExtra = false, stepsMax = STEPS_MAX } = {},
): Promise<RunOutcome> {
  if (!hasBucket(env)) {
    log('warn', 'backup_without_bucket', {});
    return { state: 'idle', run: null };
  }
  if (await isIncomplete(env.DB)) {
    return { state: 'idle', run: null };
  }
  const facts = () => databaseFacts(env.DB, PAYMENTS_TABLES);
  const taken = await takeRun(env.DB, 'payments', facts, { nowMs, isExtra });
  if (taken.state !== 'taken') {
    return { state: taken.state === 'busy' ? 'busy' : 'idle', run: null };
  }
  let { progress } = taken;
  const { run } = progress;
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const { place } = progress;
    if (place?.table === END) {
      await finish(env, run, Date.now());
      return { state: 'finished', run };
    }
    const step = place?.table === REGISTERS ? exportRegisters : exportTable;
    progress = { ...progress, ...(await step(env, progress)) };
  }
  await releaseRun(env.DB, 'payments', run);
  return { state: 'unfinished', run };
}

type Stepped = Pick<Progress, 'place' | 'lease'>;

async function exportTable(env: Env, progress: Progress): Promise<Stepped> {
  const page = await readPage(env.DB, PAYMENTS_TABLES, progress.place, progress);
  const next = page.next ?? { table: REGISTERS, part: 1, after: null };
  const lease = await storePage(env, 'payments', progress, { ...page, next });
  return { place: next, lease };
}

/** Exports some registers: of the tenants whose books have refunds, or who have payment links. */
async function exportRegisters(env: Env, progress: Progress): Promise<Stepped> {
  const after = progress.place?.after;
  const { results: tenants } = await prepare(env.DB, {
    sql: `SELECT environment, merchant_id AS merchantId FROM (
        SELECT environment, merchant_id FROM book_digest WHERE digest ->> '$.hasRefunds' = 1
        UNION SELECT environment, merchant_id FROM payment_link_merchants)
      WHERE (environment, merchant_id) > (?1, ?2)
      ORDER BY environment, merchant_id LIMIT ${REGISTERS_PER_PAGE}`,
    params: [after?.[0] ?? '', after?.[1] ?? ''],
  }).all<Tenant>();
  const parts = [];
  for (const tenant of tenants) {
    parts.push(...(await exportRegister(env, progress.run, tenant)));
  }
  const last = tenants.at(-1);
  const next: Place =
    last === undefined
      ? { table: END, part: 1, after: null }
      : { table: REGISTERS, part: 1, after: [last.environment, last.merchantId] };
  const lease = await commitStep(env.DB, 'payments', progress, { table: REGISTERS, parts, next });
  return { place: next, lease };
}

async function exportRegister(env: Env, run: string, tenant: Tenant) {
  const register = registerOf(env, tenant);
  const write = (kind: RegisterPart) => (rows: readonly object[], number: number) =>
    writePart(env, registerPartName(tenant, run, kind, number), rows, Date.now());
  return [
    ...(await writeAll(
      (after) => register.exportRefunds(after, REFUNDS_PER_PART),
      (last) => last.refund_unique_id,
      write('refunds'),
    )),
    ...(await writeAll(
      (after) => register.exportLinks(after, LINKS_PER_PART),
      (last) => last.id,
      write('links'),
    )),
  ];
}

/** Writes pages of rows, each a part, until there are no more. */
async function writeAll<Row extends object>(
  read: (after: string) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  write: (rows: readonly Row[], number: number) => Promise<PartDigest>,
): Promise<readonly PartDigest[]> {
  const parts: PartDigest[] = [];
  for (let after = ''; ; ) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (last === undefined) {
      return parts;
    }
    parts.push(await write(rows, parts.length + 1));
    after = idOf(last);
  }
}

/** Writes the manifest, ends the run, and deletes what is too old. */
async function finish(env: Env, run: string, nowMs: number): Promise<void> {
  const [payments, backOffice, books] = await Promise.all([
    exportOf(env.DB, 'payments', run, nowMs),
    exportOf(env.DB, 'back-office', null, nowMs),
    bookBackups(env.DB),
  ]);
  if (payments === null) {
    throw new Error(`there is no run ${run}`);
  }
  const manifest: Manifest = {
    run,
    startedAtMs: runTimeMs(run) ?? nowMs,
    finishedAtMs: nowMs,
    databases: { payments, 'back-office': backOffice },
    books,
    registers: await registerExports(env.DB, run, 'refunds'),
    links: await registerExports(env.DB, run, 'links'),
    secrets: secretsOf(env),
  };
  await writePart(env, manifestName(run), [manifest], nowMs);
  await finishRun(env.DB, 'payments', run, nowMs);
  const lines = payments.tables.reduce((sum, { rows }) => sum + rows, 0);
  await finishDailyRun(env.DB, 'backup', { run, rows: lines, books: books.length }, nowMs);
  log('info', 'backup_finished', { run, books: books.length });
  const newest = { payments: run, 'back-office': backOffice?.run ?? null };
  // The run has ended. A caller that saw it fail would begin another one; the next one purges.
  await purgeBackups(env, nowMs, newest).catch((error: unknown) => {
    log('warn', 'backup_purge_failed', { error: errorText(error) });
  });
}

/** What the books have reported of their backups. */
async function bookBackups(db: D1Database): Promise<readonly BookBackup[]> {
  const books: BookBackup[] = [];
  for (;;) {
    const last = books.at(-1);
    const { results } = await prepare(db, {
      sql: `SELECT environment, merchant_id AS merchantId, volume, digest -> '$.backup' AS backup
        FROM book_digest WHERE digest ->> '$.backup' IS NOT NULL
          AND (environment, merchant_id, volume) > (?1, ?2, ?3)
        ORDER BY environment, merchant_id, volume LIMIT ${BOOKS_PER_PAGE}`,
      params: [last?.environment ?? '', last?.merchantId ?? '', last?.volume ?? 0],
    }).all<Tenant & { readonly volume: number; readonly backup: string }>();
    books.push(...results.map(({ backup, ...book }) => ({ ...book, ...JSON.parse(backup) })));
    if (results.length < BOOKS_PER_PAGE) {
      return books;
    }
  }
}

async function registerExports(
  db: D1Database,
  run: string,
  kind: RegisterPart,
): Promise<readonly RegisterExport[]> {
  const parts = (await partsOf(db, 'payments', run)).filter(
    ({ table, name }) => table === REGISTERS && isRegisterPart(name, kind),
  );
  const ofRegister = Map.groupBy(parts, ({ name }) => name.split('/').slice(1, 3).join('/'));
  return [...ofRegister].map(([register, own]) => {
    const [environment, merchantId = ''] = register.split('/') as [Tenant['environment'], string];
    return {
      environment,
      merchantId,
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      parts: own.map(({ table: _, ...digest }) => digest),
    };
  });
}

const SECRETS =
  /^(?:LINK_SIGNING_KEYS|DATA_ENCRYPTION_KEYS|WEBHOOK_RSA_PRIVATE_KEYS_\w+|RAIL_\w+_(?:SANDBOX|PRODUCTION)|ALERT_(?:TELEGRAM|WEBHOOK|HEARTBEAT_URL)|MESSAGE_TELEGRAM)$/;

/** Without BACKUP_KEYS, which open the manifest. */
function secretsOf(env: Env): Readonly<Record<string, string>> {
  const secrets = Object.entries(env).filter(
    (entry): entry is [string, string] => SECRETS.test(entry[0]) && typeof entry[1] === 'string',
  );
  return Object.fromEntries(secrets);
}
