import { createExecutionContext, createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import {
  BACK_OFFICE_TABLES,
  BACK_OFFICE_TABLES_LEFT_OUT,
  exportDatabase,
} from '../../../back-office/backup.ts';
import { CHANNEL_SECRETS } from '../../../src/control/alerts/config.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { auditEntry } from '../../../src/kit/audit/log.ts';
import { bytesFromBase64 } from '../../../src/kit/crypto/encoding.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { writePart } from '../../../src/recovery/backup/bucket.ts';
import { continueBackup } from '../../../src/recovery/backup/daily.ts';
import type { Manifest, RowLine } from '../../../src/recovery/backup/manifest.ts';
import { auditPartName, manifestName } from '../../../src/recovery/backup/names.ts';
import { openPart } from '../../../src/recovery/backup/part.ts';
import { exportOf, finishRun, type HeldRun } from '../../../src/recovery/backup/runs.ts';
import { PAYMENTS_TABLES, PAYMENTS_TABLES_LEFT_OUT } from '../../../src/recovery/backup/tables.ts';
import worker from '../../support/gateway.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog } from '../dashboard/support.ts';
import { content, operateApi } from '../operator/support.ts';
import {
  linesOf,
  partNames,
  paymentLines,
  recordMigrations,
  replacePut,
} from '../support/backup.ts';
import { bookSql, booksReport, fireBookAlarm } from '../support/book.ts';
import { createLink } from '../support/links.ts';
import {
  ALPHA,
  advance,
  booksAreFed,
  consumeAll,
  createHosted,
  DAY_MS,
  HOUR_MS,
  payHosted,
  postRefund,
  runSql,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { loseGateway } from './restore-support.ts';

/**
 * Goal: docs/decisions.md#49: a run's manifest names all that is original in both databases and the
 * registers, and exists only when all of it is in the bucket. Method: the crons, calls that fail at
 * each write, and rows in every table.
 */

const caught = useGateway();
beforeEach(recordMigrations);

async function crons(): Promise<void> {
  for (const cron of ['32 * * * *', '37 * * * *']) {
    await worker.scheduled(createScheduledController({ cron }), env, createExecutionContext());
  }
}

const manifests = () => partNames('runs/');

async function manifest(): Promise<Manifest> {
  const [line] = await linesOf<Manifest>((await manifests()).at(-1) ?? '');
  if (line === undefined) {
    throw new Error('no manifest');
  }
  return line;
}

/** All rows that a run has of a table. */
async function rowsIn(run: Manifest, database: keyof Manifest['databases'], table: string) {
  const found = run.databases[database]?.tables.find((one) => one.table === table);
  const rows: RowLine[] = [];
  for (const { name } of found?.parts ?? []) {
    rows.push(...(await linesOf<RowLine>(name)));
  }
  return rows;
}

test('a manifest has all parts of one run, when the next run of the members ends meanwhile', async () => {
  const sqls = [
    `INSERT INTO backup_runs (database, run, migrations, tables, audit_from_id, audit_to_id,
        leased_until_ms, finished_at_ms)
      VALUES ('back-office', '20270101T013200Z', '[]', '["members"]', 0, 0, 0, 1)`,
    `INSERT INTO backup_parts VALUES ('back-office', '20270101T013200Z', 'a', 'members', 1, '${'0'.repeat(64)}')`,
  ];
  await runSql(sqls.map((sql) => ({ sql, params: [] })));
  const prepareReal = env.DB.prepare.bind(env.DB);
  let ended = 0;
  // The next run ends as soon as the export has read which one is the newest.
  vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
    const statement = prepareReal(sql);
    if (!sql.includes('FROM backup_runs') || ended > 0) {
      return statement;
    }
    return {
      bind: (...params: unknown[]) => {
        const bound = statement.bind(...params);
        const first = async () => {
          const row = await bound.first();
          ended += 1;
          await finishRun(env.DB, 'back-office', '20270102T013200Z', 2);
          return row;
        };
        return Object.assign(bound, { first });
      },
    } as unknown as D1PreparedStatement;
  });
  const exported = await exportOf(env.DB, 'back-office', null, Date.now());
  expect(exported?.tables).toMatchObject([{ table: 'members', rows: 1, parts: [{ name: 'a' }] }]);
});

