import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Driver } from './driver.ts';

/**
 * What the clients of languages without checked types do besides the scenarios: they send no request
 * that could not do what its caller means, and take no answer of another form. The server is a stub.
 */
export function playUntyped(language: 'php' | 'python', start: () => Promise<Driver>): void {
  describe(`clients/${language} at a stub`, () => {
    let driver: Driver;

    beforeAll(async () => {
      driver = await start();
    });

    async function run(listener: RequestListener, call: string, ...args: readonly unknown[]) {
      const requests: { readonly path: string | undefined; readonly body: string }[] = [];
      const server = createServer((request, response) => {
        const received = text(request).then((body) => {
          requests.push({ path: request.url, body });
          listener(request, response);
        });
        received.catch(() => response.destroy());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { readonly port: number };
      const baseUrl = `http://127.0.0.1:${port}`;
      const client = { apiKey: 'kfl_test_x', baseUrl, timeoutSeconds: 30 };
      try {
        return { result: await driver.run({ call, args, client }), requests };
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }

    test.each([
      ['a filter that no list has', 'payments.list', { customer_phon: '0911223344' }],
      ['such a filter, before the first page', 'payments.all', { metdata: {} }],
      ['a filter of another list', 'refunds.list', { type: 'REFUND_SUCCESS' }],
      ['an event filter with an error', 'events.all', { payment: 'order-1' }],
      ['no id', 'payments.get', ''],
      ['an id that is a path', 'refunds.get', '..'],
      ['an id that is this path', 'events.get', '.'],
      ['an amount that JSON cannot write', 'payments.create', { amount: { $number: 'NaN' } }],
      ['an unknown change', 'webhookEndpoints.update', 'we_1', { active: true }],
      ['a filter of links with an error', 'paymentLinks.list', { active: true }],
      ['an unknown change of a link', 'paymentLinks.update', 'link-1', { active: true }],
    ])('sends nothing for %s', async (_what, call, ...args) => {
      const { result, requests } = await run((_request, response) => response.end(), call, ...args);
      expect(result).toMatchObject({ error: { kind: 'argument' } });
      expect(requests).toEqual([]);
    });

    test.each([
      ['no numeric status', { status: 'ok', content: { uniqueId: 'order-1' } }],
      ['no content', { status: 200 }],
      ['a list for an object', { status: 200, content: [] }],
      ['a text for an object', { status: 200, content: 'https://pay.example.com' }],
    ])('takes for no answer one with %s', async (_what, answer) => {
      const limits = { deadlineSeconds: 0.4 };
      const { result } = await run(
        (_request, response) => response.end(JSON.stringify(answer)),
        ...(['payments.get', 'order-1', limits] as const),
      );
      expect(result).toMatchObject({ error: { kind: 'connection' } });
    });

    test.each([
      ['{"message": 5, "code": ["x"], "requestId": {}, "validationErrorCodes": "no"}'],
      ['{"payment": "order-1", "docs": null, "validationErrorCodes": {"amount": 5}}'],
      ['[]'],
      ['null'],
    ])('throws an error without a code for a refusal with %s', async (answer) => {
      const { result } = await run(
        (_request, response) => response.writeHead(403).end(answer),
        ...(['payments.get', 'order-1'] as const),
      );
      const unknown = { kind: 'api', status: 403, code: 'unknown', message: 'HTTP 403' };
      expect(result).toMatchObject({ error: { ...unknown, requestId: null, payment: null } });
    });

    test('ends a try whose answer comes byte by byte', async () => {
      const timers: NodeJS.Timeout[] = [];
      const { result } = await run(
        (_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          timers.push(setInterval(() => response.write(' '), 20));
        },
        ...(['payments.get', 'order-1', { deadlineSeconds: 1 }] as const),
      );
      timers.forEach(clearInterval);
      expect(result).toMatchObject({ error: { kind: 'connection' } });
    });

    test('writes empty objects as objects, and names of digits as names', async () => {
      const { requests } = await run(
        (_request, response) => response.end('{"status": 200, "content": "https://x.example.com"}'),
        ...(['payments.create', { metadata: {}, customerInfo: {}, methods: [] }] as const),
      );
      expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
        metadata: {},
        customerInfo: {},
        methods: [],
      });
      const { requests: listed } = await run(
        (_request, response) => response.end('{"status": 200, "content": {"data": []}}'),
        ...(['payments.list', { metadata: { 0: 'a b' } }] as const),
      );
      const { searchParams } = new URL(listed[0]?.path ?? '', 'http://127.0.0.1');
      expect([...searchParams]).toEqual([['metadata[0]', 'a b']]);
    });
  });
}
