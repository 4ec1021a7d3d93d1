import { text as textOf } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetWebhookSettings } from '../../src/webhooks/settings.ts';
import { useMerchantServers } from '../support/merchant-server.ts';
import {
  choosing,
  consume,
  database,
  environment,
  message,
  paymentObject,
  secret,
} from '../support/webhook-consumer.ts';

/** Goal: the consumer claims, sends and reports each delivery, and leaves every outcome visible. */

const merchant = useMerchantServers();

beforeEach(forgetWebhookSettings);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a delivery from claim to report (decisions.md#18, #19; promises.md#6)', () => {
  test('is signed with every secret, sent and reported; the message is acknowledged at once', async () => {
    const seen: { body?: string; headers?: Record<string, string> } = {};
    const url = await merchant(async (request, response) => {
      seen.body = await textOf(request);
      seen.headers = request.headers as Record<string, string>;
      response.writeHead(200).end('ok');
    });
    const { d1, calls, addSecret } = database();
    await addSecret(secret(1), 1);
    await addSecret(secret(2), 2);
    const { stub, reports } = paymentObject({ callbackUrl: url.href });
    const { fates, settled } = await consume(environment(stub, d1), 'q-signed', [message]);
    expect([fates, reports]).toEqual([['acked'], []]);
    await settled();
    expect(reports).toEqual([
      {
        sequence: 3,
        position: 0,
        claimId: 'claim-1',
        outcome: { type: 'delivered' },
        log: {
          atMs: expect.any(Number),
          durationMs: expect.any(Number),
          httpStatus: 200,
          error: null,
          answerExcerpt: 'ok',
        },
      },
    ]);
    for (const known of [secret(1), secret(2)]) {
      expect(new Webhook(known).verify(seen.body ?? '', seen.headers ?? {})).toEqual({
        webHookEvent: 'PAYMENT_SUCCESS',
      });
    }
    // D1 only reads the settings: a first success has nothing to record.
    expect(calls.queries).toBe(1);
  });

  test("goes to the merchant's endpoint without callbackUrl, and is unsigned without a secret", async () => {
    let signature: unknown = 'not called';
    const url = await merchant((request, response) => {
      signature = request.headers['webhook-signature'];
      response.end();
    });
    const { d1, addEndpoint } = database();
    addEndpoint({ url: url.href });
    const { stub, reports } = paymentObject({});
    await (await consume(environment(stub, d1), 'q-setting', [choosing])).settled();
    expect(reports[0]?.outcome).toEqual({ type: 'delivered' });
    expect(signature).toBeUndefined();
  });

  test.each([
    ['http://10.0.0.1/', {}, 'not sent: host is an IP address'],
    ['http://localhost:8787/', {}, 'not sent: host is Kefel itself'],
    ['http://localhost:1/', { LOCAL_CALLBACKS: 'false' }, 'not sent: host is a single label'],
    ['http://shop.et/', { CALLBACK_HTTPS_ONLY: 'true' }, 'not sent: URL is not https'],
    [
      'https://pay.kefel.et/',
      { PUBLIC_BASE_URL: 'https://pay.kefel.et' },
      'not sent: host is Kefel itself',
    ],
  ])('to %s is a visible failed try', async (callbackUrl, variables, error) => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const { stub, reports } = paymentObject({ callbackUrl });
    const env = environment(stub, database().d1, variables);
    await (await consume(env, 'q-guard', [message])).settled();
    expect(fetched).not.toHaveBeenCalled();
    expect(reports[0]).toMatchObject({
      outcome: { type: 'failed', retryAfterMs: null, isEndpointPaused: false },
      log: { httpStatus: null, error },
    });
  });

  test('is reported although D1 hangs when the endpoint is recorded', async () => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('no', { status: 500 }));
    const { d1, addEndpoint } = database();
    addEndpoint({});
    const hanging = { ...(d1 as object), batch: () => new Promise(() => undefined) };
    const { stub, reports } = paymentObject({});
    await consume(environment(stub, hanging), 'q-hanging', [choosing]);
    await vi.waitFor(() => expect(reports).toMatchObject([{ outcome: { type: 'failed' } }]));
  });

  test('that fails on our side uses no try, is logged in one line without bodies, and never throws', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = {
      prepare: () => {
        throw new Error('D1_ERROR: network');
      },
    };
    const { stub, reports } = paymentObject({ requestBody: 'SECRET-BODY' });
    await (await consume(environment(stub, broken), 'q-broken', [message])).settled();
    expect(reports).toMatchObject([{ outcome: { type: 'not_sent' }, log: null }]);
    expect(logged).toHaveBeenCalledOnce();
    const line = String(logged.mock.calls[0]?.[0]);
    expect(JSON.parse(line)).toMatchObject({ event: 'webhook_delivery_broken', merchantId: 'm1' });
    expect(line).not.toContain('SECRET-BODY');
  });
});
