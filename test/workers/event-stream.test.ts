import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EVENTS_PER_STREAM_MAX, STREAM_MS_MAX } from '../../src/api/routes/stream-events.ts';
import { newEventId } from '../../src/crypto/event-id.ts';
import { apiKeyDigest } from '../../src/merchants/api-key.ts';
import { revokeApiKey } from '../../src/merchants/provision.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  answerOf,
  BETA,
  call,
  clientOf,
  consume,
  consumeAll,
  LIMITED,
  lastEvent,
  logged,
  merchantServer,
  payHosted,
  runSql,
  SECOND_MS,
  tenantOf,
  useGateway,
} from './support.ts';

/**
 * Goal: a developer's machine gets every event of the sandbox once, as webhooks have it, however
 * often it connects (docs/reference.md#stream-events-to-your-machine). Method: read streams while payments end.
 */

const caught = useGateway();
const open: Stream[] = [];

beforeEach(() => {
  // The stream looks for events at once instead of every second.
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, 'wait').mockImplementation(() => wait(10));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()));
});

interface Message {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
}

/** A client of the stream. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
    open.push(this);
  }

  /** The next message that is no heartbeat; null at the end. */
  async next(): Promise<Message | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 2);
        if (lines[0] !== ':') {
          return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
        }
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) {
        return null;
      }
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

const PATH = '/api/v1/payment/sandbox/events/stream';

test('HEAD of the stream answers at once and opens no stream', async () => {
  const response = await call(PATH, { method: 'HEAD', bindings: env });
  expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
    200,
    'text/event-stream',
    null,
  ]);
});

