import { errorText, log } from '../../kit/platform/log.ts';
import { isProbe, type ProbeMessage } from '../../kit/platform/probe-message.ts';
import { recordResults } from './store.ts';

/**
 * Records the probes of a batch and acks them. Returns the batch without them. Never throws and never
 * retries: the self-check reports a probe that it misses, and payments' messages must not wait for one.
 */
export async function consumeProbes(
  batch: MessageBatch,
  queue: string,
  env: Env,
): Promise<MessageBatch> {
  for (const message of batch.messages.filter(isProbe)) {
    message.ack();
    const { selfCheckRun } = message.body as ProbeMessage;
    const nowMs = Date.now();
    const seconds = Math.max(0, Math.round((nowMs - message.timestamp.getTime()) / 1_000));
    const result = { name: queue, state: 'ok', finding: 'consumed', details: { seconds } } as const;
    await recordResults(env.DB, selfCheckRun, [result], nowMs).catch((error: unknown) => {
      log('warn', 'self_check_probe_not_recorded', { queue, error: errorText(error) });
    });
  }
  const messages = batch.messages.filter((message) => !isProbe(message));
  return { queue: batch.queue, messages } as unknown as MessageBatch;
}
