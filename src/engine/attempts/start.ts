import { Unavailable } from '../../kit/platform/unavailable.ts';
import type { Attempt, NewAttempt } from '../domain/attempt.ts';
import type { Command, Rejection } from '../domain/command.ts';
import { attemptReferenceFrom, REFERENCE_LENGTH } from '../domain/identifiers.ts';
import type { Intent } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import { nextCheckAtMs } from '../domain/schedule.ts';
import type { IntentTerms } from '../domain/terms.ts';
import { LAST_QUERY_MS } from '../domain/time.ts';
import type { IntentClient } from '../intent/client.ts';
import type { ExecuteResult, ExpressFacts } from '../intent/protocol.ts';
import { claimedWindowEndMs } from '../rails/phone-prompt.ts';
import type { Rail, StartResult } from '../rails/rail.ts';
import type { RailOrder } from '../rails/rail-order.ts';
import { isNeverReached, noteStart } from './method-outages.ts';
import { railOrder } from './order.ts';
import { storeResult } from './provider-reports.ts';

/** The object claims a slow start within moments. If it dies before, its alarm does so after this. */
const START_AGAIN_AFTER_MS = 5_000;

/**
 * Until when a provider may report an attempt that starts at `startMs`. A slow start's window begins
 * with its claim, which is later only if the object dies in between.
 */
export function windowEndsByMs(
  terms: IntentTerms,
  method: Method,
  rail: Rail,
  startMs: number,
): number {
  return rail.startWaitsForCustomer
    ? claimedWindowEndMs(rail, startMs)
    : rail.plan(terms, method, startMs).deadlineAtMs;
}

/** A new attempt as its rail plans it, with its id and reference. */
export function newAttempt(
  terms: IntentTerms,
  method: Method,
  phone: string | null,
  rail: Rail,
  nowMs: number,
): NewAttempt {
  const plan = rail.plan(terms, method, nowMs);
  const { createdAtMs, merchantNumber } = terms;
  const random = crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH));
  return {
    id: crypto.randomUUID(),
    reference: attemptReferenceFrom(createdAtMs, merchantNumber, random),
    method,
    phone,
    railId: rail.id,
    startClaim: rail.startWaitsForCustomer ? 'free' : 'not_needed',
    ...plan,
    ...(rail.startWaitsForCustomer ? { checkAtMs: nowMs + START_AGAIN_AFTER_MS } : {}),
  };
}

/** Whether the provider may report an attempt by its reference alone. */
export function hasSharedAddress({ openCallback }: Rail): boolean {
  return openCallback !== undefined;
}

/**
 * Makes an attempt's reference known before its provider is: nothing may be payable that cannot be
 * reported. Throws Unavailable: the caller must not start the attempt.
 */
export async function holdReference(
  env: Env,
  terms: IntentTerms,
  { reference }: NewAttempt,
  rail: Rail,
): Promise<void> {
  if (!hasSharedAddress(rail)) {
    return;
  }
  const { registerOf } = await import('../register/client.ts');
  if (!(await registerOf(env, terms).holdReference(reference, terms.uniqueId))) {
    // The random bits of two payments of a second agree. A repeated request gets others.
    throw new Unavailable('the reference is taken');
  }
}

/**
 * Reserves a place at the payment's link, if it has a maximum, until the attempt's outcome is known or
 * its window is over. False when none is left. Throws Unavailable: the caller must not start the attempt.
 */
async function reservePlace(
  env: Env,
  terms: IntentTerms,
  { method, expectedAttempts }: AttemptChoice,
  rail: Rail,
): Promise<boolean> {
  if (terms.countedLink === undefined) {
    return true;
  }
  const untilMs = windowEndsByMs(terms, method, rail, Date.now()) + LAST_QUERY_MS;
  const { registerOf } = await import('../register/client.ts');
  return registerOf(env, terms).reservePlace(
    terms.countedLink,
    terms.uniqueId,
    expectedAttempts + 1,
    untilMs,
  );
}

export type RunResult =
  /** The attempt was started and the rail's answer stored. */
  | { readonly type: 'started'; readonly intent: Intent; readonly attempt: Attempt }
  /** No attempt was started; the rail was not called. */
  | { readonly type: 'rejected'; readonly intent: Intent; readonly rejection: Rejection }
  /** The payment's link has no place left. No attempt was started. */
  | { readonly type: 'no_place' }
  | { readonly type: 'not_found' };

/** The customer's choice, and the number of attempts that the customer's page showed. */
export interface AttemptChoice {
  readonly method: Method;
  readonly phone: string | null;
  readonly expectedAttempts: number;
}

/**
 * Starts an attempt on an existing intent: stores the attempt, so that a second click finds it,
 * calls the rail once, unless the payment's object does so, and stores its answer. If the Worker dies
 * in between, reconciliation finds the attempt in flight.
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
  if (!(await reservePlace(env, terms, choice, rail))) {
    return { type: 'no_place' };
  }
  await holdReference(env, terms, planned, rail);
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
  if (rail.startWaitsForCustomer) {
    // The payment's object makes this call.
    return { type: 'started', intent: start.intent, attempt: started };
  }
  const order = await railOrder(env, rail, start.intent, started);
  const result = await startAtRail(rail, order);
  const stored = await storeStart(env, client, started, result);
  if (stored?.type === 'not_found') {
    return stored;
  }
  const { intent } = stored ?? start;
  return { type: 'started', intent, attempt: attemptOf(intent, planned.id) };
}

/** The one call that asks the provider for the money. */
export async function startAtRail(rail: Rail, order: RailOrder): Promise<StartResult> {
  const result = await rail.start(order);
  noteStart(order.terms, order.attempt, rail, result, Date.now());
  return result;
}

/** Stores the rail's answer as `storeResult` does. */
export function storeStart(
  env: Env,
  client: IntentClient,
  attempt: Attempt,
  result: StartResult,
  facts: ExpressFacts | null = null,
): Promise<ExecuteResult | null> {
  return storeResult(env, client, [commandFor(result, attempt, Date.now())], facts);
}

/**
 * The command that stores a rail's answer to a start. A missing answer is not a failure
 * (docs/decisions.md#16).
 */
export function commandFor(
  result: StartResult,
  attempt: Pick<Attempt, 'id' | 'startClaim' | 'startedAtMs'>,
  nowMs: number,
): Command {
  const attemptId = attempt.id;
  switch (result.type) {
    case 'accepted': {
      const { redirectUrl, railReference, providerCode = null } = result;
      return { type: 'accept_attempt', attemptId, redirectUrl, railReference, providerCode };
    }
    case 'refused':
      return {
        type: 'resolve_attempt',
        attemptId,
        outcome: {
          type: 'failed',
          reason: result.reason,
          ...(isNeverReached(result.reason, attempt.startClaim) && { neverReached: true }),
          providerCode: result.providerCode ?? null,
        },
      };
    case 'resolved':
      return { type: 'resolve_attempt', attemptId, outcome: result.outcome };
    case 'unknown': {
      const checkAtMs = nextCheckAtMs(0, attempt.startedAtMs, nowMs);
      const { providerCode = null } = result;
      return {
        type: 'resolve_attempt',
        attemptId,
        outcome: { type: 'unknown', checkAtMs, providerCode },
      };
    }
  }
}

function attemptOf(intent: Intent, attemptId: string): Attempt {
  const attempt = intent.attempts.find((candidate) => candidate.id === attemptId);
  if (attempt === undefined) {
    throw new Error('A stored attempt is missing');
  }
  return attempt;
}
