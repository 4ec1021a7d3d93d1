import { intentByObjectId } from '../intent/client.ts';
import type { LedgerMessage, LedgerRow } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';

const UPSERT = `
  INSERT INTO payment (uuid, environment, merchant_id, number, unique_id, version, kind, status,
    amount_minor, currency, method, unresolved_attempts, anomalies, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (uuid) DO UPDATE SET version = excluded.version, status = excluded.status,
    method = excluded.method, unresolved_attempts = excluded.unresolved_attempts,
    anomalies = excluded.anomalies, updated_at_ms = excluded.updated_at_ms
  WHERE excluded.version > payment.version`;

/**
 * Brings a batch of changes into D1: the newest of each payment, guarded by version so that
 * duplicates and reordering do nothing. The object is told afterwards; until it has been, its own
 * lease sends the change again.
 */
export async function consumeLedger(batch: MessageBatch<LedgerMessage>, env: Env): Promise<void> {
  const newest = new Map<string, Message<LedgerMessage>>();
  for (const message of batch.messages) {
    const known = newest.get(message.body.objectId);
    if (known === undefined || known.body.version < message.body.version) {
      newest.set(message.body.objectId, message);
    }
  }
  const written = await write(env, [...newest.values()]);
  for (const message of batch.messages) {
    const chosen = newest.get(message.body.objectId) ?? message;
    if (written.has(chosen)) {
      message.ack();
    } else {
      message.retry();
    }
  }
  const reports = [...written].map(({ body }) =>
    intentByObjectId(env, body.objectId).reportLedger(body.version),
  );
  for (const result of await Promise.allSettled(reports)) {
    if (result.status === 'rejected') {
      log('warn', 'ledger_report_failed', { error: errorText(result.reason) });
    }
  }
}

/** In one transaction, or when that fails one by one: a bad row must not hold up the good ones. */
async function write(
  env: Env,
  messages: readonly Message<LedgerMessage>[],
): Promise<ReadonlySet<Message<LedgerMessage>>> {
  try {
    await env.DB.batch(messages.map(({ body }) => upsert(env, body.row, body.version)));
    return new Set(messages);
  } catch (error) {
    log('warn', 'ledger_batch_failed', { messages: messages.length, error: errorText(error) });
  }
  const written = new Set<Message<LedgerMessage>>();
  for (const message of messages) {
    const { objectId, row, version } = message.body;
    try {
      await upsert(env, row, version).run();
      written.add(message);
    } catch (error) {
      log('error', 'ledger_write_failed', { objectId, error: errorText(error) });
    }
  }
  return written;
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
    row.unresolvedAttempts,
    row.anomalies,
    row.createdAtMs,
    row.updatedAtMs,
  );
}