test('a run has ended even if old backups cannot be deleted', async () => {
  await createHosted();
  const list = env.BACKUPS.list.bind(env.BACKUPS);
  vi.spyOn(env.BACKUPS, 'list').mockImplementation((options) =>
    options?.prefix === 'runs/' ? Promise.reject(new Error('unreachable')) : list(options),
  );
  await crons();
  vi.restoreAllMocks();
  expect(await manifests()).toHaveLength(1);
  expect((await continueBackup(env, Date.now())).state).toBe('idle');
});

const tablesOf = async (db: D1Database) => {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table'
    AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'`;
  return (await db.prepare(sql).all<{ name: string }>()).results.map(({ name }) => name).sort();
};

test.each([
  ['payments', () => env.DB, PAYMENTS_TABLES, PAYMENTS_TABLES_LEFT_OUT],
  ['back office', () => env.BACK_OFFICE_DB, BACK_OFFICE_TABLES, BACK_OFFICE_TABLES_LEFT_OUT],
])('%s: each table is exported, or left out for a reason', async (_name, db, tables, leftOut) => {
  const named = [...tables.map(({ table }) => table), ...Object.keys(leftOut)];
  expect(await tablesOf(db())).toEqual(named.sort());
  for (const { table, key } of tables) {
    const { results } = await db()
      .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
      .bind(table)
      .all<{ name: string }>();
    expect(
      results.map(({ name }) => name),
      table,
    ).toEqual([...key]);
  }
});

it('exports every row of both databases, and then names the parts in the manifest', async () => {
  await operateApi('/merchants/mer_alpha/suspend', { reason: 'Test' });
  await crons();
  const run = await manifest();
  for (const [name, db, tables] of [
    ['payments', env.DB, PAYMENTS_TABLES],
    ['back-office', env.BACK_OFFICE_DB, BACK_OFFICE_TABLES],
  ] as const) {
    for (const { table, key } of tables) {
      const { results } = await db
        .prepare(`SELECT * FROM ${table} ORDER BY ${key.join(', ')}`)
        .all();
      expect(await rowsIn(run, name, table), table).toEqual(results);
    }
  }
  expect(run.databases.payments.migrations.at(-1)).toMatch(/^\d{4}_\w+\.sql$/);
  expect(run.secrets).toMatchObject({ DATA_ENCRYPTION_KEYS: env.DATA_ENCRYPTION_KEYS });
  expect(run.secrets).not.toHaveProperty('BACKUP_KEYS');
});

it('keeps the secrets of providers and alerts in the manifest', async () => {
  const names = ['RAIL_M_PESA_PRODUCTION', ...CHANNEL_SECRETS];
  const optional = Object.fromEntries(names.map((name) => [name, 'x']));
  await continueBackup({ ...env, ...optional }, Date.now());
  expect((await manifest()).secrets).toMatchObject(optional);
});

it('exports nothing twice a day, and each entry of the audit log once', async () => {
  await operateApi('/merchants/mer_alpha/suspend', { reason: 'Test' });
  await crons();
  const first = await manifest();
  advance(HOUR_MS);
  await crons();
  expect(await manifests()).toHaveLength(1);
  advance(DAY_MS);
  await operateApi('/merchants/mer_alpha/reactivate', { reason: 'Test' });
  await crons();
  expect(await manifests()).toHaveLength(2);
  const entries = await rowsIn(await manifest(), 'payments', 'audit_log');
  expect(entries.map(({ id }) => id)).toEqual([1, 2]);
  expect(await partNames('databases/payments/audit_log/')).toHaveLength(2);
  const name = `databases/payments/${first.run}/merchants-1`;
  expect(await partNames('databases/payments/')).toContain(name);
});

it('exports the refunds of registers, which keep their ids taken after the payments are gone', async () => {
  await payHosted();
  await postRefund({ amountMinor: 100 });
  await consumeAll(caught);
  await booksReport();
  await crons();
  const run = await manifest();
  const [register] = run.registers;
  expect(register).toMatchObject({ environment: 'sandbox', merchantId: ALPHA.id, rows: 1 });
  const [refund] = await linesOf<object>(register?.parts[0]?.name ?? '');
  expect(refund).toMatchObject({ refund_unique_id: 'refund-1', payment_unique_id: 'order-1' });
});

