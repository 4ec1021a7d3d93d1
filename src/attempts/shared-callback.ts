import { configOf } from '../config.ts';
import { verifyLinkId } from '../crypto/link-token.ts';
import { REFERENCE } from '../domain/identifiers.ts';
import type { Attempt } from '../domain/intent.ts';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { intentByUniqueId } from '../intent/client.ts';
import { log } from '../platform/log.ts';
import { type CallbackCall, type CallbackReply, textReply } from '../rails/callback.ts';
import type { OpenedCallback, Rail } from '../rails/rail.ts';
import { methodOfSharedAddress, railConfiguration } from '../rails/settings.ts';
import { findPaymentOfOrder, type PaymentOfOrder } from '../read-model/queries.ts';
import {
  type CallbackTarget,
  callbackTarget,
  NOT_AVAILABLE,
  storeReading,
  targetIn,
} from './callback.ts';
import { railOrder } from './order.ts';

/**
 * The reply to a report at the one address that is registered with a provider for all attempts;
 * null when the payment is unknown. The report must be authentic under the settings of the
 * payment's own environment, and its order id must carry our signature or be the reference of an
 * attempt that we know (docs/promises.md#9).
 */
export async function answerSharedCallback(
  env: Env,
  railId: string,
  call: CallbackCall,
): Promise<CallbackReply | null> {
  const method = methodOfSharedAddress(railId);
  if (method === undefined) {
    return null;
  }
  let isReadable = true;
  let mayBecomeKnown = false;
  for (const environment of ENVIRONMENTS) {
    const configuration = railConfiguration(env, environment, method);
    isReadable &&= configuration.state !== 'misconfigured';
    if (configuration.state === 'configured') {
      const { rail } = configuration;
      const opened = (await rail.openCallback?.(call)) ?? null;
      const target = opened && (await openedTarget(env, rail, environment, opened));
      mayBecomeKnown ||= opened !== null && REFERENCE.test(opened.orderId);
      if (opened !== null && target !== null) {
        const { client, intent, attempt } = target;
        const order = await railOrder(env, rail, client.objectId, intent, attempt);
        // The id as received: the key that signed it may have been rotated since.
        const reading = await opened.read({ ...order, orderId: opened.orderId });
        return storeReading(env, target, reading);
      }
    }
  }
  if (mayBecomeKnown) {
    // The read model lags: the provider must report again. Meanwhile, Kefel queries it.
    log('warn', 'rail_callback_refused', { rail: railId, suspicion: 'unknown_order' });
    return textReply(503, 'Unknown order');
  }
  const suspicion = isReadable ? 'not_authentic' : 'not_configured';
  log('warn', 'rail_callback_refused', { rail: railId, suspicion });
  return isReadable ? textReply(401, 'Not authentic') : NOT_AVAILABLE;
}

async function openedTarget(
  env: Env,
  rail: Rail,
  environment: Environment,
  { orderId }: OpenedCallback,
): Promise<CallbackTarget | null> {
  if (REFERENCE.test(orderId)) {
    const found = await findPersistently(env, environment, orderId);
    const named = ({ reference }: Attempt) => reference === orderId;
    return (
      found &&
      targetIn(
        intentByUniqueId(env, found, found.uniqueId),
        ({ attempts }) => attempts.find(named),
        rail.id,
      )
    );
  }
  const link = await verifyLinkId(configOf(env).linkSigningKeys, orderId);
  const target = link && (await callbackTarget(env, link, rail.id));
  return target?.intent.terms.environment === environment ? target : null;
}

/** The read model learns of a new attempt within a second or two, and the provider waits longer. */
const READ_MODEL_WAITS_MS = [500, 1_000, 2_000];

/** Waits for the read model, because the provider may not report again. */
async function findPersistently(
  env: Env,
  environment: Environment,
  orderId: string,
): Promise<PaymentOfOrder | null> {
  for (const waitMs of READ_MODEL_WAITS_MS) {
    const found = await findPaymentOfOrder(env, environment, orderId);
    if (found !== null) {
      return found;
    }
    await scheduler.wait(waitMs);
  }
  return findPaymentOfOrder(env, environment, orderId);
}
