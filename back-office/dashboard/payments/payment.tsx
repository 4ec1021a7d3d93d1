import { signLink } from '../../../src/crypto/link-token.ts';
import { runBatch } from '../../../src/database.ts';
import { hasEnded, type Intent } from '../../../src/domain/intent.ts';
import { intentByUniqueId } from '../../../src/intent/client.ts';
import { banks } from '../../../src/merchants/directory.ts';
import { apiKeyNames } from '../../../src/merchants/keys.ts';
import type { PaymentRow } from '../../../src/read-model/payment-row.ts';
import { searchPayments } from '../../../src/read-model/search.ts';
import { memberNames } from '../../members/members.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { audited } from '../audited.ts';
import { type DashboardCall, may, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';
import { resendEvent } from '../webhooks/event.ts';
import {
  type CancelRefusal,
  DeletedPaymentPage,
  PaymentPage,
  type PaymentView,
} from './payment-page.tsx';

/** The longest id: 255 characters of at most two UTF-16 units. A longer one reaches no object. */
export const UNIQUE_ID_LENGTH_MAX = 2 * 255;

/** GET …/payments/:uniqueId: read from the payment's own object, so nothing on it is stale. */
export function showPayment(call: DashboardCall): Promise<Response> {
  return answerPayment(call, null);
}

/** POST …/payments/:uniqueId/cancel: only while no attempt is in flight (docs/decisions.md#25). */
export async function cancelPayment(call: DashboardCall): Promise<Response> {
  const { uniqueId = '' } = call.params;
  const intent = intentByUniqueId(call.env, tenantOf(call), uniqueId);
  const before = await intent.read();
  if (before.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  const canceled = () => redirectTo(pageOf(call), { done: 'payment_canceled' });
  if (before.intent.status === 'canceled') {
    // A second click changes nothing.
    return canceled();
  }
  const result = await intent.execute([{ type: 'cancel' }]);
  if (result.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (result.rejection !== null) {
    const isInFlight = result.rejection === 'attempt_in_flight';
    return answerPayment(call, isInFlight ? 'attempt_in_flight' : 'ended');
  }
  await runBatch(call.env.DB, [audited(call, { action: 'payment.canceled', target: uniqueId })]);
  return canceled();
}

/** POST …/payments/:uniqueId/events/:sequence/resend. The event's own page explains a failure. */
export async function resendFromPayment(call: DashboardCall): Promise<Response> {
  const resent = await resendEvent(call);
  if (resent === null) {
    return noticePage(call, 'not_found');
  }
  const { outcome, path } = resent;
  return outcome === 'resent'
    ? redirectTo(pageOf(call), { done: 'event_resent' })
    : redirectTo(path, { done: outcome });
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
  const uniqueId = call.params.uniqueId ?? '';
  if (uniqueId.length > UNIQUE_ID_LENGTH_MAX) {
    return noticePage(call, 'not_found');
  }
  const view = await readView(call, uniqueId);
  if (view !== null) {
    const page = <PaymentPage call={call} view={view} refusal={refusal} />;
    return answerPage(call, page, { status: refusal === null ? 200 : 409 });
  }
  const row = await remainingRow(call, uniqueId);
  return row === null
    ? noticePage(call, 'not_found')
    : answerPage(call, <DeletedPaymentPage call={call} row={row} />);
}

async function readView(call: DashboardCall, uniqueId: string): Promise<PaymentView | null> {
  const client = intentByUniqueId(call.env, tenantOf(call), uniqueId);
  const read = await client.read();
  if (read.type === 'not_found') {
    return null;
  }
  const { intent } = read;
  const [history, events, bankNames, requesterNames, token] = await Promise.all([
    client.history(),
    client.events(),
    namesOfBanks(call, intent),
    namesOfRequesters(call, intent),
    hasEnded(intent.status) || !may(call, 'develop')
      ? null
      : signLink(call.config.linkSigningKeys, 'checkout', {
          objectId: client.objectId,
          attemptIndex: 0,
        }),
  ]);
  const checkoutUrl = token === null ? null : `${intent.terms.baseUrl}/checkout/${token}`;
  return { intent, history, events, bankNames, requesterNames, checkoutUrl };
}

async function namesOfBanks(
  call: DashboardCall,
  { terms }: Intent,
): Promise<ReadonlyMap<string, string>> {
  const known = terms.splits.length === 0 ? new Map() : await banks(call.env, call.nowMs);
  return new Map([...known.values()].map(({ code, name }) => [code, name]));
}

/** Of the members and API keys that asked for refunds, even those that are gone. */
async function namesOfRequesters(
  { env, session }: DashboardCall,
  { refunds }: Intent,
): Promise<ReadonlyMap<string, string>> {
  const requesters = refunds.map(({ requester }) => requester);
  const members = requesters.flatMap((by) => (by.type === 'member' ? [by.memberId] : []));
  const keys = requesters.flatMap((by) => (by.type === 'api' ? [by.keyId] : []));
  const named = await Promise.all([
    memberNames(env.BACK_OFFICE_DB, session.merchantId, members),
    apiKeyNames(env.DB, session.merchantId, keys),
  ]);
  return new Map(named.flatMap((names) => [...names]));
}

/** The read model's row of a payment whose object has deleted all but the id. */
async function remainingRow(call: DashboardCall, uniqueId: string): Promise<PaymentRow | null> {
  const rows = await searchPayments(call.env, tenantOf(call), uniqueId);
  return rows.find((row) => row.uniqueId === uniqueId) ?? null;
}
