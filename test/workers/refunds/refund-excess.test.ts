import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { auditLog } from '../dashboard/support.ts';
import { content, operate, operateApi } from '../operator/support.ts';
import {
  ALPHA,
  answerOf,
  call,
  consumeAll,
  execute,
  fireAlarm,
  intentOf,
  merchantServer,
  payHosted,
  paymentIn,
  postRefund,
  refundPath,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: a refund that returned money after its failure shows what truly went back, and stops further
 * refunds until an operator has reviewed the payment (docs/promises.md#11). Method: refunds by the
 * API; the provider's contradicting report is a command, as a callback or a query would give it.
 */

const caught = useGateway();

const PAYMENT = `/payments/sandbox/${ALPHA.id}/order-1`;

function provedTrue(refundId: string): Command {
  const outcome = { type: 'succeeded', railReference: 'RAIL-1' } as const;
  return { type: 'resolve_refund', refundId, outcome };
}

/** 150.50 paid: 100.22 is refused, 90.00 returned, and then the 100.22 prove true. */
async function returnTooMuch(): Promise<void> {
  await payHosted({ amount: 150.5, refundEvents: true });
  await request('one', 100_22);
  await request('two', 90_00);
  await execute(provedTrue('one'));
}

async function request(refundUniqueId: string, amountMinor: number): Promise<void> {
  expect((await postRefund({ refundUniqueId, amountMinor })).status).toBe(200);
  await fireAlarm();
}

async function refusalOf(amountMinor: number) {
  const { status, envelope } = await answerOf(postRefund({ refundUniqueId: 'more', amountMinor }));
  return [status, envelope.code];
}

test('shows the excess, and refunds no more until an operator has reviewed it', async () => {
  const arrivals = merchantServer();
  await returnTooMuch();
  await consumeAll(caught);
  expect(arrivals.map((arrival) => paymentIn(arrival)).at(-1)).toMatchObject({
    event: 'REFUND_SUCCESS',
    refund: { refundUniqueId: 'one', status: 'SUCCESS', late: true },
  });
  const { envelope } = await answerOf(call(statusPath('order-1')));
  expect(envelope.content).toMatchObject({
    anomalies: [
      { type: 'excess_refund', refundUniqueId: 'one', excessMinor: 3_972, reviewedAt: null },
    ],
  });
  expect(await refusalOf(1_00)).toEqual([409, 'refund_needs_review']);
  const desk = await (await operate(`/operator${PAYMENT}`)).text();
  expect(desk).toMatch(/Returned too much: ETB\s39\.72/);

  await content(operateApi(`${PAYMENT}/review`, { note: 'The customer keeps it' }));
  expect((await auditLog()).map(({ action }) => action)).toEqual(['payment.reviewed']);
  const payment = await content<Record<string, unknown[]>>(operateApi(PAYMENT));
  expect(payment.history?.at(-1)).toMatchObject({
    command: 'review_anomalies',
    detail: { actor: 'operator', note: 'The customer keeps it' },
  });
  expect(await refusalOf(1_00)).toEqual([409, 'refund_too_large']);
});

test('a review does not lift the block while D1 cannot store its audit entry', async () => {
  await returnTooMuch();
  await consumeAll(caught);
  await env.DB.prepare('ALTER TABLE audit_log RENAME TO audit_log_away').run();
  try {
    const { status } = await operateApi(`${PAYMENT}/review`, { note: 'x' });
    expect(status).toBe(500);
  } finally {
    await env.DB.prepare('ALTER TABLE audit_log_away RENAME TO audit_log').run();
  }
  expect(await refusalOf(1_00)).toEqual([409, 'refund_needs_review']);
});

test('a refund that waits while an earlier one proves true never reaches the provider', async () => {
  await payHosted({ amount: 150.5, refundEvents: true });
  await request('one', 100_22);
  // 100.26 waits 20 seconds in the sandbox.
  await request('two', 100_26);
  await execute(provedTrue('one'));
  await fireAlarm();
  const { envelope } = await answerOf(call(refundPath('two')));
  expect(envelope.content).toMatchObject({
    status: 'REQUIRES_ACTION',
    actionReason: 'exceeds_payment',
  });
  expect((await intentOf()).refunds[1]).toMatchObject({ claimId: null });
  // The customer got back no more than was paid, so the operator has nothing to review.
  expect(await refusalOf(1_00)).toEqual([409, 'refund_too_large']);
});