it('exports the payment links of registers, also of a merchant without refunds', async () => {
  await createLink();
  await crons();
  const run = await manifest();
  expect(run.registers).toEqual([]);
  expect(run.links).toMatchObject([{ environment: 'sandbox', merchantId: ALPHA.id, rows: 1 }]);
  const [link] = await linesOf<object>(run.links?.[0]?.parts[0]?.name ?? '');
  expect(link).toMatchObject({ id: 'link-honey', is_active: 1 });
});

it('names what each book has copied', async () => {
  await payHosted();
  await booksAreFed(caught);
  advance(2 * HOUR_MS);
  await booksReport();
  await crons();
  const [part = ''] = await partNames('payments/');
  const [book] = (await manifest()).books;
  expect(book).toMatchObject({ environment: 'sandbox', merchantId: ALPHA.id, volume: 0 });
  expect(book).toMatchObject({ firstSequence: 1, lastSequence: 1, payments: 1 });
  expect(part).toContain(`/${book?.generation}/00000001-`);
});

it('names a book whose copy is not complete, and health counts it until it is', async () => {
  const { exportRecords } = PaymentIntentObject.prototype;
  const broken = vi
    .spyOn(PaymentIntentObject.prototype, 'exportRecords')
    .mockImplementation(async function (this: PaymentIntentObject) {
      const records = await exportRecords.call(this);
      if (JSON.stringify(records).includes('broken')) {
        throw plantedError();
      }
      return records;
    });
  const round = async () => {
    advance(2 * HOUR_MS);
    await fireBookAlarm();
  };
  const failingBooks = async () =>
    (await content<{ backup: { failingBooks: number } }>(operateApi('/health'))).backup
      .failingBooks;
  await createHosted({ paymentIntentUniqueId: 'broken' });
  for (let payments = 1; payments <= 3; payments += 1) {
    await createHosted({ paymentIntentUniqueId: `order-${payments}` });
    await booksAreFed(caught);
    await round();
    if (payments === 1) {
      await crons();
      expect((await manifest()).books).toMatchObject([{ lastSequence: 1, payments: 1 }]);
    }
  }
  // Each round has copied a payment, and failed with the other one.
  expect(Object.values(await paymentLines()).flat()).toEqual(['order-1', 'order-2', 'order-3']);
  expect(await failingBooks()).toBe(1);
  broken.mockRestore();
  await round();
  expect(Object.values(await paymentLines()).flat()).toContain('broken');
  expect(await failingBooks()).toBe(0);
});

it('names a book that has begun a new generation, with the time of its last whole copy', async () => {
  await payHosted();
  await booksAreFed(caught);
  advance(2 * HOUR_MS);
  await fireBookAlarm();
  const copiedAtMs = Date.now();
  await bookSql('UPDATE backup SET sequence = 0, to_id = 0');
  advance(DAY_MS);
  const bucket = replacePut(() => Promise.reject(plantedError()));
  await fireBookAlarm();
  bucket.repair();
  await crons();
  expect((await manifest()).books).toMatchObject([
    { merchantId: ALPHA.id, lastSequence: 0, atMs: copiedAtMs },
  ]);
});

describe('makes no backup, so that none of the bucket is replaced or deleted,', () => {
  const begin = () =>
    env.DB.exec("INSERT INTO restore VALUES (1, 'r', 1, 'Hana', '{}', '{}', NULL)");

  test.each([
    ['while the gateway has no merchants', () => loseGateway(new Map()).then(recordMigrations)],
    ['while a restore is under way', begin],
  ])('%s', async (_when, prepare) => {
    const old = 'databases/payments/20800101T013700Z/merchants-1';
    await prepare();
    await writePart(env, old, [{ id: 'mer_alpha' }], Date.now());
    await crons();
    expect(await operateApi('/backups', {})).toMatchObject({
      status: 409,
      envelope: { code: 'nothing_to_back_up' },
    });
    expect(await partNames()).toEqual([old]);
  });

  test('until the restore has ended', async () => {
    await begin();
    await crons();
    await env.DB.exec('UPDATE restore SET finished_at_ms = 1');
    await crons();
    expect((await manifest()).databases['back-office']).not.toBeNull();
  });
});

