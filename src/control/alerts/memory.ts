/** Small values of the object by name, in JSON. */

export const MEMORY_TABLE =
  'CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;';

export class Memory {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get<Value>(name: string): Value | null {
    const rows = this.#sql.exec<{ value: string }>('SELECT value FROM memory WHERE name = ?', name);
    const [row] = rows.toArray();
    return row === undefined ? null : JSON.parse(row.value);
  }

  /** All whose names begin so, with their names. */
  all<Value>(prefix: string): readonly (readonly [string, Value])[] {
    const rows = this.#sql.exec<{ name: string; value: string }>(
      "SELECT name, value FROM memory WHERE name GLOB ?1 || '*'",
      prefix,
    );
    return rows.toArray().map(({ name, value }) => [name, JSON.parse(value)] as const);
  }

  put(name: string, value: object): void {
    this.#sql.exec(
      'INSERT INTO memory (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2',
      name,
      JSON.stringify(value),
    );
  }
}
