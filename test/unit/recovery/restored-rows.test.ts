import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { BACK_OFFICE_TABLES } from '../../../back-office/backup.ts';
import { PAYMENTS_TABLES } from '../../../src/recovery/backup/tables.ts';
import { PARENTS } from '../../../src/recovery/restore/rows.ts';

/** Goal: a restore knows every reference by which a database would refuse a whole part. */

test.each([
  ['migrations', PAYMENTS_TABLES],
  ['back-office/migrations', BACK_OFFICE_TABLES],
])('the parents of restored rows are those of %s', (folder, tables) => {
  const db = new DatabaseSync(':memory:');
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort()) {
    db.exec(readFileSync(join(folder, file), 'utf8'));
  }
  for (const { table } of tables) {
    const keys = db.prepare(`PRAGMA foreign_key_list(${table})`).all();
    const parents = [...Map.groupBy(keys, ({ id }) => id).values()].map((own) => ({
      columns: own.map(({ from }) => from),
      table: own[0]?.table,
      keys: own.map(({ to }) => to),
    }));
    const texts = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();
    expect([table, texts(parents)]).toEqual([table, texts(PARENTS[table] ?? [])]);
  }
});
