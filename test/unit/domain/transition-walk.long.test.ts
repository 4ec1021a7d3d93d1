import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  attemptsToCheck,
  decide,
  nextWakeAtMs,
  openIntent,
} from '../../../src/engine/domain/decide.ts';
import {
  type EventType,
  hasEnded,
  type Intent,
  type IntentStatus,
} from '../../../src/engine/domain/intent.ts';
import { LOST_VERSIONS_MAX, restored } from '../../../src/engine/domain/restored.ts';
import { isHeld, RESTORED_HOLD_MS } from '../../../src/engine/domain/restored-hold.ts';
import type { IntentKind } from '../../../src/engine/domain/terms.ts';
import {
  fail,
  failManually,
  someTerms,
  startAttempt,
  succeed,
  succeedManually,
  unknown,
} from '../../support/intents.ts';

/**
 * Goal: the promises about a payment's states hold in every reachable state, not only in expected
 * ones. Method: from a fresh intent, every plausible command (and many implausible ones) is applied
 * at every important moment, breadth first, until no new state appears; each step is then checked
 * against the promises. Attempts are capped at two or three here, enough for every relation between
 * them; the limit of ten has its own test.
 */

const DEADLINE_MS = 30_000;
const EXPIRY_MS = 60_000;
const LONG_DEADLINE_MS = 90_000;
const TIMES_MS = [1_000, DEADLINE_MS, EXPIRY_MS, LONG_DEADLINE_MS];
/** When a payment that was restored at the latest of these times is no longer held. */
const RELEASED_MS = LONG_DEADLINE_MS + RESTORED_HOLD_MS;

type Plan = Pick<Attempt, 'flow' | 'deadlineAtMs' | 'windowIsFinal'> &
  Partial<Pick<Attempt, 'checkAtMs' | 'startClaim'>>;

const REDIRECT: Plan = { flow: 'redirect', deadlineAtMs: DEADLINE_MS, windowIsFinal: false };
const LONG_REDIRECT: Plan = { ...REDIRECT, deadlineAtMs: LONG_DEADLINE_MS };
const SIMULATOR: Plan = { flow: 'redirect', deadlineAtMs: EXPIRY_MS, windowIsFinal: true };
const PUSH: Plan = { flow: 'push', deadlineAtMs: DEADLINE_MS, windowIsFinal: false };
const LONG_FINAL_PUSH: Plan = { flow: 'push', deadlineAtMs: LONG_DEADLINE_MS, windowIsFinal: true };

/** A rail with a status query, due from before its window closes. */
const QUERIED: Plan = { ...SIMULATOR, checkAtMs: DEADLINE_MS };
const QUERIED_PUSH: Plan = { ...PUSH, checkAtMs: DEADLINE_MS };

/** A rail that a consumer calls, with a check due before its window closes. */
const QUEUED: Plan = { ...QUERIED_PUSH, startClaim: 'free' };

interface Node {
  readonly intent: Intent;
  readonly nowMs: number;
}

function commandsIn(
  intent: Intent,
  plans: readonly Plan[],
  attemptsMax: number,
  nowMs: number,
  more: (attemptId: string) => readonly Command[],
): Command[] {
  const ids = intent.attempts.map((attempt) => attempt.id);
  const starts =
    intent.attempts.length < attemptsMax
      ? plans
          .filter(({ deadlineAtMs }) => deadlineAtMs > nowMs)
          .map((plan) => startAttempt(`a${intent.attempts.length}`, plan))
          .flatMap((start) => [start, ...byForms(start, intent)])
      : [];
  return [
    { type: 'tick' },
    { type: 'cancel' },
    { type: 'abandon_payment' },
    succeed('unknown'),
    ...starts,
    ...ids.flatMap((id): Command[] => [
      succeed(id),
      fail(id),
      unknown(id),
      unknown(id, nowMs + 20_000),
      { ...succeed(id), onlyPending: true } as Command,
      { type: 'abandon_attempt', attemptId: id },
      { type: 'claim_receipt', attemptId: id, receipt: 'CLAIM1' },
      ...more(id),
    ]),
  ];
}

