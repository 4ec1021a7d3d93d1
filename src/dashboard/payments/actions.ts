import type { AuditAction } from '../../audit/actions.ts';
import { auditEntry } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { redirectTo } from '../response.tsx';
import { RESENDABLE } from '../webhooks/event.ts';
import { paymentPath } from './paths.ts';
import { paymentPage } from './payment.tsx';

/** Versions of a payment count from 1; no payment ever reaches a billion. */
const SEQUENCE = /^[1-9]\d{0,8}$/;

/**
 * POST …/payments/:uniqueId/events/:sequence/resend: from the start of the schedule, unless it is on
 * its way already or a later event took its place. The object and the audit log cannot change together: the log follows, so that
 * it tells of nothing that has not happened.
 */
export async function resendEvent(call: DashboardCall): Promise<Response> {
  const { uniqueId = '', sequence = '' } = call.params;
  const intent = intentByUniqueId(call.env, tenantOf(call), uniqueId);
  const events = SEQUENCE.test(sequence) ? await intent.events() : [];
  const event = events.find((one) => one.sequence === Number(sequence));
  if (event === undefined) {
    return noticePage(call, 'not_found');
  }
  const path = paymentPath(call.environment, uniqueId);
  if (!(await intent.resendEvent(event.sequence, RESENDABLE))) {
    return redirectTo(call, path, { done: 'event_not_resent' });
  }
  await audit(call, 'event.resent', event.eventId, { uniqueId, sequence: event.sequence });
  return redirectTo(call, path, { done: 'event_resent' });
}

/** POST …/payments/:uniqueId/cancel: only while nothing is being paid (decision 25). */
export async function cancelPayment(call: DashboardCall): Promise<Response> {
  const { uniqueId = '' } = call.params;
  const intent = intentByUniqueId(call.env, tenantOf(call), uniqueId);
  const before = await intent.read();
  if (before.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  const done = { done: 'payment_canceled' };
  if (before.intent.status === 'canceled') {
    // A second click: nobody changes anything any more.
    return redirectTo(call, paymentPath(call.environment, uniqueId), done);
  }
  const result = await intent.execute([{ type: 'cancel' }]);
  if (result.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (result.rejection !== null) {
    return paymentPage(
      call,
      result.rejection === 'attempt_in_flight' ? 'attempt_in_flight' : 'ended',
    );
  }
  await audit(call, 'payment.canceled', uniqueId, {});
  return redirectTo(call, paymentPath(call.environment, uniqueId), done);
}

async function audit(
  call: DashboardCall,
  action: AuditAction,
  target: string,
  detail: Readonly<Record<string, string | number>>,
): Promise<void> {
  const { env, environment, session, nowMs } = call;
  const { merchantId } = session;
  const actor = actorOf(call);
  await runBatch(env.DB, [
    auditEntry({ actor, merchantId, environment, action, target, detail, atMs: nowMs }),
  ]);
}
