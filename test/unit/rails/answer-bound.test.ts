import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { callRail } from '../../../src/engine/rails/call-rail.ts';
import { ANSWER_BYTES_MAX, sendWebhook } from '../../../src/engine/webhooks/transport.ts';
import { readBytes } from '../../../src/kit/http/read-bytes.ts';

/**
 * Goal: a small compressed answer of a provider or a merchant cannot fill the memory. Method: answers
 * that announce few bytes and decompress to many, from a real server and from a counted stream.
 */

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** The address of a server whose answer is 32 MiB of zeros in the given encoding. */
async function bomb(encoding: 'br' | 'gzip') {
  const zeros = Buffer.alloc(32 * MEBIBYTE);
  const body = encoding === 'br' ? brotliCompressSync(zeros) : gzipSync(zeros);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

/** A body of 8 MiB in chunks of 16 KiB, and how many bytes its reader has taken. */
function countedBody() {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken += 16 * KIBIBYTE;
      controller.enqueue(new Uint8Array(16 * KIBIBYTE));
      if (taken >= 8 * MEBIBYTE) {
        controller.close();
      }
    },
  });
  return { body, taken: () => taken };
}

const SMALL = { headers: { 'content-length': '106', 'content-encoding': 'br' } };

test.each(['br', 'gzip'] as const)("a provider's %s bomb counts as no answer", async (encoding) => {
  const { url, stop } = await bomb(encoding);
  const answer = await callRail({}, url, { method: 'GET', headers: {} }, 10_000);
  stop();
  expect(answer).toEqual({ status: null, text: '' });
});

test('reading an answer stops at the limit, even when the announced length is wrong', async () => {
  const { body, taken } = countedBody();
  expect(await readBytes(new Response(body, SMALL), 64 * KIBIBYTE)).toBeNull();
  expect(taken()).toBeLessThanOrEqual(128 * KIBIBYTE);
});

test("reading a merchant's answer stops at the limit, even when the announced length is wrong", async () => {
  const { body, taken } = countedBody();
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, SMALL));
  const url = new URL('https://shop.test/hook');
  const answer = await sendWebhook({ url, headers: {}, requestBody: '{}' });
  fetched.mockRestore();
  expect(answer.httpStatus).toBe(200);
  expect(taken()).toBeLessThanOrEqual(ANSWER_BYTES_MAX + 64 * KIBIBYTE);
});

test.each([
  ['an answer', () => new Response('12345', { headers: { 'content-length': '5' } })],
  ['an answer without a length', () => new Response('12345')],
  [
    'a request',
    () =>
      new Request('https://pay.kefel.test/', {
        method: 'POST',
        body: '12345',
        headers: { 'content-length': '5' },
      }),
  ],
])('%s is read up to the limit and no further', async (_name, make) => {
  expect(await readBytes(make(), 5)).toEqual(new TextEncoder().encode('12345'));
  expect(await readBytes(make(), 4)).toBeNull();
});
