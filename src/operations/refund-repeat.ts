import type * as v from 'valibot';
import { NOTE_LENGTH_MAX } from '../domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { REFUND_WINDOW_MS } from '../domain/schedule.ts';
import { body } from '../http/strict-body.ts';
import { isRepeatable } from '../refunds/ask-rail.ts';
import { type OperatorCall, recorder, type Target } from './call.ts';
import { decisionIdField, lineField } from './fields.ts';
import { commitDecision, type Decided, decided, knownPayment } from './payments.ts';
import { operationProblem } from './problems.ts';
import { refundById, refundOf } from './refund-resolution.ts';

export const refundRepeatFields = body({
  note: lineField(NOTE_LENGTH_MAX),
  repeatId: decisionIdField,
});

/**
 * Has the alarm send the refund that the path names again, with the same number. Problems: 403 in
 * production for an operator without a proved name, 404 for an unknown payment or refund, 409 when
 * the provider does not recognize the refund, or the payment rejects the repeat.
 */
export async function repeatRefund(
  call: OperatorCall,
  target: Target,
  { note, repeatId }: v.InferOutput<typeof refundRepeatFields>,
): Promise<Decided> {
  const { env, actor, nowMs } = call;
  const payment = await knownPayment(call, target);
  const { tenant, uniqueId, client, intent: known } = payment;
  const refund = refundOf(known, target);
  if (refund.repeat?.repeatId === repeatId) {
    return decided(call, payment);
  }
  if (!(await isRepeatable(env, client.objectId, known, refund))) {
    throw operationProblem('refund_repeat_not_offered');
  }
  const record = recorder(call, {
    ...tenant,
    action: 'refund.repeated',
    target: uniqueId,
    detail: { refund: withoutPhoneNumbers(refund.id), repeatId },
  });
  await record({ note: withoutPhoneNumbers(note) });
  const intent = await commitDecision(
    payment,
    record,
    {
      type: 'repeat_refund',
      refundId: refund.id,
      repeatId,
      operator: actor.name,
      note,
      isVerified: actor.isProved === true,
      deadlineAtMs: nowMs + REFUND_WINDOW_MS,
    },
    (after) => refundById(after, refund.id),
  );
  return decided(call, payment, { intent });
}
