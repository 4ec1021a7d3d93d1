import type { Environment } from '../../kit/tenant.ts';
import { type AlertAnswers, alertsClient } from '../alerts/client.ts';
import type { ToldOutage } from '../alerts/standing.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Method } from '../domain/method.ts';
import {
  afterStart,
  type KnownOutage,
  type MethodStarts,
  NO_STARTS,
  outageSinceMs,
} from '../domain/method-outage.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { Rail, StartResult } from '../rails/rail.ts';
import { simulator } from '../rails/simulator/rail.ts';

/**
 * Which methods do not work now, as this isolate knows it: from the starts that it has made, and from
 * the operator's object, to which the merchants' books report (docs/decisions.md#66). In memory only:
 * no payment waits for it or costs a row for it, and while D1 or the object fails, what was known
 * before still counts until it ends.
 */

/** How often an isolate asks the object, while it has payments. */
const ASKED_EVERY_MS = 30_000;

/** By environment and method, so it is bounded. */
const starts = new Map<string, MethodStarts>();
let told: readonly ToldOutage[] = [];
let askedAtMs = Number.NEGATIVE_INFINITY;

/** For tests, whose gateways share an isolate. */
export function forgetOutages(): void {
  starts.clear();
  told = [];
  askedAtMs = Number.NEGATIVE_INFINITY;
}

/** Takes note of how a start ended. The simulator is no provider that can be down. */
export function noteStart(
  { environment, merchantId, uuid }: IntentTerms,
  { method, startClaim }: Pick<Attempt, 'method' | 'startClaim'>,
  rail: Rail,
  result: StartResult,
  nowMs: number,
): void {
  const hasReached = reachedIn(result, startClaim);
  if (hasReached === null || rail.id === simulator.id) {
    return;
  }
  const key = keyOf(environment, method);
  const start = { merchantId, paymentUuid: uuid, hasReached };
  starts.set(key, afterStart(starts.get(key) ?? NO_STARTS, start, nowMs));
}

/** Whether the start reached the provider; null: it does not show it. */
function reachedIn(result: StartResult, startClaim: Attempt['startClaim']): boolean | null {
  switch (result.type) {
    case 'accepted':
    case 'resolved':
      return true;
    case 'unknown':
      return null;
    case 'refused':
      return reachedWhenRefused(result.reason, startClaim);
  }
}

function reachedWhenRefused(
  reason: Extract<StartResult, { readonly type: 'refused' }>['reason'],
  startClaim: Attempt['startClaim'],
): boolean | null {
  switch (reason) {
    case 'rail_unavailable':
      return isNeverReached(reason, startClaim) ? false : null;
    // The gateway itself, or a server in front of the provider, may have refused it.
    case 'misconfigured':
    case 'timed_out':
      return null;
    default:
      return true;
  }
}

/**
 * Whether the provider certainly knows nothing of a start that was refused. One that waits for the
 * customer may be refused after the phone has rung.
 */
export function isNeverReached(
  reason: Extract<StartResult, { readonly type: 'refused' }>['reason'],
  startClaim: Attempt['startClaim'],
): boolean {
  return reason === 'rail_unavailable' && startClaim === 'not_needed';
}

/** Since when the method does not work for the merchant's customers; null: it works. */
export function notWorkingSinceMs(
  { environment, merchantId }: Pick<IntentTerms, 'environment' | 'merchantId'>,
  method: Method,
  nowMs: number,
): number | null {
  const own = starts.get(keyOf(environment, method)) ?? NO_STARTS;
  return outageSinceMs(own, toldOf(environment, method), merchantId, nowMs);
}

const NOTHING_TOLD: KnownOutage = { outage: null, succeededAtMs: null };

/** The books of the sandbox report nothing. */
function toldOf(environment: Environment, method: Method): KnownOutage {
  const known = environment === 'production' && told.find((one) => one.method === method);
  return known || NOTHING_TOLD;
}

/** Asks the object again, if it is time. Never throws, and the caller need not wait for it. */
export async function refreshOutages(
  env: Env,
  environment: Environment,
  nowMs: number,
): Promise<void> {
  if (environment !== 'production' || Math.abs(nowMs - askedAtMs) < ASKED_EVERY_MS) {
    return;
  }
  // Before the call: a request that dies, and an object that is away, are not asked again at once.
  askedAtMs = nowMs;
  try {
    told = await alertsClient<AlertAnswers>(env).outages();
  } catch {
    // What the isolate knew still counts. The parts that report to the object log that it is away.
  }
}

function keyOf(environment: Environment, method: Method): string {
  return `${environment}/${method}`;
}
