import { isConstraintFailure, runBatch } from '../database.ts';
import { intentByObjectId } from '../intent/client.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { upsertStatements } from './upsert.ts';

/** Below the queue's `max_retries` in wrangler.toml, after which a message is a dead letter. */
const OUTAGE_ATTEMPTS_MAX = 5;

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
  const { written, refused } = await write(env, [...newest.values()]);
  for (const message of batch.messages) {
    const chosen = newest.get(message.body.objectId) ?? message;
    // While D1 is down the object's lease repeats the change: no dead letter asks for a person.
    const isRepeated = !refused.has(chosen) && message.attempts >= OUTAGE_ATTEMPTS_MAX;
    if (written.has(chosen) || isRepeated) {
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

interface Written {
  readonly written: ReadonlySet<Message<ProjectionMessage>>;
  /** Rows that D1 will never take: they become dead letters. */
  readonly refused: ReadonlySet<Message<ProjectionMessage>>;
}

/** In one batch; one by one when D1 refuses a row, so that a bad row does not hold up good ones. */
async function write(env: Env, messages: readonly Message<ProjectionMessage>[]): Promise<Written> {
  const written = new Set<Message<ProjectionMessage>>();
  const refused = new Set<Message<ProjectionMessage>>();
  try {
    await upsert(env, messages);
    return { written: new Set(messages), refused };
  } catch (error) {
    log('warn', 'projection_batch_failed', { messages: messages.length, error: errorText(error) });
    if (!isConstraintFailure(error)) {
      return { written, refused };
    }
  }
  for (const message of messages) {
    try {
      await upsert(env, [message]);
      written.add(message);
    } catch (error) {
      const { objectId } = message.body;
      log('error', 'projection_write_failed', { objectId, error: errorText(error) });
      if (isConstraintFailure(error)) {
        refused.add(message);
      }
    }
  }
  return { written, refused };
}

async function upsert(env: Env, messages: readonly Message<ProjectionMessage>[]): Promise<void> {
  await runBatch(env.DB, upsertStatements(messages.map(({ body }) => body)));
}
