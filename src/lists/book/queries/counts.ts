/** How many payments of each status, and how many refunds, a book has: for the proof of a restore. */
export function counts(sql: SqlStorage) {
  const payments = sql
    .exec<{ status: string; count: number }>(
      `SELECT status, count(*) AS count FROM payment INDEXED BY payment_by_state GROUP BY status`,
    )
    .toArray();
  const [{ refunds = 0 } = {}] = sql
    .exec<{ refunds: number }>('SELECT count(*) AS refunds FROM refund')
    .toArray();
  return { payments, refunds };
}