/** The same start by a page that knew of all attempts, and by one that missed the last. */
function byForms(start: ReturnType<typeof startAttempt>, { attempts }: Intent): Command[] {
  return [attempts.length, attempts.length - 1].map((expectedAttempts) => ({
    ...start,
    expectedAttempts,
  }));
}

/** The state without counters and times that do not matter. */
function intentSignature(intent: Intent): string {
  const attempts = intent.attempts.map((attempt) => numberOf(attempt, attemptSignature));
  const anomalies = intent.anomalies.map(
    ({ kind, attemptId, reviewedAtMs, backedUpAtMs, atMs }) =>
      `${kind}${attemptId}${reviewedAtMs === null}${backedUpAtMs === undefined ? '' : atMs}`,
  );
  return [intent.status, intent.late, intent.failureReason, ...attempts, ...anomalies].join('|');
}

function attemptSignature(attempt: Attempt): string {
  const { status, flow, windowIsFinal, deadlineAtMs, failureReason, checkAtMs } = attempt;
  const { startClaim, manualResolutionId } = attempt;
  return [
    ...[status, flow, windowIsFinal, deadlineAtMs, failureReason, checkAtMs],
    ...[startClaim, manualResolutionId],
  ].join();
}

const numbers = new WeakMap<object, number>();
const numberBySignature = new Map<string, number>();

/**
 * A number for each signature. Intents and attempts are immutable, and most steps keep most of
 * them, so each object's signature is computed once.
 */
function numberOf<Part extends object>(part: Part, signatureOf: (part: Part) => string): number {
  const known = numbers.get(part);
  if (known !== undefined) {
    return known;
  }
  const signature = signatureOf(part);
  const number = numberBySignature.get(signature) ?? numberBySignature.size;
  numberBySignature.set(signature, number);
  numbers.set(part, number);
  return number;
}

/** The states that a walk has seen, by moment. */
class SeenStates {
  readonly #seen = new Map<number, Set<number>>();

  /** Returns false when the state was added before. */
  add({ intent, nowMs }: Node): boolean {
    const seenThen = this.#seen.get(nowMs) ?? new Set();
    this.#seen.set(nowMs, seenThen);
    const { size } = seenThen;
    return seenThen.add(numberOf(intent, intentSignature)).size > size;
  }
}

/** A form of a page that did not know the number of attempts. */
function isStale(command: Command, { attempts }: Intent): boolean {
  return (
    command.type === 'start_attempt' &&
    command.expectedAttempts !== undefined &&
    command.expectedAttempts !== attempts.length
  );
}

function promise(
  kept: boolean,
  text: string,
  before: Intent,
  command: Command,
  nowMs: number,
): void {
  if (!kept) {
    const where = `${JSON.stringify(command)} at ${nowMs} on ${JSON.stringify(before, null, 1)}`;
    throw new Error(`broken: ${text}\nby ${where}`);
  }
}

const EVENT_OF: Record<IntentStatus, EventType | null> = {
  open: null,
  processing: null,
  succeeded: 'payment_succeeded',
  failed: 'payment_failed',
  expired: 'payment_expired',
  canceled: null,
};

