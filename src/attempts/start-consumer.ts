import type { Command } from '../domain/command.ts';
import { intentByName } from '../intent/client.ts';
import { errorText, log } from '../platform/log.ts';
import { retryLater } from '../platform/retry-later.ts';
import { claimedWindowEndMs } from '../rails/phone-prompt.ts';
import { railOf } from '../rails/registry.ts';
import type { RailMessage, StartMessage } from './messages.ts';
import { railOrder } from './order.ts';
import { storeStart } from './start.ts';
import { freeSlot, takeSlot } from './start-slots.ts';

/**
 * Starts attempts whose rail answers only after the customer has acted, and stores answers whose
 * object was unreachable.
 */
export async function consumeStarts(batch: MessageBatch<RailMessage>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const { objectName } = message.body;
    try {
      if (message.body.type === 'result') {
        const { commands, answers } = message.body;
        await intentByName(env, objectName).execute(commands, answers);
      } else {
        await startClaimed(env, message.body);
      }
      message.ack();
    } catch (error) {
      log('error', 'rail_message_failed', {
        objectName,
        type: message.body.type,
        error: errorText(error),
      });
      // The object resends a start that no consumer has claimed; only the object knows that.
      if (message.body.type === 'result') {
        retryLater(message);
      } else {
        message.ack();
      }
    }
  }
}

/**
 * The claim in the object ensures a single provider call. A message that is delivered twice, or
 * again after a consumer died, finds the start claimed and does nothing: the attempt stays
 * unresolved instead of charging the customer twice.
 */
async function startClaimed(env: Env, { objectName, attemptId }: StartMessage): Promise<void> {
  const client = intentByName(env, objectName);
  const intent = await client.read();
  const attempt = intent?.attempts.find(({ id }) => id === attemptId);
  if (intent === null || attempt === undefined) {
    return;
  }
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null || attempt.startClaim !== 'free') {
    return;
  }
  const nowMs = Date.now();
  const deadlineAtMs = claimedWindowEndMs(rail, nowMs);
  const { merchantId, environment } = intent.terms;
  const slot = { merchantId, environment, attemptId, endsAtMs: deadlineAtMs };
  if (!(await takeSlot(env, slot, nowMs))) {
    // The object sends the message again.
    return;
  }
  try {
    const order = await railOrder(env, rail, intent, attempt);
    const claimId = crypto.randomUUID();
    // Without a result by then, this consumer has died, and only a query can find the outcome.
    const check = rail.query === undefined ? {} : { checkAtMs: deadlineAtMs };
    const claim: Command = { type: 'claim_start', attemptId, claimId, deadlineAtMs, ...check };
    const claimed = await client.execute([claim]);
    if (claimed.type !== 'done' || claimed.rejection !== null) {
      return;
    }
    await storeStart(env, client, attempt, await rail.start(order));
  } finally {
    await freeSlot(env, slot);
  }
}
