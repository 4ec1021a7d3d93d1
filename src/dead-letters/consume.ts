import { configOf } from '../config.ts';
import { prepare, runBatch } from '../database.ts';
import { errorText, log } from '../log.ts';
import { type MessageQueue, queueOfDead } from './queues.ts';
import { keepStatement } from './store.ts';

/**
 * Between tries to bring a message into D1: a minute more each time, up to an hour. The queue's
 * `max_retries` of them take three days, as long as Cloudflare keeps it in any case.
 */
const RETRY_SECONDS = 60;
const RETRY_STEPS_MAX = 60;

/**
 * Consumer of all dead letter queues: a message leaves its queue when D1 holds it and not before.
 * What D1 does not take waits in the queue; one message that it never takes holds up no other.
 */
export async function consumeDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const queue = queueOfDead(batch.queue);
  const kept = await keep(batch.messages, queue, env);
  for (const message of batch.messages) {
    if (kept.has(message)) {
      message.ack();
    } else {
      const steps = Math.min(message.attempts, RETRY_STEPS_MAX);
      message.retry({ delaySeconds: steps * RETRY_SECONDS });
    }
  }
}

/** In one batch, or when that fails one by one. Says which are in D1. */
async function keep(
  messages: readonly Message[],
  queue: MessageQueue,
  env: Env,
): Promise<ReadonlySet<Message>> {
  const nowMs = Date.now();
  const statementOf = (message: Message) =>
    keepStatement(configOf(env).dataEncryptionKeys, queue, message, nowMs);
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
