import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

type Rows = Record<string, unknown>[];

/**
 * One SQLite database in memory. Opening one and creating tables takes longer than most histories,
 * so a history works within a transaction that `reset` rolls back.
 */
export class Sqlite {
  readonly #db = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  /** Rows that were read since the last write. */
  readonly #read = new Map<string, Rows>();
  /** Rows that the last statement changed. */
  changes = 0;

  constructor(schema: readonly string[] = []) {
    for (const sql of schema) {
      this.#db.exec(sql);
    }
    this.#db.exec('BEGIN');
  }

  /** Back to the state after the schema. */
  reset(): void {
    this.#read.clear();
    this.#db.exec('ROLLBACK; BEGIN');
  }

  /** The rows of a statement; several statements without parameters return none. */
  all(sql: string, params: readonly unknown[]): Rows {
    if (!/^\s*SELECT\b/.test(sql)) {
      return this.#write(sql, params);
    }
    // Objects read the same rows several times for each command.
    const key = params.length === 0 ? sql : `${sql}\0${params.join('\0')}`;
    let rows = this.#read.get(key);
    if (rows === undefined) {
      rows = this.#statement(sql).all(...(params as SQLInputValue[])) as Rows;
      this.#read.set(key, rows);
    }
    return rows;
  }

  #write(sql: string, params: readonly unknown[]): Rows {
    this.#read.clear();
    this.changes = 0;
    if (params.length === 0 && /;\s*\S/.test(sql)) {
      this.#db.exec(sql);
      return [];
    }
    const statement = this.#statement(sql);
    if (/\bRETURNING\b/.test(sql)) {
      const rows = statement.all(...(params as SQLInputValue[])) as Rows;
      this.changes = rows.length;
      return rows;
    }
    this.changes = Number(statement.run(...(params as SQLInputValue[])).changes);
    return [];
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** All or nothing. */
  transaction<T>(work: () => T): T {
    this.#db.exec('SAVEPOINT step');
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#read.clear();
      this.#db.exec('ROLLBACK TO step; RELEASE step');
      throw error;
    }
    this.#db.exec('RELEASE step');
    return result;
  }
}
