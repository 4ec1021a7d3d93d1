import { expect, test } from 'vitest';
import { expressAnswers } from '../../src/engine/api/routes/create-payment.ts';
import { FAILURE_REASONS } from '../../src/engine/domain/attempt.ts';
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
    const checkoutUrl = 'https://pay.kefel.test/checkout/token';
    const providerPage = 'https://provider.example/pay';
    const [attempt] = transition(openIntent(terms), startAttempt('a0'), 0).intent.attempts;
    if (attempt === undefined) {
      throw new Error('no attempt was started');
    }
    const { failed, otherwise } = expressAnswers({ terms, attempt, checkoutUrl }, providerPage, []);
    for (const reason of FAILURE_REASONS) {
      const { content } = JSON.parse(failed[reason]);
      expect(content).toMatchObject({ status: 'FAILURE', paymentUrl: null, failureReason: reason });
    }
    expect(JSON.parse(otherwise).content).toMatchObject({ paymentUrl: providerPage });
  },
);