function checkPromises(first: Intent, command: Command, nowMs: number): Intent {
  const decision = decide(first, [command], nowMs);
  let before = first;
  for (const { intent: after, event } of decision.steps) {
    const keeps = (kept: boolean, text: string) => promise(kept, text, before, command, nowMs);
    const statusChanged = after.status !== before.status;

    keeps(after.terms === before.terms, '1 and 7: the terms are the very same object');
    keeps(after.version === before.version + 1, '2: one step is one version');
    keeps(
      event === (statusChanged ? EVENT_OF[after.status] : null),
      '3: a final status is announced once, when it is reached, and no other status is',
    );
    keeps(
      before.status !== 'succeeded' || (!statusChanged && after.late === before.late),
      '3: success is absorbing',
    );
    keeps(
      !isHeld(before, nowMs) || event !== 'payment_expired' || command.type === 'review_anomalies',
      '4: a restored payment does not expire before its review',
    );
    if (hasEnded(before.status) && statusChanged) {
      const isProof =
        (command.type === 'resolve_attempt' || command.type === 'resolve_manually') &&
        command.outcome.type === 'succeeded';
      keeps(
        after.status === 'succeeded' && after.late && isProof,
        '3: only a success leaves a final status, as late',
      );
    }
    const paid = after.attempts.filter(({ status }) => status === 'succeeded').length;
    keeps(
      (after.status === 'succeeded') === paid > 0,
      '3: succeeded means that an attempt was paid',
    );
    const duplicates = after.anomalies.filter(({ kind }) => kind === 'duplicate_payment').length;
    keeps(duplicates === Math.max(paid - 1, 0), '3: money that moved twice is never silent');

    const inFlight = after.attempts.filter(({ status }) => status === 'processing').length;
    keeps(inFlight <= 1, '4: at most one attempt in flight');
    keeps(
      after.status !== 'processing' || after.attempts.length > 0,
      '4: processing has an attempt',
    );
    if (after.attempts.length > before.attempts.length) {
      const pendingPush = before.attempts.some(
        ({ flow, status }) =>
          flow === 'push' && (status === 'processing' || status === 'unresolved'),
      );
      keeps(!pendingPush, '4: no attempt starts beside a push whose outcome is unknown');
      keeps(!isStale(command, before), '4: one form starts one attempt');
      keeps(!isHeld(before, nowMs), '4: no attempt starts beside one that the backup may lack');
    }
    if (command.type === 'resolve_attempt' && command.outcome.type === 'unknown') {
      const failed = ({ attempts }: Intent) =>
        attempts.filter(({ status }) => status === 'failed').length;
      keeps(failed(after) === failed(before), '4: unknown is not failed');
    }
    const wasCalled = before.attempts.some(
      ({ startClaim, status }, index) =>
        startClaim === 'taken' &&
        status === 'processing' &&
        after.attempts[index]?.status === 'expired',
    );
    keeps(
      !wasCalled || command.type === 'resolve_attempt',
      '4: a call without an answer ends nothing',
    );
    if (command.type === 'resolve_manually') {
      const mayStillBePaid = before.attempts.some(
        ({ status, deadlineAtMs }, index) =>
          (status === 'processing' || nowMs < deadlineAtMs) &&
          after.attempts[index]?.status === 'failed' &&
          status !== 'failed',
      );
      keeps(!mayStillBePaid, '4: no manual resolution fails what a rail may still be paid for');
    }
    before = after;
  }

  const after = decision.intent;
  const wasClaimed = after.attempts.some(
    ({ startClaim }, index) =>
      startClaim === 'taken' && first.attempts[index]?.startClaim === 'free',
  );
  promise(
    !wasClaimed || (first.status === 'processing' && nowMs < first.terms.expiresAtMs),
    '4: no charge starts after the payment is paid or over',
    first,
    command,
    nowMs,
  );
  promise(
    first.attempts.every(
      ({ startClaimId }, index) =>
        startClaimId === null || startClaimId === after.attempts[index]?.startClaimId,
    ),
    '4: one caller claims a start, once, and keeps it',
    first,
    command,
    nowMs,
  );
  const keeps = (kept: boolean, text: string) => promise(kept, text, first, command, nowMs);
  keeps(
    (decision.rejection === 'stale_form') ===
      (after.status === 'open' && isStale(command, after) && !isHeld(after, nowMs)),
    '4: a form is stale only where it could start another attempt',
  );
  if (command.type === 'resolve_manually' && decision.rejection === null) {
    const resolved = after.attempts.find(({ id }) => id === command.attemptId);
    const isKnown = first.attempts.some(
      ({ manualResolutionId }) => manualResolutionId === command.resolutionId,
    );
    keeps(
      isKnown
        ? decision.steps.every(({ command: { type } }) => type === 'tick')
        : resolved?.status === command.outcome.type,
      '4: a manual resolution holds, and repeating it changes nothing',
    );
  }
  return after;
}

