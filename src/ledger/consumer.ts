import { intentByObjectId } from '../intent/client.ts';
import type { LedgerMessage } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';

/** One statement whatever the number of rows, which come as one JSON array of LedgerRow & version. */
const UPSERT = `
  INSERT INTO payment (uuid, environment, merchant_id, number, unique_id, version, kind, status,
    amount_minor, currency, method, unresolved_attempts, anomalies, created_at_ms, updated_at_ms)
  SELECT value ->> 'uuid', value ->> 'environment', value ->> 'merchantId', value ->> 'number',
    value ->> 'uniqueId', value ->> 'version', value ->> 'kind', value ->> 'status',
    value ->> 'amountMinor', value ->> 'currency', value ->> 'method',
    value ->> 'unresolvedAttempts', value ->> 'anomalies', value ->> 'createdAtMs',
    value ->> 'updatedAtMs'
  FROM json_each(?1) WHERE true
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

/** In one statement, or when that fails one by one: a bad row must not hold up the good ones. */
async function write(
  env: Env,
  messages: readonly Message<LedgerMessage>[],
): Promise<ReadonlySet<Message<LedgerMessage>>> {
  try {
    await upsert(env, messages);
    return new Set(messages);
  } catch (error) {
    log('warn', 'ledger_batch_failed', { messages: messages.length, error: errorText(error) });
  }
  const written = new Set<Message<LedgerMessage>>();
  for (const message of messages) {
    try {
      await upsert(env, [message]);
      written.add(message);
    } catch (error) {
      const { objectId } = message.body;
      log('error', 'ledger_write_failed', { objectId, error: errorText(error) });
    }
  }
  return written;
}

async function upsert(env: Env, messages: readonly Message<LedgerMessage>[]): Promise<void> {
  const rows = messages.map(({ body }) => ({ ...body.row, version: body.version }));
  await env.DB.prepare(UPSERT).bind(JSON.stringify(rows)).run();
}
