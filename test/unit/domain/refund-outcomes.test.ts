import { expect, test } from 'vitest';
import type { Command, Rejection } from '../../../src/engine/domain/command.ts';
import { decide, nextWakeAtMs, openIntent } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import {
  asRequested,
  hasRefundEnded,
  type RefundOutcome,
} from '../../../src/engine/domain/refund.ts';
import { refundsToCheck, refundsToStart } from '../../../src/engine/domain/refund-time.ts';
import {
  abandon,
  accepted,
  cancelRefund,
  claimRefund,
  paidTwice,
  requestRefund,
  resolveRefund,
  resolveRefundManually,
  someTerms,
  startAttempt,
  TICK,
} from '../../support/intents.ts';

/**
 * Goal: what contradicts a refund's outcome is visible and never counts twice. Method: single
 * histories that random ones rarely reach.
 */

const AMOUNT_MINOR = 1_000;

function request(id: string, amountMinor: number, requestId = `request-${id}`): Command {
  return requestRefund(id, { amountMinor, requestId });
}

const RETURNED: RefundOutcome = { type: 'succeeded', railReference: null };
const REFUSED: RefundOutcome = { type: 'failed', reason: 'declined' };

const after = (...commands: Command[]): Intent =>
  accepted(paidTwice({ amountMinor: AMOUNT_MINOR }), commands, 1_000);

function anomalies({ anomalies: recorded }: Intent): readonly string[] {
  return recorded.map(({ kind }) => kind).filter((kind) => kind === 'contradicting_refund');
}

test('a success whose amount is still left counts as late', () => {
  const commands = [request('one', 400), claimRefund('one'), resolveRefund('one', REFUSED)];
  const intent = after(...commands, resolveRefund('one', RETURNED));
  expect(intent.refunds).toMatchObject([{ status: 'succeeded', late: true }]);
  expect(anomalies(intent)).toEqual([]);
});

test('a failure after the success is recorded once per refund, which stays succeeded', () => {
  const contradicted = (id: string) => [
    ...[request(id, 400), claimRefund(id), resolveRefund(id, RETURNED)],
    ...[resolveRefund(id, REFUSED), resolveRefund(id, REFUSED)],
  ];
  const intent = after(...contradicted('one'), ...contradicted('two'));
  expect(intent.refunds).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
  expect(anomalies(intent)).toHaveLength(2);
});

test('another request with the id of a refund is rejected, and a repeated one is not', () => {
  const intent = after(request('one', 400), request('one', 400));
  expect(intent.refunds).toHaveLength(1);
  const other = decide(intent, [request('one', 400, 'another request')], 2_000);
  expect(other.rejection).toBe('refund_exists');
});

test.each<[string, Command[]]>([
  ['in flight', []],
  ['unresolved', [abandon('second')]],
])('an attempt that is %s is not refunded', (_name, commands) => {
  const { intent } = decide(openIntent(someTerms()), [startAttempt('second'), ...commands], 0);
  expect(decide(intent, [request('one', 400)], 0).rejection).toBe('not_paid');
});

const UNKNOWN: RefundOutcome = { type: 'unknown', checkAtMs: null };

test('the window closes only after its last query, and the amount stays reserved', () => {
  const asked = after(request('one', AMOUNT_MINOR), claimRefund('one'));
  const { intent: due } = decide(asked, [TICK], 60_000);
  expect(due.refunds).toMatchObject([{ status: 'processing', checkAtMs: 60_000 }]);
  const { intent: closed } = decide(due, [resolveRefund('one', UNKNOWN)], 60_001);
  expect(closed.refunds).toMatchObject([{ status: 'unresolved' }]);
  expect(decide(closed, [request('two', 1)], 60_002).rejection).toBe('refund_too_large');
});

