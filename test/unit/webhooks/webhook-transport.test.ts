import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ANSWER_BYTES_MAX,
  EXCERPT_BYTES_MAX,
  sendWebhook,
  TRY_TIMEOUT_MS,
} from '../../../src/engine/webhooks/transport.ts';
import { closeLastServer, useMerchantServers } from '../../support/merchant-server.ts';

/** Goal: one webhook request and what Kefel keeps of its answer. Method: servers on real sockets. */

const merchant = useMerchantServers();
const ANYWHERE = new URL('https://example.com/');

function send(url: URL, timeoutMs?: number) {
  const headers = { 'webhook-id': 'evt_1' };
  return sendWebhook({ url, headers, requestBody: '{"a":"ብር"}' }, timeoutMs);
}

/** The time of a try ends when the test says so. */
function timeLimit(): AbortController {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  return limit;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('one webhook request (decisions.md#18)', () => {
  test('is a JSON POST with our name, the given headers and the exact bytes', async () => {
    const seen: Record<string, unknown> = {};
    const url = await merchant(async (request, response) => {
      Object.assign(seen, {
        method: request.method,
        url: request.url,
        contentType: request.headers['content-type'],
        userAgent: request.headers['user-agent'],
        webhookId: request.headers['webhook-id'],
        body: await textOf(request),
      });
      response.writeHead(202).end('thanks');
    });
    expect(await send(url)).toEqual({
      httpStatus: 202,
      error: null,
      durationMs: expect.any(Number),
      answerExcerpt: 'thanks',
      retryAfterMs: null,
    });
    expect(seen).toEqual({
      method: 'POST',
      url: '/hook?a=1',
      contentType: 'application/json; charset=utf-8',
      userAgent: 'Kefel-Webhooks/1',
      webhookId: 'evt_1',
      body: '{"a":"ብር"}',
    });
  });

  test.each([
    ['http://localhost:3000/localhost', 'http://[::1]:3000/localhost'],
    ['https://shop.example.com/localhost', null],
  ])('%s that refuses the connection is tried again at %s', async (href, other) => {
    const called: unknown[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
      called.push(url);
      if (url === href) {
        throw new TypeError('connection refused');
      }
      return new Response(null, { status: 204 });
    });
    expect((await send(new URL(href))).httpStatus).toBe(other === null ? null : 204);
    expect(called).toEqual(other === null ? [href] : [href, other]);
  });

  test('measures its time with the given clock', async () => {
    let nowMs = 1_000;
    const url = await merchant((_request, response) => {
      nowMs += 7;
      response.end();
    });
    vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    expect((await send(url)).durationMs).toBe(7);
  });
});

describe('Retry-After (decisions.md#18)', () => {
  const nowMs = Date.UTC(2026, 10, 17, 9, 30, 0);

  test.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['Tue, 17 Nov 2026 09:31:30 GMT', 90_000],
    ['Tuesday, 17-Nov-26 09:31:30 GMT', 90_000],
    ['Tue, 17 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['2026-11-17', null],
    ['99999999999999999999', null],
  ])('%j is %s ms', async (retryAfter, expected) => {
    const url = await merchant((_request, response) =>
      response.writeHead(429, { 'retry-after': retryAfter }).end(),
    );
    vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
    expect(await send(url)).toMatchObject({
      httpStatus: 429,
      retryAfterMs: expected,
    });
  });

  test('is null when absent', async () => {
    const url = await merchant((_request, response) => response.writeHead(503).end());
    expect((await send(url)).retryAfterMs).toBeNull();
  });
});

