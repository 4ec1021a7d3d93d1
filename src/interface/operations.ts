import type { Actor } from '../audit/log.ts';
import * as resolution from '../operations/attempt-resolution.ts';
import * as attention from '../operations/attention.ts';
import * as bank from '../operations/banks.ts';
import type { Target } from '../operations/call.ts';
import { action, callOf, list } from '../operations/checked-call.ts';
import * as letter from '../operations/dead-letters.ts';
import * as merchantRow from '../operations/merchant-rows.ts';
import * as setting from '../operations/merchants.ts';
import * as method from '../operations/methods.ts';
import { type ProbedRail, probeRail, type RailState, railStates } from '../operations/rails.ts';
import * as refund from '../operations/refund-decisions.ts';
import * as request from '../operations/refund-request.ts';
import * as republishing from '../operations/republish.ts';
import * as reviewing from '../operations/review.ts';
import { type LastOutcome, lastOutcomes } from '../read-model/rail-outcomes.ts';
import type { Plane } from './plane.ts';

/**
 * What an operator does and sees. An action checks its fields here, whatever its caller checked, and
 * enforces its own rules: receipts, limits, proved names, second operators.
 */

export const resolveAttempt = action(resolution.resolutionFields, resolution.resolveAttempt);
export const resolveRefund = action(refund.refundResolutionFields, refund.resolveRefund);
export const repeatRefund = action(refund.refundRepeatFields, refund.repeatRefund);
export const requestRefund = action(request.refundRequestFields, request.requestRefundFor);
export const reviewPayment = action(reviewing.reviewFields, reviewing.reviewPayment);
export const reviewSeenPayment = action(reviewing.seenReviewFields, reviewing.reviewPayment);

export const createMerchant = action(setting.creationFields, setting.createNewMerchant);
export const renameMerchant = action(setting.renamingFields, setting.renameMerchant);
export const changeAppSchemes = action(setting.appSchemeFields, setting.changeAppSchemes);
export const changeRefundLimits = action(setting.refundLimitFields, setting.changeRefundLimits);
export const suspendMerchant = action(setting.reasonFields, setting.suspendMerchant);
export const reactivateMerchant = action(setting.reasonFields, setting.reactivateMerchant);
export const changeOffer = action(method.offerFields, method.changeOffer);
export const changeCommission = action(method.commissionFields, method.changeCommission);
export const changeLimit = action(method.limitFields, method.changeLimit);

export const addBank = action(bank.bankFields, bank.addBank);
export const changeBank = action(bank.bankChangeFields, bank.changeBank);

export const retryDeadLetters = action(letter.retryFields, letter.retryDeadLetters);
export const discardDeadLetters = action(letter.discardFields, letter.discardDeadLetters);
export const republish = action(republishing.republishFields, republishing.republish);

/** `origin`: the gateway's, as the operator sees it. */
export function probe(
  plane: Plane,
  actor: Actor,
  target: Target,
  origin: string,
): Promise<ProbedRail> {
  return probeRail(callOf(plane, actor), target, origin);
}

export const attentionPage = list(attention.attentionQuery, attention.attentionPage);
export const describedAttention = list(attention.attentionQuery, attention.describedAttention);
export const merchants = list(merchantRow.merchantsQuery, merchantRow.merchantPage);
export const deadLetters = list(letter.lettersQuery, letter.listDeadLetters);

export type { DeadLetter } from '../dead-letters/store.ts';
export type { AttentionItem, PaymentHint } from '../operations/attention.ts';
export { countAttention } from '../operations/attention.ts';
export type { Bank } from '../operations/banks.ts';
export { listBanks } from '../operations/banks.ts';
export type { LetterDetails, LetterOutcomes } from '../operations/dead-letters.ts';
export { readDeadLetter } from '../operations/dead-letters.ts';
export type { Decided } from '../operations/decisions.ts';
export type { EnvironmentHealth, Health } from '../operations/health.ts';
export { readHealth } from '../operations/health.ts';
export type { MerchantRow } from '../operations/merchant-rows.ts';
export { knownMerchant } from '../operations/merchant-rows.ts';
export type { MerchantDetails, Settings } from '../operations/merchants.ts';
export { merchantContent } from '../operations/merchants.ts';
export type { FoundPayments } from '../operations/payment-search.ts';
export { findPayments } from '../operations/payment-search.ts';
export type { PaymentDetails, Review } from '../operations/payments.ts';
export { paymentDetails } from '../operations/payments.ts';
export type { ProbedRail, RailState } from '../operations/rails.ts';
export type { LastOutcome } from '../read-model/rail-outcomes.ts';
export type { RepublishedPage } from '../read-model/republish.ts';
export type { RailOutcome } from '../read-model/totals.ts';

/** The rail of each method in both environments. Calls no provider. */
export function rails({ env }: Plane): readonly RailState[] {
  return railStates(env);
}

/** When a payment by each rail last ended. */
export function railOutcomes({ env }: Plane): Promise<readonly LastOutcome[]> {
  return lastOutcomes(env.DB);
}
