import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** A D1 in this process, with the tables of a folder of migrations. */
export function sqliteD1(migrations: string): D1Database {
  const sqlite = new DatabaseSync(':memory:');
  for (const file of globSync(`${migrations}/*.sql`, { cwd: PROJECT_DIRECTORY }).sort()) {
    sqlite.exec(readFileSync(join(PROJECT_DIRECTORY, file), 'utf8'));
  }
  const prepare = (sql: string, params: readonly SQLInputValue[] = []) => {
    const run = () => {
      const results = sqlite.prepare(sql).all(...params);
      return { results, meta: { changes: 0 } };
    };
    return {
      run,
      bind: (...bound: readonly SQLInputValue[]) => prepare(sql, bound),
      all: async () => run(),
      first: async (column?: string) => {
        const [row] = run().results;
        return row === undefined ? null : column === undefined ? row : row[column];
      },
    };
  };
  const batch = async (statements: readonly ReturnType<typeof prepare>[]) =>
    statements.map(({ run }) => run());
  return { prepare, batch } as unknown as D1Database;
}
