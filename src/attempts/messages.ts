import type { Command } from '../domain/intent.ts';
import type { ExpressAnswers } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';

/** What the queue of starts carries. */
export type RailMessage = StartMessage | ResultMessage;

/** Asks the consumer to claim an attempt and start it at its rail. */
export interface StartMessage {
  readonly type: 'start';
  readonly objectId: string;
  readonly attemptId: string;
}

/** What a rail answered, for an object that could not be reached at that moment. */
export interface ResultMessage {
  readonly type: 'result';
  readonly objectId: string;
  readonly commands: readonly Command[];
  /** Of an express payment's start: the answers to its repeated request. */
  readonly answers: ExpressAnswers | null;
}

/** Never throws: the object sends a message that got lost again when its lease has passed. */
export async function requestStart(env: Env, objectId: string, attemptId: string): Promise<void> {
  try {
    await env.RAIL_STARTS.send({ type: 'start', objectId, attemptId } satisfies StartMessage);
  } catch (error) {
    log('warn', 'queue_send_failed', { objectId, error: errorText(error) });
  }
}
