import { describe, expect, test } from 'vitest';
import { commandFor } from '../../../src/engine/attempts/start.ts';
import type { Outcome } from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import {
  PROVIDER_CODE_LENGTH_MAX,
  printableCode,
} from '../../../src/engine/domain/provider-code.ts';
import { statusContent } from '../../../src/engine/webhooks/payload.ts';
import { accept, startAttempt } from '../../support/intents.ts';
import { play } from '../../support/story.ts';

/**
 * Goal: an attempt stores the last code of its provider verbatim, without personal data. Storing a
 * code is not a new version, and the published interface does not show it.
 */

const resolveAttempt = (outcome: Outcome): Command => ({
  type: 'resolve_attempt',
  attemptId: 'a',
  outcome,
});
const acceptCode = (providerCode: string | null) => accept('a', { providerCode });
const unknown = (providerCode?: string): Command =>
  resolveAttempt({
    type: 'unknown',
    checkAtMs: 25_000,
    ...(providerCode !== undefined && { providerCode }),
  });
const START = startAttempt('a', { checkAtMs: 5_000 });

const intentAfter = (...commands: Command[]): Intent => play([START, ...commands]).intent;

const codeAfter = (...commands: Command[]) => intentAfter(...commands).attempts[0]?.providerCode;

test.each<[string, readonly Command[], string | null]>([
  ['no answer so far', [], null],
  ['accepted', [acceptCode('0')], '0'],
  ['accepted without a code', [acceptCode(null)], null],
  [
    'paid',
    [resolveAttempt({ type: 'succeeded', receipt: 'R', providerCode: 'PAY_SUCCESS' })],
    'PAY_SUCCESS',
  ],
  [
    'failed',
    [resolveAttempt({ type: 'failed', reason: 'declined', providerCode: '1032' })],
    '1032',
  ],
  ['no outcome', [unknown('WAIT_PAY')], 'WAIT_PAY'],
  ['the last code counts', [acceptCode('0'), unknown('WAIT_PAY'), unknown('PAYING')], 'PAYING'],
  ['an answer without a code keeps it', [unknown('PAYING'), unknown()], 'PAYING'],
  [
    'so does a code that may contain personal data',
    [unknown('PAYING'), unknown('Dear Abebe!')],
    'PAYING',
  ],
  [
    'so does an answer to the start that arrives after its callback',
    [resolveAttempt({ type: 'failed', reason: 'declined', providerCode: '1032' }), acceptCode('0')],
    '1032',
  ],
  [
    'so does a contradiction once it is paid',
    [
      resolveAttempt({ type: 'succeeded', receipt: 'R', providerCode: '0' }),
      resolveAttempt({ type: 'failed', reason: 'declined', providerCode: '1032' }),
    ],
    '0',
  ],
])('%s', (_name, commands, providerCode) => {
  expect(codeAfter(...commands)).toBe(providerCode);
});

describe('a provider code alone', () => {
  const before = intentAfter();

  test.each([
    ['of an inconclusive query', unknown('WAIT_PAY')],
    ['with the answer to a start', acceptCode('0')],
  ])('%s makes no version, no event and no time', (_name, command) => {
    const decision = decide(before, [command], 9);
    expect(decision.steps).toEqual([]);
    expect(decision.intent.version).toBe(before.version);
    expect(decision.intent.attempts[0]?.updatedAtMs).toBe(before.attempts[0]?.updatedAtMs);
    expect(decision.intent.attempts[0]?.providerCode).not.toBeNull();
  });

  test('changes no row when the provider repeats it', () => {
    const accepted = intentAfter(acceptCode('0'));
    expect(decide(accepted, [acceptCode('0')], 9).intent).toBe(accepted);
  });
});

test('the published interface has no provider code', () => {
  const paid = { type: 'succeeded', receipt: 'RAIL-1' } as const;
  const silent = intentAfter(resolveAttempt(paid));
  const spoken = intentAfter(resolveAttempt({ ...paid, providerCode: 'PAY_SUCCESS' }));
  expect(JSON.stringify(statusContent(spoken))).toBe(JSON.stringify(statusContent(silent)));
});

test.each([
  ['1032', '1032'],
  ['orderStatus 6 actionCode -2007', 'orderStatus 6 actionCode -2007'],
  ['49401024995', '49401024995'],
  ['x'.repeat(PROVIDER_CODE_LENGTH_MAX), 'x'.repeat(PROVIDER_CODE_LENGTH_MAX)],
  ['x'.repeat(PROVIDER_CODE_LENGTH_MAX + 1), null],
  ['', null],
  ['PAID\n', null],
  ['<b>', null],
  ['ከፍሏል', null],
  ['251911234567', null],
  ['0911234567', null],
  ['711234567', null],
  ['ws_CO_DMZ_12321_251711234567', null],
  ['ws_CO_0412202401024714199711234567', null],
  ['0911 23 45 67', null],
  ['251-911-234567', null],
  ['500.001.1001', '500.001.1001'],
  [null, null],
  [undefined, null],
])('stores the provider code %j as %j', (providerCode, kept) => {
  expect(printableCode(providerCode)).toBe(kept);
});

test('rejects 64 KiB of anything within a moment', () => {
  for (const sign of ['7', '0', '251', 'a', ' ', '-']) {
    expect(printableCode(sign.repeat(65_536))).toBeNull();
  }
});

test('the answer to a start carries the provider code into the command', () => {
  const attempt = { id: 'a', startClaim: 'not_needed', startedAtMs: 0 } as const;
  const providerCode = 'W1';
  expect(
    commandFor(
      { type: 'accepted', redirectUrl: null, railReference: null, providerCode },
      attempt,
      1,
    ),
  ).toMatchObject({ type: 'accept_attempt', providerCode });
  expect(
    commandFor({ type: 'refused', reason: 'declined', providerCode }, attempt, 1),
  ).toMatchObject({
    outcome: { type: 'failed', providerCode },
  });
  expect(commandFor({ type: 'unknown', providerCode }, attempt, 1)).toMatchObject({
    outcome: { type: 'unknown', providerCode },
  });
});