describe('a run that dies', () => {
  test.each(['before', 'after'])('%s any of its writes ends with the next cron', async (when) => {
    await operateApi('/merchants/mer_alpha/suspend', { reason: 'Test' });
    for (let writes = 0; (await manifests()).length === 0; writes += 1) {
      let left = writes;
      const bucket = replacePut(async (put) => {
        if (when === 'after') {
          await put();
        }
        left -= 1;
        if (left < 0) {
          throw plantedError();
        }
        return put();
      });
      await crons().catch(() => undefined);
      bucket.repair();
      expect(writes).toBeLessThan(40);
      // The lease of the dead call ends.
      advance(31 * SECOND_MS);
    }
    const run = await manifest();
    expect(await rowsIn(run, 'payments', 'audit_log')).toHaveLength(1);
    const { results } = await env.DB.prepare('SELECT * FROM merchants ORDER BY id').all();
    expect(await rowsIn(run, 'payments', 'merchants')).toEqual(results);
    const named = [run.databases.payments, run.databases['back-office']].flatMap(
      (database) => database?.tables.flatMap(({ parts }) => parts.map(({ name }) => name)) ?? [],
    );
    expect(await partNames('databases/')).toEqual(named.sort());
  });

  test('continues where it was, in calls as small as one page', async () => {
    const statements = Array.from({ length: 12 }, (_, index) => ({
      sql: 'INSERT INTO banks (code, name, supports_withdrawal) VALUES (?, ?, 1)',
      params: [`BANK${index}`, `Bank ${index}`],
    }));
    await runSql(statements);
    let calls = 0;
    while ((await continueBackup(env, Date.now(), { stepsMax: 1 })).state !== 'finished') {
      calls += 1;
    }
    expect(calls).toBeGreaterThan(PAYMENTS_TABLES.length);
    const run = await manifest();
    const { results } = await env.DB.prepare('SELECT * FROM banks ORDER BY code').all();
    expect(await rowsIn(run, 'payments', 'banks')).toEqual(results);
  });

  test('whose manifest cannot be written writes it with the next cron', async () => {
    const bucket = replacePut((put, name) =>
      name.startsWith('runs/') ? Promise.reject(plantedError()) : put(),
    );
    await crons().catch(() => undefined);
    bucket.repair();
    expect(await manifests()).toEqual([]);
    advance(31 * SECOND_MS);
    await crons();
    expect(await manifests()).toHaveLength(1);
  });
  test.each([
    ['finished', {}, 1],
    ['unfinished', { stepsMax: 1 }, 0],
  ] as const)(
    'does not store what a call does after its lease has passed to one that is %s',
    async (state, options, count) => {
      const bucket = replacePut(async (put) => {
        bucket.repair();
        advance(31 * SECOND_MS);
        expect(await continueBackup(env, Date.now(), options)).toMatchObject({ state });
        return put();
      });
      await expect(continueBackup(env, Date.now())).rejects.toThrow('another call continues');
      expect(await manifests()).toHaveLength(count);
    },
  );

  test('is continued by one call at a time', async () => {
    let inner: unknown;
    const bucket = replacePut(async (put) => {
      bucket.repair();
      inner = await continueBackup(env, Date.now());
      return put();
    });
    expect(await continueBackup(env, Date.now())).toMatchObject({ state: 'finished' });
    expect(inner).toMatchObject({ state: 'busy' });
  });
});

