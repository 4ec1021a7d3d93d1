import { configOf } from '../config.ts';
import { linkId, signLink } from '../crypto/link-token.ts';
import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import {
  type Attempt,
  attemptInFlight,
  type Command,
  chargedMinor,
  type Intent,
  type IntentTerms,
  type Rejection,
} from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import { nextCheckAtMs } from '../domain/schedule.ts';
import type { IntentClient } from '../intent/client.ts';
import type { ExecuteResult, ExpressAnswers } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import type { Rail, RailOrder, StartResult } from '../rails/rail.ts';
import { railOf } from '../rails/registry.ts';

/** First lease of the message to the consumer that calls a slow rail. */
const START_MESSAGE_LEASE_MS = 10_000;

export type NewAttempt = Extract<Command, { type: 'start_attempt' }>['attempt'];

/** A fresh attempt as the rail plans it, with the id and reference that it keeps for ever. */
export function newAttempt(
  terms: IntentTerms,
  method: Method,
  phone: string | null,
  rail: Rail,
  nowMs: number,
): NewAttempt {
  const plan = rail.plan(terms, method, nowMs);
  return {
    id: crypto.randomUUID(),
    reference: referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH))),
    method,
    phone,
    railId: rail.id,
    startClaim: rail.startsInQueue ? 'free' : 'not_needed',
    ...plan,
    // The message that starts it may get lost: until somebody claims it, it is sent again.
    ...(rail.startsInQueue ? { checkAtMs: nowMs + START_MESSAGE_LEASE_MS } : {}),
  };
}

/** What the rail's adapter is told about an attempt of this intent, links included. */
export async function railOrder(
  env: Env,
  objectId: string,
  intent: Intent,
  attempt: Attempt,
): Promise<RailOrder> {
  const keys = configOf(env).linkSigningKeys;
  const attemptIndex = intent.attempts.findIndex((candidate) => candidate.id === attempt.id);
  if (attemptIndex < 0) {
    throw new Error('an attempt of another payment');
  }
  const [attemptToken, checkoutToken, selfDescribingId] = await Promise.all([
    signLink(keys, 'attempt', { objectId, attemptIndex }),
    signLink(keys, 'checkout', { objectId, attemptIndex: 0 }),
    linkId(keys, { objectId, attemptIndex }),
  ]);
  const { baseUrl } = intent.terms;
  const checkoutUrl = `${baseUrl}/checkout/${checkoutToken}`;
  return {
    terms: intent.terms,
    attempt,
    chargedMinor: chargedMinor(intent.terms, attempt.method),
    attemptToken,
    callbackUrl: `${baseUrl}/rails/${attempt.railId}/${attemptToken}`,
    selfDescribingId,
    checkoutUrl,
    returnUrl: `${checkoutUrl}/returned`,
  };
}

/** What the rail's answer to a start means for the payment. No answer is no failure (decision 16). */
export function commandFor(
  result: StartResult,
  attempt: Pick<Attempt, 'id' | 'startedAtMs'>,
  nowMs: number,
): Command {
  const attemptId = attempt.id;
  switch (result.type) {
    case 'accepted': {
      const { redirectUrl, railReference, words = null } = result;
      return { type: 'accept_attempt', attemptId, redirectUrl, railReference, words };
    }
    case 'refused':
      return {
        type: 'settle_attempt',
        attemptId,
        outcome: { type: 'failed', reason: result.reason, words: result.words ?? null },
      };
    case 'settled':
      return { type: 'settle_attempt', attemptId, outcome: result.outcome };
    case 'unknown': {
      const checkAtMs = nextCheckAtMs(0, attempt.startedAtMs, nowMs);
      const { words = null } = result;
      return { type: 'settle_attempt', attemptId, outcome: { type: 'unknown', checkAtMs, words } };
    }
  }
}

export type RunResult =
  /** Started, and the rail's answer stored. */
  | { readonly type: 'started'; readonly intent: Intent; readonly attempt: Attempt }
  /** Nothing was started; the rail was not called. */
  | { readonly type: 'rejected'; readonly intent: Intent; readonly rejection: Rejection }
  | { readonly type: 'not_found' };

/** What the customer asked for, and how many attempts the page knew of that asked. */
export interface AttemptChoice {
  readonly method: Method;
  readonly phone: string | null;
  readonly expectedAttempts: number;
}

/**
 * Starts an attempt on an existing intent: stored first, so that a second click finds it; then the
 * rail is called, once; then its answer is stored. Dying in between leaves an attempt in flight
 * that reconciliation finds.
 */
