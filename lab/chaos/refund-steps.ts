import type { HttpAnswer } from '../../scripts/gateway/http.ts';
import { type Caller, Unexpected } from './caller.ts';
import type { Scene } from './journey.ts';
import type { Observations, PaymentRecord, RefundRecord } from './observations.ts';
import type { RefundPlan } from './plan.ts';

/** The merchant refunds a paid payment as planned, and repeats requests without an answer. */
export async function refundAsPlanned(
  { caller, member, observed }: Scene,
  record: PaymentRecord,
): Promise<void> {
  for (const plan of record.plan.refunds) {
    const refund: RefundRecord = { plan, amountMinor: null, isCanceled: false };
    record.refunds.push(refund);
    if (plan.isByMember) {
      await member.refund(record, plan);
      refund.amountMinor = await acknowledgedAmount(caller, record, plan);
      observed.count('refunds by the dashboard');
    } else {
      refund.amountMinor = await request(caller, observed, record, plan);
    }
    observed.count('refunds acknowledged');
    if (plan.isCanceled) {
      refund.isCanceled = await cancel(caller, record, plan);
      observed.count(refund.isCanceled ? 'refunds canceled' : 'refunds too late to cancel');
    }
  }
  if (
    record.plan.refunds.some(({ amountMinor, isCanceled }) => amountMinor === null && !isCanceled)
  ) {
    await expectNothingLeft(caller, observed, record);
  }
}

/** The acknowledged amount, in minor units. */
async function request(
  caller: Caller,
  observed: Observations,
  record: PaymentRecord,
  plan: RefundPlan,
): Promise<number> {
  const answer = await caller.insist(refundRequest(caller, record, plan));
  if (answer.status === 200) {
    return amountIn(answer);
  }
  // Without a key, the second request learns only that the first one, whose answer was lost, worked.
  if (answer.status === 409 && answer.body.includes('duplicate_refund_id')) {
    observed.count('lost refund without key: complete');
    return acknowledgedAmount(caller, record, plan);
  }
  throw new Unexpected(`refund answered ${answer.status} ${answer.body}`);
}

/** Of a refund that the API must know. */
async function acknowledgedAmount(
  caller: Caller,
  { plan: { environment } }: PaymentRecord,
  { id }: RefundPlan,
): Promise<number> {
  return amountIn(await caller.expect(caller.api(environment).get(`refund/${id}`), 200));
}

function refundRequest(caller: Caller, { plan: payment }: PaymentRecord, plan: RefundPlan) {
  const { environment, uniqueId } = payment;
  const body = {
    paymentIntentUniqueId: uniqueId,
    refundUniqueId: plan.id,
    ...(plan.amountMinor !== null && { amountMinor: plan.amountMinor }),
  };
  return caller.api(environment).postJson('refund', body, plan.idempotencyKey);
}

function amountIn({ body }: HttpAnswer): number {
  const { content }: { content: { amountMinor: number } } = JSON.parse(body);
  return content.amountMinor;
}

/** Whether the gateway confirmed the cancellation; it refuses once the provider is asked. */
async function cancel(
  caller: Caller,
  { plan: { environment } }: PaymentRecord,
  { id }: RefundPlan,
): Promise<boolean> {
  const answer = await caller.insist(caller.api(environment).post(`refund/${id}/cancel`));
  if (answer.status !== 200 && answer.status !== 409) {
    throw new Unexpected(`the refund's cancellation answered ${answer.status} ${answer.body}`);
  }
  return answer.status === 200;
}

/** After a refund of all that was left, no cent can be refunded. */
async function expectNothingLeft(
  caller: Caller,
  observed: Observations,
  record: PaymentRecord,
): Promise<void> {
  const id = `${record.plan.uniqueId}-too-much`;
  const plan = { id, amountMinor: 100, idempotencyKey: null, isCanceled: false, isByMember: false };
  const answer = await caller.insist(refundRequest(caller, record, plan));
  if (answer.status !== 409 || !answer.body.includes('refund_too_large')) {
    throw new Unexpected(`a refund of too much answered ${answer.status} ${answer.body}`);
  }
  observed.count('refunds of too much refused');
}