describe("a merchant's server that does not answer (decisions.md#18)", () => {
  test('fails when nothing arrives', async () => {
    const url = await merchant(() => undefined);
    const answer = await send(url, 100);
    expect(answer).toMatchObject({ httpStatus: null, error: 'no answer within 0.1 s' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(90);
    expect(answer.durationMs).toBeLessThan(TRY_TIMEOUT_MS);
    expect(TRY_TIMEOUT_MS).toBe(15_000);
  });

  test('but sent a status has answered, even if the body never ends', async () => {
    const url = await merchant((_request, response) => {
      response.writeHead(200);
      response.write('so far');
    });
    const limit = timeLimit();
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request);
      limit.abort();
      return response;
    });
    expect(await send(url)).toMatchObject({ httpStatus: 200, error: null });
  });

  test('has answered with an endless body, also where fetch ignores the signal while reading it', async () => {
    const limit = timeLimit();
    const chunks = ['so far'];
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const chunk = chunks.pop();
          if (chunk === undefined) {
            limit.abort();
          } else {
            controller.enqueue(new TextEncoder().encode(chunk));
          }
        },
      },
      { highWaterMark: 0 },
    );
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { status: 200 }));
    expect(await send(ANYWHERE)).toMatchObject({ httpStatus: 200, answerExcerpt: 'so far' });
  });

  test('counts as answered when its answer begins at the last moment', async () => {
    const body = new ReadableStream<Uint8Array>();
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, { signal } = {}) => {
      await vi.waitFor(() => expect(signal?.aborted).toBe(true));
      return new Response(body, { status: 200 });
    });
    const answer = await send(ANYWHERE, 50);
    expect(answer).toMatchObject({ httpStatus: 200, error: null, answerExcerpt: '' });
  });

  test('or breaks off in the body has answered', async () => {
    const url = await merchant((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await send(url)).toMatchObject({ httpStatus: 200, error: null });
  });

  test('or refuses the connection gets an error in our own words', async () => {
    const url = await merchant(() => undefined);
    await closeLastServer();
    expect(await send(url)).toMatchObject({
      httpStatus: null,
      error: 'connection failed',
      answerExcerpt: '',
      retryAfterMs: null,
    });
  });

  test('or speaks no HTTP is a failed connection', async () => {
    const url = await merchant((request) => request.socket.end('garbage\r\n\r\n'));
    expect(await send(url)).toMatchObject({ httpStatus: null, error: 'connection failed' });
  });
});

describe('the stored answer (decisions.md#18)', () => {
  test('that is endless is read up to 64 KiB and canceled', async () => {
    let pulledBytes = 0;
    let canceled = false;
    const chunk = new Uint8Array(4096).fill(0x61);
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulledBytes += chunk.length;
          controller.enqueue(chunk);
        },
        cancel: () => {
          canceled = true;
        },
      },
      { highWaterMark: 0 },
    );
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { status: 500 }));
    const answer = await send(ANYWHERE);
    expect(answer).toMatchObject({
      httpStatus: 500,
      answerExcerpt: 'a'.repeat(EXCERPT_BYTES_MAX),
    });
    expect([pulledBytes, canceled]).toEqual([ANSWER_BYTES_MAX, true]);
  });

  test('that is endless on a real connection closes the connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const url = await merchant((_request, response) => {
      closed = once(response, 'close');
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) {
          // Until the buffers are full.
        }
      };
      response.on('drain', pour);
      pour();
    });
    const answer = await send(url);
    expect(answer).toMatchObject({ httpStatus: 200, error: null });
    expect(answer.answerExcerpt).toBe('x'.repeat(1024));
    await closed;
  });

  test('becomes valid text of at most 1 KiB without control characters when it is binary', async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_value, index) => (index * 7) % 256));
    const url = await merchant((_request, response) => response.end(bytes));
    const { answerExcerpt } = await send(url);
    expect(Buffer.byteLength(answerExcerpt)).toBeLessThanOrEqual(EXCERPT_BYTES_MAX);
    expect(answerExcerpt.isWellFormed()).toBe(true);
    expect(answerExcerpt).not.toMatch(/(?![\t\n])\p{Cc}/u);
    expect(answerExcerpt).not.toBe('');
  });

  test('loses control characters, but keeps tabs and newlines', async () => {
    const url = await merchant((_request, response) =>
      response.end('a\u0000b\u001b[31mc\r\n\td\u007f\u0085e'),
    );
    expect((await send(url)).answerExcerpt).toBe('ab[31mc\n\tde');
  });

  test('is not cut inside a character', async () => {
    const url = await merchant((_request, response) => response.end('ብ'.repeat(1_000)));
    expect((await send(url)).answerExcerpt).toBe('ብ'.repeat(341));
  });
});
