import { expect, test, vi } from 'vitest';
import type { Command, Rejection } from '../../../src/engine/domain/command.ts';
import answerUndecided from '../../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import {
  advance,
  INTERRUPTIONS,
  reportsAreSent,
  resolveAttempt,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import {
  alarmsUntil,
  attemptNow,
  CARDS,
  choose,
  claimStart,
  client,
  configureRails,
  dyingBeforeClaims,
  EBIRR,
  EBIRR_WINDOW_MS,
  everythingStored,
  intentNow,
  nextAlarm,
  noRail,
  openHosted,
  payExpress,
  railServer,
  resolveAs,
  run,
} from './support.ts';

/**
 * Goal: only the one caller with the claim starts a payment by eBirr, and only in time: no phone
 * rings for a payment that is over or paid (docs/decisions.md#16, #31). Method: the object dies before
 * its first claim; further claims are made directly, at each edge of their time, and by the alarm.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR, RAIL_ETS_SWITCH_PRODUCTION: CARDS });
useGateway();

const UNDECIDED = () => Response.json(answerUndecided);

async function pay(expireIn = 3_600): Promise<void> {
  noRail();
  await dyingBeforeClaims(() => payExpress({ method: 'E_BIRR', expireIn }));
}

async function rejectionOf(command: Command): Promise<Rejection | null> {
  const result = await client().execute([command]);
  if (result.type === 'not_found') {
    throw new Error('there is no such payment');
  }
  return result.rejection;
}

// ---------------------------------------------------------------------------------------------
// One claim

test('a claim starts the rail’s window, and writes no history', async () => {
  await pay();
  advance(20 * SECOND_MS);
  const before = await intentNow();
  const history = await client().history();
  const claim = await claimStart({ claimId: 'claim-1' });
  await run(claim);
  const deadlineAtMs = Date.now() + EBIRR_WINDOW_MS;
  const taken = { startClaim: 'taken', startClaimId: 'claim-1', deadlineAtMs, checkAtMs: null };
  expect(await intentNow()).toEqual({
    ...before,
    attempts: [{ ...before.attempts[0], ...taken }],
  });
  expect(await client().history()).toEqual(history);
});

test.each(Object.entries(INTERRUPTIONS))(
  'repeating a claim changes nothing and another claim is rejected; between them %s',
  async (_name, interrupt) => {
    await pay();
    const claim = await claimStart();
    await run(claim);
    const before = await everythingStored();
    await interrupt();
    expect(await rejectionOf(claim)).toBeNull();
    expect(await rejectionOf({ ...claim, deadlineAtMs: Date.now() } as Command)).toBeNull();
    expect(await rejectionOf(await claimStart())).toBe('start_not_claimable');
    expect(await everythingStored()).toEqual(before);
  },
);

test.each([
  ['the window has closed', async () => alarmsUntil((await attemptNow()).deadlineAtMs)],
  ['the attempt was paid', () => resolveAs('succeeded')],
  ['the attempt has failed', () => resolveAs('failed')],
])('a claim can always be repeated, also when %s', async (_name, happens) => {
  await pay();
  const claim = await claimStart();
  await run(claim);
  await happens();
  const before = await everythingStored();
  expect(await rejectionOf(claim)).toBeNull();
  expect(await everythingStored()).toEqual(before);
});

// ---------------------------------------------------------------------------------------------
// In time

/** `endMs` after the start: the last millisecond before it, the end itself, and after it. */
const EDGES = [
  { edge: 'the end of the window', expireIn: 3_600, endMs: EBIRR_WINDOW_MS },
  { edge: 'the end of the payment', expireIn: 60, endMs: 60 * SECOND_MS },
].flatMap((row) => [
  { ...row, when: 'just before', atMs: row.endMs - 1, calls: 1 },
  { ...row, when: 'at', atMs: row.endMs, calls: 0 },
  { ...row, when: 'after', atMs: row.endMs + SECOND_MS, calls: 0 },
]);

test.each(EDGES)('$when $edge, the alarm makes $calls calls', async ({ expireIn, atMs, calls }) => {
  await pay(expireIn);
  const asked = railServer(UNDECIDED);
  // No alarm has fired by then.
  vi.setSystemTime((await attemptNow()).startedAtMs + atMs);
  await nextAlarm();
  await reportsAreSent();
  expect(asked).toHaveLength(calls);
  expect((await attemptNow()).startClaim).toBe(calls === 1 ? 'taken' : 'free');
});

