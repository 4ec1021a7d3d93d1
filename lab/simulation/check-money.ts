import type { Anomaly, Attempt, Intent } from '../../src/domain/intent.ts';
import type { World } from './history.ts';
import type { ProviderOrder } from './provider.ts';
import { configuredRail, datesPayments } from './rails.ts';
import type { Ended, Expect } from './verdict.ts';

/** What the provider saw of Kefel. */
export function checkProvider(expect: Expect, { provider }: World, ended: readonly Ended[]): void {
  const { complaints, orders, confirmed } = provider;
  expect(complaints.length === 0, '11 refunds', () => complaints.join('; '));
  const attempts = ended.flatMap(({ intent }) => intent.attempts);
  for (const { reference, reportedId, state, starts, refunds } of orders.values()) {
    expect(starts <= 1, '4 no blind retry', () => `${reference} was started ${starts} times`);
    const isKnown = attempts.some((attempt) => attempt.reference === reference);
    expect(isKnown, '6 nothing lost', () => `Kefel knows no attempt ${reference}`);
    const isConfirmed = state === 'open' || provider.isConfirmed(reportedId, state);
    expect(isConfirmed, '9 callbacks', () => `the report that ${reference} is ${state} failed`);
    for (const { calls } of refunds.values()) {
      expect(calls === 1, '11 refunds', () => `a refund was requested ${calls} times`);
    }
  }
  const isForged = confirmed.some(({ report }) => report.mac === 'f0rged');
  expect(!isForged, '9 callbacks', () => 'a forged report was confirmed');
}

/** The provider's book and Kefel's agree, or the difference is visible. */
export function checkMoney(expect: Expect, world: World, ended: Ended): void {
  const { intent, history } = ended;
  const { status, failureReason, attempts, paidAttemptId } = intent;
  for (const [index, attempt] of attempts.entries()) {
    if (attempt.railId !== 'simulator') {
      checkAttempt(expect, world, intent, attempt);
      const order = world.provider.orders.get(attempt.reference);
      const wasUnpaid = history.some(
        ({ detail }) =>
          detail?.attemptIndex === index &&
          (detail.attemptStatus === 'failed' || detail.attemptStatus === 'expired'),
      );
      const isBelief = wasUnpaid && order?.state === 'paid' && !order.hasLied;
      expect(!isBelief, '4 no blind retry', () => `${attempt.railId} was unpaid without proof`);
    }
  }
  const paid = attempts.filter((attempt) => attempt.status === 'succeeded');
  const isPaid = paid.some(({ id }) => id === paidAttemptId);
  checkLate(expect, world, ended);
  expect((status === 'succeeded') === isPaid, '3 success', () => `${status}, paid: ${isPaid}`);
  const reason = `${status} with reason ${failureReason}`;
  expect((status === 'failed') === (failureReason !== null), '3 success', () => reason);
  const duplicates = paid.filter(({ id }) => id !== paidAttemptId);
  const areVisible = duplicates.every((attempt) =>
    hasAnomaly(intent, attempt, 'duplicate_payment'),
  );
  expect(areVisible, '3 success', () => 'a second payment is not visible');
}

/** A payment that the merchant knows as expired, or that was paid after the expiry, is late. */
function checkLate(expect: Expect, { provider }: World, { intent, history }: Ended): void {
  const { terms, attempts, paidAttemptId } = intent;
  const paid = attempts.find(({ id }) => id === paidAttemptId);
  const order = paid && provider.orders.get(paid.reference);
  if (paid === undefined || order === undefined || order.hasLied || paid.manualResolutionId) {
    return;
  }
  const wasPaidLate = datesPayments(paid.railId) && (order.paidAtMs ?? 0) > terms.expiresAtMs;
  const hadEnded = history.some(({ toStatus }) => ENDED_UNPAID.includes(toStatus));
  const isLate = hadEnded || wasPaidLate;
  expect(intent.late === isLate, '3 success', () => `late: ${intent.late}`);
}

const ENDED_UNPAID: readonly string[] = ['failed', 'expired', 'canceled'];

function checkAttempt(expect: Expect, world: World, intent: Intent, attempt: Attempt): void {
  const order = world.provider.orders.get(attempt.reference);
  const isInTime = attempt.startedAtMs < intent.terms.expiresAtMs;
  expect(isInTime, '5 expiry', () => `${attempt.railId} started after the expiry`);
  const name = `${attempt.railId} ${attempt.reference}`;
  const isStarted = order !== undefined || attempt.flow === 'redirect' || !world.isCalm;
  expect(isStarted, '6 nothing lost', () => `${name} never reached the provider`);
  if (order?.state === 'paid') {
    const isSucceeded = attempt.status === 'succeeded';
    expect(isSucceeded, '6 nothing lost', () => `${name} was paid, and is ${attempt.status}`);
  } else if (attempt.status === 'succeeded') {
    const isVisible =
      order?.hasLied === true && hasAnomaly(intent, attempt, 'contradicting_failure');
    expect(isVisible, '9 callbacks', () => `${name} is succeeded, and was not paid`);
  } else {
    const isKnown = isUnpaidKnown(world, intent, attempt, order);
    expect(isKnown, '4 no blind retry', () => `${name} is ${attempt.status} after weeks`);
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
