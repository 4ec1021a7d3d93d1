import { concurrently } from '../../kit/platform/concurrently.ts';
import { batch, prepare } from '../../kit/platform/database.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';

/** Books that have lost payments which they had reported to D1. Their payments are not affected. */
export interface LostBook extends Tenant {
  readonly volume: number;
  /** When it was found, or the first payment that the book got afterwards. */
  readonly lostAtMs: number;
}

const SHOWN_MAX = 100;

/** Each is a call, and a Worker may make a thousand. Another look takes other ones. */
const ASKED_MAX = 200;

/** The known lost books, the oldest loss first. */
export async function lostBooks(
  db: D1Database,
  environments: readonly Environment[],
  limit = SHOWN_MAX,
): Promise<readonly LostBook[]> {
  const sql = `SELECT environment, merchant_id AS merchantId, volume, digest ->> '$.lostAtMs' AS lostAtMs
    FROM book_digest WHERE digest ->> '$.lostAtMs' IS NOT NULL
      AND environment IN (SELECT value FROM json_each(?1))
    ORDER BY lostAtMs, environment, merchant_id, volume LIMIT ?2`;
  const params = [JSON.stringify(environments), limit];
  return (await prepare(db, { sql, params }).all<LostBook>()).results;
}

/** A merchant of a lost book must not look as if it was paid nothing. */
const LOST_MAX = 10_000;

/** The merchants of whose payments no book can say that it has all. */
export async function merchantsOfLostBooks(
  db: D1Database,
  environment: Environment,
): Promise<ReadonlySet<string>> {
  const lost = await lostBooks(db, [environment], LOST_MAX);
  return new Set(lost.map(({ merchantId }) => merchantId));
}

/**
 * Marks books that are empty although they have reported payments: nothing else wakes a lost book. One
 * that is out of reach is no lost one. Returns how many were asked.
 */
export async function lookForLostBooks(env: Env, nowMs: number): Promise<number> {
  const { results: books } = await prepare(env.DB, {
    sql: `SELECT environment, merchant_id AS merchantId, volume FROM book_digest
      ORDER BY random() LIMIT ${ASKED_MAX}`,
    params: [],
  }).all<Omit<LostBook, 'lostAtMs'>>();
  const found = await concurrently(books, async ({ volume, ...tenant }) => {
    const first = bookOf(env, tenant, volume).ask('paymentsAfter', 0, 1);
    const isEmpty = await first.then(
      (payments) => payments === null || payments.length === 0,
      () => false,
    );
    return isEmpty ? [{ volume, ...tenant }] : [];
  });
  const statements = found.flat().map(({ environment, merchantId, volume }) => ({
    sql: `UPDATE book_digest SET digest = json_set(digest, '$.lostAtMs', ?4)
      WHERE environment = ?1 AND merchant_id = ?2 AND volume = ?3
        AND digest ->> '$.lostAtMs' IS NULL`,
    params: [environment, merchantId, volume, nowMs],
  }));
  if (statements.length > 0) {
    await batch(env.DB, statements);
  }
  return books.length;
}

/** `production/abebe/0`. */
export function lostBookName({ environment, merchantId, volume }: LostBook): string {
  return `${environment}/${merchantId}/${volume}`;
}
