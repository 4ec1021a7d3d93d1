import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { JsonSchema } from '../../scripts/openapi/json-schema.ts';
import { ROOT } from '../../src/api/operations.ts';
import type { ApiDocument } from '../harness/api-document.ts';
import { damagedBodies, type Overrides, validBodies } from '../harness/arbitrary-bodies.ts';

/** A call below the server's URL. */
export interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Another key than the environment's; null: none. */
  readonly apiKey?: string | null;
}

/** What calls refer to. */
export interface Known {
  readonly environment: '/sandbox' | '';
  readonly openId: string;
  readonly paidId: string;
  readonly refundId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

/** The same ones in every run. */
const SEED = 23;
const OF_EACH_LIST = 3;

/** What a schema cannot say. */
const OVERRIDES: Overrides = {
  expireIn: fc.integer({ min: 3_600, max: 31_622_400 }),
  callbackUrl: fc.constantFrom(null, 'https://shop.example.com/hook?cart[]=1'),
  returnUrl: fc.constantFrom('https://shop.example.com/ምስጋና', 'https://shop.example.com/?a[]=1'),
  'items[].image': fc.constant(null),
  'splitPayment[].bank': fc.constantFrom('CBE', 'no-bank'),
  phoneNumber: fc.constantFrom('0711223344', '+251711223344', '', null),
  url: fc.constantFrom('https://shop.example.com/hook', 'https://shop.example.com:8443/ሰላም'),
  'customerInfo.phone': fc.constantFrom('911223344', '', null),
  paused: fc.constant(false),
};

/** Calls of every operation but the stream: good ones, damaged ones and ones about nothing. */
export function variedCalls(document: ApiDocument, known: Known): readonly WireCall[] {
  const { environment, openId, paidId, refundId, endpointId, eventId } = known;
  const get = (path: string): WireCall => ({ method: 'GET', path });
  const post = (path: string, body?: unknown): WireCall => ({
    method: 'POST',
    path,
    ...(body === undefined ? {} : { body }),
  });
  const schemaOf = (method: string, path: string) =>
    document.requestSchema(`${method} ${ROOT}${environment}${path}`);
  const bodies = (method: string, path: string, valid: number, damaged: number) =>
    bodiesOf(schemaOf(method, path), valid, damaged, known);
  const lists = ['/intents', '/refunds', '/events'].flatMap((path) => [
    ...queriesOf(document.querySchema(`GET ${ROOT}${environment}${path}`)).map((query) =>
      get(path + query),
    ),
    get(path),
    get(`${path}?limit=2`),
    get(`${path}?unknown=1`),
    get(`${path}?cursor=x`),
  ]);
  return [
    ...bodies('POST', '/intent', 10, 8).map((body) => post('/intent', body)),
    ...bodies('POST', '/express/pay', 10, 8).map((body) => post('/express/pay', body)),
    ...[paidId, openId, randomUUID(), 'a b', 'ቡና'].map((id) =>
      get(`/intents/${encodeURIComponent(id)}`),
    ),
    ...bodies('POST', '/refunds', 5, 6).map((body) => post('/refunds', body)),
    ...[refundId, randomUUID()].flatMap((id) => [
      get(`/refunds/${id}`),
      post(`/refunds/${id}/cancel`),
    ]),
    ...[openId, openId, paidId, randomUUID()].map((id) => post(`/intents/${id}/cancel`)),
    ...lists,
    ...[eventId, 'evt_x'].flatMap((id) => [get(`/events/${id}`), post(`/events/${id}/resend`)]),
    ...bodies('POST', '/events/resend', 2, 3).map((body) => post('/events/resend', body)),
    get('/webhook-endpoints'),
    ...bodies('POST', '/webhook-endpoints', 3, 4).map((body) => post('/webhook-endpoints', body)),
    ...bodies('PATCH', '/webhook-endpoints/{id}', 3, 3).map((body) => ({
      method: 'PATCH',
      path: `/webhook-endpoints/${endpointId}`,
      body,
    })),
    get(`/webhook-endpoints/${endpointId}`),
    post(`/webhook-endpoints/${endpointId}/secret`),
    post(`/webhook-endpoints/${endpointId}/secret`, { overlapHours: 0 }),
    { method: 'DELETE', path: `/webhook-endpoints/${endpointId}` },
    get(`/webhook-endpoints/${endpointId}`),
    get('/banks'),
    get('/webhook-keys'),
    { ...get('/intents'), apiKey: null },
    { ...get('/intents'), apiKey: 'kfl_test_x' },
  ];
}

function bodiesOf(
  schema: JsonSchema,
  valid: number,
  damaged: number,
  { paidId }: Known,
): readonly unknown[] {
  const isRefund = schema.properties?.refundUniqueId !== undefined;
  const overrides: Overrides = {
    ...OVERRIDES,
    paymentIntentUniqueId: isRefund ? fc.constantFrom(paidId, 'none') : newIds(),
    refundUniqueId: newIds(),
    ...(isRefund && { amountMinor: fc.constantFrom(undefined, 100, 150) }),
    ...(isRefund && { transactionId: fc.constantFrom(undefined, null, 'NONE') }),
    since: fc.constant(new Date(Date.now() - 60_000).toISOString()),
    cursor: fc.constant(null),
  };
  return [
    ...sampled(validBodies(schema, overrides), valid),
    // An empty text counts as absent in any optional field: more than the document promises.
    ...sampled(damagedBodies(schema, overrides).filter(hasNoEmptyText), damaged),
  ];
}

function newIds(): fc.Arbitrary<string> {
  return fc.constant(null).map(() => randomUUID());
}

function hasNoEmptyText(body: unknown): boolean {
  return !JSON.stringify(body).includes(':""');
}

function queriesOf(schema: JsonSchema): readonly string[] {
  const times = fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const queries = validBodies(schema, {
    createdFrom: times,
    createdTo: times,
    endedFrom: times,
    endedTo: times,
    customerPhone: fc.constant('0911223344'),
    cursor: fc.constant('by4'),
  });
  return sampled(queries, OF_EACH_LIST).map(searchOf);
}

/** An object as `metadata[KEY]=VALUE`. */
function searchOf(query: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    const entries = typeof value === 'object' ? Object.entries(value) : null;
    for (const [key, text] of entries ?? [[null, value]]) {
      search.append(key === null ? name : `${name}[${key}]`, String(text));
    }
  }
  return `?${search}`;
}

function sampled<Value>(values: fc.Arbitrary<Value>, count: number): readonly Value[] {
  return fc.sample(values, { seed: SEED, numRuns: count });
}
