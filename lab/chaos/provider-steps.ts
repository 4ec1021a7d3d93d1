import { setTimeout as wait } from 'node:timers/promises';
import type { StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import type { ShownPayment } from '../harness/shown.ts';
import { until } from '../harness/until.ts';
import { contentOf, TRIES_MAX, Unexpected } from './caller.ts';
import type { PaymentRecord } from './observations.ts';
import type { Scene } from './scene.ts';

const POLL_MS = 200;
/** The gateway asks the provider before it answers, so an order is there soon or never. */
const ORDER_WAIT_MS = 10_000;
const OUTCOME_WAIT_MS = 120_000;

/**
 * The customer of a production payment pays or declines at the provider, which reports it until the
 * gateway has taken the report. False when the gateway died before it reached the provider.
 */
export async function settleAtProvider(
  scene: Scene,
  record: PaymentRecord,
  act: 'pays' | 'declines',
): Promise<boolean> {
  const { caller, observed, standIns } = scene;
  const { methods, environment, uniqueId, status } = record.plan;
  const { transactionId }: { transactionId: string } = contentOf({
    body: record.createAnswer ?? '{}',
  });
  const arrival = standIns.byMethod[methods[0]].order(transactionId).catch(() => null);
  const order = await Promise.race([arrival, wait(ORDER_WAIT_MS, null)]);
  if (order === null) {
    observed.count('NOTE express killed before the provider was asked: nothing to pay');
    return false;
  }
  record.order = order;
  await order.act(act, { silent: true });
  await report(scene, order);
  const read = caller.api(environment).get(`intent/${uniqueId}`);
  await until(
    `status ${status}, which the provider reported`,
    async () => (await caller.content<ShownPayment>(read)).status === status,
    { everyMs: POLL_MS, forMs: OUTCOME_WAIT_MS },
  ).catch((error: unknown) => {
    throw new Unexpected(String(error));
  });
  return true;
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
