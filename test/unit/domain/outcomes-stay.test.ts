import { expect, test } from 'vitest';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import { fail, someTerms, startAttempt, succeed } from '../../support/intents.ts';

/** Goal: an attempt without a payment keeps its first outcome. Method: a second report about it. */

test('an attempt whose final window closed does not fail later', () => {
  const start = startAttempt('a', { windowIsFinal: true });
  const { intent } = decide(openIntent(someTerms()), [start], 0);
  const after = decide(intent, [fail('a')], 30_001);
  expect(after.intent.attempts).toMatchObject([{ status: 'expired', failureReason: 'timed_out' }]);
});

test('the simulator cannot change an outcome', () => {
  const { intent } = decide(openIntent(someTerms()), [startAttempt('a'), fail('a')], 0);
  const after = decide(intent, [{ ...succeed('a'), onlyPending: true } as never], 1_000);
  expect(after.rejection).toBe('attempt_not_pending');
  expect(after.intent.attempts).toMatchObject([{ status: 'failed' }]);
});