test.each<RefundOutcome>([REFUSED, { type: 'requires_action', reason: 'not_enabled' }])(
  'a refund that waits for a person is not queried again after %j',
  (outcome) => {
    const waits = { type: 'requires_action', reason: 'not_enabled', checkAtMs: 2_000 } as const;
    const waiting = after(request('one', 400), claimRefund('one'), resolveRefund('one', waits));
    expect(refundsToCheck(waiting, 2_000)).toHaveLength(1);
    const answer = { ...resolveRefund('one', outcome), answersCheckAtMs: 2_000 } as Command;
    const { intent } = decide(waiting, [answer], 2_100);
    expect(intent.refunds).toMatchObject([{ status: 'requires_action' }]);
    expect([refundsToCheck(intent, 9_000), nextWakeAtMs(intent)]).toEqual([[], null]);
  },
);

const decision = (operator: string, mustTwoAgree: boolean) =>
  resolveRefundManually('one', {
    resolutionId: crypto.randomUUID(),
    operator,
    secondOperatorAboveMinor: mustTwoAgree ? 0 : null,
  });

test.each<[string, RefundOutcome[], Command[], Rejection | null]>([
  ['while the answer may come', [], [decision('Abebe', false)], 'refund_not_resolvable'],
  ['once it cannot', [UNKNOWN], [decision('Abebe', false)], null],
  [
    'alone',
    [UNKNOWN],
    [decision('Abebe', true), decision('Abebe', true)],
    'second_operator_needed',
  ],
  ['with another one', [UNKNOWN], [decision('Abebe', true), decision('Sara', true)], null],
])('an operator decides %s', (_name, outcomes, decisions, rejection) => {
  const asked = after(request('one', 400), claimRefund('one'));
  const nowMs = outcomes.length === 0 ? 2_000 : 60_000;
  const reports = outcomes.map((outcome) => resolveRefund('one', outcome));
  const { intent } = decide(asked, reports, nowMs);
  const decided = decide(intent, decisions, nowMs);
  expect(decided.rejection).toBe(rejection);
  expect(decided.intent.refunds[0]?.status === 'succeeded').toBe(rejection === null);
});

test.each<[string, boolean, Rejection | null, object]>([
  ['waits for a second operator', true, null, { proposal: { operator: 'Abebe' } }],
  ['is rejected without a proved name', false, 'operator_not_verified', { proposal: null }],
])('a refund by hand that passes the limit together with an earlier one %s', (...row) => {
  const [_name, isVerified, rejection, shown] = row;
  const leftToPeople = (id: string) => ({ ...request(id, 400), capability: null }) as Command;
  const both = after(leftToPeople('one'), leftToPeople('two'));
  // Both were decided while neither was recorded.
  const byHand = (refundId: string) =>
    ({
      ...decision('Abebe', false),
      ...{ refundId, secondOperatorAboveMinor: 500, isVerified },
    }) as Command;
  const first = decide(both, [byHand('one')], 2_000);
  expect(first).toMatchObject({
    rejection: null,
    intent: { refunds: [{ status: 'succeeded' }, {}] },
  });
  const second = decide(first.intent, [byHand('two')], 2_000);
  expect(second.rejection).toBe(rejection);
  expect(second.intent.refunds[1]).toMatchObject({ status: 'requires_action', ...shown });
});

test('a late success returns the commission once, and reports the excess', () => {
  const paid = paidTwice({ amountMinor: 100, commissionMinor: 9, commissionPaidByCustomer: true });
  // The commission of each part rounds down to nothing, so the rest has all of it.
  const parts = Array.from({ length: 9 }, (_, index) => `part${index}`);
  const commands = [
    ...parts.map((id) => request(id, 10)),
    ...[request('rest', 10), claimRefund('rest'), resolveRefund('rest', REFUSED)],
    ...parts.map(cancelRefund),
    ...[request('more', 90), claimRefund('more'), resolveRefund('more', RETURNED)],
    resolveRefund('rest', RETURNED),
  ];
  const { intent, rejection } = decide(paid, commands, 1_000);
  expect(rejection).toBeNull();
  const returned = intent.refunds.filter(({ status }) => status === 'succeeded');
  expect(returned).toMatchObject([
    // All 9 went back with it. The other refund has given up 8 of them since.
    { id: 'rest', returnedMinor: 19, commissionReturnedMinor: 1 },
    { id: 'more', returnedMinor: 98, commissionReturnedMinor: 8 },
  ]);
  expect(intent.anomalies.at(-1)).toMatchObject({ kind: 'excess_refund', excessMinor: 8 });
});

