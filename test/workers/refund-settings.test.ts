import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { decide } from '../../src/domain/decide.ts';
import { queryRefund, startRefund } from '../../src/refunds/ask-rail.ts';
import { paidTwice, requestRefund } from '../support/intents.ts';
import { clientOf, useGateway } from './support.ts';

/**
 * Goal: an operator who removes a rail's settings while a refund is under way loses no refund
 * (docs/promises.md#11). Method: a production payment whose rail is not configured.
 */

useGateway();

function refundUnderWay() {
  const paid = paidTwice();
  const intent = { ...paid, terms: { ...paid.terms, environment: 'production' as const } };
  const decided = decide(intent, [requestRefund('r1')], Date.now()).intent;
  const [refund] = decided.refunds;
  if (refund === undefined) {
    throw new Error('no refund');
  }
  return { intent: decided, refund };
}

test('a refund that was not sent yet waits for a person', async () => {
  const { intent, refund } = refundUnderWay();
  expect(await startRefund(env, clientOf().objectId, intent, refund)).toEqual({
    type: 'requires_action',
    reason: 'not_enabled',
  });
});

test('a refund that was sent is queried again, until the settings are back', async () => {
  const { intent, refund } = refundUnderWay();
  const outcome = await queryRefund(env, clientOf().objectId, intent, refund);
  expect(outcome).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
});
