import { type Changing, runRecordedAct } from '../../kit/audit/log.ts';
import type { MerchantRequester } from '../domain/refund.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import {
  type DeliveryStatus,
  type EventName,
  type EventSummary,
  RESENDABLE_DELIVERIES,
} from '../intent/protocol.ts';
import { refundIn } from '../refunds/request.ts';

/** What the API, the dashboard and the desk do to a payment that exists. Each caller words the result. */

/** Cancels a payment without an attempt in flight (docs/decisions.md#25). */
export async function cancelPayment(client: IntentClient, requester: MerchantRequester) {
  const result = await client.execute([{ type: 'cancel', requester }]);
  if (result.type === 'not_found') {
    return result;
  }
  const { intent, rejection } = result;
  if (rejection === null) {
    return { type: 'canceled', intent } as const;
  }
  return { type: rejection === 'attempt_in_flight' ? rejection : 'not_open', intent } as const;
}

/** Cancels a refund before the provider is asked. */
export async function cancelRefund(
  client: IntentClient,
  refundId: string,
  requester: MerchantRequester,
) {
  const result = await client.execute([{ type: 'cancel_refund', refundId, requester }]);
  const refund = result.type === 'done' ? refundIn(result.intent, refundId) : null;
  if (result.type === 'not_found' || refund === null) {
    return { type: 'not_found' } as const;
  }
  const { intent, rejection } = result;
  return { type: rejection === null ? 'canceled' : 'refund_not_pending', intent, refund } as const;
}

/** Why a cancellation changed nothing, for the audit log; null: it is canceled. */
export function refusalOf({ type }: { readonly type: string }): string | null {
  return type === 'canceled' ? null : type;
}

/**
 * Resends an event, or its delivery at `position`, from the start of its schedule. `late`: it is on its
 * way anyway.
 */
export async function resendEvent(
  by: Changing,
  { uniqueId, sequence }: EventName,
  position: number | null,
): Promise<'resent' | 'late' | 'superseded' | 'not_found'> {
  const client = await intentByUniqueId(by.env, by.tenant, uniqueId);
  const deliveries = (await client.events()).filter((known) => known.sequence === sequence);
  const [first] = deliveries;
  if (first === undefined) {
    return 'not_found';
  }
  const wanted = deliveries.filter((known) => position === null || known.position === position);
  if (!wanted.some(({ deliveryStatus }) => RESENDABLE_DELIVERIES.includes(deliveryStatus))) {
    return wanted.some(({ deliveryStatus }) => deliveryStatus === 'superseded')
      ? 'superseded'
      : 'late';
  }
  const delivery = position === null ? undefined : wanted[0];
  const isResent = await resendFrom(by, { ...first, uniqueId }, RESENDABLE_DELIVERIES, delivery);
  return isResent ? 'resent' : 'late';
}

/**
 * Resends an event, or one of its deliveries, after its audit entry. False: it is in none of the
 * states any more, which a second entry says.
 */
export async function resendFrom(
  by: Changing,
  { eventId, uniqueId, sequence }: EventName & Pick<EventSummary, 'eventId'>,
  from: readonly DeliveryStatus[],
  delivery?: Pick<EventSummary, 'position' | 'endpointId'>,
): Promise<boolean> {
  const detail = { uniqueId, sequence, endpoint: delivery?.endpointId ?? undefined };
  const act = { action: 'event.resend_requested', target: eventId, detail } as const;
  const client = await intentByUniqueId(by.env, by.tenant, uniqueId);
  const resendNow = () => client.resendEvent(sequence, from, delivery?.position ?? null);
  return runRecordedAct(by, act, resendNow, (isResent) => (isResent ? null : 'late'));
}
