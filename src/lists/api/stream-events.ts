import type { MerchantCall } from '../../engine/api/call.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { authenticate } from '../../engine/merchants/directory.ts';
import { utf8 } from '../../kit/crypto/encoding.ts';
import { problem } from '../../kit/http/problem.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { EventStream, type StreamPlaces } from '../book/event-stream.ts';

/** A revoked key hears nothing more within 10 s (docs/decisions.md#9), so the stream looks this often. */
const WAIT_MS = 5_000;
/** Less than the time after which proxies close a silent connection, often 30 s or 60 s. */
const HEARTBEAT_MS = 15_000;
/**
 * The client connects again after it. With EVENT_STREAM_RATE_LIMIT it bounds a merchant's streams: ten
 * are opened a minute and last two, so about 20 are open.
 */
export const STREAM_MS_MAX = 120_000;
/** Each event costs a call of its object; Cloudflare allows a request 1,000 calls. */
export const EVENTS_PER_STREAM_MAX = 500;
const EVENTS_PER_READ = 20;
/** The limit of EVENT_STREAM_RATE_LIMIT is per minute. */
const RETRY_AFTER_SECONDS = 60;

/** Names the place before a merchant's first event. */
const START = 'start';

interface Place {
  readonly eventId: string;
  readonly places: StreamPlaces;
}

/**
 * GET …/sandbox/events/stream: the events of the sandbox as they happen, for a developer's machine
 * that no webhook can reach (docs/reference.md#stream-events-to-your-machine). Answers with
 * server-sent events, each with the body that the webhook has. The stream waits in the merchant's book,
 * so an event without a listener costs nothing.
 */
export async function streamEvents(call: MerchantCall): Promise<Response> {
  const { env, config, access } = call;
  if (!(await isWithinLimit(config, env.EVENT_STREAM_RATE_LIMIT, access.merchantId))) {
    throw problem('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  const stream = await EventStream.of(env, access);
  const start = await startOf(call, stream);
  // Counts the waiting streams of all isolates.
  if ((await stream.wait(start.places, 0)) === 'full') {
    throw problem('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new Response(streamAfter(call, stream, start), {
    headers: {
      'content-type': 'text/event-stream',
      // A proxy that compresses would hold events back.
      'cache-control': 'no-store, no-transform',
    },
  });
}

/** Where the client left off, else after the newest event. */
async function startOf({ request }: MerchantCall, stream: EventStream): Promise<Place> {
  const lastEventId = request.headers.get('last-event-id') ?? '';
  if (lastEventId === '' || lastEventId === START) {
    const { eventId, places } = await stream.end();
    return lastEventId === ''
      ? { eventId: eventId ?? START, places }
      : { eventId: START, places: new Map([...places.keys()].map((volume) => [volume, 0])) };
  }
  const start = await stream.after(lastEventId);
  if (start === null) {
    throw problem('event_not_found');
  }
  return { eventId: lastEventId, places: start.places };
}

/**
 * The runtime pulls as fast as the client reads, and cancels everything when the client leaves. A
 * failure ends the stream: the client connects again and goes on after its last event.
 */
function streamAfter(
  call: MerchantCall,
  stream: EventStream,
  start: Place,
): ReadableStream<Uint8Array> {
  const endsAtMs = call.nowMs + STREAM_MS_MAX;
  const places = new Map(start.places);
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(message({ event: 'ready', id: start.eventId, data: '{}' }));
    },
    async pull(controller) {
      try {
        for (let quietMs = 0; quietMs < HEARTBEAT_MS; quietMs += WAIT_MS) {
          if (Date.now() >= endsAtMs || sent >= EVENTS_PER_STREAM_MAX || !(await isValid(call))) {
            controller.close();
            return;
          }
          const messages = await messagesAfter(call, stream, places);
          if (messages.length > 0) {
            for (const { event, bytes } of messages) {
              controller.enqueue(bytes);
              places.set(event.volume, event.place);
            }
            sent += messages.length;
            return;
          }
          if ((await stream.wait(places, WAIT_MS)) === 'full') {
            controller.close();
            return;
          }
        }
        controller.enqueue(utf8(':\n\n'));
      } catch (error) {
        log('warn', 'event_stream_broken', { error: errorText(error) });
        controller.close();
      }
    },
  });
}

/** A revoked key hears nothing more within 10 s (docs/decisions.md#9). */
async function isValid({ env, ctx, request, access }: MerchantCall): Promise<boolean> {
  const { url } = request;
  const lookup = { env, ctx, url, digest: access.keyDigest, nowMs: Date.now() };
  return (await authenticate(lookup)) !== null;
}

async function messagesAfter(
  { env, access }: MerchantCall,
  stream: EventStream,
  places: StreamPlaces,
) {
  const events = await stream.next(places, EVENTS_PER_READ);
  return Promise.all(
    events.map(async (event) => {
      const intent = await intentByUniqueId(env, access, event.uniqueId);
      const data = await intent.eventRequestBody(event.sequence);
      // After its retention a payment has no events; the id alone moves the client's place on.
      return { event, bytes: message({ id: event.eventId, ...(data !== null && { data }) }) };
    }),
  );
}

/** `data` is JSON without line breaks, so it is one line. */
function message(fields: {
  readonly event?: string;
  readonly id: string;
  readonly data?: string;
}): Uint8Array {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  return utf8(`${lines.join('')}\n`);
}