it('deletes runs after 35 days, but never the newest one, and keeps the audit log without addresses', async () => {
  await operateApi('/merchants/mer_alpha/invitations', { name: 'Almaz', role: 'owner' });
  const address = '192.0.2.1';
  const entry = {
    actor: { kind: 'member', id: 'mem_1', name: 'Sara', address },
    ...{ merchantId: 'mer_alpha', environment: null, target: 'mem_2', atMs: Date.now() },
    action: 'member.invited',
  } as const;
  await runBatch(env.BACK_OFFICE_DB, [auditEntry(entry)]);
  await crons();
  const first = await manifest();
  // Addresses stay as long as in the database, and 35 days more.
  expect(await rowsIn(first, 'back-office', 'audit_log')).toMatchObject([{}, { address }]);
  advance(36 * DAY_MS);
  await exportDatabase(env, { pagesMax: 0 });
  await continueBackup(env, Date.now());
  expect(await manifests()).toHaveLength(1);
  const names = await partNames('databases/');
  expect(names.filter((name) => name.startsWith(`databases/payments/${first.run}`))).toEqual([]);
  // The back office had no newer run.
  const { run = '' } = first.databases['back-office'] ?? {};
  expect(names.some((name) => name.startsWith(`databases/back-office/${run}/`))).toBe(true);
  advance(400 * DAY_MS);
  await crons();
  const second = await manifest();
  const entries = await rowsIn(second, 'back-office', 'audit_log');
  const invited = { action: 'member.invited', address: null };
  expect(entries).toMatchObject([invited, invited]);
});

test('a part of the audit log that cannot be opened keeps no address of the others', async () => {
  const actor = { kind: 'member', id: 'mem_1', name: 'Sara', address: '192.0.2.1' } as const;
  const about = { merchantId: 'mer_alpha', environment: null, target: 'mem_2' } as const;
  const entry = auditEntry({ actor, ...about, atMs: Date.now(), action: 'member.invited' });
  await runBatch(env.BACK_OFFICE_DB, [entry]);
  await crons();
  const damaged = auditPartName('back-office', 0, 0);
  await env.BACKUPS.put(damaged, 'damaged', { customMetadata: { writtenAtMs: '1' } });
  advance(436 * DAY_MS);
  await crons();
  expect(await rowsIn(await manifest(), 'back-office', 'audit_log')).toMatchObject([
    { address: null },
  ]);
  expect(await partNames()).toContain(damaged);
});

/** A function of the interface, as an intruder in the back office calls it. */
const backups = (name: string, ...args: unknown[]) => env.PAYMENTS.call(['backups', name], args);

async function takenRun(facts: object): Promise<HeldRun> {
  const taken = (await backups('takeRun', facts, true)) as { value: { progress: HeldRun } };
  const { run, lease } = taken.value.progress;
  return { run, lease };
}

it('takes from the back office only tables of its own database', async () => {
  const facts = { migrations: [], tables: ['members'], auditToId: 0 };
  for (const tables of [['../payments'], ['members', 'members']]) {
    await expect(backups('takeRun', { ...facts, tables }, false)).rejects.toThrow(
      'the arguments do not fit',
    );
  }
  const page = { table: 'members', part: 1, rows: [{ id: 'x' }], next: null };
  await expect(backups('storePage', { run: '20900101T000000Z', lease: 1 }, page)).rejects.toThrow(
    'run in progress',
  );
  const held = await takenRun(facts);
  for (const wrong of [
    { ...page, table: '../../payments/x' },
    { ...page, part: 1e9 },
    { ...page, rows: [{ id: 'x'.repeat(5_000_000) }] },
  ]) {
    await expect(backups('storePage', held, wrong)).rejects.toThrow('the arguments do not fit');
  }
  await backups('storePage', held, page);
  expect(await partNames()).toEqual([`databases/back-office/${held.run}/members-1`]);
});

