import { configOf } from '../config.ts';
import { verifyLinkId } from '../crypto/link-token.ts';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { log } from '../log.ts';
import { type CallbackCall, type CallbackReply, textReply } from '../rails/callback.ts';
import type { OpenedCallback, Rail } from '../rails/rail.ts';
import { railConfiguration, SHARED_CALLBACK_METHODS } from '../rails/settings.ts';
import { type CallbackTarget, callbackTarget, NOT_AVAILABLE, storeReading } from './callback.ts';
import { railOrder } from './order.ts';

/** The rails that report every attempt to `/rails/<rail id>`. */
export const SHARED_CALLBACK_RAIL_IDS: readonly string[] = [...SHARED_CALLBACK_METHODS.keys()];

/**
 * The reply to a report at the one address that is registered with a provider for all attempts;
 * null when the payment is unknown. The report must be authentic under the settings of the
 * payment's own environment, and its order id must carry our signature (docs/promises.md#9).
 */
export async function answerSharedCallback(
  env: Env,
  railId: string,
  call: CallbackCall,
): Promise<CallbackReply | null> {
  const method = SHARED_CALLBACK_METHODS.get(railId);
  if (method === undefined) {
    return null;
  }
  let isReadable = true;
  for (const environment of ENVIRONMENTS) {
    const configuration = railConfiguration(env, environment, method);
    isReadable &&= configuration.state !== 'misconfigured';
    if (configuration.state === 'configured') {
      const { rail } = configuration;
      const opened = rail.openCallback?.(call) ?? null;
      const target = opened && (await openedTarget(env, rail, environment, opened));
      if (opened !== null && target !== null) {
        const { client, intent, attempt } = target;
        const order = await railOrder(env, rail, client.objectId, intent, attempt);
        // The id as received: the key that signed it may have been rotated since.
        const reading = await opened.read({ ...order, orderId: opened.orderId });
        return storeReading(env, target, reading);
      }
    }
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
  const link = await verifyLinkId(configOf(env).linkSigningKeys, orderId);
  const target = link && (await callbackTarget(env, link, rail.id));
  return target?.intent.terms.environment === environment ? target : null;
}