test('the provider is called from the time of the refund on, and queried when its window ends', () => {
  const waiting = after({ ...request('one', 400), startsAfterMs: 5_000 } as Command);
  expect(nextWakeAtMs(waiting)).toBe(6_000);
  expect(refundsToStart(waiting, 5_999)).toEqual([]);
  expect(refundsToCheck(waiting, 6_000)).toEqual([]);
  expect(refundsToStart(waiting, 6_000)).toHaveLength(1);
  expect(decide(waiting, [claimRefund('one')], 5_999).rejection).toBe('refund_not_claimable');
  const asked = decide(waiting, [claimRefund('one')], 6_000).intent;
  expect(refundsToStart(asked, 6_000)).toEqual([]);
  expect(nextWakeAtMs(asked)).toBe(60_000);
  expect(refundsToCheck(asked, 59_999)).toEqual([]);
  expect(refundsToCheck(asked, 60_000)).toHaveLength(1);
});

test('a refund waits for the one before it, but not for one of another attempt', () => {
  const asked = after(request('one', 400), request('two', 300), claimRefund('one'));
  expect(refundsToStart(asked, 1_000)).toEqual([]);
  expect(nextWakeAtMs(asked)).toBe(60_000);
  const ofFirst = requestRefund('other', { amountMinor: 200, attemptId: 'first' });
  const { intent } = decide(asked, [ofFirst], 1_000);
  expect(refundsToStart(intent, 1_000)).toMatchObject([{ id: 'other' }]);
});

test.each<[string, number | undefined, { checks: number; checkAtMs: number }]>([
  ['to the query that is due', 60_000, { checks: 1, checkAtMs: 90_000 }],
  ['to an earlier query', 50_000, { checks: 0, checkAtMs: 60_000 }],
  ['without a query', undefined, { checks: 1, checkAtMs: 90_000 }],
])('an inconclusive answer %s', (_name, answersCheckAtMs, expected) => {
  const answer = {
    ...resolveRefund('one', { type: 'unknown', checkAtMs: 90_000, railReference: 'R1' }),
    ...(answersCheckAtMs !== undefined && { answersCheckAtMs }),
  } as Command;
  const intent = after(request('one', 400), claimRefund('one'), answer);
  expect(intent.refunds).toMatchObject([
    { status: 'processing', railReference: 'R1', ...expected },
  ]);
  // The window ends before the next query.
  expect(nextWakeAtMs(intent)).toBe(60_000);
});

test.each<[string, RefundOutcome, string]>([
  [
    'an inconclusive answer keeps',
    { type: 'unknown', checkAtMs: 90_000, railReference: 'R2' },
    'R1',
  ],
  ['an inconclusive answer without an id keeps', { type: 'unknown', checkAtMs: 90_000 }, 'R1'],
  ['a success without an id keeps', { type: 'succeeded', railReference: null }, 'R1'],
  ['a success with another id replaces', { type: 'succeeded', railReference: 'R2' }, 'R2'],
])("%s the provider's id of the refund", (_name, outcome, railReference) => {
  const known: RefundOutcome = { type: 'unknown', checkAtMs: 80_000, railReference: 'R1' };
  const before = after(request('one', 400), claimRefund('one'), resolveRefund('one', known));
  expect(decide(before, [resolveRefund('one', outcome)], 2_000).intent.refunds).toMatchObject([
    { railReference },
  ]);
});