describe('the back office cannot write a part again', () => {
  const TABLES = ['members', 'invitations', 'audit_log'];
  const entries = (...ids: readonly unknown[]) => ids.map((id) => ({ id, action: 'forged' }));
  const at = (table: string, part = 1, after: readonly unknown[] | null = null) => ({
    ...{ table, part, after },
  });
  const MEMBERS = { table: 'members', part: 1, rows: [{ id: 'x' }], next: at('invitations') };
  const INVITATIONS = { table: 'invitations', part: 1, rows: [], next: at('audit_log') };
  const LOG = { table: 'audit_log', part: 1, rows: entries(3, 4), next: null };

  const stored = async () =>
    Promise.all((await partNames()).map(async (name) => [name, await linesOf<RowLine>(name)]));

  /** A run that ended with the entries 1 and 2, and another one that has stored these pages. */
  async function running(...pages: readonly object[]): Promise<HeldRun> {
    const first = { ...LOG, rows: entries(1, 2) };
    let held = await takenRun({ migrations: [], tables: TABLES, auditToId: 2 });
    for (const page of [MEMBERS, INVITATIONS, first, null, ...pages]) {
      if (page === null) {
        advance(DAY_MS);
        held = await takenRun({ migrations: [], tables: TABLES, auditToId: 5 });
      } else {
        const { value } = (await backups('storePage', held, page)) as { value: number };
        held = { ...held, lease: value };
      }
    }
    return held;
  }

  test('by an audit log that ends before its last entry', async () => {
    const held = await running(MEMBERS, INVITATIONS, LOG);
    const before = await stored();
    advance(DAY_MS);
    const facts = { migrations: [], tables: TABLES, auditToId: 4 };
    await expect(backups('takeRun', facts, true)).rejects.toThrow('is backed up until 5');
    await expect(backups('storePage', held, MEMBERS)).rejects.toThrow('not the run in progress');
    expect(await stored()).toEqual(before);
  });

  test.each<readonly [string, readonly object[], object]>([
    ['a part again', [MEMBERS], MEMBERS],
    ['a later part', [], { ...MEMBERS, part: 2 }],
    ['a later table', [], INVITATIONS],
    ['an end before the last table', [], { ...MEMBERS, next: null }],
    ['a part that skips a number', [], { ...MEMBERS, next: at('members', 3) }],
    ['a way back', [MEMBERS], { ...INVITATIONS, next: at('members') }],
    ['a table from its middle', [MEMBERS], { ...INVITATIONS, next: at('audit_log', 1, [2]) }],
    ...(
      [
        ['an entry of the run before', [2, 3]],
        ['an entry twice', [3, 3]],
        ['entries in another order', [4, 3]],
        ['an entry beyond the run', [3, 6]],
        ['an entry without an id', ['x']],
      ] as const
    ).map(
      ([what, ids]) => [what, [MEMBERS, INVITATIONS], { ...LOG, rows: entries(...ids) }] as const,
    ),
    [
      'entries again after those that it names',
      [MEMBERS, INVITATIONS],
      { ...LOG, next: at('audit_log', 2, [2]) },
    ],
  ])('by %s', async (_what, pages, wrong) => {
    const held = await running(...pages);
    const before = await stored();
    await expect(backups('storePage', held, wrong)).rejects.toThrow('not the next page');
    expect(await stored()).toEqual(before);
  });

  test('and goes on with all pages in their order', async () => {
    const part = { ...LOG, rows: entries(3), next: at('audit_log', 2, [3]) };
    await running(MEMBERS, INVITATIONS, part, { ...LOG, part: 2, rows: entries(4) });
    const names = await partNames('databases/back-office/audit_log/');
    expect(names.map((name) => Number(name.split('-').at(-1)))).toEqual([2, 3, 4]);
  });
});

test('a run of other tables, such as an intruder’s, gives way to the next one', async () => {
  await takenRun({ migrations: [], tables: ['members'], auditToId: 0 });
  await crons();
  expect((await manifest()).databases['back-office']?.tables).toHaveLength(4);
});

test('a run whose end was lost after its last page ends with the next cron', async () => {
  await crons();
  const end = JSON.stringify({ table: '', part: 1, after: null });
  const sql = `UPDATE backup_runs SET finished_at_ms = NULL, place = ?1
    WHERE database = 'back-office'`;
  await runSql([{ sql, params: [end] }]);
  advance(HOUR_MS);
  expect(await exportDatabase(env)).toBe(true);
  expect((await exportOf(env.DB, 'back-office', null, 0))?.finishedAtMs).toBe(Date.now());
});

