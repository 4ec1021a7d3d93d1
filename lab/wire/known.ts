import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Kefel } from '../../clients/typescript/kefel.ts';
import type { StandIn } from '../../scripts/stand-ins/stand-in.ts';
import type { Known } from './calls.ts';
import { expressPayment, hostedPayment } from './project/shop.ts';
import type { DocumentProxy } from './proxy.ts';

const POLL_MS = 200;
const WAIT_MS = 60_000;

/** Payments, a refund, an event and an endpoint that calls can name. `amount`: as for `payAndRefund`. */
export async function knownThings(
  environment: Known['environment'],
  options: { readonly apiKey: string; readonly baseUrl: string },
  proxy: DocumentProxy,
  standIn: StandIn,
  amount: number,
): Promise<Known> {
  const { payments, refunds, events } = new Kefel(options);
  standIn.plan(String(amount), { act: 'pays' });
  const [openId, paidId, refundId] = [randomUUID(), randomUUID(), randomUUID()];
  await payments.create(hostedPayment(openId));
  await payments.express(expressPayment(paidId, amount));
  await until(async () => (await payments.get(paidId)).status === 'SUCCESS');
  await refunds.create({
    paymentIntentUniqueId: paidId,
    refundUniqueId: refundId,
    amountMinor: 100,
  });
  // A provider that returns whole payments only leaves a part to the operator.
  const ends = ['SUCCESS', 'REQUIRES_ACTION'];
  await until(async () => ends.includes((await refunds.get(refundId)).status));
  const newest = async () => (await events.list({ limit: 1 })).data[0];
  await until(async () => (await newest()) !== undefined);
  const endpoint = await proxy.send({
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: 'https://shop.example.com/known' },
  });
  const { content } = endpoint.content as { readonly content: { readonly id: string } };
  return {
    environment,
    openId,
    paidId,
    refundId,
    endpointId: content.id,
    eventId: (await newest())?.id ?? '',
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) {
      throw new Error('the gateway has not done it in time');
    }
    await wait(POLL_MS);
  }
}
