import { prepare } from '../../src/kit/platform/database.ts';
import { errorText, log } from '../../src/kit/platform/log.ts';

/** A session writes one CSV file at a time: a full one reads 100,000 rows of the book. */

/** A download that sends no row for this long counts as ended, because a Worker can die. */
export const EXPORT_LEASE_MS = 60_000;

/** Whether the session may begin a file now. Claims the lease if so. */
export async function claimExport(db: D1Database, digest: string, nowMs: number): Promise<boolean> {
  const sql = `UPDATE sessions SET exporting_until_ms = ?3
    WHERE digest = ?1 AND (exporting_until_ms IS NULL OR exporting_until_ms <= ?2)`;
  const params = [digest, nowMs, nowMs + EXPORT_LEASE_MS];
  return (await prepare(db, { sql, params }).run()).meta.changes === 1;
}

/** The file's pages. Renews the lease while they are read, and ends it with the last. */
export async function* leased<Page>(
  db: D1Database,
  digest: string,
  claimedAtMs: number,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page, void, void> {
  let untilMs = claimedAtMs + EXPORT_LEASE_MS;
  // Changes only this file's own lease: a later file may have taken over after a pause.
  const sql =
    'UPDATE sessions SET exporting_until_ms = ?3 WHERE digest = ?1 AND exporting_until_ms = ?2';
  const replaceBy = async (nextMs: number | null) =>
    prepare(db, { sql, params: [digest, untilMs, nextMs] }).run();
  try {
    for await (const page of pages) {
      const nextMs = Date.now() + EXPORT_LEASE_MS;
      if (nextMs - untilMs >= EXPORT_LEASE_MS / 2) {
        await replaceBy(nextMs);
        untilMs = nextMs;
      }
      yield page;
    }
  } finally {
    // The file is whole without it, and the lease ends by itself.
    await replaceBy(null).catch((error: unknown) => {
      log('warn', 'export_lease_not_ended', { error: errorText(error) });
    });
  }
}
