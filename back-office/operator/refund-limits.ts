import * as v from 'valibot';
import { AMOUNT_MINOR_MAX } from '../../src/domain/money.ts';
import { wholeNumber } from '../../src/http/fields.ts';
import {
  REFUND_AGE_DAYS_MAX,
  type RefundLimits,
  setRefundLimits,
} from '../../src/merchants/refund-limits.ts';
import { changeAudited, changedResponse } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { knownMerchant, merchantContent } from './merchants.ts';
import { body, readBody } from './schema.ts';

export const refundLimitFields = body({
  refundAgeDaysMax: wholeNumber(1, REFUND_AGE_DAYS_MAX),
  /** Null: any amount; 0: none. */
  refundDailyMaxMinor: v.nullable(wholeNumber(0, AMOUNT_MINOR_MAX)),
});

/** POST …/refund-limits: sets both. */
export async function changeRefundLimits(call: OperatorCall): Promise<Response> {
  const isChanged = await limitRefunds(call, await readBody(call.request, refundLimitFields));
  return changedResponse(isChanged, await merchantContent(call, call.params.merchantId));
}

/** False if the merchant that the path names has these limits. Problem 404 without a merchant. */
export async function limitRefunds(
  call: OperatorCall,
  { refundAgeDaysMax, refundDailyMaxMinor }: RefundLimits,
): Promise<boolean> {
  const { id } = await knownMerchant(call);
  const limits = { refundAgeDaysMax, refundDailyMaxMinor };
  return changeAudited(call, setRefundLimits(id, limits), {
    merchantId: id,
    environment: null,
    action: 'refund_limits.changed',
    target: id,
    detail: limits,
  });
}
