import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { RESEND_BATCH } from '../../../src/lists/book/resend.ts';
import worker from '../../support/gateway.ts';
import { applyAll, projectedEvent, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  type Arrival,
  addEndpoint,
  advance,
  alarmOf,
  allPages,
  answerOf,
  CALLBACK_URL,
  call,
  clientOf,
  consumeAll,
  contentOf,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  ORIGIN,
  type Page,
  payHosted,
  postRefund,
  resolveAttempt,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: a merchant finds every event and gets missed ones again without help (docs/lists.md#lists),
 * and no merchant gets an event of another. Method: payments whose webhooks arrive or fail.
 */

const caught = useGateway();
const EVENTS = '/api/v1/payment/sandbox/events';

interface Delivery {
  readonly endpointId: string | null;
  readonly url: string | null;
  readonly state: string;
  readonly tries: number;
  readonly lastTryAt: string | null;
  readonly nextTryAt: string | null;
  readonly lastError: string | null;
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly paymentIntentUniqueId: string;
  readonly sequence: number;
  readonly test: boolean;
  readonly createdAt: string;
  readonly deliveries: readonly Delivery[];
  readonly payload?: string | null;
}

type Query = Readonly<Record<string, string>>;

async function eventsBy(query: Query = {}): Promise<readonly Event[]> {
  const page = await contentOf<Page<Event>>(call(`${EVENTS}?${new URLSearchParams(query)}`));
  return page.data;
}

const idsOf = async (query: Query = {}) =>
  (await eventsBy(query)).map((event) => event.paymentIntentUniqueId);

function resendAll(body: unknown, apiKey = ALPHA.apiKeys.sandbox) {
  return answerOf(call(`${EVENTS}/resend`, { method: 'POST', body: JSON.stringify(body), apiKey }));
}

function resendOne(id: string) {
  return answerOf(call(`${EVENTS}/${id}/resend`, { method: 'POST' }));
}

const project = () => applyAll(caught.projections.splice(0));

/** Books show an event that is not sent yet only after some seconds. */
async function projectUnsent(): Promise<void> {
  advance(MINUTE_MS);
  await project();
}

async function triesShown(uniqueId: string): Promise<number | undefined> {
  await project();
  const events = await eventsBy();
  const event = events.find(({ paymentIntentUniqueId }) => paymentIntentUniqueId === uniqueId);
  return event?.deliveries[0]?.tries;
}

/** A paid payment whose webhook the merchant's server answers with `status`. */
async function announce(uniqueId: string, status: number): Promise<Arrival> {
  const arrivals = merchantServer(() => new Response('…', { status }));
  await payHosted({ paymentIntentUniqueId: uniqueId });
  await consumeAll(caught);
  // The object sends its changes to the book after it has answered.
  await expect.poll(() => triesShown(uniqueId)).toBe(1);
  const [arrival] = arrivals;
  if (arrival === undefined) {
    throw new Error('no webhook was sent');
  }
  return arrival;
}

describe('an event', () => {
  test('that failed once, in the list and by its id, with the exact body that was sent', async () => {
    const { headers, text } = await announce('order-1', 500);
    const [event] = await eventsBy();
    const shared = {
      id: headers.get('webhook-id'),
      type: 'PAYMENT_SUCCESS',
      paymentIntentUniqueId: 'order-1',
      sequence: 3,
      test: true,
      createdAt: expect.any(String),
    };
    const delivery = {
      endpointId: null,
      state: 'waiting',
      tries: 1,
      lastTryAt: new Date().toISOString(),
      nextTryAt: expect.any(String),
      lastError: 'HTTP 500',
    };
    expect(event).toEqual({
      ...shared,
      deliveries: [{ ...delivery, url: new URL(CALLBACK_URL).origin }],
    });
    expect(await contentOf(call(`${EVENTS}/${event?.id}`))).toEqual({
      ...shared,
      deliveries: [{ ...delivery, url: CALLBACK_URL }],
      payload: text,
    });
  });

  test('that arrived has no error, and one that was not sent yet no try', async () => {
    await announce('order-1', 200);
    advance(MINUTE_MS);
    await payHosted({ paymentIntentUniqueId: 'order-2' });
    await projectUnsent();
    const [unsent, arrived] = await eventsBy();
    expect(arrived?.deliveries[0]).toMatchObject({ state: 'delivered', tries: 1, lastError: null });
    expect(unsent?.deliveries[0]).toMatchObject({ state: 'queued', tries: 0, lastTryAt: null });
  });

  test('to two endpoints is listed once for each state of its deliveries, with both', async () => {
    for (const id of ['we_a', 'we_b']) {
      await addEndpoint(ALPHA, id, { url: `https://${id.slice(3)}.example.com/hook` });
    }
    const statuses = new Map<string, number>();
    merchantServer(
      ({ url }) => new Response('', { status: statuses.get(new URL(url).host) ?? 500 }),
    );
    const announceTo = async (paymentIntentUniqueId: string) => {
      await payHosted({ callbackUrl: null, paymentIntentUniqueId });
      await consumeAll(caught);
      await consumeAll(caught);
    };
    await announceTo('order-1');
    const states = async (query: Query) =>
      (await eventsBy(query)).map(({ deliveries }) =>
        deliveries.map(({ endpointId, state }) => [endpointId, state]),
      );
    const waiting = [
      ['we_a', 'waiting'],
      ['we_b', 'waiting'],
    ];
    await expect.poll(() => states({ deliveryState: 'waiting' })).toEqual([waiting]);
    expect(await states({})).toEqual([waiting]);

    statuses.set('a.example.com', 200);
    advance(1);
    await announceTo('order-2');
    const mixed = [
      ['we_a', 'delivered'],
      ['we_b', 'waiting'],
    ];
    await expect.poll(() => states({ deliveryState: 'waiting' })).toEqual([mixed, waiting]);
    expect(await states({ deliveryState: 'delivered' })).toEqual([mixed]);
    expect(await states({})).toEqual([mixed, waiting]);
  });

  test('of a payment that its object has deleted is shown as the book has it', async () => {
    await announce('order-1', 200);
    advance(401 * DAY_MS);
    await fireAlarm();
    const [event] = await eventsBy();
    expect(await contentOf(call(`${EVENTS}/${event?.id}`))).toEqual({ ...event, payload: null });
  });
});

test('filters by type, state and time', async () => {
  const start = new Date().toISOString();
  await announce('paid', 200);
  advance(MINUTE_MS);
  const later = new Date().toISOString();
  await announce('missed', 500);
  await createHosted({ paymentIntentUniqueId: 'order-1' });
  await execute(startRedirect('a0'), { type: 'abandon_attempt', attemptId: 'a0' });
  await execute({ type: 'abandon_payment' });
  await projectUnsent();
  const rows: readonly (readonly [Query, string[]])[] = [
    [{}, ['order-1', 'missed', 'paid']],
    [{ type: 'PAYMENT_SUCCESS' }, ['missed', 'paid']],
    [{ type: 'PAYMENT_FAILED' }, ['order-1']],
    [{ type: 'PAYMENT_EXPIRED' }, []],
    [{ paymentIntentUniqueId: 'missed' }, ['missed']],
    [{ paymentIntentUniqueId: 'missed', type: 'PAYMENT_FAILED' }, []],
    [{ paymentIntentUniqueId: 'nothing' }, []],
    [{ deliveryState: 'delivered' }, ['paid']],
    [{ deliveryState: 'waiting', type: 'PAYMENT_SUCCESS' }, ['missed']],
    [{ deliveryState: 'waiting', type: 'PAYMENT_FAILED' }, []],
    [{ createdFrom: later }, ['order-1', 'missed']],
    [{ createdFrom: start, createdTo: later }, ['paid']],
  ];
  for (const [query, expected] of rows) {
    // Events of one millisecond are ordered by their random ids.
    expect([query, (await idsOf(query)).sort()]).toEqual([query, [...expected].sort()]);
  }
});

test('lists all events of one payment, page by page, although others have more', async () => {
  await payHosted({ paymentIntentUniqueId: 'other' });
  await payHosted({ paymentIntentUniqueId: 'order-1', amount: 150.5 });
  for (const refundUniqueId of ['r1', 'r2', 'r3']) {
    advance(MINUTE_MS);
    await postRefund({ refundUniqueId, amountMinor: 1_000 });
    await fireAlarm();
    await payHosted({ paymentIntentUniqueId: `other-${refundUniqueId}` });
  }
  await projectUnsent();
  const query = { paymentIntentUniqueId: 'order-1', limit: '2' };
  const events = await allPages<Event>(EVENTS, query);
  expect(events.map(({ type }) => type)).toEqual([
    ...Array(3).fill('REFUND_SUCCESS'),
    'PAYMENT_SUCCESS',
  ]);
});

test.each([
  ['state=dead', { state: 'unknown_field' }],
  ['metadata[a]=1', { 'metadata[a]': 'unknown_field' }],
  ['type=payment_success', { type: 'invalid_choice' }],
  ['deliveryState=claimed', { deliveryState: 'invalid_choice' }],
  ['createdFrom=yesterday&limit=0', { createdFrom: 'invalid_format', limit: 'invalid_format' }],
  ['createdTo=2026-02-30T00:00:00Z', { createdTo: 'invalid_format' }],
  ['createdFrom=2026-11-22T08:00:00Z&createdTo=2026-11-21T08:00:00Z', { createdTo: 'mismatch' }],
  ['cursor=zzzz', { cursor: 'invalid_format' }],
])('refuses %s', async (query, codes) => {
  const { status, envelope } = await answerOf(call(`${EVENTS}?${query}`));
  expect({ status, codes: envelope.validationErrorCodes }).toEqual({ status: 400, codes });
});

describe('an event is sent again', () => {
  test.each([
    ['after it arrived', 200],
    ['after a try failed', 500],
    ['after the merchant refused it for good', 410],
  ])('%s, with the same id and body', async (_name, status) => {
    const first = await announce('order-1', status);
    const arrivals = merchantServer();
    const id = first.headers.get('webhook-id') ?? '';
    const { status: answered, envelope } = await resendOne(id);
    expect(answered).toBe(200);
    expect(envelope.content).toMatchObject({ id, deliveries: [{ state: 'queued', tries: 1 }] });
    await consumeAll(caught);
    expect(arrivals.map(({ headers, text }) => [headers.get('webhook-id'), text])).toEqual([
      [id, first.text],
    ]);
    expect(await contentOf(call(`${EVENTS}/${id}`))).toMatchObject({
      deliveries: [{ state: 'delivered', tries: 2, lastError: null }],
    });
  });

  test('once, however often it is asked for while it is on its way', async () => {
    const id = (await announce('order-1', 200)).headers.get('webhook-id') ?? '';
    for (let times = 0; times < 3; times += 1) {
      expect((await resendOne(id)).envelope.content).toMatchObject({
        deliveries: [{ state: 'queued' }],
      });
    }
    expect(caught.webhooks).toHaveLength(1);
    const { results } = await env.DB.prepare(
      'SELECT actor_kind, actor_name, action, target, detail FROM audit_log',
    ).all();
    expect(results).toEqual([
      {
        actor_kind: 'api_key',
        actor_name: 'valid',
        action: 'event.resend_requested',
        target: id,
        detail: JSON.stringify({ uniqueId: 'order-1', sequence: 3 }),
      },
    ]);
  });

  test('but not one that a later event replaces', async () => {
    merchantServer(() => new Response('', { status: 500 }));
    await createHosted();
    await execute(startRedirect('a0'), { type: 'abandon_attempt', attemptId: 'a0' });
    await execute({ type: 'abandon_payment' });
    const { eventId } = await lastEvent();
    await execute(resolveAttempt('a0', 'succeeded'));
    await project();
    const { status, envelope } = await resendOne(eventId);
    expect({ status, code: envelope.code }).toEqual({ status: 409, code: 'event_superseded' });
  });
});

describe('decisions.md#38: missed events are sent again', () => {
  test('all since a time: those that wait, were given up or had no address, and no other', async () => {
    await announce('too-early', 410);
    advance(MINUTE_MS);
    const since = new Date().toISOString();
    await announce('arrived', 200);
    await announce('dead', 410);
    await announce('waiting', 500);
    await payHosted({ paymentIntentUniqueId: 'nowhere', callbackUrl: null });
    await consumeAll(caught);
    await project();
    expect(await alarmOf('waiting')).not.toBeNull();
    const arrivals = merchantServer();
    const { status, envelope } = await resendAll({ since });
    expect({ status, content: envelope.content }).toEqual({
      status: 200,
      content: { resent: 3, unreachable: 0, hasMore: false, nextCursor: null },
    });
    await consumeAll(caught);
    const names = arrivals.map(({ event }) => event.paymentIntentUniqueId);
    expect(names.sort()).toEqual(['dead', 'waiting']);
    await project();
    expect((await idsOf({ deliveryState: 'delivered' })).sort()).toEqual([
      'arrived',
      'dead',
      'waiting',
    ]);
  });

  test('once, although the book lags', async () => {
    const since = new Date().toISOString();
    await announce('order-1', 410);
    const answers = [await resendAll({ since }), await resendAll({ since })];
    expect(answers.map(({ envelope }) => envelope.content)).toMatchObject([
      { resent: 1 },
      { resent: 0 },
    ]);
    expect(caught.webhooks).toHaveLength(1);
    const { results } = await env.DB.prepare('SELECT action, detail FROM audit_log').all();
    expect(results).toEqual([
      { action: 'events.resend_requested', detail: JSON.stringify({ from: since, events: 1 }) },
    ]);
  });

  test('in batches, oldest first', async () => {
    const since = new Date().toISOString();
    const tenant = tenantOf(ALPHA);
    await applyAll(
      Array.from({ length: RESEND_BATCH }, (_, number) => {
        const createdAtMs = Date.now() + number;
        const event = projectedEvent(tenant, number, { createdAtMs, deliveryStatus: 'dead' });
        return projectionMessage(tenant, number, { createdAtMs }, { events: [event] });
      }),
    );
    advance(MINUTE_MS);
    await announce('last', 410);
    const first = (await resendAll({ since })).envelope.content as { nextCursor: string };
    expect(first).toMatchObject({ resent: 0, hasMore: true });
    const second = await resendAll({ since, cursor: first.nextCursor });
    expect(second.envelope.content).toMatchObject({ resent: 1, hasMore: false, nextCursor: null });
  });

  test('except those whose payment is out of reach, which it counts', async () => {
    const since = new Date().toISOString();
    await announce('order-1', 410);
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    expect((await resendAll({ since })).envelope.content).toMatchObject({
      resent: 0,
      unreachable: 1,
    });
    vi.mocked(env.PAYMENT_INTENT.get).mockRestore();
    expect((await clientOf('order-1').events())[0]?.deliveryStatus).toBe('dead');
  });

  test.each([
    [{}, { since: 'required' }],
    [{ since: 'yesterday' }, { since: 'invalid_format' }],
    [{ since: 5 }, { since: 'invalid_type' }],
    [{ since: '2026-11-22T08:00:00Z', cursor: 'x' }, { cursor: 'invalid_format' }],
    [[], { body: 'invalid_type' }],
  ])('not by the body %j', async (body, codes) => {
    const { status, envelope } = await resendAll(body);
    expect({ status, codes: envelope.validationErrorCodes }).toEqual({ status: 400, codes });
  });

  test('a misspelled field is named', async () => {
    const { envelope } = await resendAll({ since: new Date().toISOString(), sinc: 1 });
    expect(envelope).toMatchObject({ warnings: [expect.stringContaining('sinc is not a known')] });
  });

  test('at most so many calls a minute, counted by merchant', async () => {
    vi.spyOn(env.RESEND_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
    const request = new Request(`${ORIGIN}${EVENTS}/resend`, {
      method: 'POST',
      headers: { apiKey: ALPHA.apiKeys.sandbox },
      body: JSON.stringify({ since: new Date().toISOString() }),
    }) as never;
    const bindings = { ...env, RATE_LIMITS: 'on' };
    const { status, envelope, headers } = await answerOf(
      worker.fetch(request, bindings, createExecutionContext()),
    );
    expect({ status, code: envelope.code }).toEqual({ status: 429, code: 'too_many_requests' });
    expect(headers.get('retry-after')).toBe('60');
    expect(env.RESEND_RATE_LIMIT.limit).toHaveBeenCalledWith({ key: `sandbox/${ALPHA.id}` });
  });
});
