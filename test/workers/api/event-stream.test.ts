import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { revokeApiKey } from '../../../src/control/merchants/change-keys.ts';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import { EVENTS_PER_STREAM_MAX, STREAM_MS_MAX } from '../../../src/lists/api/stream-events.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { EventStream } from '../../../src/lists/book/event-stream.ts';
import { LISTENERS_MAX } from '../../../src/lists/book/listeners.ts';
import { BookVolumes } from '../../../src/lists/book/volumes.ts';
import { applyAll, eventIdOf, projectedEvent, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  answerOf,
  BETA,
  call,
  clientOf,
  consumeAll,
  LIMITED,
  lastEvent,
  logged,
  MINUTE_MS,
  merchantServer,
  payHosted,
  runSql,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: a developer's machine gets every event of the sandbox once, as webhooks have it, however
 * often it connects (docs/reference.md#stream-events-to-your-machine). Method: read streams while payments end.
 */

const caught = useGateway();
const open: Stream[] = [];

beforeEach(() => {
  // The stream looks again at once instead of after seconds.
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

  /** The next message that is not a heartbeat; null at the end. */
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

/** The id of a new payment's event, which is posted and in the book. */
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
    // Books show an event that is not sent yet only after some seconds.
    advance(MINUTE_MS);
    await applyAll(caught.projections.splice(0));
    const message = await stream.next();
    const arrivals = merchantServer();
    await consumeAll(caught);
    expect(arrivals.map(({ text }) => text)).toEqual([message?.data]);
  });

  test('has an event once, with many endpoints and many tries', async () => {
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

  /** The events of these payments become rows, delivered, at once. */
  function become(numbers: readonly number[]): Promise<void> {
    return applyAll(
      numbers.map((number) => {
        const events = [projectedEvent(tenantOf(ALPHA), number)];
        return projectionMessage(tenantOf(ALPHA), number, {}, { events });
      }),
    );
  }

  test('finds an event that became known late', async () => {
    const { stream } = await listen();
    await become([2]);
    expect(await stream.next()).toMatchObject({ id: eventIdOf(tenantOf(ALPHA), 2) });
    await become([1]);
    expect(await stream.next()).toMatchObject({ id: eventIdOf(tenantOf(ALPHA), 1) });
  });

  test('has each event once when many become rows at once, even if they repeat', async () => {
    const { stream } = await listen();
    const numbers = Array.from({ length: 25 }, (_, number) => number);
    await become(numbers);
    await become(numbers);
    const ids: (string | undefined)[] = [];
    while (ids.length < numbers.length) {
      ids.push((await stream.next())?.id);
    }
    expect(ids).toEqual(numbers.map((number) => eventIdOf(tenantOf(ALPHA), number)));
    await become([100]);
    expect(await stream.next()).toMatchObject({ id: eventIdOf(tenantOf(ALPHA), 100) });
    // A client that stopped among them gets the rest.
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
    const tenant = tenantOf(ALPHA);
    const numbers = Array.from({ length: EVENTS_PER_STREAM_MAX + 100 }, (_, index) => index);
    // Their payments have no objects.
    await become(numbers);
    const { stream } = await listen('start');
    const ids: (string | undefined)[] = [];
    for (let message = await stream.next(); message !== null; message = await stream.next()) {
      ids.push(message.id);
    }
    expect(ids).toEqual(
      numbers.slice(0, EVENTS_PER_STREAM_MAX).map((number) => eventIdOf(tenant, number)),
    );
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

  test('ends while the book is out of reach, and says why in the log', async () => {
    const { stream } = await listen();
    vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    expect(await stream.next()).toBeNull();
    expect(logged.join()).toContain('event_stream_broken');
  });

  test('goes on while D1 fails', async () => {
    const { stream } = await listen();
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('no D1');
    });
    await become([1]);
    expect(await stream.next()).toMatchObject({ id: eventIdOf(tenantOf(ALPHA), 1) });
  });

  test('is refused when too many streams of the merchant wait already in any isolate', async () => {
    vi.mocked(scheduler.wait).mockRestore();
    const book = bookOf(env, tenantOf(ALPHA), 0);
    const waiting = Array.from({ length: LISTENERS_MAX }, () => book.waitForEvents(0, MINUTE_MS));
    await expect.poll(() => book.waitForEvents(0, 0)).toBe('full');
    expect(await answerOf(call(PATH))).toMatchObject({ status: 429 });
    // Another merchant has its own.
    await (await listen(null, BETA.apiKeys.sandbox)).stream.close();
    // The news wakes all of them.
    const tenant = tenantOf(ALPHA);
    await applyAll([projectionMessage(tenant, 1, {}, { events: [projectedEvent(tenant, 1)] })]);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['news']));
  });

  test('limits how many streams a merchant opens', async () => {
    const limit = vi.spyOn(env.EVENT_STREAM_RATE_LIMIT, 'limit');
    limit.mockResolvedValue({ success: false });
    const refused = call(PATH, { bindings: LIMITED });
    expect(await answerOf(refused)).toMatchObject({ status: 429 });
    expect(limit).toHaveBeenCalledWith({ key: ALPHA.id });
  });
});

describe('a book of several volumes', () => {
  const tenant = tenantOf(ALPHA);
  const stream = new EventStream(new BookVolumes(env, tenant, 1));

  function become(number: number, bookVolume: number): Promise<void> {
    const events = [projectedEvent(tenant, number)];
    return applyAll([projectionMessage(tenant, number, {}, { events, bookVolume })]);
  }

  async function numbersAfter(number: number): Promise<readonly string[]> {
    const start = await stream.after(eventIdOf(tenant, number));
    const events = await stream.next(start?.places ?? new Map(), 20);
    return events.map(({ uniqueId }) => uniqueId.slice('order-'.length));
  }

  test('streams the events of all volumes in the order in which they became known', async () => {
    const { places } = await stream.end();
    for (const [number, volume] of [
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 0],
    ] as const) {
      advance(SECOND_MS);
      await become(number, volume);
    }
    const events = await stream.next(places, 3);
    expect(events.map(({ uniqueId }) => uniqueId)).toEqual(['order-1', 'order-2', 'order-3']);
    expect((await stream.end()).eventId).toBe(eventIdOf(tenant, 4));
  });

  test('misses no event of an old payment after a new connection', async () => {
    await become(1, 0);
    advance(MINUTE_MS);
    await become(2, 1);
    advance(MINUTE_MS);
    await become(3, 0);
    expect(await numbersAfter(2)).toEqual(['3']);
    expect(await numbersAfter(1)).toEqual(['2', '3']);
    // The client may have had only one of two events of the same moment.
    await become(4, 1);
    expect(await numbersAfter(3)).toEqual(['4']);
    expect(await numbersAfter(4)).toEqual(['3']);
  });

  test('leaves no listener behind in the other volumes', async () => {
    vi.mocked(scheduler.wait).mockRestore();
    for (let number = 1; number <= LISTENERS_MAX + 1; number += 1) {
      const waiting = stream.wait((await stream.end()).places, MINUTE_MS);
      await become(number, 1);
      expect(await waiting).toBe('news');
    }
    expect(await bookOf(env, tenant, 0).waitForEvents(0, 0)).toBe('quiet');
  });
});
