import type { Link } from '../../kit/crypto/link-token.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { log } from '../../kit/platform/log.ts';
import { railOrder } from '../attempts/order.ts';
import { storeResult } from '../attempts/provider-reports.ts';
import { configOf } from '../config.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Intent } from '../domain/intent.ts';
import { type IntentClient, intentByName } from '../intent/client.ts';
import {
  type CallbackCall,
  type CallbackReading,
  type CallbackReply,
  type CallbackSuspicion,
  retryReply,
  textReply,
} from '../rails/callback.ts';
import { railOf } from '../rails/registry.ts';
import { railConfiguration } from '../rails/settings.ts';

/** The attempt that a callback's URL or order id names. */
export interface CallbackTarget {
  readonly client: IntentClient;
  readonly intent: Intent;
  readonly attempt: Attempt;
}

/** The reply while a rail has no usable settings, so that the provider resends the callback. */
export const NOT_AVAILABLE: CallbackReply = textReply(503, 'Not available');

/** The period of CALLBACK_RATE_LIMIT in wrangler.toml. */
const CALLBACK_PERIOD_SECONDS = 10;

/**
 * Counts a report by the attempt or refund that it names. The reply to one too many, or null. Call it
 * only for a signed address or an authentic report, so that strangers cannot use up the limit.
 */
export async function refusalOverLimit(env: Env, key: string): Promise<CallbackReply | null> {
  return (await isWithinLimit(configOf(env), env.CALLBACK_RATE_LIMIT, key))
    ? null
    : retryReply(429, 'Too many callbacks', CALLBACK_PERIOD_SECONDS);
}

/** Null when the link names no attempt of this rail. */
export function callbackTarget(
  env: Env,
  { objectName, index }: Link,
  railId: string,
): Promise<CallbackTarget | null> {
  const client = intentByName(env, objectName);
  return targetIn(client, ({ attempts }) => attempts[index], railId);
}

/** The attempt that `pick` names in a payment; null unless it is one of this rail. */
export async function targetIn(
  client: IntentClient,
  pick: (intent: Intent) => Attempt | undefined,
  railId: string,
): Promise<CallbackTarget | null> {
  // The provider may report only once, so the read retries while the object is unreachable.
  const intent = await client.readPersistently();
  const attempt = intent === null ? undefined : pick(intent);
  return intent === null || attempt?.railId !== railId ? null : { client, intent, attempt };
}

/**
 * The reply to a callback at an attempt's own URL; null for an unknown one. Nothing changes until
 * the adapter finds the callback authentic (docs/promises.md#9). The provider gets its reply only
 * after the commit: what it believes delivered is then stored.
 */
export async function answerCallback(
  env: Env,
  target: CallbackTarget,
  call: CallbackCall,
): Promise<CallbackReply | null> {
  const { intent, attempt } = target;
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    return answerWithoutRail(env, target);
  }
  if (rail.readCallback === undefined) {
    return null;
  }
  const order = await railOrder(env, rail, intent, attempt);
  return storeReading(env, target, await rail.readCallback(call, order));
}

/** Stores what a callback proves and returns the reply; null when the payment no longer exists. */
export async function storeReading(
  env: Env,
  target: CallbackTarget,
  reading: CallbackReading,
): Promise<CallbackReply | null> {
  if (reading.type === 'refused') {
    await reportRefused(target, reading.suspicion);
    return reading.reply;
  }
  if (reading.type === 'inconclusive') {
    return reading.reply;
  }
  const { outcome } = reading;
  const attemptId = target.attempt.id;
  const executed = await storeResult(env, target.client, [
    { type: 'resolve_attempt', attemptId, outcome },
  ]);
  return executed?.type === 'not_found' ? null : reading.reply;
}

/** The operator removed, replaced or mistyped the settings before the provider reported. */
export async function answerWithoutRail(env: Env, target: CallbackTarget): Promise<CallbackReply> {
  const { intent, attempt } = target;
  const { state } = railConfiguration(env, intent.terms.environment, attempt.method);
  if (state === 'misconfigured') {
    // The log and the health check already report it, so the payment needs no mark.
    logRefused(target, 'not_configured');
  } else {
    await reportRefused(target, 'not_configured');
  }
  return NOT_AVAILABLE;
}

/** Shows the refusal to the operator in the log and on the payment. */
export async function reportRefused(
  target: CallbackTarget,
  suspicion: CallbackSuspicion | 'not_configured',
): Promise<void> {
  logRefused(target, suspicion);
  await target.client.execute([{ type: 'report_callback', attemptId: target.attempt.id }]);
}

function logRefused({ intent, attempt }: CallbackTarget, suspicion: string): void {
  const { uuid } = intent.terms;
  log('warn', 'rail_callback_refused', { uuid, rail: attempt.railId, suspicion });
}
