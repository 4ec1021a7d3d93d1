import * as v from 'valibot';
import { type AreaArguments, actorField, namedTexts, originField, typedField } from './fields.ts';

/** The parts of a path. Each function checks those that it needs, and answers 404. */
const target = namedTexts(v.optional(typedField));
/** The parameters of an address. A list checks them by its own schema, and answers 400. */
const query = namedTexts(typedField);
/** `action` checks them by the schema of the action, and answers 400 with each failing field. */
const fields = v.unknown();

const ACTION = [actorField, target, fields] as const;

export const OPERATIONS: AreaArguments<'operations'> = {
  resolveAttempt: ACTION,
  attentionPage: [query],
  countAttention: [],
  describedAttention: [query],
  backUpNow: ACTION,
  backupPart: ACTION,
  backupParts: ACTION,
  listBackups: [],
  addBank: ACTION,
  changeBank: ACTION,
  listBanks: [],
  customerRequests: [query],
  eraseCustomer: ACTION,
  exportCustomer: ACTION,
  discardDeadLetters: ACTION,
  deadLetters: [query],
  readDeadLetter: [target],
  retryDeadLetters: ACTION,
  readHealth: [],
  refreshHealth: [],
  holdPayment: ACTION,
  releasePayment: ACTION,
  knownMerchant: [target],
  merchants: [query],
  changeAppSchemes: ACTION,
  changeRefundLimits: ACTION,
  createMerchant: ACTION,
  merchantContent: [target],
  reactivateMerchant: ACTION,
  renameMerchant: ACTION,
  suspendMerchant: ACTION,
  changeCommission: ACTION,
  changeLimit: ACTION,
  changeOffer: ACTION,
  beginMaintenance: ACTION,
  endMaintenance: ACTION,
  pauseMemberChanges: ACTION,
  readModes: [],
  resumeMemberChanges: ACTION,
  findPayments: [typedField, v.nullable(typedField)],
  paymentDetails: [target],
  probe: [actorField, target, originField],
  rebuildBook: ACTION,
  rebuildObjects: ACTION,
  restoreBook: ACTION,
  repeatRefund: ACTION,
  resolveRefund: ACTION,
  requestRefund: ACTION,
  confirmRestoredMembers: ACTION,
  proveRestore: ACTION,
  restoreStep: ACTION,
  uploadBackupPart: ACTION,
  restorePayment: ACTION,
  reviewPayment: ACTION,
  reviewSeenPayment: ACTION,
  verifyBackup: [target, query],
  readSelfCheck: [],
  startSelfCheck: [actorField, originField],
  rails: [],
  railOutcomes: [],
};
