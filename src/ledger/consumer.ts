import { intentByObjectId } from '../intent/client.ts';
import type { LedgerMessage, LedgerRow } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';

const UPSERT = `
  INSERT INTO payment (uuid, environment, merchant_id, number, unique_id, version, kind, status,
    amount_minor, currency, method, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (uuid) DO UPDATE SET version = excluded.version, status = excluded.status,
    method = excluded.method, updated_at_ms = excluded.updated_at_ms
  WHERE excluded.version > payment.version`;

/**
 * Brings a batch of changes into D1: the newest of each payment, in one transaction, guarded by
 * version so that duplicates and reordering do nothing. The object is told afterwards; until it has
 * been, its own lease sends the change again.
 */
export async function consumeLedger(batch: MessageBatch<LedgerMessage>, env: Env): Promise<void> {
  const newest = new Map<string, LedgerMessage>();
  for (const { body } of batch.messages) {
    const known = newest.get(body.objectId);
    if (known === undefined || known.version < body.version) {
      newest.set(body.objectId, body);
    }
  }
  const changes = [...newest.values()];
  try {
    await env.DB.batch(changes.map(({ row, version }) => upsert(env, row, version)));
  } catch (error) {
    log('warn', 'ledger_write_failed', { messages: changes.length, error: errorText(error) });
    batch.retryAll();
    return;
  }
  batch.ackAll();
  const reports = changes.map(({ objectId, version }) =>
    intentByObjectId(env, objectId).reportLedger(version),
  );
  for (const result of await Promise.allSettled(reports)) {
    if (result.status === 'rejected') {
      log('warn', 'ledger_report_failed', { error: errorText(result.reason) });
    }
  }
}

function upsert(env: Env, row: LedgerRow, version: number): D1PreparedStatement {
  return env.DB.prepare(UPSERT).bind(
    row.uuid,
    row.environment,
    row.merchantId,
    row.number,
    row.uniqueId,
    version,
    row.kind,
    row.status,
    row.amountMinor,
    row.currency,
    row.method,
    row.createdAtMs,
    row.updatedAtMs,
  );
}
