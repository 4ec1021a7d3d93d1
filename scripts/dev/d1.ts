import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import type { SqlStatement } from '../../src/kit/platform/database.ts';
import {
  BACK_OFFICE_CONFIG_FILE,
  BACK_OFFICE_MIGRATIONS_DIRECTORY,
  MIGRATIONS_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from '../project/files.ts';
import { WRANGLER_ENVIRONMENT } from '../project/wrangler.ts';
import { type LocalDatabase, localDatabase, SQL_SCRIPT } from './sql-worker.ts';

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

/** The ids under which the data of payments' and the back office's database lie, as wrangler's. */
export async function databaseIds(): Promise<readonly [string, string]> {
  const [payments, backOffice] = await Promise.all(
    [WRANGLER_CONFIG_FILE, BACK_OFFICE_CONFIG_FILE].map(async (file) => {
      const { d1_databases: databases } = parse(await readFile(file, 'utf8'));
      const [{ binding, database_id }] = databases as [Readonly<Record<string, string>>];
      return database_id ?? binding;
    }),
  );
  return [String(payments), String(backOffice)];
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
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const ids = await databaseIds();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDirectory, 'v3'),
      cf: false,
      logRequests: false,
      modules: true,
      script: SQL_SCRIPT,
      compatibilityDate: '2026-11-01',
      d1Databases: [...ids],
    }),
  );
  try {
    const [payments, backOffice] = ids.map((id) =>
      localDatabase(id, (init) => miniflare.dispatchFetch('http://sql', init)),
    ) as [LocalDatabase, LocalDatabase];
    await migrate(payments, backOffice);
    await payments.batch(await provision(payments));
    await backOffice.batch(people);
  } finally {
    await miniflare.dispose();
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
    for (const { name, sql } of await pendingMigrations(database, migrations)) {
      await database.batch([
        ...unstable_splitSqlQuery(sql).map((statement) => ({ sql: statement, params: [] })),
        { sql: 'INSERT INTO d1_migrations (name) VALUES (?1)', params: [name] },
      ]);
    }
  }
}

async function pendingMigrations(
  database: LocalDatabase,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const [, applied] = await database.batch([
    {
      sql: `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
      )`,
      params: [],
    },
    { sql: 'SELECT name FROM d1_migrations', params: [] },
  ]);
  const names = new Set(applied?.results.map(({ name }) => name));
  return migrations.filter((migration) => !names.has(migration.name));
}
