import { randomUUID } from 'node:crypto';
import { Kefel } from '../../clients/typescript/kefel.ts';
import type { StandIn } from '../../scripts/stand-ins/stand-in.ts';
import { until } from '../harness/until.ts';
import type { Known } from './calls.ts';
import { expressPayment, hostedPayment } from './project/shop.ts';
import type { DocumentProxy } from './proxy.ts';

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
  await until('payment', async () => (await payments.get(paidId)).status === 'SUCCESS');
  await refunds.create({
    paymentIntentUniqueId: paidId,
    refundUniqueId: refundId,
    amountMinor: 100,
  });
  // A provider that returns whole payments only leaves a part to the operator.
  const ends = ['SUCCESS', 'REQUIRES_ACTION'];
  await until('refund', async () => ends.includes((await refunds.get(refundId)).status));
  const event = await until('event', async () => (await events.list({ limit: 1 })).data[0] ?? null);
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
    eventId: event.id,
  };
}
