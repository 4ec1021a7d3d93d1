import type { AuditAction } from '../../audit/actions.ts';
import { auditEntry } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { sendAgain } from '../webhooks/send-again.ts';
import { paymentPath } from './paths.ts';
import { paymentPage } from './payment.tsx';

/**
 * POST …/payments/:uniqueId/events/:sequence/resend. What could not be sent is explained on the
 * event's own page.
 */
export async function resendEvent(call: DashboardCall): Promise<Response> {
  const sent = await sendAgain(call);
  if (sent === null) {
    return noticePage(call, 'not_found');
  }
  const { outcome, path } = sent;
  return outcome === 'resent'
    ? redirectTo(call, paymentPath(call.environment, call.params.uniqueId ?? ''), {
        done: 'event_resent',
      })
    : redirectTo(call, path, { done: outcome });
}

/** POST …/payments/:uniqueId/cancel: only while nothing is being paid (docs/decisions.md#25). */
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