export async function runAttempt(
  env: Env,
  client: IntentClient,
  terms: IntentTerms,
  choice: AttemptChoice,
  rail: Rail,
): Promise<RunResult> {
  const planned = newAttempt(terms, choice.method, choice.phone, rail, Date.now());
  const { expectedAttempts } = choice;
  const start = await client.execute([
    { type: 'start_attempt', attempt: planned, expectedAttempts },
  ]);
  if (start.type === 'not_found') {
    return start;
  }
  if (start.rejection !== null) {
    return { type: 'rejected', intent: start.intent, rejection: start.rejection };
  }
  const started = attemptOf(start.intent, planned.id);
  const result = await startAtRail(env, client.objectId, start.intent, started, rail);
  const stored = await settleForSure(env, client, [commandFor(result, started, Date.now())]);
  if (stored?.type === 'not_found') {
    return stored;
  }
  const { intent } = stored ?? start;
  return { type: 'started', intent, attempt: attemptOf(intent, planned.id) };
}

/**
 * Calls the rail, or has it called by the consumer whose time is not the customer's. Once the
 * message is sent, or lost, the attempt is in flight like any other that was accepted.
 */
export async function startAtRail(
  env: Env,
  objectId: string,
  intent: Intent,
  attempt: Attempt,
  rail: Rail,
): Promise<StartResult> {
  if (!rail.startsInQueue) {
    return rail.start(await railOrder(env, objectId, intent, attempt));
  }
  await sendStart(env, objectId, attempt.id);
  return { type: 'accepted', redirectUrl: null, railReference: null };
}

/** Never throws: what could not be sent is sent again when the attempt is next looked at. */
export async function sendStart(env: Env, objectId: string, attemptId: string): Promise<void> {
  try {
    await env.RAIL_STARTS.send({ type: 'start', objectId, attemptId } satisfies StartMessage);
  } catch (error) {
    log('warn', 'queue_send_failed', { objectId, error: errorText(error) });
  }
}

/** Asks the consumer to claim an attempt and start it at its rail. */
export interface StartMessage {
  readonly type: 'start';
  readonly objectId: string;
  readonly attemptId: string;
}

/** What a rail has said, for an object that could not be reached just then. */
export interface SettleMessage {
  readonly type: 'settle';
  readonly objectId: string;
  readonly commands: readonly Command[];
  /** Of an express payment's start: what its repeated request is to be told. */
  readonly answers: ExpressAnswers | null;
}

/**
 * Stores what a rail has said and may never say again. An object that stays out of reach gets it by
 * way of the queue, which keeps it; null then. Throws only when the queue cannot be reached either,
 * and the object not for some 20 s.
 */
export async function settleForSure(
  env: Env,
  client: IntentClient,
  commands: readonly Command[],
  answers: ExpressAnswers | null = null,
): Promise<ExecuteResult | null> {
  const { objectId } = client;
  try {
    return await client.execute(commands, answers);
  } catch (error) {
    log('error', 'rail_answer_not_stored', { objectId, error: errorText(error) });
  }
  try {
    const message: SettleMessage = { type: 'settle', objectId, commands, answers };
    await env.RAIL_STARTS.send(message);
    return null;
  } catch (error) {
    log('error', 'queue_send_failed', { objectId, error: errorText(error) });
    return client.executePersistently(commands, answers);
  }
}

/**
 * The rail's page of the attempt in flight, also when its start died before the rail's answer was
 * stored; null when there is none, or none that can be known.
 */
export async function railPageUrl(
  env: Env,
  client: IntentClient,
  intent: Intent,
): Promise<string | null> {
  const attempt = attemptInFlight(intent);
  if (attempt === null || attempt.redirectUrl !== null) {
    return attempt?.redirectUrl ?? null;
  }
  const rail = railOf(env, intent.terms, attempt);
  const page = rail?.page(await railOrder(env, client.objectId, intent, attempt)) ?? null;
  if (page === null) {
    return null;
  }
  // Kept before anybody sees it: made again after a change of keys, it might be another order.
  const kept = await client.execute([{ type: 'accept_attempt', attemptId: attempt.id, ...page }]);
  const current = kept.type === 'done' ? attemptInFlight(kept.intent) : null;
  return current?.id === attempt.id ? current.redirectUrl : null;
}

function attemptOf(intent: Intent, attemptId: string): Attempt {
  const attempt = intent.attempts.find((candidate) => candidate.id === attemptId);
  if (attempt === undefined) {
    throw new Error('a stored attempt is missing');
  }
  return attempt;
}