test.each<[string, Command[], string]>([
  ['before the provider was called', [], 'pending'],
  ['after its success', [claimRefund('one'), resolveRefund('one', RETURNED)], 'succeeded'],
  ['after its failure', [claimRefund('one'), resolveRefund('one', REFUSED)], 'failed'],
])('an inconclusive answer %s changes nothing', (_name, commands, status) => {
  const before = after(request('one', 400), ...commands);
  expect(before.refunds).toMatchObject([{ status }]);
  const late: RefundOutcome = { type: 'unknown', checkAtMs: 90_000, railReference: 'R1' };
  expect(decide(before, [resolveRefund('one', late)], 2_000).intent).toEqual(before);
});

test('an operator decides about a refund that the provider cannot return itself', () => {
  const left: RefundOutcome = { type: 'requires_action', reason: 'not_enabled' };
  const asked = after(request('one', 400), claimRefund('one'));
  const { intent, steps } = decide(
    asked,
    [resolveRefund('one', left), resolveRefund('one', left)],
    1_000,
  );
  expect(steps).toMatchObject([{ event: 'refund_requires_action' }]);
  expect(intent.refunds).toMatchObject([{ status: 'requires_action', checkAtMs: null }]);
  const later = decide(intent, [resolveRefund('one', REFUSED)], 2_000).intent;
  expect(later.refunds).toMatchObject([{ status: 'requires_action' }]);
  const [step] = decide(later, [resolveRefund('one', RETURNED)], 3_000).steps;
  expect(step).toMatchObject({ event: 'refund_succeeded' });
  expect(step?.intent.refunds).toMatchObject([
    { status: 'succeeded', late: false, actionReason: null, updatedAtMs: 3_000 },
  ]);
});

const LEFT: RefundOutcome = { type: 'requires_action', reason: 'not_enabled' };

test.each<[string, RefundOutcome[], RefundOutcome, number, string, number]>([
  ['a success before the provider was called', [], RETURNED, 1_000, 'pending', 1],
  ['a refusal before the provider was called', [], REFUSED, 1_000, 'pending', 0],
  ['a person needed, before the provider was called', [], LEFT, 1_000, 'pending', 0],
  ['a person needed, after the success', [RETURNED], LEFT, 1_000, 'succeeded', 0],
  ['a person needed, after the window', [UNKNOWN], LEFT, 60_001, 'requires_action', 0],
  ['a refusal after the window', [UNKNOWN], REFUSED, 60_001, 'failed', 0],
  [
    'the same success with a reference',
    [RETURNED],
    { type: 'succeeded', railReference: 'R2' },
    1_000,
    'succeeded',
    0,
  ],
])('%s', (_name, outcomes, last, nowMs, status, contradictions) => {
  const calls = outcomes.length === 0 ? [] : [claimRefund('one')];
  const reports = outcomes.map((outcome) => resolveRefund('one', outcome));
  const before = after(request('one', 400), ...calls, ...reports);
  const { intent } = decide(before, [resolveRefund('one', last)], nowMs);
  expect(intent.refunds).toMatchObject([{ status }]);
  expect(anomalies(intent)).toHaveLength(contradictions);
});

test('a report about a canceled refund, which the provider never got, changes nothing', () => {
  const intent = after(request('one', 400), cancelRefund('one'), resolveRefund('one', RETURNED));
  expect(intent.refunds).toMatchObject([{ status: 'canceled' }]);
  expect(anomalies(intent)).toHaveLength(1);
});

