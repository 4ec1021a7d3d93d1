import { expect, test } from 'vitest';
import { expressAnswer } from '../../../src/engine/api/express-answer.ts';
import { type Attempt, FAILURE_REASONS } from '../../../src/engine/domain/attempt.ts';
import { openIntent } from '../../../src/engine/domain/decide.ts';
import { transition } from '../../../src/engine/domain/transition.ts';
import { someTerms, startAttempt } from '../../support/intents.ts';

/** What opens an order in telebirr's app. */
const OPENING = { appId: '1', shortCode: '2', receiveCode: 'TELEBIRR$3', rawRequest: null };

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
    const appForm = 'IN_APP' as const;
    const terms = { ...someTerms(), environment, simulation, appForm };
    const facts = { paymentUrl: 'https://provider.example/pay', telebirr: OPENING, warnings: [] };
    const [attempt] = transition(openIntent(terms), startAttempt('a0'), 0).intent.attempts;
    if (attempt === undefined) {
      throw new Error('no attempt was started');
    }
    const answerOf = (changes: Partial<Attempt>) =>
      JSON.parse(expressAnswer({ terms, attempts: [{ ...attempt, ...changes }] }, facts)).content;
    for (const failureReason of FAILURE_REASONS) {
      const refused = { status: 'FAILURE', paymentUrl: null, telebirr: null, failureReason };
      expect(answerOf({ status: 'failed', failureReason })).toMatchObject(refused);
    }
    expect(answerOf({})).toMatchObject({
      status: 'SUCCESS',
      paymentUrl: facts.paymentUrl,
      telebirr: OPENING,
    });
  },
);

test('decisions.md#67: an answer without what opens the app says so; another payment’s has no such field', () => {
  const contentOf = (terms: ReturnType<typeof someTerms>) => {
    const [attempt] = transition(openIntent(terms), startAttempt('a0'), 0).intent.attempts;
    const facts = { paymentUrl: null, warnings: [] };
    return JSON.parse(expressAnswer({ terms, attempts: attempt ? [attempt] : [] }, facts)).content;
  };
  expect(contentOf({ ...someTerms(), appForm: 'MINI_APP' })).toMatchObject({
    status: 'SUCCESS',
    telebirr: null,
  });
  expect(contentOf(someTerms())).not.toHaveProperty('telebirr');
});
