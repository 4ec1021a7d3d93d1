import { STAGES } from '../../src/engine/register/protocol.ts';
import type { Ended } from './ended.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
/** Their provider reports by the reference alone. */
const SHARED_RAILS = ['cbe-birr'];

/**
 * The merchants' registers hold exactly the refunds that the payments hold: no claim is left, and the
 * sum of a day is that of the refunds that were requested on it and did not fail. They know each
 * reference that a provider may report.
 */
export function checkRegisters({ registers, journal }: World, ended: readonly Ended[]): void {
  const tenants = new Set(
    ended.map(({ payment: { merchant } }) => `${merchant.environment}/${merchant.merchantId}`),
  );
  for (const name of tenants) {
    const owners = new Map<string, string>();
    const sums = new Map<string, number>();
    const attempts: string[][] = [];
    for (const { intent } of ended) {
      const { environment, merchantId, uniqueId, currency } = intent.terms;
      if (`${environment}/${merchantId}` !== name) {
        continue;
      }
      for (const { reference, railId } of intent.attempts) {
        if (SHARED_RAILS.includes(railId)) {
          attempts.push([reference, uniqueId]);
        }
      }
      for (const { id, status, amountMinor, createdAtMs } of intent.refunds) {
        owners.set(id, uniqueId);
        const counts = status !== 'failed' && status !== 'canceled';
        const day = `${Math.floor((createdAtMs + 3 * HOUR_MS) / (24 * HOUR_MS))} ${currency}`;
        sums.set(day, (sums.get(day) ?? 0) + (counts ? amountMinor : 0));
      }
    }
    const id = registers.namespace.idFromName(name).toString();
    const sql = registers.hosts.get(id)?.sql;
    const exists = sql?.all("SELECT 1 FROM sqlite_master WHERE name = 'refunds'", []).length === 1;
    const rowsOf = (query: string) => (exists ? (sql?.all(query, []) ?? []) : []);
    const shown = {
      claims: linesOf(rowsOf('SELECT * FROM refund_claims').map(Object.values)),
      refunds: linesOf(
        rowsOf('SELECT refund_unique_id, payment_unique_id FROM refunds').map(Object.values),
      ),
      days: linesOf(
        rowsOf("SELECT day || ' ' || currency, amount_minor FROM refund_days").map(Object.values),
      ),
    };
    // A payment may have come back from an older copy than its register.
    for (const row of rowsOf(
      'SELECT * FROM unconfirmed_refunds JOIN refunds USING (refund_unique_id)',
    )) {
      owners.set(String(row.refund_unique_id), String(row.payment_unique_id));
      const key = `${row.day} ${row.currency}`;
      sums.set(
        key,
        (sums.get(key) ?? 0) + Number(row.stage === STAGES.given_back ? 0 : row.amount_minor),
      );
    }
    for (const [reference = '', owner] of attempts) {
      const query = `SELECT payment_unique_id AS owner FROM attempt_references
        WHERE reference = '${reference}'`;
      journal.same('9 reports', `reference ${reference}`, rowsOf(query)[0], { owner });
    }
    const wanted = { claims: '', refunds: linesOf([...owners]), days: linesOf([...sums]) };
    journal.same('11 refunds', `the register of ${name}`, shown, wanted);
  }
}

/** Days without an amount may have no row. */
function linesOf(rows: readonly (readonly unknown[])[]): string {
  return rows
    .filter((row) => row.at(-1) !== 0)
    .map((row) => row.join(' '))
    .sort()
    .join('; ');
}
