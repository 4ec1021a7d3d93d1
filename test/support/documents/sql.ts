import type { Command } from './commands.ts';
import { blocksOf, DOCUMENTS, spansOf } from './markdown.ts';

/** A statement that a document tells its reader to run on D1. */
export type DocumentedSql = {
  /** `docs/operations.md:155` */
  readonly place: string;
  readonly sql: string;
};

/** A span of SQL. `DELETE /api/…` is not SQL. */
const STATEMENT =
  /^(?:SELECT|WITH|EXPLAIN|PRAGMA|INSERT INTO|REPLACE INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP)\s+[^/]/;

/** The SQL of all documents: of commands, of blocks and of spans in the text. */
export function documentedSql(commands: readonly Command[]): DocumentedSql[] {
  const written = DOCUMENTS.flatMap((document) =>
    [
      ...blocksOf(document).filter(({ language }) => language === 'sql'),
      ...spansOf(document).filter(({ text }) => STATEMENT.test(text)),
    ].map(({ line, text }) => ({ place: `${document}:${line}`, sql: text })),
  );
  return [...commands.flatMap(sqlOf), ...written];
}

/** What `wrangler d1 execute … --command SQL` runs. */
function sqlOf({ place, words }: Command): DocumentedSql[] {
  const at = words.indexOf('--command');
  const isD1 = words.slice(0, 4).join(' ') === 'npx wrangler d1 execute';
  return isD1 && at > 0 ? [{ place, sql: words[at + 1] ?? '' }] : [];
}
