import { env } from 'cloudflare:workers';

/** Each table of D1 with its rows as text, without those that `isLeftOut`. */
export async function databaseRows(
  isLeftOut: (table: string) => boolean = () => false,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { results: tables } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
      AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name`,
  ).all<{ name: string }>();
  const names = tables.map(({ name }) => name).filter((name) => !isLeftOut(name));
  const rows = await env.DB.batch(names.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      (rows[index]?.results ?? []).map((row) => JSON.stringify(row)),
    ]),
  );
}
