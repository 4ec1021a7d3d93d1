import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { prepare } from '../../src/database.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import type { Refund } from '../../src/domain/refund.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import { MINOR_UNIT_HINTS, refundAmountField } from '../../src/refunds/amount-field.ts';
import { refusal } from '../../src/refunds/refusal.ts';
import { requestRefund } from '../../src/refunds/request.ts';
import { namedPayment } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { knownIntent } from './resolution.ts';
import { body, lineField, patternField } from './schema.ts';

/** An operator asks for a refund in a merchant's name, within the merchant's limits. */

/** As in the dashboard. */
export const REFUND_REASON_LENGTH_MAX = 255;
/** Longer than any reference of an attempt. */
const REFERENCE_LENGTH_MAX = 64;

export const refundRequestFields = body(
  {
    /** A repeated request has no further effect. Random when absent. */
    refundUniqueId: v.optional(
      patternField(
        /^[A-Za-z0-9][\w.-]{0,63}$/,
        'Must be 1 to 64 letters, digits, dots, hyphens and underscores.',
      ),
    ),
    /** The attempt to refund; the one that paid when absent. */
    transactionId: v.optional(lineField(REFERENCE_LENGTH_MAX)),
    /** Without commission; all that is left when absent. */
    amountMinor: refundAmountField,
    reason: lineField(REFUND_REASON_LENGTH_MAX),
  },
  MINOR_UNIT_HINTS,
);

interface Requested {
  /** This operator had requested it before, so nothing changed. */
  readonly isRepeated: boolean;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * Requests a refund of the payment that the path names. The audit entry is written before the
 * commit, as for manual resolutions. Problems: those of the merchants' API.
 */
export async function requestForMerchant(
  call: OperatorCall,
  {
    refundUniqueId = `op_${crypto.randomUUID()}`,
    ...given
  }: v.InferOutput<typeof refundRequestFields>,
): Promise<Requested> {
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const known = await knownIntent(client);
  if (known.refunds.some((refund) => isOwn(refund, refundUniqueId, call.actor.name))) {
    return { isRepeated: true, client, intent: known };
  }
  const { transactionId = null, amountMinor = null, reason: text } = given;
  const reason = withoutPhoneNumbers(text);
  const record = (detail: Readonly<Record<string, string | number | null>>) =>
    prepare(
      call.env.DB,
      auditEntry({
        actor: call.actor,
        ...tenant,
        action: 'refund.requested',
        target: refundUniqueId,
        detail: { uniqueId, ...detail },
        atMs: call.nowMs,
      }),
    ).run();
  await record({ transactionId, amountMinor, currency: known.terms.currency, reason });
  const result = await requestRefund(call.env, tenant, {
    paymentUniqueId: uniqueId,
    refundUniqueId,
    transactionId,
    amountMinor,
    reason,
    requester: { type: 'operator', operator: call.actor.name, isProved: call.isVerified },
    idempotency: null,
  });
  switch (result.type) {
    case 'accepted':
    case 'replayed':
      return { isRepeated: false, client, intent: result.intent };
    default: {
      const problem = refusal(result, refundUniqueId, transactionId);
      await record({ refused: problem.code });
      throw problem;
    }
  }
}

function isOwn({ id, requester }: Refund, refundUniqueId: string, operator: string): boolean {
  return id === refundUniqueId && requester.type === 'operator' && requester.operator === operator;
}