async function listen(lastEventId: string | null = null, apiKey = ALPHA.apiKeys.sandbox) {
  const headers = lastEventId === null ? {} : { 'last-event-id': lastEventId };
  const response = await call(PATH, { apiKey, headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  if (response.body === null) {
    throw new Error('no body');
  }
  const stream = new Stream(response.body);
  const ready = await stream.next();
  expect(ready?.event).toBe('ready');
  return { stream, start: ready?.id ?? '' };
}

/** The id of a new payment's event, which is posted and in the read model. */
async function pay(uniqueId: string): Promise<string> {
  await payHosted({ paymentIntentUniqueId: uniqueId });
  await consumeAll(caught);
  return (await lastEvent(uniqueId)).eventId;
}

describe('GET …/sandbox/events/stream', () => {
  test('streams events in order, with the bytes that webhooks have', async () => {
    const arrivals = merchantServer();
    const { stream } = await listen();
    const ids = [await pay('order-1'), await pay('order-2')];
    const messages = [await stream.next(), await stream.next()];
    expect(messages).toEqual(arrivals.map(({ text }, index) => ({ id: ids[index], data: text })));
    expect(arrivals).toHaveLength(2);
  });

  test('has the bytes of the webhook even before the first try', async () => {
    const { stream } = await listen();
    await payHosted();
    await consume('kefel-projections', caught.projections.splice(0));
    const message = await stream.next();
    const arrivals = merchantServer();
    await consumeAll(caught);
    expect(arrivals.map(({ text }) => text)).toEqual([message?.data]);
  });

  test('has an event once, however many endpoints it goes to and however often', async () => {
    const arrivals = merchantServer();
    for (const id of ['we_a', 'we_b']) {
      await addEndpoint(ALPHA, id, { url: `https://${id.slice(3)}.example.com/hook` });
    }
    const { stream } = await listen();
    await payHosted({ paymentIntentUniqueId: 'order-1', callbackUrl: null });
    await consumeAll(caught);
    await consumeAll(caught);
    const { sequence, eventId } = await lastEvent('order-1');
    await clientOf('order-1').resendEvent(sequence);
    await consumeAll(caught);
    expect(arrivals).toHaveLength(4);
    const next = await pay('order-2');
    expect([await stream.next(), await stream.next()].map((it) => it?.id)).toEqual([eventId, next]);
  });

  test('goes on after the last id, so that a client who reconnects loses nothing', async () => {
    merchantServer();
    const first = await listen();
    const seen = await pay('order-1');
    expect(await first.stream.next()).toMatchObject({ id: seen });
    await first.stream.close();
    const missed = [await pay('order-2'), await pay('order-3')];
    const second = await listen(seen);
    expect([await second.stream.next(), await second.stream.next()].map((it) => it?.id)).toEqual(
      missed,
    );
  });

  test('can go on from its start, even before the first event', async () => {
    merchantServer();
    const { stream, start } = await listen();
    await stream.close();
    const missed = await pay('order-1');
    const again = await listen(start);
    expect(await again.stream.next()).toMatchObject({ id: missed });
    // Without an id, only what is new.
    expect((await listen()).start).toBe(missed);
  });

  test('finds an event that became known late', async () => {
    merchantServer();
    const { stream } = await listen();
    await payHosted({ paymentIntentUniqueId: 'late' });
    const held = caught.projections.splice(0);
    advance(SECOND_MS);
    const early = await pay('order-2');
    expect(await stream.next()).toMatchObject({ id: early });
    await consume('kefel-projections', held);
    expect(await stream.next()).toMatchObject({ id: (await lastEvent('late')).eventId });
  });

  test('has each event once when many become rows in one batch, even if the batch repeats', async () => {
    merchantServer();
    const { stream } = await listen();
    const uniqueIds = Array.from({ length: 25 }, (_, number) => `order-${number}`);
    for (const uniqueId of uniqueIds) {
      await payHosted({ paymentIntentUniqueId: uniqueId });
    }
    const messages = caught.projections.splice(0);
    await consume('kefel-projections', messages);
    await consume('kefel-projections', messages);
    const ids: (string | undefined)[] = [];
    while (ids.length < uniqueIds.length) {
      ids.push((await stream.next())?.id);
    }
    const events = await Promise.all(uniqueIds.map((uniqueId) => lastEvent(uniqueId)));
    expect(ids.toSorted()).toEqual(events.map(({ eventId }) => eventId).toSorted());
    const next = await pay('next');
    expect(await stream.next()).toMatchObject({ id: next });
    // A client that stopped within the batch gets the rest of it.
    const again = await listen(ids[9]);
    expect(await again.stream.next()).toMatchObject({ id: ids[10] });
  });

  test('shows a merchant only its own events, and goes on after no other', async () => {
    merchantServer();
    const theirs = await pay('order-1');
    const { stream, start } = await listen(null, BETA.apiKeys.sandbox);
    expect(start).toBe('start');
    await stream.close();
    const headers = { 'last-event-id': theirs };
    const refused = await answerOf(call(PATH, { apiKey: BETA.apiKeys.sandbox, headers }));
    expect(refused).toMatchObject({ status: 404, envelope: { code: 'event_not_found' } });
  });

  test.each([
    ['no key', PATH, null, 'api_key_missing'],
    ['an unknown key', PATH, 'kfl_test_x', 'api_key_invalid'],
    ['a production key', PATH, ALPHA.apiKeys.production, 'api_key_wrong_environment'],
  ])('refuses %s', async (_what, path, apiKey, code) => {
    const { envelope } = await answerOf(call(path, { apiKey }));
    expect(envelope.code).toBe(code);
  });

  test('does not exist in production', async () => {
    const path = PATH.replace('/sandbox', '');
    const apiKey = ALPHA.apiKeys.production;
    expect((await answerOf(call(path, { apiKey }))).status).toBe(404);
  });

  test('reaches no object before there is an event', async () => {
    const get = vi.spyOn(env.PAYMENT_INTENT, 'get');
    await (await listen()).stream.close();
    expect(get).not.toHaveBeenCalled();
  });

  test('ends after its time', async () => {
    const { stream } = await listen();
    advance(STREAM_MS_MAX);
    expect(await stream.next()).toBeNull();
  });

  test('ends after so many events that the next calls could exceed the limit of a request', async () => {
    const events = Array.from({ length: EVENTS_PER_STREAM_MAX + 100 }, (_, i) => newEventId(i));
    await env.DB.prepare(
      `INSERT INTO webhook_event (event_id, position, delivery_id, merchant_id, environment,
         payment_uuid, unique_id, sequence, type, delivery_status, revision, created_at_ms, tries,
         stream_place)
       SELECT value, 0, value || '.0', ?, 'sandbox', 'none', 'none', 1, 'x', 'delivered', 1, key, 1,
         key + 1
       FROM json_each(?)`,
    )
      .bind(ALPHA.id, JSON.stringify(events))
      .run();
    const { stream } = await listen('start');
    const ids: (string | undefined)[] = [];
    for (let message = await stream.next(); message !== null; message = await stream.next()) {
      ids.push(message.id);
    }
    expect(ids).toEqual(events.slice(0, EVENTS_PER_STREAM_MAX));
    // The payment is gone with its retention, so the place moves on without a body.
    expect((await listen(ids.at(-1))).start).toBe(ids.at(-1));
  });

  test('ends when the key is revoked', async () => {
    const { stream } = await listen();
    const digest = await apiKeyDigest(ALPHA.apiKeys.sandbox);
    await runSql([revokeApiKey(tenantOf(ALPHA), digest, Date.now())]);
    advance(10 * SECOND_MS);
    expect(await stream.next()).toBeNull();
  });

  test('ends while D1 fails, and says why in the log', async () => {
    merchantServer();
    const { stream } = await listen();
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('no D1');
    });
    expect(await stream.next()).toBeNull();
    expect(logged.join()).toContain('event_stream_broken');
  });

  test('limits how many streams a merchant opens', async () => {
    const limit = vi.spyOn(env.EVENT_STREAM_RATE_LIMIT, 'limit');
    limit.mockResolvedValue({ success: false });
    const refused = call(PATH, { bindings: LIMITED });
    expect(await answerOf(refused)).toMatchObject({ status: 429 });
    expect(limit).toHaveBeenCalledWith({ key: ALPHA.id });
  });
});
