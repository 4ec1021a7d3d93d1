import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, never } from './clock.ts';
import { SimulatedFailure } from './faults.ts';
import { Sqlite } from './sqlite.ts';

/** D1 in memory, with the migrations of the repository. */

interface Result {
  readonly results: Record<string, unknown>[];
  readonly meta: { readonly changes: number };
}

export class Database {
  readonly #clock: Clock;
  readonly sql: Sqlite;

  constructor(clock: Clock, sql: Sqlite) {
    this.#clock = clock;
    this.sql = sql;
  }

  prepare(sql: string): Statement {
    return new Statement(this, sql, []);
  }

  /** All statements or none. */
  batch(statements: readonly Statement[]): Promise<Result[]> {
    return this.call(() => this.sql.transaction(() => statements.map(({ run }) => run())));
  }

  /** One round trip to D1 with its faults. */
  call<T>(execute: () => T): Promise<T> {
    const clock = this.#clock;
    if (!clock.isCallPossible() || clock.strikes('database_hangs')) {
      return never();
    }
    const isDown = clock.isDown('database') || clock.strikes('database_fails');
    return clock.call(clock.latencyMs(), () => {
      if (isDown) {
        throw new SimulatedFailure('D1_ERROR: network connection lost');
      }
      const result = execute();
      if (clock.strikes('database_answer_lost')) {
        throw new SimulatedFailure('D1_ERROR: network connection lost');
      }
      return result;
    });
  }
}

class Statement {
  readonly #database: Database;
  readonly #sql: string;
  readonly #params: readonly unknown[];

  constructor(database: Database, sql: string, params: readonly unknown[]) {
    this.#database = database;
    this.#sql = sql;
    this.#params = params;
  }

  bind(...params: readonly unknown[]): Statement {
    return new Statement(this.#database, this.#sql, params);
  }

  /** Executes at once: what the database does when the statement arrives. */
  readonly run = (): Result => {
    const { sql } = this.#database;
    const results = sql.all(this.#sql, this.#params);
    return { results, meta: { changes: sql.changes } };
  };

  all(): Promise<Result> {
    return this.#database.call(this.run);
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results;
    return row === undefined ? null : column === undefined ? row : row[column];
  }
}

/** With the tables of the repository's migrations. `root`: of the repository. */
export function newSqlite(root: string): Sqlite {
  const files = globSync('migrations/*.sql', { cwd: root }).sort();
  const schema = files.map((file) => readFileSync(join(root, file), 'utf8'));
  // Wrangler's own table, which a backup reads.
  return new Sqlite([...schema, 'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)']);
}
