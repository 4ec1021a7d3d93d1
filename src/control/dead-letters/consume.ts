import { tellAlerts } from '../../engine/alerts/client.ts';
import type { Standing } from '../../engine/alerts/standing.ts';
import { configOf } from '../../engine/config.ts';
import { prepare, runBatch } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { retryLater } from '../../kit/platform/retry-later.ts';
import { type MessageQueue, queueOfDead } from './queues.ts';
import { insertDeadLetter, type WaitingLetters, waitingByQueue } from './store.ts';

/**
 * Consumer of all dead letter queues. It acks a message only after D1 has stored it. A message that
 * D1 rejects stays in the queue and does not block the others.
 */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const queue = queueOfDead(batch.queue);
  const kept = await keep(batch.messages, queue, env);
  for (const message of batch.messages) {
    if (kept.has(message)) {
      message.ack();
    } else {
      retryLater(message);
    }
  }
  await tell(env, queue, batch.messages.length);
}

/** Tells the operator how many letters wait or, while D1 fails, how many messages came just now. */
async function tell(env: Env, queue: MessageQueue, messages: number): Promise<void> {
  const standings = await letterStandings(env.DB).catch(() => [
    letterStanding({ queue, letters: messages, oldestAtMs: Date.now() }),
  ]);
  await tellAlerts(env, (alerts) => alerts.stand('dead_letters', standings));
}

/** What waits for the operator. */
export async function letterStandings(db: D1Database): Promise<readonly Standing[]> {
  return (await waitingByQueue(db)).map(letterStanding);
}

function letterStanding({
  queue,
  letters: count,
  oldestAtMs: sinceAtMs,
}: WaitingLetters): Standing {
  return { subject: 'dead_letters', count, sinceAtMs, detail: queue };
}

/** Stores the messages in one batch or, if that fails, one by one. Returns those in D1. */
async function keep(
  messages: readonly Message[],
  queue: MessageQueue,
  env: Env,
): Promise<ReadonlySet<Message>> {
  const nowMs = Date.now();
  const statementOf = (message: Message) =>
    insertDeadLetter(configOf(env).dataEncryptionKeys, queue, message, nowMs);
  try {
    await runBatch(env.DB, await Promise.all(messages.map(statementOf)));
    log('error', 'dead_letters_kept', { queue, messages: messages.length });
    return new Set(messages);
  } catch (error) {
    log('warn', 'dead_letter_batch_failed', { queue, error: errorText(error) });
  }
  const kept = new Set<Message>();
  for (const message of messages) {
    try {
      await prepare(env.DB, await statementOf(message)).run();
      kept.add(message);
    } catch (error) {
      const { id } = message;
      log('error', 'dead_letter_not_kept', { queue, id, error: errorText(error) });
    }
  }
  return kept;
}
