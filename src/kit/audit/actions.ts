/**
 * The actions in the audit log, by when their entry is written (docs/decisions.md#54). The functions
 * that write entries take only theirs, and docs/operations.md#audit-log names all of them.
 */

/** Before what they name, which no batch of D1 can hold: a call of an object or server, or a reading. */
export const REQUEST_ACTIONS = [
  'payment.cancel_requested',
  'refund.requested',
  'refund.cancel_requested',
  'event.resend_requested',
  'events.resend_requested',
  'payment_link.create_requested',
  'payment_link.change_requested',
  'webhook.test_requested',
  'webhook.secret_shown',
  'payments.exported',
  'statements.exported',
  'audit.exported',
  'attempt.resolved',
  'refund.decided',
  'refund.repeated',
  'payment.held',
  'payment.hold_released',
  'payment.restored',
  'customer.exported',
  'dead_letter.retried',
  'rail.probe_requested',
  'alert.test_requested',
  'book.rebuilt',
  'book.restored',
  'provider_profile.changed',
  'provider_file.uploaded',
  'provider_line.decided',
  'backup.begun',
  'backup.read',
] as const;

/** In the batch of the change that they name. */
export const CHANGE_ACTIONS = [
  'session.started',
  'session.revoked',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'invitation.revoked',
  'recovery.issued',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'api_key.created',
  'api_key.renamed',
  'api_key.rolled',
  'api_key.revoked',
  'webhook.endpoint_created',
  'webhook.endpoint_changed',
  'webhook.endpoint_deleted',
  'webhook.callbacks_changed',
  'webhook.secret_rotated',
  'webhook.secret_ended',
  'webhook.endpoint_resumed',
  'method.enabled',
  'method.disabled',
  'branding.changed',
  'business.changed',
  'bank_code.changed',
  'merchant.created',
  'merchant.renamed',
  'merchant.app_schemes_changed',
  'merchant.suspended',
  'merchant.reactivated',
  'merchant.closed',
  'method.switched_off',
  'method.switched_on',
  'method.offered',
  'method.withdrawn',
  'commission.changed',
  'limit.changed',
  'bank.changed',
  'refund_limits.changed',
  'payment.reviewed',
  'dead_letter.discarded',
  'gateway.restored',
  'payment.erased',
  'customer.erasure_requested',
  'maintenance.began',
  'maintenance.ended',
  'member_changes.paused',
  'member_changes.resumed',
] as const;

/** After a request, with what came of it. */
export const OUTCOME_ACTIONS = ['webhook.test_sent', 'rail.probed'] as const;

export const AUDIT_ACTIONS = [...REQUEST_ACTIONS, ...CHANGE_ACTIONS, ...OUTCOME_ACTIONS] as const;

export type ChangeAction = (typeof CHANGE_ACTIONS)[number];
/** An entry that stands alone. */
export type SingleAction = (typeof REQUEST_ACTIONS | typeof OUTCOME_ACTIONS)[number];
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
