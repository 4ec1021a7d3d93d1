import type { ShownRefund } from '../harness/shown.ts';
import { contentOf, Unexpected } from './caller.ts';
import type { PaymentRecord, RefundRecord } from './observations.ts';
import type { Scene } from './scene.ts';

/** The merchant refunds a paid payment as planned, and repeats requests without an answer. */
export async function refundAsPlanned(
  { caller, member, observed }: Scene,
  record: PaymentRecord,
): Promise<void> {
  const { environment, uniqueId, refunds } = record.plan;
  const api = caller.api(environment);
  const request = (refundUniqueId: string, amountMinor: number | null, key: string | null) => {
    const amount = amountMinor !== null && { amountMinor };
    const body = { paymentIntentUniqueId: uniqueId, refundUniqueId, ...amount };
    return caller.expect(api.postJson('refund', body, key), 200, 409);
  };
  for (const plan of refunds) {
    const refund: RefundRecord = { plan, amountMinor: null, isCanceled: false };
    record.refunds.push(refund);
    if (plan.isByMember) {
      await member.refund(record, plan);
      observed.count('refunds by the dashboard');
    } else {
      const { status, body } = await request(plan.id, plan.amountMinor, plan.idempotencyKey);
      if (status === 409) {
        // Without a key, the second request learns only that the first one, whose answer was lost,
        // worked.
        expectCode(body, 'duplicate_refund_id');
        observed.count('lost refund without key: complete');
      } else {
        refund.amountMinor = contentOf<ShownRefund>({ body }).amountMinor;
      }
    }
    refund.amountMinor ??= (
      await caller.content<ShownRefund>(api.get(`refund/${plan.id}`))
    ).amountMinor;
    observed.count('refunds acknowledged');
    if (plan.isCanceled) {
      // The gateway refuses once the provider is asked.
      const { status } = await caller.expect(api.post(`refund/${plan.id}/cancel`), 200, 409);
      refund.isCanceled = status === 200;
      observed.count(refund.isCanceled ? 'refunds canceled' : 'refunds too late to cancel');
    }
  }
  if (refunds.some(({ amountMinor, isCanceled }) => amountMinor === null && !isCanceled)) {
    // After a refund of all that was left, no cent can be refunded.
    const { body } = await request(`${uniqueId}-too-much`, 100, null);
    expectCode(body, 'refund_too_large');
    observed.count('refunds of too much refused');
  }
}

function expectCode(body: string, code: string): void {
  if (!body.includes(code)) {
    throw new Unexpected(`expected ${code}, got ${body}`);
  }
}
