import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetWebhookSettings } from '../../../src/engine/webhooks/settings.ts';
import { QUERY_TIMEOUT_MS } from '../../../src/kit/platform/database.ts';
import { expectLog } from '../../support/output/expected-log.ts';
import {
  choosing,
  consume,
  database,
  environment,
  message,
  paymentObject,
} from '../../support/webhook-consumer.ts';

/** Goal: the consumer claims, sends and reports each delivery, and leaves every outcome visible. */

beforeEach(forgetWebhookSettings);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'hello'],
  ['no payment', { ...message, objectName: undefined }],
  ['no tenant', { ...message, tenant: undefined }],
])('a message with %s waits for the dead letters and holds up no other', async (_name, body) => {
  expectLog('webhook_message_unreadable');
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('', { status: 200 }));
  const { stub, reports } = paymentObject({ callbackUrl: 'https://shop.et/' });
  const env = environment(stub, database().d1);
  const batch = [body as typeof message, message];
  const { fates, settled } = await consume(env, 'q-unreadable', batch, { attempts: 2 });
  await settled();
  expect(fates).toEqual(['again in 120 s', 'acked']);
  expect(reports).toMatchObject([{ outcome: { type: 'delivered' } }]);
});

describe('a delivery from claim to report (decisions.md#18, #19; promises.md#6)', () => {
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
    [
      'https://office.kefel.et/',
      { BACK_OFFICE_BASE_URL: 'https://office.kefel.et' },
      'not sent: host is Kefel itself',
    ],
    [
      'https://1a2b3c4d-kefel.account.workers.dev/',
      { PUBLIC_BASE_URL: 'https://kefel.account.workers.dev' },
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
    expectLog('webhook_endpoint_not_recorded');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('no', { status: 500 }));
    const { d1, addEndpoint } = database();
    addEndpoint({});
    const hanging = { ...(d1 as object), batch: () => new Promise(() => undefined) };
    const { stub, reports } = paymentObject({});
    const { settled } = await consume(environment(stub, hanging), 'q-hanging', [choosing]);
    await vi.waitFor(() => expect(reports).toMatchObject([{ outcome: { type: 'failed' } }]));
    await vi.advanceTimersByTimeAsync(QUERY_TIMEOUT_MS);
    await settled();
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
