import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import { intentByName } from '../intent/client.ts';
import type { ExecuteResult } from '../intent/protocol.ts';
import { claimedWindowEndMs } from '../rails/phone-prompt.ts';
import type { StartResult } from '../rails/rail.ts';
import { railOf } from '../rails/registry.ts';
import { railOrder } from './order.ts';
import { storeResult } from './provider-reports.ts';
import { commandFor, startAtRail } from './start.ts';

/**
 * Claims a start that waits for the customer, calls the provider once, and stores its answer. Runs in
 * the payment's object, which commits each command with `execute`. What fails before the claim leaves
 * the start free, and the alarm repeats it. What fails after the claim leaves the outcome unknown,
 * because a second call could charge the customer twice. Never throws.
 */
export async function startSlowly(
  env: Env,
  intent: Intent,
  attempt: Attempt,
  execute: (command: Command) => ExecuteResult,
): Promise<void> {
  const objectName = await objectNameOf(intent.terms);
  try {
    const result = await callOnce(env, intent, attempt, execute);
    if (result === null) {
      return;
    }
    const stores = commandFor(result, attempt, Date.now());
    try {
      execute(stores);
    } catch {
      // The provider may never repeat its answer, so it goes to the object again, or into the queue.
      await storeResult(env, intentByName(env, objectName), [stores]);
    }
  } catch (error) {
    log('error', 'rail_start_failed', { objectName, error: errorText(error) });
  }
}

/** Null without a call: the start is claimed already, too late, or its rail is not configured now. */
async function callOnce(
  env: Env,
  intent: Intent,
  attempt: Attempt,
  execute: (command: Command) => ExecuteResult,
): Promise<StartResult | null> {
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    return null;
  }
  const order = await railOrder(env, rail, intent, attempt);
  const deadlineAtMs = claimedWindowEndMs(rail, Date.now());
  const claimed = execute({
    type: 'claim_start',
    attemptId: attempt.id,
    claimId: crypto.randomUUID(),
    deadlineAtMs,
    // Without an answer by then, the object has died, and only a query can find the outcome.
    ...(rail.query !== undefined && { checkAtMs: deadlineAtMs }),
  });
  return claimed.type === 'done' && claimed.rejection === null ? startAtRail(rail, order) : null;
}
