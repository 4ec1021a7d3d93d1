import { recordAct } from '../../audit/log.ts';
import { BODY_BYTES_MAX } from '../../config.ts';
import { callbackUrlOf, type EventType, type Tenant } from '../../domain/intent.ts';
import { jsonResponse, successBody, successResponse } from '../../http/envelope.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { pageContent, readListQuery } from '../../http/list-request.ts';
import { problem } from '../../http/problem.ts';
import { checked } from '../../http/strict-body.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import {
  type EventSummary,
  MISSED_DELIVERIES,
  RESENDABLE_DELIVERIES,
} from '../../intent/protocol.ts';
import { prepare, readInTime } from '../../platform/database.ts';
import { readPage } from '../../platform/paging.ts';
import {
  deliveriesStatement,
  distinctEventsOf,
  type EventRow,
  missedEventsOf,
} from '../../read-model/events-list.ts';
import { resendBatch } from '../../read-model/resend.ts';
import { listEndpoints } from '../../webhooks/endpoint-store.ts';
import { WIRE_EVENTS } from '../../webhooks/payload.ts';
import { limitCalls, type MerchantCall, RESEND_POLICY } from '../call.ts';
import { changing } from '../key-entry.ts';
import { eventsQuery, resendBody } from '../schema/list.ts';
import { unknownFieldWarnings } from '../schema/unknown-fields.ts';
import {
  deliveriesOfRows,
  deliveriesOfSummaries,
  type EndpointUrls,
  eventContent,
} from './event-content.ts';

/** GET …/events: the merchant's events of this environment, newest first (docs/lists.md#lists). */
export async function listEvents({ request, env, access }: MerchantCall): Promise<Response> {
  const query = readListQuery(request, eventsQuery);
  const list = distinctEventsOf(access, {
    uniqueId: query.paymentIntentUniqueId,
    type: EVENT_TYPES.find((known) => WIRE_EVENTS[known].event === query.type),
    deliveryStatus: query.deliveryState,
    fromMs: query.createdFrom,
    toMs: query.createdTo,
  });
  const page = await readInTime(() => readPage(env.DB, list, query.cursor ?? null, query.limit));
  const eventIds = page.rows.map(({ eventId }) => eventId);
  const [deliveries, urls] = await Promise.all([
    deliveriesOf(env, access, eventIds),
    endpointUrls(env, access),
  ]);
  const contentOf = (row: EventRow) =>
    eventContent(row, deliveriesOfRows(deliveries.get(row.eventId) ?? [], urls));
  return successResponse('Events found', pageContent(page, contentOf));
}

const EVENT_TYPES = Object.keys(WIRE_EVENTS) as EventType[];

/** GET …/events/{id}: with the exact body that is sent. */
export async function readEvent(call: MerchantCall): Promise<Response> {
  return successResponse('Event found', await contentOf(call, await eventOf(call)));
}

/**
 * POST …/events/{id}/resend: sends the event again, from the start of its schedule. One that is on
 * its way anyway is left alone.
 */
export async function resendEvent(call: MerchantCall): Promise<Response> {
  await limitResends(call);
  const rows = await eventOf(call);
  const [{ eventId, uniqueId, sequence }] = rows;
  const client = intentByUniqueId(call.env, call.access, uniqueId);
  if (await client.resendEvent(sequence, RESENDABLE_DELIVERIES)) {
    await recordAct(changing(call), {
      action: 'event.resent',
      target: eventId,
      detail: { uniqueId, sequence },
    });
  } else if ((await summariesOf(client, sequence)).some(isSuperseded)) {
    throw problem('event_superseded');
  }
  return successResponse('Event queued', await contentOf(call, rows));
}

/** POST …/events/resend: one batch of the events that have not arrived, oldest first. */
export async function resendMissed(call: MerchantCall): Promise<Response> {
  await limitResends(call);
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  const { since, cursor } = checked(resendBody, value);
  const list = missedEventsOf(call.access, { fromMs: since });
  const result = await resendBatch(call.env, call.access, list, MISSED_DELIVERIES, cursor);
  const { resent, unchanged, unreachable, nextCursor } = result;
  if (resent > 0) {
    const from = new Date(since).toISOString();
    const detail = { from, resent, unchanged, unreachable };
    await recordAct(changing(call), { action: 'events.resent', target: null, detail });
  }
  const content: ResendContent = { resent, unreachable, hasMore: nextCursor !== null, nextCursor };
  const warnings = unknownFieldWarnings(resendBody, value);
  return jsonResponse(200, successBody('Events queued', content, warnings));
}

export interface ResendContent {
  readonly resent: number;
  readonly unreachable: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** By merchant and environment, however many keys they use. */
function limitResends({ config, env, access }: MerchantCall): Promise<void> {
  const key = `${access.environment}/${access.merchantId}`;
  return limitCalls(config, env.RESEND_RATE_LIMIT, key, RESEND_POLICY);
}

/** The deliveries of an event. */
type Deliveries = readonly [EventRow, ...EventRow[]];

/** The event that the path names. Problem 404 for an event of another merchant or environment. */
async function eventOf({ env, access, id }: MerchantCall): Promise<Deliveries> {
  const [first, ...others] = (await deliveriesOf(env, access, [id])).get(id) ?? [];
  if (first === undefined) {
    throw problem('event_not_found');
  }
  return [first, ...others];
}

/** The deliveries of events, by the events' ids. */
async function deliveriesOf(
  env: Env,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EventRow[]>> {
  const statement = deliveriesStatement(tenant, eventIds);
  const { results } = await readInTime(() => prepare(env.DB, statement).all<EventRow>());
  return Map.groupBy(results, ({ eventId }) => eventId);
}

async function endpointUrls(env: Env, tenant: Tenant): Promise<EndpointUrls> {
  const endpoints = await readInTime(() => listEndpoints(env.DB, tenant));
  return new Map(endpoints.map(({ endpointId, url }) => [endpointId, url]));
}

/** As the payment's object has it, or as the read model does once the object has deleted it. */
async function contentOf({ env, access }: MerchantCall, rows: Deliveries) {
  const [{ uniqueId, sequence, type }] = rows;
  const client = intentByUniqueId(env, access, uniqueId);
  const [read, summaries, payload, urls] = await Promise.all([
    client.read(),
    summariesOf(client, sequence),
    client.eventRequestBody(sequence),
    endpointUrls(env, access),
  ]);
  const callbackUrl = read.type === 'found' ? callbackUrlOf(read.intent.terms, type) : null;
  const deliveries =
    summaries.length === 0
      ? deliveriesOfRows(rows, urls)
      : deliveriesOfSummaries(summaries, urls, callbackUrl);
  return { ...eventContent(rows[0], deliveries), payload };
}

/** The deliveries of an event of the payment; none once the payment is deleted. */
async function summariesOf(client: IntentClient, sequence: number) {
  return (await client.events()).filter((summary) => summary.sequence === sequence);
}

function isSuperseded({ deliveryStatus }: EventSummary): boolean {
  return deliveryStatus === 'superseded';
}