/** What holds in every state, however it was reached. */
function checkState({ intent, nowMs }: Node): void {
  const tick: Command = { type: 'tick' };
  const keeps = (kept: boolean, text: string) => promise(kept, text, intent, tick, nowMs);
  const mustAsk = attemptsToCheck(intent, nowMs).length > 0;
  if (nowMs >= intent.terms.expiresAtMs) {
    const waitsForRail = (intent.attempts.at(-1)?.deadlineAtMs ?? 0) > nowMs || mustAsk;
    keeps(
      hasEnded(intent.status) ||
        (intent.status === 'processing' && waitsForRail) ||
        isHeld(intent, nowMs),
      '5: past its time an intent has ended, or an attempt is in flight within its window, or it is held',
    );
  }
  keeps(
    hasEnded(intent.status) || mustAsk || (nextWakeAtMs(intent) ?? 0) > nowMs,
    '5: every change by time has a due time at which the object wakes',
  );
  keeps(
    decide(intent, [tick], nowMs).steps.length === 0,
    '5: a second tick finds nothing left to do',
  );
}

/** The same payment from a backup, and the checks of that step; null once it was restored. */
function restoredFrom(intent: Intent, nowMs: number): Intent | null {
  const after = restored(intent, nowMs - 1, nowMs);
  const isMarked = after.anomalies !== intent.anomalies;
  if (!isMarked || intent.anomalies.some(({ kind }) => kind === 'restored')) {
    return null;
  }
  const keeps = (kept: boolean, text: string) =>
    promise(kept, text, intent, { type: 'tick' }, nowMs);
  keeps(after.status === intent.status, '5: a restore changes no status');
  keeps(
    after.version === intent.version + LOST_VERSIONS_MAX,
    '2: events after a restore follow the lost ones',
  );
  keeps(
    after.attempts.every(({ startClaim }) => startClaim !== 'free'),
    '4: no restored attempt calls its provider again',
  );
  return after;
}

const REVIEWED: Command = {
  ...{ type: 'review_anomalies', count: 9, operator: 'Hana', isVerified: true },
  note: 'Compared with the statement.',
};

const NO_MORE = (): readonly Command[] => [];
const RETURNED = (): readonly Command[] => [{ type: 'customer_returned' }];
const REPORTED = (attemptId: string): readonly Command[] => [
  { type: 'report_callback', attemptId },
];
const MANUALLY = (attemptId: string): readonly Command[] => [
  succeedManually(attemptId),
  failManually(attemptId),
  succeedManually('unknown'),
];
const CLAIMED = (attemptId: string): readonly Command[] =>
  ['one', 'other'].map((claimId) => ({
    type: 'claim_start',
    attemptId,
    claimId,
    deadlineAtMs: LONG_DEADLINE_MS,
  }));