test.each<[string, string | null, string, number]>([
  ['another reference: returned twice', 'RAIL-1', 'BANK-7', 1],
  ['the same reference', 'RAIL-1', 'RAIL-1', 0],
  ['no reference', null, 'BANK-7', 0],
])('the provider returns what an operator returned by hand, with %s', (...row) => {
  const [_name, railReference, given, contradictions] = row;
  const byHand = resolveRefundManually('one', {
    outcome: { type: 'succeeded', railReference: given },
  });
  const intent = after(
    ...[request('one', 400), claimRefund('one'), resolveRefund('one', LEFT), byHand],
    resolveRefund('one', { type: 'succeeded', railReference }),
  );
  expect(intent.refunds).toMatchObject([{ status: 'succeeded', railReference: given }]);
  expect(anomalies(intent)).toHaveLength(contradictions);
});

test('repeated claims, cancellations and decisions change nothing', () => {
  const claimed = after(request('one', 400), claimRefund('one'));
  expect(decide(claimed, [claimRefund('one')], 2_000)).toMatchObject({
    rejection: null,
    steps: [],
  });
  const canceled = after(request('one', 400), cancelRefund('one'));
  expect(decide(canceled, [cancelRefund('one')], 2_000)).toMatchObject({
    rejection: null,
    steps: [],
  });
  const left = after(request('one', 400), claimRefund('one'), resolveRefund('one', LEFT));
  for (const mustTwoAgree of [false, true]) {
    const command = decision('Abebe', mustTwoAgree);
    const decided = decide(left, [command], 2_000);
    expect(decided.steps).toHaveLength(1);
    expect(decide(decided.intent, [command], 3_000)).toMatchObject({ rejection: null, steps: [] });
  }
});

test('another decision of a second operator takes the place of the first', () => {
  const left = after(request('one', 400), claimRefund('one'), resolveRefund('one', LEFT));
  const others = [
    { ...decision('Sara', true), outcome: { type: 'failed' } },
    { ...decision('Sara', true), outcome: { type: 'succeeded', railReference: 'BANK-8' } },
  ] as Command[];
  for (const other of others) {
    const { intent, rejection } = decide(left, [decision('Abebe', true), other], 2_000);
    expect(rejection).toBeNull();
    expect(intent.refunds).toMatchObject([
      { status: 'requires_action', proposal: { operator: 'Sara' } },
    ]);
    const confirmed = { ...other, operator: 'Abebe', resolutionId: 'confirmed' } as Command;
    const { status } = decide(intent, [confirmed], 3_000).intent.refunds[0] ?? {};
    expect(status).not.toBe('requires_action');
  }
});

test('a decision needs a name, a note and a reference that can be stored', () => {
  const left = after(request('one', 400), claimRefund('one'), resolveRefund('one', LEFT));
  const outcome = { type: 'succeeded', railReference: 'two words' };
  for (const changes of [{ operator: ' ' }, { note: '' }, { outcome }]) {
    const command = { ...decision('Abebe', false), ...changes } as Command;
    expect(decide(left, [command], 2_000).rejection).toBe('malformed_resolution');
  }
});

test('a refund keeps the last code of its provider', () => {
  const coded: RefundOutcome = { type: 'unknown', checkAtMs: 90_000, providerCode: 'E1' };
  const uncoded: RefundOutcome = { type: 'unknown', checkAtMs: 90_000 };
  const calls = [claimRefund('one'), resolveRefund('one', coded), resolveRefund('one', uncoded)];
  const intent = after(request('one', 400), ...calls);
  expect(intent.refunds).toMatchObject([{ providerCode: 'E1' }]);
});

test('a repeated request gets the first answer, in every later state', () => {
  const first = after(request('one', 400));
  const commands = [
    claimRefund('one'),
    resolveRefund('one', REFUSED),
    resolveRefund('one', RETURNED),
  ];
  const { intent } = decide(first, commands, 2_000);
  expect(intent.refunds).toMatchObject([{ status: 'succeeded', late: true }]);
  expect(intent.refunds.map(asRequested)).toMatchObject([
    { status: 'pending', late: false, failureReason: null, updatedAtMs: 1_000 },
  ]);
  expect(first.refunds.some(hasRefundEnded)).toBe(false);
  expect(intent.refunds.every(hasRefundEnded)).toBe(true);
});
