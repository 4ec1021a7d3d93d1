import type { OperatorProblemCode } from '../../back-office/operator/problems.ts';
import type { ErrorText } from './error-text.ts';

/** The errors that only the operator's API has. */
export const OPERATOR_ERRORS: Readonly<Record<OperatorProblemCode, ErrorText>> = {
  credentials_missing: {
    meaning: 'The request has no usable `Authorization` header.',
    remedy: 'Send the operator secret as `Authorization: Bearer …`.',
  },
  operator_secret_invalid: {
    meaning: 'The secret is not one of the gateway’s operator secrets.',
    remedy: 'Check the secret, and the gateway that you call.',
  },
  access_token_invalid: {
    meaning: 'The gateway requires Cloudflare Access, and the request has no valid token of it.',
    remedy: 'Sign in through Access, or send the headers of an Access service token.',
  },
  access_keys_unavailable: {
    meaning: 'The gateway could not fetch the keys that verify tokens of Cloudflare Access.',
    remedy: 'Wait. Nothing was changed.',
    retry: 'after_wait',
  },
  operator_name_invalid: {
    meaning:
      'The `x-operator` header, which the audit log keeps, is empty, too long or unprintable.',
    remedy: 'Send your name, percent-encoded if it is not ASCII.',
  },
  rail_not_configured: {
    meaning: 'The method has no secret in this environment, or one that is not valid.',
    remedy: 'Set the secret. `npm run operator -- rails` says what is wrong with it.',
  },
  attempt_not_found: {
    meaning: 'The payment has no attempt of this id or reference.',
    remedy: 'Read the payment, and name one of its attempts.',
  },
  window_open: {
    meaning: 'The provider may still accept the payment, so a failure is not certain yet.',
    remedy: 'Wait until the time in the message, then ask the provider again.',
    retry: 'with_backoff',
  },
  query_due: {
    meaning: 'The window has just passed, and the gateway queries the provider once more.',
    remedy: 'Read the payment in a minute: the query may have found the outcome.',
    retry: 'with_backoff',
  },
  attempt_not_pending: {
    meaning: 'The attempt has an outcome already.',
    remedy: 'Read the payment. Proof of a second payment can still be recorded as a success.',
    retry: 'never',
  },
  resolution_invalid: {
    meaning: 'The payment did not accept the texts of the resolution.',
    remedy: 'Shorten the note or the receipt, and keep to printable characters.',
  },
  receipt_used: {
    meaning: 'Another payment or attempt of the environment, of any merchant, has this receipt.',
    remedy:
      'Compare both payments with the provider. Only one of them was paid by this receipt: record the other with its own.',
  },
  refund_not_resolvable: {
    meaning: 'The refund has an outcome, or its provider may still answer or be called.',
    remedy: 'Read the payment. While the refund is `processing`, wait for the provider.',
    retry: 'never',
  },
  refund_not_repeatable: {
    meaning:
      'The refund has an outcome, its provider may still answer, or it was never sent to the provider.',
    remedy: 'Read the payment. While the refund is `processing`, wait a minute.',
    retry: 'never',
  },
  refund_repeat_not_offered: {
    meaning:
      'Only telebirr (page) and EthSwitch (cards) recognize a refund by its number, and only where the operator has set `refundRepeats` after a live test. A reversal of a card payment has no number.',
    remedy: 'Look the refund up at the provider, then record its outcome.',
    retry: 'never',
  },
  second_operator_needed: {
    meaning: 'You have recorded this decision, and two operators must agree about the amount.',
    remedy: 'Ask another operator to look it up and to send the same decision.',
    retry: 'never',
  },
  operator_not_verified: {
    meaning:
      'A production payment is recorded as paid, or two operators must agree, and your name is not proved: you share your secret, or you are a program.',
    remedy: 'Use a secret that only you have, or sign in through Cloudflare Access.',
  },
  resolution_rejected: {
    meaning: 'The state of the payment does not allow this resolution.',
    remedy: 'Read the payment and its history.',
    retry: 'never',
  },
  merchant_exists: {
    meaning: 'A merchant of this id exists.',
    remedy: 'Choose another id, or change the merchant that exists.',
  },
  merchant_suspended: {
    meaning: 'The merchant is suspended, so an invitation or recovery link would not work.',
    remedy: 'Reactivate the merchant first.',
  },
  merchant_closed: {
    meaning: 'The merchant was closed, which cannot be undone.',
    remedy: 'Create another merchant.',
  },
  merchant_not_suspended: {
    meaning: 'An active merchant cannot be closed.',
    remedy: 'Suspend it, export its payments, then close it.',
  },
  merchant_not_exported: {
    meaning: 'No whole export of its production payments followed the suspension.',
    remedy:
      'Run `npm run operator -- merchant export abebe --environment production --to abebe.csv`, then close the merchant.',
  },
  bank_exists: {
    meaning: 'A bank of this code exists.',
    remedy: 'Change that bank instead.',
  },
  bank_unchanged: {
    meaning: 'The request names no change.',
    remedy: 'Send `name`, `supportsWithdrawal` or both.',
  },
  backup_not_found: {
    meaning: 'The bucket has no such backup or part: it was deleted after 35 days, or never ended.',
    remedy: 'List the backups with `npm run operator -- backup list`.',
  },
  nothing_to_back_up: {
    meaning:
      'A copy of this gateway would have less than the backups in the bucket, and replace them.',
    remedy: 'Create a merchant, or end the restore.',
  },
  backup_unreadable: {
    meaning: 'A part is damaged or renamed, or `BACKUP_KEYS` lacks its key.',
    remedy: 'Set `BACKUP_KEYS` as it was when the backup was made.',
  },
  backup_newer: {
    meaning: 'The backup was made by a release with more migrations than this gateway has.',
    remedy: 'Deploy that release, then restore.',
  },
  gateway_not_empty: {
    meaning: 'A restore only fills an empty gateway, so that it cannot mix two states.',
    remedy: 'Set up a new gateway, and restore into that.',
  },
  restore_under_way: {
    meaning: 'A restore has begun, and is open until nothing is missing or an operator closes it.',
    remedy: 'Repeat the command with the run that the message names.',
  },
  restore_missing_changed: {
    meaning:
      'An operator closes a restore without what its proof named, and the gateway misses something else by now.',
    remedy: 'Run `restore gateway` again, and read what its proof names.',
  },
  restore_step_taken: {
    meaning:
      'Two calls, such as those of two operators, took the same step at once. One has done it.',
    remedy: 'Repeat the command: it continues, and doubles nothing.',
    retry: 'after_wait',
  },
  book_empty: {
    meaning:
      'The book was lost, or its merchant has no payments in this environment. A book is rebuilt from the payments that it knows.',
    remedy: 'Run `rebuild namespace`, which finds payments without their book.',
  },
  recovery_not_offered: {
    meaning:
      'The gateway runs where point-in-time recovery of objects is missing, as on your machine.',
    remedy: 'Restore from a backup, or rebuild the book.',
  },
  payment_remembers: {
    meaning:
      'Since that time an attempt, an outcome, a refund or an event was recorded. Set back, the payment would forget money or a message.',
    remedy: 'Choose a later time, or leave the payment as it is.',
    retry: 'never',
  },
  provider_profile_unknown: {
    meaning: 'A file names a profile that the method does not have in this environment.',
    remedy: 'See the names with `provider-profile list`, or store the profile first.',
  },
  provider_piece_size: {
    meaning: 'Files are uploaded in pieces of one size, of which only the last may be shorter.',
    remedy: 'Send pieces of the size that the beginning of the upload answered.',
    retry: 'never',
  },
  provider_file_incomplete: {
    meaning: 'The upload was ended before all its pieces had arrived.',
    remedy: 'Send the missing pieces, or begin again.',
  },
  provider_line_changed: {
    meaning:
      'The decision named a state of the line, and a newer file has replaced the line since.',
    remedy: 'Read the line again, and decide about what it says now.',
    retry: 'never',
  },
  provider_line_settled: {
    meaning:
      'The line is matched, or has no such decision: a payment that has arrived is not set aside, and a missing one is no line that another payment could have.',
    remedy: 'Read the line again: a newer file may have replaced it.',
    retry: 'never',
  },
};