test.each<[string, IntentKind, readonly Plan[], number, (attemptId: string) => readonly Command[]]>(
  [
    ['express', 'express', [REDIRECT, LONG_REDIRECT, SIMULATOR, PUSH, LONG_FINAL_PUSH], 2, NO_MORE],
    [
      'hosted, two attempts of any kind',
      'hosted',
      [REDIRECT, LONG_REDIRECT, SIMULATOR, PUSH, LONG_FINAL_PUSH],
      2,
      NO_MORE,
    ],
    ['hosted, three attempts', 'hosted', [LONG_REDIRECT, PUSH], 3, NO_MORE],
    ['hosted, three attempts on the simulator', 'hosted', [SIMULATOR], 3, NO_MORE],
    ['express, rails with a status query', 'express', [QUERIED, QUERIED_PUSH], 1, RETURNED],
    ['hosted, rails with a status query', 'hosted', [QUERIED, QUERIED_PUSH], 2, NO_MORE],
    ['hosted, refused callbacks', 'hosted', [REDIRECT, PUSH], 2, REPORTED],
    ['express, resolved manually', 'express', [REDIRECT, LONG_REDIRECT, QUERIED_PUSH], 1, MANUALLY],
    ['hosted, resolved manually', 'hosted', [LONG_REDIRECT, PUSH, SIMULATOR], 2, MANUALLY],
    [
      'hosted, a rail that a consumer calls, resolved manually',
      'hosted',
      [QUEUED],
      2,
      (attemptId) => [...CLAIMED(attemptId), ...MANUALLY(attemptId)],
    ],
    ['express, a rail that a consumer calls', 'express', [QUEUED], 1, CLAIMED],
    ['hosted, a rail that a consumer calls', 'hosted', [QUEUED, REDIRECT], 2, CLAIMED],
  ],
)(
  'every reachable state keeps promises.md#1, #3, #4, #5, #7: %s',
  (_name, kind, plans, attemptsMax, more) => {
    const first: Node = {
      intent: openIntent(someTerms({ kind, expiresAtMs: EXPIRY_MS })),
      nowMs: 0,
    };
    const seen = new SeenStates();
    seen.add(first);
    const waiting: Node[] = [first];
    const statuses = new Set<string>();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const { intent, nowMs: reachedAtMs } = node;
      statuses.add(intent.status);
      for (const nowMs of TIMES_MS.filter((time) => time >= reachedAtMs)) {
        for (const command of commandsIn(intent, plans, attemptsMax, nowMs, more)) {
          const next: Node = { intent: checkPromises(intent, command, nowMs), nowMs };
          if (seen.add(next)) {
            checkState(next);
            waiting.push(next);
          }
        }
      }
    }
    // Proves that the walk saw every status.
    expect([...statuses].sort()).toEqual(Object.keys(EVENT_OF).sort());
  },
);

test.each<[string, IntentKind, readonly Plan[], number]>([
  ['express', 'express', [REDIRECT, SIMULATOR, QUERIED_PUSH, QUEUED], 1],
  ['hosted', 'hosted', [LONG_REDIRECT, QUEUED, SIMULATOR], 2],
])('every state that follows a restore keeps promises.md#4, #5: %s', (_name, kind, plans, max) => {
  const first: Node = {
    intent: openIntent(someTerms({ kind, expiresAtMs: EXPIRY_MS })),
    nowMs: 0,
  };
  const seen = new SeenStates();
  const waiting: Node[] = [first];
  const held = { past: 0, released: 0 };
  const visit = (next: Node) => {
    if (seen.add(next)) {
      checkState(next);
      waiting.push(next);
      held.past += Number(isHeld(next.intent, next.nowMs) && next.nowMs >= EXPIRY_MS);
      held.released += Number(next.nowMs === RELEASED_MS);
    }
  };
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { intent, nowMs: reachedAtMs } = node;
    for (const nowMs of [...TIMES_MS, RELEASED_MS].filter((time) => time >= reachedAtMs)) {
      const more = () => [REVIEWED];
      for (const command of commandsIn(intent, plans, max, nowMs, more)) {
        visit({ intent: checkPromises(intent, command, nowMs), nowMs });
      }
      const again = nowMs < RELEASED_MS ? restoredFrom(intent, nowMs) : null;
      if (again !== null) {
        // As in the object: the alarm applies the time right after the restore.
        visit({ intent: checkPromises(again, REVIEWED, nowMs), nowMs });
        visit({ intent: checkPromises(again, { type: 'tick' }, nowMs), nowMs });
      }
    }
  }
  // Proves that the walk saw payments past their time that were held, and the end of the hold.
  expect(held.past).toBeGreaterThan(0);
  expect(held.released).toBeGreaterThan(0);
});
