import { intentByObjectId } from '../intent/client.ts';
import { errorText, log } from '../log.ts';
import { railOf } from './registry.ts';
import { commandFor, railOrder, type StartMessage } from './run-attempt.ts';

/**
 * Consumer of attempts whose rail answers only after the customer has acted. The claim in the object
 * is what makes the call happen once: a message that comes twice, or after a consumer has died, finds
 * it taken and does nothing, and the attempt stays unresolved rather than being charged again.
 */
export async function consumeStarts(batch: MessageBatch<StartMessage>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    try {
      await startClaimed(env, message.body);
    } catch (error) {
      log('error', 'rail_start_failed', {
        objectId: message.body.objectId,
        error: errorText(error),
      });
    }
    // Whatever happened: as long as nobody has claimed the start, the object sends it again.
    message.ack();
  }
}

async function startClaimed(env: Env, { objectId, attemptId }: StartMessage): Promise<void> {
  const client = intentByObjectId(env, objectId);
  const read = await client.read();
  const attempt =
    read.type === 'found' ? read.intent.attempts.find(({ id }) => id === attemptId) : undefined;
  if (read.type !== 'found' || attempt === undefined) {
    return;
  }
  const rail = railOf(env, read.intent.terms, attempt);
  if (rail === null) {
    return;
  }
  const order = await railOrder(env, objectId, read.intent, attempt);
  const claim = await client.execute([{ type: 'claim_start', attemptId }]);
  if (claim.type !== 'done' || claim.rejection !== null) {
    return;
  }
  const result = await rail.start(order);
  await client.executePersistently([commandFor(result, attempt, Date.now())]);
}
