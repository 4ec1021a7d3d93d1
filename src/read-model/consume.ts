import { intentByObjectId } from '../intent/client.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { isConstraintFailure, runBatch } from '../platform/database.ts';
import { errorText, log } from '../platform/log.ts';
import { upsertStatements } from './upsert.ts';

/** Less than the queue's `max_retries` in wrangler.toml, after which a message is a dead letter. */
const OUTAGE_ATTEMPTS_MAX = 5;

/**
 * The longest JSON of the messages in one write, in UTF-16 units. A write binds it as one text, of
 * which D1 takes 2,000,000 bytes; a unit has at most three. Messages with full metadata have 60 KB.
 */
const WRITE_LENGTH_MAX = 600_000;

/**
 * Writes a batch of changes to D1: the newest of each payment, with a check of the version, so that
 * duplicates and reordering have no effect. Then confirms to their objects the changes that need it:
 * objects send those again until they are confirmed.
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
  const { written: stored, refused } = await writeAll(env, [...newest.values()]);
  const written = await comparedByReceipt(env, stored);
  for (const message of batch.messages) {
    const chosen = newest.get(message.body.objectId) ?? message;
    // While D1 is down, the object sends the change again, so it need not become a dead letter.
    const isRepeated = !refused.has(chosen) && message.attempts >= OUTAGE_ATTEMPTS_MAX;
    if (written.has(chosen) || isRepeated) {
      message.ack();
    } else {
      message.retry();
    }
  }
  const reports = [...written]
    .filter(({ body }) => body.needsConfirmation)
    .map(({ body }) => intentByObjectId(env, body.objectId).reportProjection(body.version));
  for (const result of await Promise.allSettled(reports)) {
    if (result.status === 'rejected') {
      log('warn', 'projection_report_failed', { error: errorText(result.reason) });
    }
  }
}

/**
 * New ids from a provider add search keys without a new version. Among messages of one version, the
 * one with more keys is therefore the newest; of the same message sent twice, the one to confirm.
 */
function isNewer(one: ProjectionMessage, other: ProjectionMessage): boolean {
  const newerBy =
    one.version - other.version ||
    one.searchKeys.length - other.searchKeys.length ||
    Number(one.needsConfirmation) - Number(other.needsConfirmation);
  return newerBy > 0;
}

/** The messages whose receipts were compared with those of other payments, if they have any. */
async function comparedByReceipt(
  env: Env,
  written: Written['written'],
): Promise<Written['written']> {
  const paid = [...written].filter(({ body }) => body.receiptKeys.length > 0);
  if (paid.length === 0) {
    return written;
  }
  try {
    // Loaded only here: no payment in the sandbox has a receipt of a provider.
    const { reportConflicts } = await import('./receipt-conflicts.ts');
    await reportConflicts(
      env,
      paid.map(({ body }) => body),
    );
    return written;
  } catch (error) {
    log('warn', 'receipts_not_compared', { messages: paid.length, error: errorText(error) });
    return new Set([...written].filter((message) => !paid.includes(message)));
  }
}

interface Written {
  readonly written: ReadonlySet<Message<ProjectionMessage>>;
  /** Rows that violate a constraint: they become dead letters. */
  readonly refused: ReadonlySet<Message<ProjectionMessage>>;
}

/** In as few writes as D1 takes. */
async function writeAll(
  env: Env,
  messages: readonly Message<ProjectionMessage>[],
): Promise<Written> {
  const results: Written[] = [];
  for (const group of writable(messages)) {
    results.push(await write(env, group));
  }
  return {
    written: new Set(results.flatMap(({ written }) => [...written])),
    refused: new Set(results.flatMap(({ refused }) => [...refused])),
  };
}

/** The messages in groups that D1 takes in one write. */
function* writable(
  messages: readonly Message<ProjectionMessage>[],
): Generator<readonly Message<ProjectionMessage>[]> {
  let group: Message<ProjectionMessage>[] = [];
  let groupLength = 0;
  for (const message of messages) {
    const { length } = JSON.stringify(message.body);
    if (group.length > 0 && groupLength + length > WRITE_LENGTH_MAX) {
      yield group;
      group = [];
      groupLength = 0;
    }
    group.push(message);
    groupLength += length;
  }
  yield group;
}

/**
 * Writes one group. If D1 rejects a row, writes one by one, so that it does not block the others.
 */
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
