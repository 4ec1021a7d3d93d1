import type { Command } from '../domain/intent.ts';
import type { IntentClient } from '../intent/client.ts';
import type { ExecuteResult, ExpressAnswers } from '../intent/protocol.ts';
import { errorText, log } from '../platform/log.ts';
import type { ResultMessage } from './messages.ts';

/**
 * Stores a rail's answer, which the rail may never repeat. While the object is unreachable, the
 * queue keeps the result and delivers it later; then returns null. Throws only when the queue is
 * unreachable too and the object stays unreachable for about 20 s.
 */
export async function storeResult(
  env: Env,
  client: IntentClient,
  commands: readonly Command[],
  answers: ExpressAnswers | null = null,
): Promise<ExecuteResult | null> {
  const { objectId } = client;
  try {
    return await client.execute(commands, answers);
  } catch (error) {
    log('error', 'rail_answer_not_stored', { objectId, error: errorText(error) });
  }
  try {
    const message: ResultMessage = { type: 'result', objectId, commands, answers };
    await env.RAIL_STARTS.send(message);
    return null;
  } catch (error) {
    log('error', 'queue_send_failed', { objectId, error: errorText(error) });
    return client.executePersistently(commands, answers);
  }
}
