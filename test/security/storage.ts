import { env } from 'cloudflare:workers';

/** Each table of both databases with its rows as text, without those that `isLeftOut`. */
export async function databaseRows(
  isLeftOut: (table: string) => boolean = () => false,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows: Record<string, readonly string[]> = {};
  for (const database of [env.BACK_OFFICE_DB, env.DB]) {
    for (const [table, found] of await rowsOf(database, isLeftOut)) {
      rows[table] = [...(rows[table] ?? []), ...found];
    }
  }
  return rows;
}

async function rowsOf(database: D1Database, isLeftOut: (table: string) => boolean) {
  const { results: tables } = await database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
        AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name`,
    )
    .all<{ name: string }>();
  const names = tables.map(({ name }) => name).filter((name) => !isLeftOut(name));
  return Promise.all(
    names.map(async (name) => {
      // Without a batch, because some tests replace it.
      const { results } = await database.prepare(`SELECT * FROM "${name}"`).all();
      return [name, results.map((row) => JSON.stringify(row))] as const;
    }),
  );
}
