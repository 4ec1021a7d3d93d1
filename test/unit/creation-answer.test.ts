import { expect, test } from 'vitest';
import { expressAnswer } from '../../src/engine/api/express-answer.ts';
import { type Attempt, FAILURE_REASONS } from '../../src/engine/domain/attempt.ts';
import { openIntent } from '../../src/engine/domain/decide.ts';
import { transition } from '../../src/engine/domain/transition.ts';
import { someTerms, startAttempt } from '../support/intents.ts';

/**
 * Goal: a merchant charges again on FAILURE (docs/decisions.md#16), so that answer must not lead to
 * a page on which the first payment can still be paid.
 */
test.each([
  ['production', null],
  ['sandbox', 'interactive'],
  ['sandbox', 'succeed'],
] as const)(
  'decisions.md#16: a FAILURE in %s (%s) carries no page, even when the provider gave one',
  (environment, simulation) => {
    const terms = { ...someTerms(), environment, simulation };
    const facts = { paymentUrl: 'https://provider.example/pay', warnings: [] };
    const [attempt] = transition(openIntent(terms), startAttempt('a0'), 0).intent.attempts;
    if (attempt === undefined) {
      throw new Error('no attempt was started');
    }
    const answerOf = (changes: Partial<Attempt>) =>
      JSON.parse(expressAnswer({ terms, attempts: [{ ...attempt, ...changes }] }, facts)).content;
    for (const failureReason of FAILURE_REASONS) {
      const refused = { status: 'FAILURE', paymentUrl: null, failureReason };
      expect(answerOf({ status: 'failed', failureReason })).toMatchObject(refused);
    }
    expect(answerOf({})).toMatchObject({ status: 'SUCCESS', paymentUrl: facts.paymentUrl });
  },
);
