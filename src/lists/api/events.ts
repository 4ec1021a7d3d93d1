import { changing, limitCalls, type MerchantCall, RESEND_POLICY } from '../../engine/api/call.ts';
import { resendEvent as resend } from '../../engine/api/payment-acts.ts';
import { unknownFieldWarnings } from '../../engine/api/schema/unknown-fields.ts';
import { BODY_BYTES_MAX } from '../../engine/config.ts';
import { callbackUrlOf, type EventType } from '../../engine/domain/intent.ts';
import { type IntentClient, intentByUniqueId } from '../../engine/intent/client.ts';
import { listEndpoints } from '../../engine/webhooks/endpoint-store.ts';
import { WIRE_EVENTS } from '../../engine/webhooks/payload.ts';
import { recordAct } from '../../kit/audit/log.ts';
import { jsonResponse, successBody, successResponse } from '../../kit/http/envelope.ts';
import { readJsonBody } from '../../kit/http/json-body.ts';
import { pageContent, readListQuery } from '../../kit/http/list-request.ts';
import { problem } from '../../kit/http/problem.ts';
import { checked } from '../../kit/http/strict-body.ts';
import { readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { readerOf } from '../book/reader.ts';
import { resendBatch } from '../book/resend.ts';
import type { EventRow } from '../book/rows.ts';
import {
  deliveriesOfRows,
  deliveriesOfSummaries,
  type EndpointUrls,
  eventContent,
} from './event-content.ts';
import { eventsQuery, resendBody } from './schema/list.ts';

/** GET …/events: the merchant's events of this environment, newest first (docs/lists.md#lists). */
export async function listEvents({ request, env, access }: MerchantCall): Promise<Response> {
  const query = readListQuery(request, eventsQuery);
  const filter = {
    uniqueId: query.paymentIntentUniqueId,
    type: EVENT_TYPES.find((known) => WIRE_EVENTS[known].event === query.type),
    deliveryStatus: query.deliveryState,
    fromMs: query.createdFrom,
    toMs: query.createdTo,
  };
  const reader = await readerOf(env, access);
  const page = await reader.distinctEvents(filter, query.cursor ?? null, query.limit);
  const eventIds = page.rows.map(({ eventId }) => eventId);
  const [rows, urls] = await Promise.all([
    reader.deliveriesOf(eventIds),
    endpointUrls(env, access),
  ]);
  const deliveries = Map.groupBy(rows, ({ eventId }) => eventId);
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
  const [event] = rows;
  if ((await resend(changing(call), event, null)) === 'superseded') {
    throw problem('event_superseded');
  }
  return successResponse('Event queued', await contentOf(call, rows));
}

/** POST …/events/resend: one batch of the events that have not arrived, oldest first. */
export async function resendMissed(call: MerchantCall): Promise<Response> {
  await limitResends(call);
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  const { since, cursor } = checked(resendBody, value);
  const detail = { from: new Date(since).toISOString() };
  const act = { action: 'events.resend_requested', target: null, detail } as const;
  const by = changing(call);
  const result = await resendBatch(by, 'missed', { fromMs: since }, cursor, (counts) =>
    recordAct(by, act, counts),
  );
  const { resent, unreachable, nextCursor } = result;
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

/** The limit counts by merchant and environment, so that more keys allow no more calls. */
function limitResends({ config, env, access }: MerchantCall): Promise<void> {
  const key = `${access.environment}/${access.merchantId}`;
  return limitCalls(config, env.RESEND_RATE_LIMIT, key, RESEND_POLICY);
}

/** The deliveries of an event. */
type Deliveries = readonly [EventRow, ...EventRow[]];

/** The event that the path names. Problem 404 for an event of another merchant or environment. */
async function eventOf({ env, access, id }: MerchantCall): Promise<Deliveries> {
  const [first, ...others] = await (await readerOf(env, access)).deliveriesOf([id]);
  if (first === undefined) {
    throw problem('event_not_found');
  }
  return [first, ...others];
}

/** Without D1, deliveries show the origin of their address that the book has. */
async function endpointUrls(env: Env, tenant: Tenant): Promise<EndpointUrls> {
  try {
    const endpoints = await readInTime(() => listEndpoints(env.DB, tenant));
    return new Map(endpoints.map(({ endpointId, url }) => [endpointId, url]));
  } catch (error) {
    log('warn', 'endpoint_urls_unknown', { error: errorText(error) });
    return new Map();
  }
}

/** As the payment's object has it, or as the book does once the object has deleted it. */
async function contentOf({ env, access }: MerchantCall, rows: Deliveries) {
  const [{ uniqueId, sequence, type }] = rows;
  const client = await intentByUniqueId(env, access, uniqueId);
  const [intent, summaries, payload, urls] = await Promise.all([
    client.read(),
    summariesOf(client, sequence),
    client.eventRequestBody(sequence),
    endpointUrls(env, access),
  ]);
  const callbackUrl = intent === null ? null : callbackUrlOf(intent.terms, type);
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
