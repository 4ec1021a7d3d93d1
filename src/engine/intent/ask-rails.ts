import { errorText, log } from '../../kit/platform/log.ts';
import type { Attempt, Outcome } from '../domain/attempt.ts';
import type { Command } from '../domain/command.ts';
import { attemptsToCheck } from '../domain/decide.ts';
import type { Intent } from '../domain/intent.ts';
import type { Refund, RefundOutcome } from '../domain/refund.ts';
import { refundsToCheck, refundsToRepeat, refundsToStart } from '../domain/refund-time.ts';
import {
  CHECK_WAIT_MS_MIN,
  nextCheckAtMs,
  nextRefundCheckAtMs,
  REFUND_WINDOW_MS,
} from '../domain/schedule.ts';
import type { Ports, RefundCall } from './ports.ts';
import type { ExecuteResult } from './protocol.ts';

/** An object that died is back within seconds. A start that is free after this will not be claimed. */
const START_WAITS_MS = 30_000;

/** What the alarm's provider calls need of the object. */
export interface Asker {
  readonly env: Env;
  readonly objectName: string;
  readonly ports: Pick<Ports, 'attempts' | 'refunds' | 'alerts'>;
  /** Applies and commits one command. */
  execute(command: Command): ExecuteResult;
  /** Starts an attempt without waiting for the customer: the alarm must not last so long. */
  startSlowly(intent: Intent): void;
}

/**
 * Makes the alarm's provider calls: due queries about attempts and refunds, and due refunds. In
 * parallel, because a slow provider must not delay the others. Throws when an answer could not be
 * stored, after the other calls.
 */
export async function askRails(asker: Asker, intent: Intent, nowMs: number): Promise<void> {
  const calls = await Promise.allSettled([
    ...attemptsToCheck(intent, nowMs).map((attempt) => queryAttempt(asker, intent, attempt)),
    ...refundsToStart(intent, nowMs).map(({ id }) => sendRefund(asker, 'start', id, nowMs)),
    ...refundsToRepeat(intent, nowMs).map(({ id }) => sendRefund(asker, 'repeat', id, nowMs)),
    ...refundsToCheck(intent, nowMs).map((refund) => queryRefund(asker, intent, refund)),
  ]);
  // The error is thrown only now, because the alarm must not end before every answer is stored.
  const failed = calls.find((call) => call.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

async function queryAttempt(asker: Asker, intent: Intent, attempt: Attempt): Promise<void> {
  const outcome = await attemptOutcome(asker, intent, attempt);
  const { id: attemptId, checkAtMs: answersCheckAtMs } = attempt;
  asker.execute({ type: 'resolve_attempt', attemptId, outcome, answersCheckAtMs });
}

/** The outcome that the provider reports. A failed query is inconclusive and repeats later. */
async function attemptOutcome(
  { env, objectName, ports, startSlowly }: Asker,
  intent: Intent,
  attempt: Attempt,
): Promise<Outcome> {
  const checkAtMs = nextCheckAtMs(attempt.checks, attempt.startedAtMs, Date.now());
  const unknown: Outcome = { type: 'unknown', checkAtMs };
  const isProduction = intent.terms.environment === 'production';
  try {
    if (attempt.startClaim === 'free') {
      // The object died before it called the provider.
      startSlowly(intent);
      if (isProduction && Date.now() - attempt.startedAtMs > START_WAITS_MS) {
        void ports.alerts.startWaits(env, attempt.method);
      }
      return unknown;
    }
    const outcome = (await ports.attempts.query(env, intent, attempt)) ?? unknown;
    return outcome.type === 'unknown' ? withMinimumWait(outcome) : outcome;
  } catch (error) {
    log('error', 'rail_query_failed', { objectName, error: errorText(error) });
    return unknown;
  }
}

/** The claim of each call that sends a refund, and the claim that the refund then has. */
const SENDS = {
  start: { claims: 'claim_refund', claimOf: ({ claimId }: Refund) => claimId },
  repeat: { claims: 'claim_refund_repeat', claimOf: ({ repeat }: Refund) => repeat?.claimId },
} as const;

/**
 * Claims a refund, calls the provider once and stores the answer. The output gate holds the call
 * until the claim is durable. If the object dies before it stores the answer to a start, the alarm
 * finds the claim and only queries the provider, so that the money cannot go back twice. After a
 * repeat, the refund is unresolved again.
 */
async function sendRefund(
  asker: Asker,
  send: keyof typeof SENDS,
  refundId: string,
  nowMs: number,
): Promise<void> {
  const { claims, claimOf } = SENDS[send];
  const claimId = crypto.randomUUID();
  const deadlineAtMs = nowMs + REFUND_WINDOW_MS;
  const claim = asker.execute({ type: claims, refundId, claimId, deadlineAtMs });
  if (claim.type !== 'done') {
    return;
  }
  const refund = claim.intent.refunds.find(({ id }) => id === refundId);
  // Another refund of the same attempt may have been claimed a moment before.
  if (refund !== undefined && claimOf(refund) === claimId) {
    const outcome = await refundOutcome(asker, claim.intent, refund, asker.ports.refunds[send]);
    asker.execute({ type: 'resolve_refund', refundId, outcome });
  }
}

async function queryRefund(asker: Asker, intent: Intent, refund: Refund): Promise<void> {
  const outcome = await refundOutcome(asker, intent, refund, asker.ports.refunds.query);
  const { id: refundId, checkAtMs: answersCheckAtMs } = refund;
  asker.execute({ type: 'resolve_refund', refundId, outcome, answersCheckAtMs });
}

/** What the provider answers about a refund. A failed call is inconclusive. */
async function refundOutcome(
  { env, objectName }: Asker,
  intent: Intent,
  refund: Refund,
  ask: RefundCall,
): Promise<RefundOutcome> {
  try {
    return await ask(env, intent, refund);
  } catch (error) {
    log('error', 'rail_refund_failed', { objectName, error: errorText(error) });
    return { type: 'unknown', checkAtMs: nextRefundCheckAtMs(refund, Date.now()) };
  }
}

/** Counts the wait from the end of the query, so that a slow provider gets a pause too. */
function withMinimumWait(unknown: Extract<Outcome, { type: 'unknown' }>): Outcome {
  const { checkAtMs } = unknown;
  const soonestMs = Date.now() + CHECK_WAIT_MS_MIN;
  return { ...unknown, checkAtMs: checkAtMs === null ? null : Math.max(checkAtMs, soonestMs) };
}
