import { problemsOf } from '../../kit/http/problem.ts';
import type { ProblemEntry } from '../../kit/http/problems.ts';

/** Every error that only an operator's action has, by its code. */
export const OPERATION_PROBLEMS = {
  rail_not_configured: {
    status: 409,
    message: 'The secret {secret} is missing or not valid. No provider was called',
  },
  attempt_not_found: { status: 404, message: 'The payment has no such attempt' },
  window_open: {
    status: 409,
    message:
      'The provider may still accept the payment until {deadline}, so a failure is not certain. Nothing was changed',
  },
  query_due: {
    status: 409,
    message:
      'The window has passed, and the gateway is asking the provider once more. Try again in a minute. Nothing was changed',
  },
  attempt_not_pending: {
    status: 409,
    message: 'The attempt is already {status}. Nothing was changed',
  },
  resolution_invalid: {
    status: 409,
    message: "The note, the receipt or the operator's name is not valid. Nothing was changed",
  },
  refund_not_resolvable: {
    status: 409,
    message:
      'The refund is {status}. Only one that requires action or is unresolved takes a decision. Nothing was changed',
  },
  refund_not_repeatable: {
    status: 409,
    message:
      'The refund is {status}. Only one whose call to the provider ended without an outcome can be sent again. Nothing was changed',
  },
  refund_repeat_not_offered: {
    status: 409,
    message:
      'The refund cannot be sent again: its provider does not recognize it by its number, or refundRepeats is off for the account. Nothing was changed',
  },
  second_operator_needed: {
    status: 409,
    message: 'You have made this decision yourself. Another operator must confirm it',
  },
  operator_not_verified: {
    status: 403,
    message:
      'This decision needs a proved name: by Cloudflare Access or a secret that only you have. Nothing was changed',
  },
  receipt_used: {
    status: 409,
    message:
      'The payment {uniqueId} of merchant {merchantId} has this receipt, and a receipt counts once. Nothing was changed',
  },
  resolution_rejected: {
    status: 409,
    message: 'The payment rejected the resolution: {rejection}. Nothing was changed',
  },
  merchant_exists: { status: 409, message: 'The merchant {id} already exists' },
  merchant_closed: { status: 409, message: 'The merchant is closed. Nothing was changed' },
  merchant_not_suspended: {
    status: 409,
    message: 'Only a suspended merchant can be closed. Suspend it first. Nothing was changed',
  },
  merchant_not_exported: {
    status: 409,
    message:
      'Export the production payments of the merchant first, to the end, since it was suspended. Nothing was changed',
  },
  bank_exists: { status: 409, message: 'The bank {code} already exists' },
  bank_unchanged: {
    status: 400,
    message: 'Nothing to change: give name, supportsWithdrawal or both',
  },
  backup_not_found: { status: 404, message: 'The bucket has no backup {run}' },
  nothing_to_back_up: {
    status: 409,
    message: 'The gateway has no merchants yet, or a restore is under way. Nothing was copied',
  },
  backup_unreadable: { status: 409, message: 'A part cannot be opened: {why}' },
  backup_newer: {
    status: 409,
    message:
      'The backup is of a newer release: this gateway lacks the migration {migration}. Nothing was changed',
  },
  gateway_not_empty: {
    status: 409,
    message:
      'The gateway has merchants or members, or was restored from the run {run}. Nothing was changed',
  },
  restore_under_way: {
    status: 409,
    message: 'A restore of the run {run} is open: continue it, or close it. Nothing was changed',
  },
  restore_missing_changed: {
    status: 409,
    message:
      'The restore of the run {run} has not reached its proof, or misses other things than the code names: read its proof again. Nothing was changed',
  },
  restore_step_taken: {
    status: 503,
    message:
      'Another call has taken this step of the restore of the run {run}. Repeat the call, which continues after it',
  },
  book_empty: {
    status: 409,
    message:
      'The book {book} is empty, so it knows no payments to rebuild: `rebuild namespace` finds them. Nothing was changed',
  },
  recovery_not_offered: {
    status: 409,
    message:
      'This platform keeps no earlier states of objects: only Cloudflare does, not `npm run dev`. Nothing was changed',
  },
  payment_remembers: {
    status: 409,
    message: 'The payment must not be set back to that time: {what}. Nothing was changed',
  },
  provider_profile_unknown: {
    status: 404,
    message: 'The method {method} has no profile "{name}"',
  },
  provider_piece_size: {
    status: 400,
    message: 'A piece must have 1 to {bytes} bytes. Nothing was changed',
  },
  provider_file_incomplete: {
    status: 409,
    message:
      'Pieces of the file are missing, or one before the last is too short: upload them again',
  },
  provider_line_changed: {
    status: 409,
    message:
      'The line no longer says what you saw: a newer file has replaced it. Nothing was changed',
  },
  provider_line_settled: {
    status: 409,
    message: 'A line that is {outcome} takes no such decision. Nothing was changed',
  },
} as const satisfies Record<string, ProblemEntry>;

/** A problem of an operator's action with its placeholders filled in. */
export const operationProblem = problemsOf(OPERATION_PROBLEMS);
