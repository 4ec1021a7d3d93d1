import { lastOutcomes } from '../health/digests.ts';
import { type RailStanding, railStandings } from '../health/outages.ts';
import { onDatabase, type Plane } from './plane.ts';

/**
 * What an operator does and sees. An action checks its fields where it is defined, and enforces its
 * own rules: receipts, limits, proved names, second operators.
 */

export type { AboutPayment } from '../../lists/book/attention-items.ts';
export type { Backups } from '../../recovery/backup/actions.ts';
export { backUpNow, backupPart, backupParts, listBackups } from '../../recovery/backup/actions.ts';
export { verifyBackup } from '../../recovery/backup/verify.ts';
export { restorePayment } from '../../recovery/point-in-time/restore-payment.ts';
export { rebuildBook, rebuildObjects, restoreBook } from '../../recovery/rebuild-books.ts';
export type { RestoreProgress, RestoreProof } from '../../recovery/restore/gateway.ts';
export {
  confirmRestoredMembers,
  proveRestore,
  restoreStep,
  uploadBackupPart,
} from '../../recovery/restore/gateway.ts';
export type { DescribedAttention } from '../attention/attention.ts';
export { attentionPage, describedAttention } from '../attention/attention.ts';
export type { ItemOutcomes } from '../attention/decisions.ts';
export {
  chosenItems,
  recordUnpaidItems,
  resendItems,
  reviewItems,
} from '../attention/decisions.ts';
export type {
  AttentionCounts,
  AttentionGroup,
  AttentionGroups,
} from '../attention/groups.ts';
export { attentionGroups, countAttention } from '../attention/groups.ts';
export type { AttentionItem } from '../attention/item.ts';
export { exportAudit } from '../audit/export-audit.ts';
export type { CustomersPage, ErasedPage } from '../customers/actions.ts';
export { customerRequests, eraseCustomer, exportCustomer } from '../customers/actions.ts';
export type { CustomerRequest } from '../customers/requests.ts';
export type { DescribedLetter, LetterDetails, LetterOutcomes } from '../dead-letters/actions.ts';
export {
  discardDeadLetters,
  listDeadLetters as deadLetters,
  readDeadLetter,
  retryDeadLetters,
} from '../dead-letters/actions.ts';
export type { DeadLetter } from '../dead-letters/store.ts';
export type { LastOutcome, RailOutcome } from '../health/digests.ts';
export type { EnvironmentHealth, Health } from '../health/health.ts';
export { readHealth, refreshHealth } from '../health/health.ts';
export type { RailStanding } from '../health/outages.ts';
export type { ProbedRail } from '../health/rails.ts';
export { probe } from '../health/rails.ts';
export type { Bank } from '../merchants/banks.ts';
export { addBank, changeBank, listBanks } from '../merchants/banks.ts';
export { changeCommission, changeLimit, changeOffer } from '../merchants/change-methods.ts';
export { closeMerchant } from '../merchants/close.ts';
export type { ExportedPage } from '../merchants/export-payments.ts';
export { exportPayments } from '../merchants/export-payments.ts';
export type { MerchantKey } from '../merchants/merchant-keys.ts';
export { merchantKeys, revokeMerchantKey } from '../merchants/merchant-keys.ts';
export type { MerchantRow } from '../merchants/merchant-rows.ts';
export { knownMerchant, merchants } from '../merchants/merchant-rows.ts';
export type { MerchantDetails, Settings } from '../merchants/merchants.ts';
export {
  changeAppSchemes,
  changeRefundLimits,
  createMerchant,
  merchantContent,
  reactivateMerchant,
  renameMerchant,
  suspendMerchant,
} from '../merchants/merchants.ts';
export type { Modes } from '../modes/modes.ts';
export {
  beginMaintenance,
  endMaintenance,
  pauseMemberChanges,
  readModes,
  resumeMemberChanges,
} from '../modes/modes.ts';
export type { SwitchedOffMethod } from '../modes/switched-off.ts';
export { readSwitchedOff, switchMethodOff, switchMethodOn } from '../modes/switched-off.ts';
export { resolveAttempt } from '../payments/attempt-resolution.ts';
export type { Decided } from '../payments/decisions.ts';
export { holdPayment, releasePayment } from '../payments/holds.ts';
export type { KnownPaymentDetails, PaymentDetails, Review } from '../payments/payments.ts';
export { paymentDetails } from '../payments/payments.ts';
export { repeatRefund, resolveRefund } from '../payments/refund-decisions.ts';
export { requestRefund } from '../payments/refund-request.ts';
export { reviewPayment, reviewSeenPayment } from '../payments/review.ts';
export type { FoundPayments } from '../payments/search.ts';
export { findPayments } from '../payments/search.ts';
export type { Preview, PreviewedLine, ProviderFile } from '../provider-files/files.ts';
export {
  beginProviderFile,
  deleteProviderProfile,
  finishProviderFile,
  previewProviderFile,
  providerFile,
  providerFiles,
  providerProfiles,
  storeProviderProfile,
  uploadProviderPiece,
} from '../provider-files/files.ts';
export type { BoardRow, ShownLine as ProviderLine } from '../provider-files/findings.ts';
export {
  decideProviderLine,
  providerBoard,
  providerLine,
  providerLines,
} from '../provider-files/findings.ts';
export type { Profile as ProviderProfile } from '../provider-files/profile.ts';
export type { SelfCheck } from '../self-check/run.ts';
export { readSelfCheck, startSelfCheck } from '../self-check/run.ts';
export type { StatementsPage } from '../statements/export-statements.ts';
export { exportStatements } from '../statements/export-statements.ts';

/** The rail of each method in both environments, and whether it works now. Calls no provider. */
export function rails({ env }: Plane): Promise<readonly RailStanding[]> {
  return railStandings(env);
}

/** When a payment by each rail last ended. */
export const railOutcomes = onDatabase(lastOutcomes);