test.each(EDGES)('a direct claim $when $edge', async ({ expireIn, atMs, calls }) => {
  await pay(expireIn);
  const claim = await claimStart();
  vi.setSystemTime((await attemptNow()).startedAtMs + atMs);
  expect(await rejectionOf(claim)).toBe(calls === 1 ? null : 'start_not_claimable');
});

/** The end of an unclaimed start's window, which the next read finds as well as the alarm. */
const ENDS = {
  'the next read, without an alarm': (atMs: number) => vi.setSystemTime(atMs),
  'the alarm': alarmsUntil,
} as const;

test.each(
  Object.entries(ENDS).flatMap(([by, end]) => [
    {
      kind: 'express',
      by,
      end,
      status: 'failed',
      reason: 'rail_unavailable',
      events: ['payment_failed'],
    },
    { kind: 'hosted', by, end, status: 'open', reason: null, events: [] },
  ]),
)(
  '$kind: an unclaimed start has charged no customer, and ends at $by',
  async ({ kind, end, status, reason: failureReason, events }) => {
    noRail();
    await (kind === 'express'
      ? pay()
      : openHosted({ methods: ['E_BIRR'] }).then((path) =>
          dyingBeforeClaims(() => choose(path, 'E_BIRR')),
        ));
    const { deadlineAtMs } = await attemptNow();
    await dyingBeforeClaims(() => alarmsUntil(deadlineAtMs - 1));
    // The start would have been repeated once more: that does not delay the end.
    expect(await attemptNow()).toMatchObject({ status: 'processing', checkAtMs: deadlineAtMs });
    const calls = noRail();
    await end(deadlineAtMs);
    expect(await intentNow()).toMatchObject({ status, failureReason });
    const closed = { status: 'expired', failureReason: 'rail_unavailable', checkAtMs: null };
    expect(await attemptNow()).toMatchObject({ ...closed, startClaim: 'free' });
    expect((await client().events()).map(({ type }) => type)).toEqual(events);
    expect(await rejectionOf(await claimStart())).toBe('start_not_claimable');
    await alarmsUntil(deadlineAtMs + EBIRR_WINDOW_MS);
    expect(calls).toEqual([]);
  },
);

// ---------------------------------------------------------------------------------------------
// Only the attempt in flight

/** A customer who left the card page, and now waits for the prompt. Returns the checkout page. */
async function leftCardsForEbirr(): Promise<string> {
  railServer(() => Response.json({ orderId: 'e-1', formUrl: 'https://cards.rail.test/pay' }));
  const path = await openHosted({ methods: ['ETS_SWITCH', 'E_BIRR'] });
  await choose(path, 'ETS_SWITCH');
  await run({ type: 'abandon_attempt', attemptId: (await attemptNow()).id });
  await dyingBeforeClaims(() => choose(path, 'E_BIRR', 1));
  return path;
}

test('Kefel sends no prompt when the customer has paid the abandoned attempt', async () => {
  await leftCardsForEbirr();
  const [cards] = (await intentNow()).attempts;
  await run(resolveAttempt(cards?.id ?? '', 'succeeded'));
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  const calls = noRail();
  expect(await rejectionOf(await claimStart())).toBe('start_not_claimable');
  // It expires as an attempt without a charge.
  const { deadlineAtMs } = await attemptNow();
  await alarmsUntil(deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'expired', startClaim: 'free' });
  expect(await intentNow()).toMatchObject({ status: 'succeeded', anomalies: [] });
  expect(calls).toEqual([]);
});

test('an expired attempt is not started again beside the one that replaced it', async () => {
  const calls = railServer(UNDECIDED);
  const path = await openHosted({ methods: ['E_BIRR'] });
  await dyingBeforeClaims(async () => {
    await choose(path, 'E_BIRR');
    await alarmsUntil((await attemptNow()).deadlineAtMs);
  });
  await choose(path, 'E_BIRR', 1);
  await alarmsUntil(Date.now() + EBIRR_WINDOW_MS - 1);
  expect(calls).toHaveLength(1);
  expect((await intentNow()).attempts).toMatchObject([
    { status: 'expired', startClaim: 'free' },
    { status: 'processing', startClaim: 'taken' },
  ]);
});
