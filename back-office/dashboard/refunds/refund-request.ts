import { decide } from '../../../src/domain/decide.ts';
import type { Attempt, Intent, Rejection } from '../../../src/domain/intent.ts';
import type { Refund } from '../../../src/domain/refund.ts';
import { isPrintable } from '../../../src/domain/text.ts';
import type { Form } from '../../../src/http/form.ts';
import { refundCommand } from '../../../src/refunds/plan.ts';
import { refundIn } from '../../../src/refunds/request.ts';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import type { DashboardCall } from '../call.ts';

/** What a member asks for, and what would become of it. */

export type RefundProblem = keyof DashboardMessages['refunds']['problems'];

export const REASON_LENGTH_MAX = 255;

/** Made by the form's page, so a form that is sent twice makes one refund. */
const REFUND_ID = /^rfd_[0-9a-f]{32}$/;

export interface RefundRequest {
  readonly refundUniqueId: string;
  /** The reference of the attempt to refund. */
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly reason: string | null;
}

/** The posted form; null for one that our page did not make. */
export function readRequest(form: Form): RefundRequest | RefundProblem | null {
  const refundUniqueId = form.text('refund');
  const transactionId = form.text('transaction');
  const amountMinor = amountMinorFrom(form.text('amount').trim());
  const reason = form.text('reason').trim();
  if (!REFUND_ID.test(refundUniqueId)) {
    return null;
  }
  if (amountMinor === null || amountMinor === 0) {
    return 'bad_amount';
  }
  if (reason.length > REASON_LENGTH_MAX || !isPrintable(reason)) {
    return 'bad_reason';
  }
  return { refundUniqueId, transactionId, amountMinor, reason: reason === '' ? null : reason };
}

/** The refund as the payment would have it now, or why it would reject it. Changes nothing. */
export function rehearse(
  { env, config, session, nowMs }: DashboardCall,
  intent: Intent,
  attempt: Attempt,
  { refundUniqueId, amountMinor }: { refundUniqueId: string; amountMinor: number | null },
): Refund | Rejection {
  const command = refundCommand(env, intent, {
    id: refundUniqueId,
    attempt,
    amountMinor,
    reason: null,
    requester: { type: 'member', memberId: session.memberId },
    idempotencyKeyDigest: null,
    bodyDigest: null,
    keepsCommission: config.keepsCommission,
  });
  const { intent: after, rejection } = decide(intent, [command], nowMs);
  return rejection ?? refundIn(after, refundUniqueId) ?? 'refund_not_found';
}
