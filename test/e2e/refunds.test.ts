import { expect, test } from 'vitest';
import {
  createSimulated,
  eventually,
  onlyWebhook,
  paymentOf,
  useScene,
  webhook,
} from '../support/e2e-scene.ts';

/** A merchant's refund from the payment to the verified webhook and the status call. */

const scene = await useScene();

interface Refund {
  readonly refundUniqueId: string;
  readonly status: string;
  readonly amountMinor: number;
}

test('refunds a paid payment, announces it by a signed webhook, and shows it', async () => {
  const { uniqueId, hook } = await createSimulated(scene);
  expect(await onlyWebhook(scene, hook)).toMatchObject({ webHookEvent: 'PAYMENT_SUCCESS' });

  const asked = await scene.sandbox.call<Refund>('POST', 'sandbox/refund', {
    body: { paymentIntentUniqueId: uniqueId, refundUniqueId: `${uniqueId}-r`, amountMinor: 1_025 },
  });
  expect(asked.body).toMatchObject({
    status: 200,
    content: { refundUniqueId: `${uniqueId}-r`, status: 'PENDING', amountMinor: 1_025 },
  });

  const event = await webhook(scene, hook, 1);
  const done = { refundUniqueId: `${uniqueId}-r`, status: 'SUCCESS', amountMinor: 1_025 };
  expect(event).toMatchObject({
    webHookEvent: 'REFUND_SUCCESS',
    status: 'REFUNDED',
    paymentIntentUniqueId: uniqueId,
    payment: { event: 'REFUND_SUCCESS', refundedAmount: 1_025, refund: done },
  });
  expect(await paymentOf(scene, uniqueId)).toMatchObject({
    status: 'SUCCESS',
    refundedAmount: 1_025,
    refunds: [done],
  });
  const read = await scene.sandbox.call<Refund>('GET', `sandbox/refund/${uniqueId}-r`);
  expect(read.body.content).toMatchObject(done);
  const listed = await eventually(
    () =>
      scene.sandbox.call<{ readonly data: readonly Refund[] }>(
        'GET',
        `sandbox/refunds?paymentIntentUniqueId=${uniqueId}&status=SUCCESS`,
      ),
    ({ body }) => body.content.data.length > 0,
  );
  expect(listed.body.content.data).toMatchObject([done]);
});