test('entries of the audit log replace no others of the same ids: the database was set back', async () => {
  const earlier = auditPartName('payments', 1, 1);
  await writePart(env, earlier, [{ id: 1, action: 'member.invited' }], Date.now());
  await operateApi('/merchants/mer_alpha/suspend', { reason: 'Test' });
  await crons();
  const run = await manifest();
  expect(await rowsIn(run, 'payments', 'audit_log')).toMatchObject([
    { action: 'merchant.suspended' },
  ]);
  expect(await partNames('databases/payments/audit_log/')).toEqual([
    earlier,
    `${earlier}-${run.run}`,
  ]);
  expect(await linesOf(earlier)).toEqual([{ id: 1, action: 'member.invited' }]);
});

interface Verified {
  readonly parts: number;
  readonly problems: readonly string[];
  readonly next: string | null;
}

/** All pages of a list about the run. */
async function pagesOf<Page extends { readonly next: string | null }>(path: string) {
  const found: Page[] = [];
  for (let after: string | null = ''; after !== null; after = found.at(-1)?.next ?? null) {
    const query: string = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
    found.push(await content<Page>(operateApi(`${path}${query}`)));
  }
  return found;
}

const problemsOf = async (run: string) =>
  (await pagesOf<Verified>(`/backups/${run}/verify`)).flatMap(({ problems }) => problems);

