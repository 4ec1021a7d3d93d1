import type { AuditFilter } from '../../../src/control/audit/read.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../../src/kit/audit/actions.ts';

/** The filter in the URL of the audit log. Pure. */

export const AUDIT_GROUPS = [
  'people',
  'keys',
  'webhooks',
  'methods',
  'branding',
  'links',
  'payments',
  'merchant',
] as const;
export type AuditGroup = (typeof AUDIT_GROUPS)[number];

/** Every action belongs to a part of the dashboard, or to the merchant as a whole. */
const GROUP_OF: Readonly<Record<AuditAction, AuditGroup>> = {
  'session.started': 'people',
  'session.revoked': 'people',
  'member.invited': 'people',
  'member.joined': 'people',
  'member.role_changed': 'people',
  'member.removed': 'people',
  'invitation.revoked': 'people',
  'recovery.issued': 'people',
  'passkey.added': 'people',
  'passkey.renamed': 'people',
  'passkey.removed': 'people',
  'api_key.created': 'keys',
  'api_key.renamed': 'keys',
  'api_key.rolled': 'keys',
  'api_key.revoked': 'keys',
  'payment_link.create_requested': 'links',
  'payment_link.change_requested': 'links',
  'webhook.endpoint_created': 'webhooks',
  'webhook.endpoint_changed': 'webhooks',
  'webhook.endpoint_deleted': 'webhooks',
  'webhook.callbacks_changed': 'webhooks',
  'webhook.secret_shown': 'webhooks',
  'webhook.secret_rotated': 'webhooks',
  'webhook.secret_ended': 'webhooks',
  'webhook.test_requested': 'webhooks',
  'webhook.test_sent': 'webhooks',
  'webhook.endpoint_resumed': 'webhooks',
  'event.resend_requested': 'webhooks',
  'events.resend_requested': 'webhooks',
  'method.enabled': 'methods',
  'method.disabled': 'methods',
  'method.switched_off': 'methods',
  'method.switched_on': 'methods',
  'method.offered': 'methods',
  'method.withdrawn': 'methods',
  'commission.changed': 'methods',
  'limit.changed': 'methods',
  'refund_limits.changed': 'methods',
  'branding.changed': 'branding',
  'business.changed': 'branding',
  'bank_code.changed': 'branding',
  'payments.exported': 'payments',
  'statements.exported': 'payments',
  'provider_profile.changed': 'payments',
  'provider_file.uploaded': 'payments',
  'provider_line.decided': 'payments',
  'audit.exported': 'merchant',
  'payment.cancel_requested': 'payments',
  'refund.requested': 'payments',
  'refund.cancel_requested': 'payments',
  'attempt.resolved': 'payments',
  'refund.decided': 'payments',
  'refund.repeated': 'payments',
  'payment.reviewed': 'payments',
  'merchant.created': 'merchant',
  'merchant.renamed': 'merchant',
  'merchant.app_schemes_changed': 'merchant',
  'merchant.suspended': 'merchant',
  'merchant.reactivated': 'merchant',
  'merchant.closed': 'merchant',
  'bank.changed': 'merchant',
  'rail.probe_requested': 'merchant',
  'rail.probed': 'merchant',
  'alert.test_requested': 'merchant',
  'dead_letter.retried': 'merchant',
  'dead_letter.discarded': 'merchant',
  'book.rebuilt': 'merchant',
  'book.restored': 'merchant',
  'payment.restored': 'merchant',
  'gateway.restored': 'merchant',
  'backup.begun': 'merchant',
  'backup.read': 'merchant',
  'payment.held': 'payments',
  'payment.hold_released': 'payments',
  'payment.erased': 'payments',
  'customer.exported': 'payments',
  'customer.erasure_requested': 'payments',
  'maintenance.began': 'merchant',
  'maintenance.ended': 'merchant',
  'member_changes.paused': 'merchant',
  'member_changes.resumed': 'merchant',
};

/** The value of the field "who" for the operator. */
export const OPERATOR_CHOICE = 'operator';

/** Longer than any id; bounds what a query sends to D1. */
const ACTOR_LENGTH_MAX = 100;

/** The values of the form; empty where nothing is chosen. */
export interface AuditChoices {
  readonly group: AuditGroup | '';
  readonly who: string;
}

export function choicesIn(query: URLSearchParams): AuditChoices {
  const group = AUDIT_GROUPS.find((known) => known === query.get('group')) ?? '';
  return { group, who: (query.get('who') ?? '').slice(0, ACTOR_LENGTH_MAX) };
}

export function filterFor({ group, who }: AuditChoices): AuditFilter {
  const actions = AUDIT_ACTIONS.filter((action) => GROUP_OF[action] === group);
  return {
    ...(group === '' ? {} : { actions }),
    ...(who === '' ? {} : { actor: who === OPERATOR_CHOICE ? who : { memberId: who } }),
  };
}
