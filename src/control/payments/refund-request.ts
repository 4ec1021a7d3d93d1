import * as v from 'valibot';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { REFUND_REASON_LENGTH_MAX, type Refund } from '../../engine/domain/refund.ts';
import { MINOR_UNIT_HINTS, refundAmountField } from '../../engine/refunds/amount-field.ts';
import { refusal } from '../../engine/refunds/refusal.ts';
import { type RefundOfPayment, requestRefund as request } from '../../engine/refunds/request.ts';
import { runRecorded } from '../../kit/audit/log.ts';
import { body } from '../../kit/http/strict-body.ts';
import { action, entryBy } from '../operator/call.ts';
import { lineField, patternField } from '../operator/fields.ts';
import { decided } from './decisions.ts';
import { knownPayment } from './payments.ts';

/** Longer than any reference of an attempt. */
const REFERENCE_LENGTH_MAX = 64;

const refundRequestFields = body(
  {
    /** A repeated request has no further effect. Random when absent. */
    refundUniqueId: v.optional(
      patternField(
        /^[A-Za-z0-9][\w.-]{0,63}$/,
        'Must be 1 to 64 letters, digits, dots, hyphens and underscores.',
      ),
      () => `op_${crypto.randomUUID()}`,
    ),
    /** The attempt to refund; the one that paid when absent. */
    transactionId: v.optional(lineField(REFERENCE_LENGTH_MAX)),
    /** Without commission; all that is left when absent. */
    amountMinor: refundAmountField,
    reason: lineField(REFUND_REASON_LENGTH_MAX),
  },
  MINOR_UNIT_HINTS,
);

/**
 * Requests a refund of the payment that the path names in the merchant's name, within the merchant's
 * limits. The audit entry is written before the commit, as for decisions. Problems: those of the
 * merchants' API.
 */
export const requestRefund = action(refundRequestFields, async (call, target, fields) => {
  const { refundUniqueId, ...given } = fields;
  const { env, actor } = call;
  const payment = await knownPayment(call, target);
  const { tenant, uniqueId, intent } = payment;
  if (intent.refunds.some((refund) => isOwn(refund, refundUniqueId, actor.name))) {
    return decided(call, payment);
  }
  const { transactionId = null, amountMinor = null, reason: text } = given;
  const reason = withoutPhoneNumbers(text);
  const { currency } = intent.terms;
  const entry = entryBy(call, {
    ...tenant,
    action: 'refund.requested',
    target: refundUniqueId,
    detail: { uniqueId, transactionId, amountMinor, currency, reason },
  });
  const asked: RefundOfPayment = {
    paymentUniqueId: uniqueId,
    refundUniqueId,
    transactionId,
    amountMinor,
    reason,
    requester: { type: 'operator', operator: actor.name, isProved: actor.isProved === true },
    idempotency: null,
  };
  const refunded = await runRecorded(env.DB, entry, async () => {
    const result = await request(env, tenant, asked);
    if (result.type === 'accepted' || result.type === 'replayed') {
      return result.intent;
    }
    throw refusal(result, refundUniqueId, transactionId);
  });
  return decided(call, payment, { intent: refunded });
});

function isOwn({ id, requester }: Refund, refundUniqueId: string, operator: string): boolean {
  return id === refundUniqueId && requester.type === 'operator' && requester.operator === operator;
}