describe('the operator', () => {
  async function backUp(): Promise<string> {
    await payHosted();
    await booksAreFed(caught);
    for (let body = {}; ; ) {
      const begun = await content<{ run: string; isFinished: boolean; hasMembers: boolean }>(
        operateApi('/backups', body),
      );
      if (begun.isFinished) {
        return begun.run;
      }
      body = { continues: true, hasMembers: begun.hasMembers };
    }
  }

  test('backs up now twice in a minute, and the second backup has the members of the meantime', async () => {
    await backUp();
    await operateApi('/merchants/mer_alpha/invitations', { name: 'Almaz', role: 'owner' });
    const early = await content(operateApi('/backups', {}));
    expect(early).toMatchObject({ run: null, isFinished: false, hasMembers: false });
    advance(61 * SECOND_MS);
    const later = await content(operateApi('/backups', { continues: true, hasMembers: false }));
    expect(later).toMatchObject({ isFinished: true, hasMembers: true });
    const rows = await rowsIn(await manifest(), 'back-office', 'invitations');
    expect(rows).toMatchObject([{ name: 'Almaz' }]);
    const begun = (await auditLog()).filter(({ action }) => action === 'backup.begun');
    expect(begun).toHaveLength(2);
  });

  test('a request that is refused exports nothing, and leaves no entry', async () => {
    await operateApi('/merchants/mer_alpha/invitations', { name: 'Almaz', role: 'owner' });
    for (const body of [{ junk: 1 }, { continues: 'yes' }, { continues: true, junk: 1 }]) {
      expect(await operateApi('/backups', body)).toMatchObject({ status: 400 });
    }
    expect(await partNames()).toEqual([]);
    expect((await auditLog()).filter(({ action }) => action === 'backup.begun')).toEqual([]);
  });

  test('backs up now, also young payments, and sees it in the list and in health', async () => {
    const run = await backUp();
    expect(Object.values(await paymentLines())).toEqual([['order-1']]);
    expect(await content(operateApi('/backups'))).toEqual([{ run, finishedAtMs: Date.now() }]);
    expect((await manifest()).databases['back-office']).toMatchObject({ database: 'back-office' });
    const health = await content<object>(operateApi('/health'));
    expect(health).toMatchObject({
      backup: { finishedAtMs: Date.now(), membersFinishedAtMs: Date.now(), failingBooks: 0 },
    });
  });

  test('gets no manifest while the back office’s export is left by a dead call', async () => {
    await operateApi('/merchants/mer_alpha/invitations', { name: 'Almaz', role: 'owner' });
    const bucket = replacePut(() => Promise.reject(plantedError()));
    await exportDatabase(env).catch(() => undefined);
    bucket.repair();
    expect(await content(operateApi('/backups', {}))).toMatchObject({ isFinished: false });
    expect(await manifests()).toEqual([]);
    advance(31 * SECOND_MS);
    const begun = await content(operateApi('/backups', { continues: true }));
    expect(begun).toMatchObject({ isFinished: true });
    expect((await manifest()).databases['back-office']).not.toBeNull();
  });

  test('verifies every part, and learns which is missing, changed or replaced', async () => {
    const run = await backUp();
    expect(await problemsOf(run)).toEqual([]);
    const merchants = `databases/payments/${run}/merchants-1`;
    const [payments = ''] = await partNames('payments/');
    const bytes = await (await env.BACKUPS.get(merchants))?.arrayBuffer();
    await writePart(env, merchants, [{ id: 'mer_other' }], Date.now());
    expect(await problemsOf(run)).toEqual([`${merchants} has 1 lines, the manifest says 2`]);
    await env.BACKUPS.put(merchants, bytes ?? '');
    await env.BACKUPS.put(payments, bytes ?? '');
    expect(await problemsOf(run)).toEqual([`${payments} was damaged or renamed`]);
    await env.BACKUPS.delete(payments);
    const missing = payments.replace(/-\d+-\d+$/, '-');
    expect(await problemsOf(run)).toEqual([`${missing}… is missing`]);
    const later = missing.replace('00000001', '00000002');
    await writePart(env, `${missing}1-1`, [], Date.now());
    await writePart(env, `${later.replace('00000002', '00000003')}2-2`, [], Date.now());
    expect(await problemsOf(run)).toHaveLength(1);
  });

  test('learns that the first parts of a book are missing, unless the book has deleted them', async () => {
    await payHosted();
    await booksAreFed(caught);
    for (let parts = 1; parts <= 3; parts += 1) {
      await createHosted({ paymentIntentUniqueId: `order-${parts + 1}` });
      await booksAreFed(caught);
      advance(DAY_MS);
      await fireBookAlarm();
    }
    await crons();
    const { run } = await manifest();
    const [first = '', second] = await partNames('payments/');
    expect(await problemsOf(run)).toEqual([]);
    await env.BACKUPS.delete(first);
    expect(await problemsOf(run)).toEqual([`parts before ${second} are missing`]);
    await bookSql('UPDATE backup SET kept_from = 2');
    await booksReport();
    expect(await problemsOf(run)).toEqual([]);
  });

  test('learns of a book that the manifest does not name, unless it began after the run', async () => {
    const run = await backUp();
    const named = await manifest();
    for (const [startedAtMs, problems] of [
      [Date.now() - 1, []],
      [Date.now() + 1, [`the manifest does not name the book payments/sandbox/${ALPHA.id}/0/`]],
    ] as const) {
      const changed = { ...named, books: [], startedAtMs };
      await writePart(env, manifestName(run), [changed], Date.now());
      expect(await problemsOf(run)).toEqual(problems);
    }
  });

  test('copies all sealed parts, which open with the key alone', async () => {
    const run = await backUp();
    interface Parts {
      readonly parts: readonly { readonly name: string }[];
      readonly next: string | null;
      readonly reading: string;
    }
    const pages = await pagesOf<Parts>(`/backups/${run}/parts`);
    const names = pages.flatMap(({ parts }) => parts.map(({ name }) => name));
    expect(names.sort()).toEqual(await partNames());
    for (const name of names) {
      const query = new URLSearchParams({ name, reading: pages[0]?.reading ?? '' });
      const { base64 } = await content<{ base64: string }>(operateApi(`/backup-part?${query}`));
      const keys = keyRing('BACKUP_KEYS', env.BACKUP_KEYS);
      await expect(openPart(keys, name, bytesFromBase64(base64))).resolves.not.toEqual([]);
    }
    const readings = async () =>
      (await auditLog()).flatMap((entry) => (entry.action === 'backup.read' ? [entry.target] : []));
    expect(await readings()).toEqual([run]);
    // A part without a list of the last day is read for itself.
    const [name = ''] = names;
    for (const reading of [undefined, pages[0]?.next, pages[0]?.reading]) {
      advance(reading === pages[0]?.reading ? DAY_MS + 1 : 0);
      const query = new URLSearchParams({ name, ...(reading && { reading }) });
      expect((await operateApi(`/backup-part?${query}`)).status).toBe(200);
    }
    expect(await readings()).toEqual([run, name, name, name]);
    const later = `/backups/${run}/parts?${new URLSearchParams({ after: '5:' })}`;
    expect((await operateApi(later)).status).toBe(400);
  });
});
