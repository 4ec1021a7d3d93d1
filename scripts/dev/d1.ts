import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import type { SqlStatement } from '../../src/platform/database.ts';
import {
  BACK_OFFICE_CONFIG_FILE,
  BACK_OFFICE_MIGRATIONS_DIRECTORY,
  MIGRATIONS_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from '../project/files.ts';
import { WRANGLER_ENVIRONMENT } from '../project/wrangler.ts';

export interface Migration {
  /** File name, as in D1's table of applied migrations. */
  readonly name: string;
  readonly sql: string;
}

/** All migrations of a directory in the order of their numbers. */
async function migrationsIn(directory: string): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(join(directory, name), 'utf8'),
    })),
  );
}

/** The migrations of both databases. */
export function readMigrations() {
  return Promise.all([
    migrationsIn(MIGRATIONS_DIRECTORY),
    migrationsIn(BACK_OFFICE_MIGRATIONS_DIRECTORY),
  ]);
}

/** The `[[d1_databases]]` of both Workers; local data lives under the database's id. */
export async function databaseSettings(): Promise<readonly unknown[]> {
  const files = [WRANGLER_CONFIG_FILE, BACK_OFFICE_CONFIG_FILE];
  const configs = files.map(async (file) => parse(await readFile(file, 'utf8')).d1_databases);
  return (await Promise.all(configs)).flat();
}

/**
 * Applies pending migrations to the local databases in `stateDirectory` (what `--persist-to` names),
 * then the statements that `provision` returns to payments' and `people` to the back office's, as one
 * batch each. One start of workerd does all of it, where wrangler's commands need one each. The table
 * of applied migrations is wrangler's.
 */
export async function prepareLocalDatabase(
  stateDirectory: string,
  provision: (database: LocalDatabase) => Promise<readonly SqlStatement[]> = async () => [],
  people: readonly SqlStatement[] = [],
): Promise<void> {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const { getPlatformProxy } = await import('wrangler');
  // A configuration with the databases alone, or the proxy would open the payments' storage too.
  const directory = await mkdtemp(join(tmpdir(), 'kefel-d1-'));
  try {
    const configPath = join(directory, 'wrangler.json');
    const databases = await databaseSettings();
    await writeFile(configPath, JSON.stringify({ name: 'kefel', d1_databases: databases }));
    const proxy = await getPlatformProxy<Record<'DB' | 'BACK_OFFICE_DB', LocalDatabase>>({
      configPath,
      envFiles: [],
      persist: { path: join(stateDirectory, 'v3') },
      remoteBindings: false,
    });
    try {
      const { DB, BACK_OFFICE_DB } = proxy.env;
      await migrate(DB, BACK_OFFICE_DB);
      await runBatch(DB, await provision(DB));
      await runBatch(BACK_OFFICE_DB, people);
    } finally {
      await proxy.dispose();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Applies pending migrations to both databases. */
export async function migrate(payments: LocalDatabase, backOffice: LocalDatabase): Promise<void> {
  const { unstable_splitSqlQuery } = await import('wrangler');
  const [ofPayments, ofBackOffice] = await readMigrations();
  for (const [database, migrations] of [
    [payments, ofPayments],
    [backOffice, ofBackOffice],
  ] as const) {
    for (const migration of await pendingMigrations(database, migrations)) {
      await runBatch(database, [
        ...unstable_splitSqlQuery(migration.sql).map((sql) => ({ sql, params: [] })),
        { sql: 'INSERT INTO d1_migrations (name) VALUES (?1)', params: [migration.name] },
      ]);
    }
  }
}

/** The part of D1's interface that the scripts use. */
export interface LocalDatabase {
  prepare(sql: string): LocalStatement;
  batch(statements: readonly LocalStatement[]): Promise<readonly LocalResult<unknown>[]>;
}

export interface LocalResult<Row> {
  readonly results: readonly Row[];
  /** An entry of an index is a row too. */
  readonly meta: {
    readonly rows_read: number;
    readonly rows_written: number;
  };
}

export interface LocalStatement {
  bind(...params: readonly (string | number | null)[]): LocalStatement;
  run(): Promise<unknown>;
  all<Row>(): Promise<LocalResult<Row>>;
}

async function pendingMigrations(
  database: LocalDatabase,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  await database
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
      )`,
    )
    .run();
  const { results } = await database
    .prepare('SELECT name FROM d1_migrations')
    .all<{ readonly name: string }>();
  const applied = new Set(results.map((row) => row.name));
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** Runs all statements, or none when one fails. */
export async function runBatch(
  database: LocalDatabase,
  statements: readonly SqlStatement[],
): Promise<readonly LocalResult<unknown>[]> {
  return statements.length === 0
    ? []
    : database.batch(statements.map(({ sql, params }) => database.prepare(sql).bind(...params)));
}
