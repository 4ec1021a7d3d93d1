import { verifyLinkId } from '../../kit/crypto/link-token.ts';
import { log } from '../../kit/platform/log.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { railOrder } from '../attempts/order.ts';
import { configOf } from '../config.ts';
import type { Attempt } from '../domain/attempt.ts';
import { merchantNumberIn, REFERENCE } from '../domain/identifiers.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import { merchantOfNumber } from '../merchants/numbers.ts';
import { type CallbackCall, type CallbackReply, textReply } from '../rails/callback.ts';
import type { OpenedCallback, Rail } from '../rails/rail.ts';
import { methodOfSharedAddress, railConfiguration } from '../rails/settings.ts';
import { registerOf } from '../register/client.ts';
import {
  type CallbackTarget,
  callbackTarget,
  NOT_AVAILABLE,
  refusalOverLimit,
  storeReading,
  targetIn,
} from './attempt.ts';

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
  let isUnknown = false;
  for (const environment of ENVIRONMENTS) {
    const configuration = railConfiguration(env, environment, method);
    isReadable &&= configuration.state !== 'misconfigured';
    if (configuration.state === 'configured') {
      const { rail } = configuration;
      const opened = (await rail.openCallback?.(call)) ?? null;
      const refusal = opened && (await refusalOverLimit(env, `${railId}/${opened.orderId}`));
      if (refusal !== null) {
        return refusal;
      }
      const target = opened && (await openedTarget(env, rail, environment, opened));
      isUnknown ||= opened !== null && REFERENCE.test(opened.orderId);
      if (opened !== null && target !== null) {
        const { intent, attempt } = target;
        const order = await railOrder(env, rail, intent, attempt);
        // The id as received: the key that signed it may have been rotated since.
        const reading = await opened.read({ ...order, orderId: opened.orderId });
        return storeReading(env, target, reading);
      }
    }
  }
  if (isUnknown) {
    // Every reference is known before its provider is called, so it is of another system.
    log('warn', 'rail_callback_refused', { rail: railId, suspicion: 'unknown_order' });
    return textReply(404, 'Unknown order');
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
    const client = await clientOfReference(env, environment, orderId);
    const named = ({ reference }: Attempt) => reference === orderId;
    return client && targetIn(client, ({ attempts }) => attempts.find(named), rail.id);
  }
  const link = await verifyLinkId(configOf(env).linkSigningKeys, orderId);
  const target = link && (await callbackTarget(env, link, rail.id));
  return target?.intent.terms.environment === environment ? target : null;
}

/** The reference names the merchant, whose register knows the payment. */
async function clientOfReference(
  env: Env,
  environment: Environment,
  reference: string,
): Promise<IntentClient | null> {
  const number = merchantNumberIn(reference);
  const merchantId = number && (await merchantOfNumber(env, number, Date.now()));
  if (!merchantId) {
    return null;
  }
  const tenant = { environment, merchantId };
  const uniqueId = await registerOf(env, tenant).paymentOfReference(reference);
  return uniqueId === null ? null : intentByUniqueId(env, tenant, uniqueId);
}
