import { errorText, log } from '../../kit/platform/log.ts';
import { retryLater } from '../../kit/platform/retry-later.ts';
import { tellHappened } from '../alerts/happenings.ts';
import type { Command } from '../domain/command.ts';
import { type IntentClient, intentByName } from '../intent/client.ts';
import type { ExecuteResult, ExpressFacts } from '../intent/protocol.ts';

/** A provider's answer or report for an object that was unreachable when it came. */
export interface ResultMessage {
  readonly type: 'result';
  readonly objectName: string;
  readonly commands: readonly Command[];
  /** For the start of an express payment, whose answer is stored with it. */
  readonly facts: ExpressFacts | null;
}

/**
 * Stores a rail's answer, which the rail may never repeat. While the object is unreachable, the
 * queue keeps the result and delivers it later; then returns null. Throws only when the queue is
 * unreachable too and the object stays unreachable for about 20 s.
 */
export async function storeResult(
  env: Env,
  client: IntentClient,
  commands: readonly Command[],
  facts: ExpressFacts | null = null,
): Promise<ExecuteResult | null> {
  const { objectName } = client;
  try {
    return await client.execute(commands, facts);
  } catch (error) {
    log('error', 'rail_answer_not_stored', { objectName, error: errorText(error) });
  }
  try {
    const message: ResultMessage = { type: 'result', objectName, commands, facts };
    await env.PROVIDER_REPORTS.send(message);
    return null;
  } catch (error) {
    log('error', 'queue_send_failed', { objectName, error: errorText(error) });
    // Not awaited: the alert must not hold up the report.
    void tellHappened(env, 'messages_waiting', 'kefel-provider-reports', Date.now());
    return client.executePersistently(commands, facts);
  }
}

/** Stores the answers and reports whose object was unreachable, and keeps those that it cannot store. */
export async function consumeResults(batch: MessageBatch<ResultMessage>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const { type, objectName, commands, facts } = message.body;
    try {
      await intentByName(env, objectName).execute(commands, facts);
      message.ack();
    } catch (error) {
      log('error', 'rail_message_failed', { objectName, type, error: errorText(error) });
      retryLater(message);
    }
  }
}
