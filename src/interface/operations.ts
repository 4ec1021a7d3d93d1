import { lastOutcomes } from '../operations/digests.ts';
import { railStates } from '../operations/rails.ts';
import { onDatabase, type Plane } from './plane.ts';

/**
 * What an operator does and sees. An action checks its fields where it is defined, and enforces its
 * own rules: receipts, limits, proved names, second operators.
 */

export type { AboutPayment } from '../book/attention-items.ts';
export type { DeadLetter } from '../dead-letters/store.ts';
export { resolveAttempt } from '../operations/attempt-resolution.ts';
export type { DescribedAttention } from '../operations/attention.ts';
export { attentionPage, describedAttention } from '../operations/attention.ts';
export type { ItemOutcomes } from '../operations/attention-decisions.ts';
export {
  chosenItems,
  recordUnpaidItems,
  resendItems,
  reviewItems,
} from '../operations/attention-decisions.ts';
export type {
  AttentionCounts,
  AttentionGroup,
  AttentionGroups,
} from '../operations/attention-groups.ts';
export { attentionGroups, countAttention } from '../operations/attention-groups.ts';
export type { Backups } from '../operations/backups.ts';
export { backUpNow, backupPart, backupParts, listBackups } from '../operations/backups.ts';
export type { Bank } from '../operations/banks.ts';
export { addBank, changeBank, listBanks } from '../operations/banks.ts';
export type { CustomersPage, ErasedPage } from '../operations/customers/actions.ts';
export {
  customerRequests,
  eraseCustomer,
  exportCustomer,
} from '../operations/customers/actions.ts';
export type { CustomerRequest } from '../operations/customers/requests.ts';
export type { LetterDetails, LetterOutcomes } from '../operations/dead-letters.ts';
export {
  discardDeadLetters,
  listDeadLetters as deadLetters,
  readDeadLetter,
  retryDeadLetters,
} from '../operations/dead-letters.ts';
export type { Decided } from '../operations/decisions.ts';
export type { LastOutcome, RailOutcome } from '../operations/digests.ts';
export type { EnvironmentHealth, Health } from '../operations/health.ts';
export { readHealth, refreshHealth } from '../operations/health.ts';
export { holdPayment, releasePayment } from '../operations/holds.ts';
export type { MerchantRow } from '../operations/merchant-rows.ts';
export { knownMerchant, merchants } from '../operations/merchant-rows.ts';
export type { MerchantDetails, Settings } from '../operations/merchants.ts';
export {
  changeAppSchemes,
  changeRefundLimits,
  createMerchant,
  merchantContent,
  reactivateMerchant,
  renameMerchant,
  suspendMerchant,
} from '../operations/merchants.ts';
export { changeCommission, changeLimit, changeOffer } from '../operations/methods.ts';
export type { Modes } from '../operations/modes.ts';
export {
  beginMaintenance,
  endMaintenance,
  pauseMemberChanges,
  readModes,
  resumeMemberChanges,
} from '../operations/modes.ts';
export type { AttentionItem, DescribedLetter } from '../operations/needs.ts';
export type { FoundPayments } from '../operations/payment-search.ts';
export { findPayments } from '../operations/payment-search.ts';
export type { PaymentDetails, Review } from '../operations/payments.ts';
export { paymentDetails } from '../operations/payments.ts';
export type { ProbedRail, RailState } from '../operations/rails.ts';
export { probe } from '../operations/rails.ts';
export { rebuildBook, rebuildObjects, restoreBook } from '../operations/rebuild.ts';
export { repeatRefund, resolveRefund } from '../operations/refund-decisions.ts';
export { requestRefund } from '../operations/refund-request.ts';
export type { RestoreProgress, RestoreProof } from '../operations/restore-gateway.ts';
export {
  confirmRestoredMembers,
  proveRestore,
  restoreStep,
  uploadBackupPart,
} from '../operations/restore-gateway.ts';
export { restorePayment } from '../operations/restore-payment.ts';
export { reviewPayment, reviewSeenPayment } from '../operations/review.ts';
export { verifyBackup } from '../operations/verify-backup.ts';
export type { SelfCheck } from '../self-check/run.ts';
export { readSelfCheck, startSelfCheck } from '../self-check/run.ts';

/** The rail of each method in both environments. Calls no provider. */
export function rails({ env }: Plane) {
  return railStates(env);
}

/** When a payment by each rail last ended. */
export const railOutcomes = onDatabase(lastOutcomes);
