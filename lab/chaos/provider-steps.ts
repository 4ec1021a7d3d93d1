import { setTimeout as wait } from 'node:timers/promises';
import type { StandIn, StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import { TRIES_MAX, Unexpected } from './caller.ts';
import type { Scene } from './journey.ts';
import type { PaymentRecord } from './observations.ts';

const POLL_MS = 200;
/** The gateway asks the provider before it answers, so an order is there soon or never. */
const ORDER_WAIT_MS = 10_000;
const OUTCOME_WAIT_MS = 120_000;

/**
 * The customer of a production payment pays or declines at the provider, which reports it until the
 * gateway has taken the report. False when the gateway died before it reached the provider.
 */
export async function settleAtProvider(scene: Scene, record: PaymentRecord): Promise<boolean> {
  const { content }: { content: { transactionId: string; status: string } } = JSON.parse(
    record.createAnswer ?? '{}',
  );
  const order = await orderAt(
    scene.standIns.byMethod[record.plan.methods[0]],
    content.transactionId,
  );
  if (order === null) {
    scene.observed.count('NOTE express killed before the provider was asked: nothing to pay');
    return false;
  }
  record.order = order;
  const isPaid = record.plan.story === 'express_paid_at_provider';
  await order.act(isPaid ? 'pays' : 'declines', { silent: true });
  await report(scene, order);
  await untilStatus(scene, record, isPaid ? 'SUCCESS' : 'FAILED');
  return true;
}

async function orderAt(standIn: StandIn, orderId: string): Promise<StandInOrder | null> {
  const arrival = standIn.order(orderId).catch(() => null);
  return Promise.race([arrival, wait(ORDER_WAIT_MS, null)]);
}

async function report({ caller, observed }: Scene, order: StandInOrder): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    await caller.whenServing();
    // No answer when the gateway is killed meanwhile.
    const answer = await order.callback().catch(() => null);
    if (answer?.status === 200) {
      return;
    }
    observed.count("providers' reports repeated");
    await wait(POLL_MS);
  }
  throw new Unexpected("the provider's report was never taken");
}

async function untilStatus({ caller }: Scene, { plan }: PaymentRecord, status: string) {
  const read = caller.api(plan.environment).get(`intent/${plan.uniqueId}`);
  const deadlineMs = performance.now() + OUTCOME_WAIT_MS;
  for (;;) {
    const { body } = await caller.expect(read, 200);
    const { content }: { content: { status: string } } = JSON.parse(body);
    if (content.status === status) {
      return;
    }
    if (performance.now() > deadlineMs) {
      throw new Unexpected(`status is ${content.status}, the provider reported ${status}`);
    }
    await wait(POLL_MS);
  }
}
