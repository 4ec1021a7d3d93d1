import { setTimeout as wait } from 'node:timers/promises';
import { KefelError } from '../typescript/kefel.ts';
import { type Access, USER_AGENT } from './access.ts';
import type { ForwardedEvent } from './forward.ts';

/** The gateway sends something every 15 s: after this long the connection is dead. */
const SILENCE_MS_MAX = 45_000;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 15_000;
const PATH = '/api/v1/payment/sandbox/events/stream';

export type StreamNews =
  /** Connected for the first time: events from now on arrive. */
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly event: ForwardedEvent }
  | { readonly type: 'lost'; readonly error: unknown }
  | { readonly type: 'resumed' };

/**
 * The events of the sandbox, each once and in order. Connects again whenever the connection ends,
 * after the last event. Throws KefelError when the gateway refuses, and the error of `fetch` when it
 * cannot be reached the first time.
 */
export async function* sandboxEvents(
  access: Access,
  after: string | undefined,
): AsyncGenerator<StreamNews> {
  let lastId = after;
  let isReady = false;
  let isLost = false;
  for (let failures = 0; ; ) {
    try {
      for await (const message of connection(access, lastId)) {
        lastId = message.id ?? lastId;
        failures = 0;
        if (!isReady || isLost) {
          yield { type: isReady ? 'resumed' : 'ready' };
          isReady = true;
          isLost = false;
        }
        if (message.event === undefined && message.id !== undefined && message.data !== undefined) {
          yield { type: 'event', event: { id: message.id, body: message.data } };
        }
      }
      // The gateway ends each stream after a while. The pause bounds how often this happens.
      await wait(FIRST_WAIT_MS);
    } catch (error) {
      const mayPass = error instanceof KefelError ? isPassing(error) : isReady;
      if (!mayPass) {
        throw error;
      }
      if (!isLost) {
        yield { type: 'lost', error };
        isLost = true;
      }
      const asked = error instanceof KefelError ? error.retryAfterSeconds : null;
      await wait(
        asked === null ? Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failures) : asked * 1_000,
      );
      failures += 1;
    }
  }
}

function isPassing({ status }: KefelError): boolean {
  return status === 429 || status >= 500;
}

interface Message {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
}

/** The messages of one connection, until the gateway ends it. */
async function* connection(access: Access, lastId: string | undefined): AsyncGenerator<Message> {
  const silence = new AbortController();
  const timer = setTimeout(
    () => silence.abort(new Error('the gateway fell silent')),
    SILENCE_MS_MAX,
  );
  try {
    const response = await fetch(access.baseUrl + PATH, {
      headers: {
        apiKey: access.apiKey,
        accept: 'text/event-stream',
        'user-agent': USER_AGENT,
        ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
      },
      redirect: 'manual',
      signal: silence.signal,
    });
    if (response.status !== 200 || response.body === null) {
      throw await refusalIn(response);
    }
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      text += chunk;
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      yield* messages.filter((message) => !message.startsWith(':')).map(messageIn);
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** The fields of a message. The gateway writes each on one line. */
function messageIn(text: string): Message {
  const fields = text.split('\n').map((line) => {
    const end = line.indexOf(': ');
    return [line.slice(0, end), line.slice(end + 2)];
  });
  return Object.fromEntries(fields);
}

async function refusalIn(response: Response): Promise<KefelError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  let body: object = {};
  try {
    body = JSON.parse(await response.text());
  } catch {
    // Not Kefel's answer: the status says enough.
  }
  return new KefelError({
    status: response.status,
    body: { ...body },
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}
