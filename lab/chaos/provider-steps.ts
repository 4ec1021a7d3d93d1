import { setTimeout as wait } from 'node:timers/promises';
import type { StandIn, StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import { type Caller, TRIES_MAX, Unexpected } from './caller.ts';
import type { Observations, PaymentRecord } from './observations.ts';

const POLL_MS = 200;
/** The gateway asks the provider before it answers, so an order is there soon or never. */
const ORDER_WAIT_MS = 10_000;
const OUTCOME_WAIT_MS = 120_000;

/**
 * The customer of a production payment pays or declines at the provider, which reports it until the
 * gateway has taken the report. False when the gateway died before it reached the provider.
 */
export async function settleAtProvider(
  caller: Caller,
  observed: Observations,
  standIn: StandIn,
  record: PaymentRecord,
): Promise<boolean> {
  const { content }: { content: { transactionId: string; status: string } } = JSON.parse(
    record.createAnswer ?? '{}',
  );
  const order = await orderAt(standIn, content.transactionId);
  if (order === null) {
    observed.count('NOTE express killed before the provider was asked: nothing to pay');
    return false;
  }
  record.order = order;
  const isPaid = record.plan.story === 'express_paid_at_provider';
  await order.act(isPaid ? 'pays' : 'declines', { silent: true });
  await report(caller, observed, order);
  await untilStatus(caller, record, isPaid ? 'SUCCESS' : 'FAILED');
  return true;
}

async function orderAt(standIn: StandIn, orderId: string): Promise<StandInOrder | null> {
  const arrival = standIn.order(orderId).catch(() => null);
  return Promise.race([arrival, wait(ORDER_WAIT_MS, null)]);
}

async function report(caller: Caller, observed: Observations, order: StandInOrder): Promise<void> {
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

async function untilStatus(caller: Caller, { plan }: PaymentRecord, status: string): Promise<void> {
  const url = caller.apiUrl(plan.environment, `intent/${plan.uniqueId}`);
  const headers = caller.apiKey(plan.environment);
  const deadlineMs = performance.now() + OUTCOME_WAIT_MS;
  for (;;) {
    const answer = await caller.insist({ method: 'GET', url, headers });
    caller.expect(answer, 200);
    const { content }: { content: { status: string } } = JSON.parse(answer.body);
    if (content.status === status) {
      return;
    }
    if (performance.now() > deadlineMs) {
      throw new Unexpected(`status is ${content.status}, the provider reported ${status}`);
    }
    await wait(POLL_MS);
  }
}
