import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { Anomaly, Intent } from '../../src/engine/domain/intent.ts';
import type { Ended } from './ended.ts';
import type { ProviderOrder } from './provider.ts';
import { configuredRail, datesPayments } from './rails.ts';
import type { World } from './world.ts';

/** What the provider saw of Kefel. */
export function checkProvider({ provider, journal }: World, ended: readonly Ended[]): void {
  const { expect } = journal;
  const { complaints, orders, confirmed } = provider;
  expect('11 refunds', complaints.length === 0, complaints.join('; '));
  const attempts = ended.flatMap(({ intent }) => intent.attempts);
  for (const { reference, reportedId, state, starts, refunds } of orders.values()) {
    expect('4 no blind retry', starts <= 1, `${reference} was started ${starts} times`);
    const isLost = journal.lostAttempts.has(reference);
    const isKnown = attempts.some((attempt) => attempt.reference === reference);
    expect('6 nothing lost', isKnown || isLost, `Kefel knows no attempt ${reference}`);
    const isConfirmed = state === 'open' || isLost || provider.isConfirmed(reportedId, state);
    expect('9 callbacks', isConfirmed, `the report that ${reference} is ${state} failed`);
    for (const { calls } of refunds.values()) {
      expect('11 refunds', calls === 1, `a refund was requested ${calls} times`);
    }
  }
  const isForged = confirmed.some(({ report }) => report.mac === 'f0rged');
  expect('9 callbacks', !isForged, 'a forged report was confirmed');
}

/** The provider's book and Kefel's agree, or the difference is visible. */
export function checkMoney(world: World, ended: Ended): void {
  const { expect } = world.journal;
  const { intent, history } = ended;
  const { status, failureReason, attempts, paidAttemptId } = intent;
  for (const [index, attempt] of attempts.entries()) {
    if (attempt.railId !== 'simulator') {
      checkAttempt(world, intent, attempt);
      const order = world.provider.orders.get(attempt.reference);
      const wasUnpaid = history.some(
        ({ detail }) =>
          detail?.attemptIndex === index &&
          (detail.attemptStatus === 'failed' || detail.attemptStatus === 'expired'),
      );
      const isBelief = wasUnpaid && order?.state === 'paid' && !order.hasLied;
      expect('4 no blind retry', !isBelief, `${attempt.railId} was unpaid without proof`);
    }
  }
  const paid = attempts.filter((attempt) => attempt.status === 'succeeded');
  const isPaid = paid.some(({ id }) => id === paidAttemptId);
  checkLate(world, ended);
  expect('3 success', (status === 'succeeded') === isPaid, `${status}, paid: ${isPaid}`);
  const reason = `${status} with reason ${failureReason}`;
  expect('3 success', (status === 'failed') === (failureReason !== null), reason);
  const duplicates = paid.filter(({ id }) => id !== paidAttemptId);
  const areVisible = duplicates.every((attempt) =>
    hasAnomaly(intent, attempt, 'duplicate_payment'),
  );
  expect('3 success', areVisible, 'a second payment is not visible');
}

/** A payment that the merchant knows as expired, or that was paid after the expiry, is late. */
function checkLate({ provider, journal }: World, { intent, history }: Ended): void {
  const { terms, attempts, paidAttemptId } = intent;
  const paid = attempts.find(({ id }) => id === paidAttemptId);
  const order = paid && provider.orders.get(paid.reference);
  if (paid === undefined || order === undefined || order.hasLied || paid.manualResolutionId) {
    return;
  }
  const wasPaidLate = datesPayments(paid.railId) && (order.paidAtMs ?? 0) > terms.expiresAtMs;
  const hadEnded = history.some(({ toStatus }) => ENDED_UNPAID.includes(toStatus));
  const isLate = hadEnded || wasPaidLate;
  journal.expect('3 success', intent.late === isLate, `late: ${intent.late}`);
}

const ENDED_UNPAID: readonly string[] = ['failed', 'expired', 'canceled'];

function checkAttempt(world: World, intent: Intent, attempt: Attempt): void {
  const { expect } = world.journal;
  const order = world.provider.orders.get(attempt.reference);
  const isInTime = attempt.startedAtMs < intent.terms.expiresAtMs;
  expect('5 expiry', isInTime, `${attempt.railId} started after the expiry`);
  const name = `${attempt.railId} ${attempt.reference}`;
  const isStarted = order !== undefined || attempt.flow === 'redirect' || !world.isCalm;
  expect('6 nothing lost', isStarted, `${name} never reached the provider`);
  if (order?.state === 'paid') {
    const isSucceeded = attempt.status === 'succeeded';
    expect('6 nothing lost', isSucceeded, `${name} was paid, and is ${attempt.status}`);
  } else if (attempt.status === 'succeeded') {
    const isVisible =
      order?.hasLied === true && hasAnomaly(intent, attempt, 'contradicting_failure');
    expect('9 callbacks', isVisible, `${name} is succeeded, and was not paid`);
  } else {
    const isKnown = isUnpaidKnown(world, intent, attempt, order);
    expect('4 no blind retry', isKnown, `${name} is ${attempt.status} after weeks`);
  }
}

/** Whether Kefel knows that an attempt was not paid, or cannot know it. */
function isUnpaidKnown(
  { env }: World,
  { terms }: Intent,
  { status, method, startClaim }: Attempt,
  order: ProviderOrder | undefined,
): boolean {
  const canQuery = configuredRail(env, terms.environment, method)?.query !== undefined;
  const isUnknownToProvider = order === undefined && (!canQuery || startClaim === 'taken');
  return status === 'failed' || status === 'expired' || isUnknownToProvider;
}

export function hasAnomaly(
  { anomalies }: Intent,
  attempt: Attempt,
  kind: Anomaly['kind'],
): boolean {
  return anomalies.some((anomaly) => anomaly.kind === kind && anomaly.attemptId === attempt.id);
}
