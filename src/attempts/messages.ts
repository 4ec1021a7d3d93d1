import type { Command } from '../domain/command.ts';
import type { IntentClient } from '../intent/client.ts';
import type { ExecuteResult, ExpressAnswers } from '../intent/protocol.ts';
import { errorText, log } from '../platform/log.ts';

/** A message in the queue of starts. */
export type RailMessage = StartMessage | ResultMessage;

/** Asks the consumer to claim an attempt and start it at its rail. */
export interface StartMessage {
  readonly type: 'start';
  readonly objectName: string;
  readonly attemptId: string;
}

/** A rail's answer for an object that was unreachable when the answer came. */
export interface ResultMessage {
  readonly type: 'result';
  readonly objectName: string;
  readonly commands: readonly Command[];
  /** For the start of an express payment: the answers to replay when the request is repeated. */
  readonly answers: ExpressAnswers | null;
}

/** Never throws: the object resends a lost message once the lease has passed. */
export async function requestStart(env: Env, objectName: string, attemptId: string): Promise<void> {
  try {
    await env.RAIL_STARTS.send({ type: 'start', objectName, attemptId } satisfies StartMessage);
  } catch (error) {
    log('warn', 'queue_send_failed', { objectName, error: errorText(error) });
  }
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
  answers: ExpressAnswers | null = null,
): Promise<ExecuteResult | null> {
  const { objectName } = client;
  try {
    return await client.execute(commands, answers);
  } catch (error) {
    log('error', 'rail_answer_not_stored', { objectName, error: errorText(error) });
  }
  try {
    const message: ResultMessage = { type: 'result', objectName, commands, answers };
    await env.RAIL_STARTS.send(message);
    return null;
  } catch (error) {
    log('error', 'queue_send_failed', { objectName, error: errorText(error) });
    return client.executePersistently(commands, answers);
  }
}
