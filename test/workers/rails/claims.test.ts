import { expect, test, vi } from 'vitest';
import type { Command, Rejection } from '../../../src/engine/domain/command.ts';
import answerUndecided from '../../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import { advance, INTERRUPTIONS, reportsAreSent, SECOND_MS, useGateway } from '../support.ts';
import {
  attemptNow,
  CARDS,
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
  payExpress,
  railServer,
  run,
} from './support.ts';

/**
 * Goal: only the one caller with the claim starts a payment by eBirr, and only in time
 * (docs/decisions.md#16). Method: the object dies before its first claim; further claims are made
 * directly, and by the alarm. `test/unit/domain/transition-rails.test.ts` has the rules.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR, RAIL_ETS_SWITCH_PRODUCTION: CARDS });
useGateway();

const UNDECIDED = () => Response.json(answerUndecided);

async function pay(): Promise<void> {
  noRail();
  await dyingBeforeClaims(() => payExpress({ method: 'E_BIRR', expireIn: 3_600 }));
}

async function rejectionOf(command: Command): Promise<Rejection | null> {
  const result = await client().execute([command]);
  if (result.type === 'not_found') {
    throw new Error('there is no such payment');
  }
  return result.rejection;
}

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
  { when: 'just before', atMs: EBIRR_WINDOW_MS - 1, calls: 1 },
  { when: 'at', atMs: EBIRR_WINDOW_MS, calls: 0 },
])('$when the end of the window, the alarm makes $calls calls', async ({ atMs, calls }) => {
  await pay();
  const asked = railServer(UNDECIDED);
  // No alarm has fired by then.
  vi.setSystemTime((await attemptNow()).startedAtMs + atMs);
  await nextAlarm();
  await reportsAreSent();
  expect(asked).toHaveLength(calls);
  expect((await attemptNow()).startClaim).toBe(calls === 1 ? 'taken' : 'free');
});
