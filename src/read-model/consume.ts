import { runBatch } from '../database.ts';
import { intentByObjectId } from '../intent/client.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { upsertStatements } from './upsert.ts';

/**
 * Brings a batch of changes into D1: the newest of each payment, guarded by version so that
 * duplicates and reordering do nothing. The object is told afterwards; until it has been, its own
 * lease sends the change again.
 */
export async function consumeProjections(
  batch: MessageBatch<ProjectionMessage>,
  env: Env,
): Promise<void> {
  const newest = new Map<string, Message<ProjectionMessage>>();
  for (const message of batch.messages) {
    const known = newest.get(message.body.objectId);
    if (known === undefined || isNewer(message.body, known.body)) {
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
    intentByObjectId(env, body.objectId).reportProjection(body.version),
  );
  for (const result of await Promise.allSettled(reports)) {
    if (result.status === 'rejected') {
      log('warn', 'projection_report_failed', { error: errorText(result.reason) });
    }
  }
}

/**
 * The ids that a rail gives an attempt add search keys without a new version, so of one version the
 * message with more keys is the newer one.
 */
function isNewer(one: ProjectionMessage, other: ProjectionMessage): boolean {
  return one.version === other.version
    ? one.searchKeys.length > other.searchKeys.length
    : one.version > other.version;
}

/** In one batch, or when that fails one by one: a bad row must not hold up the good ones. */
async function write(
  env: Env,
  messages: readonly Message<ProjectionMessage>[],
): Promise<ReadonlySet<Message<ProjectionMessage>>> {
  try {
    await upsert(env, messages);
    return new Set(messages);
  } catch (error) {
    log('warn', 'projection_batch_failed', { messages: messages.length, error: errorText(error) });
  }
  const written = new Set<Message<ProjectionMessage>>();
  for (const message of messages) {
    try {
      await upsert(env, [message]);
      written.add(message);
    } catch (error) {
      const { objectId } = message.body;
      log('error', 'projection_write_failed', { objectId, error: errorText(error) });
    }
  }
  return written;
}

async function upsert(env: Env, messages: readonly Message<ProjectionMessage>[]): Promise<void> {
  await runBatch(env.DB, upsertStatements(messages.map(({ body }) => body)));
}
