import type { FoundPayment } from '../../../src/control/rpc/payments.ts';
import { requestersOf } from '../../../src/engine/intent/protocol.ts';
import { memberNames } from '../../members/members.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, may, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';
import { resendEvent } from '../webhooks/event.ts';
import { cardId, EVENT_PARAMETER } from './events.tsx';
import { type CancelRefusal, DeletedPaymentPage, PaymentPage } from './payment-page.tsx';

/** GET …/payments/:uniqueId: read from the payment's own object, so nothing on it is stale. */
export function showPayment(call: DashboardCall): Promise<Response> {
  return answerPayment(call, null);
}

/** POST …/payments/:uniqueId/cancel: only while no attempt is in flight (docs/decisions.md#25). */
export async function cancelPayment(call: DashboardCall): Promise<Response> {
  const { uniqueId = '' } = call.params;
  const result = await call.payments.payments.cancel(tenantOf(call), actorOf(call), uniqueId);
  switch (result) {
    case 'canceled':
      return redirectTo(pageOf(call), { done: 'payment_canceled' });
    case 'not_found':
      return noticePage(call, 'not_found');
    default:
      return answerPayment(call, result);
  }
}

/** POST …/payments/:uniqueId/events/:sequence/resend. The event's own page explains a failure. */
export async function resendFromPayment(call: DashboardCall): Promise<Response> {
  const resent = await resendEvent(call);
  if (resent === null) {
    return noticePage(call, 'not_found');
  }
  const { outcome, path } = resent;
  if (outcome !== 'resent') {
    return redirectTo(path, { done: outcome });
  }
  // The browser scrolls to the card of the event, which says what was done.
  const event = cardId(resent.event);
  const page = pageOf(call);
  return redirectTo(`${page}${page.includes('?') ? '&' : '?'}${EVENT_PARAMETER}=${event}`, {
    done: 'event_resent',
    fragment: `#${event}`,
  });
}

/** The payment's page, with the way back to its list. */
function pageOf(call: DashboardCall): string {
  const { uniqueId = '' } = call.params;
  return withList(paymentPath(call.environment, uniqueId), listIn(call.url));
}

async function answerPayment(
  call: DashboardCall,
  refusal: CancelRefusal | null,
): Promise<Response> {
  const { uniqueId = '' } = call.params;
  const wantsCheckoutUrl = may(call, 'develop');
  const found = await call.payments.payments.read(tenantOf(call), uniqueId, wantsCheckoutUrl);
  switch (found.type) {
    case 'not_found':
      return noticePage(call, 'not_found');
    case 'deleted':
      return showPage(call, <DeletedPaymentPage row={found.row} keptDays={found.keptDays} />);
    case 'found': {
      const requesterNames = new Map([...found.keyNames, ...(await namesOfMembers(call, found))]);
      return showPage(call, <PaymentPage view={{ ...found, requesterNames }} refusal={refusal} />, {
        status: refusal === null ? 200 : 409,
      });
    }
  }
}

/** The names of the members who requested refunds or cancellations, also of removed ones. */
function namesOfMembers(
  { env, session }: DashboardCall,
  { intent, history }: FoundPayment,
): Promise<ReadonlyMap<string, string>> {
  const requesters = requestersOf(intent, history);
  const ids = requesters.flatMap((by) => (by.type === 'member' ? [by.memberId] : []));
  return memberNames(env.BACK_OFFICE_DB, session.merchantId, ids);
}
