import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { shownBody } from '../support/documents/markdown.ts';
import { type Endpoint, OK, status } from '../support/e2e-merchant-server.ts';
import { eventually, type JsonObject, useScene } from '../support/e2e-scene.ts';

/**
 * Goal: the answers that docs/reference.md shows are those of a gateway. Method: make every call, with
 * the page's own request where it shows one, and compare each answer with
 * `scripts/openapi/answer-samples.json`. Ids, times and secrets differ in each run, so fixed ones
 * replace them. `npx vitest run --project e2e test/e2e/answer-samples.test.ts -u` writes the file.
 */

const FILE = join(PROJECT_DIRECTORY, 'scripts', 'openapi', 'answer-samples.json');
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TRANSACTION_ID = /^[A-Z0-9]{20}$/;
/** Of a payment that is paid 3 s after its creation and expires after an hour. */
const TIMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['creationDate', 'createdAt'].map((field) => [field, '2026-11-22T08:00:00.000Z']),
  ),
  ...Object.fromEntries(
    ['lastUpdateDate', 'updatedAt', 'endedAt', 'paidAt', 'lastTryAt'].map((field) => [
      field,
      '2026-11-22T08:00:03.000Z',
    ]),
  ),
  expireDate: '2026-11-22T09:00:00.000Z',
};

const { baseUrl, merchants } = inject('sandbox');
const { sandboxApiKey } = merchants.reference;
const scene = await useScene('reference');

const shownRequest = (summary: string) => shownBody(summary) as JsonObject;

async function answer<Content>(call: string, body?: JsonObject) {
  const [method = '', path = ''] = call.split(' ');
  const {
    raw,
    body: shown,
    ...rest
  } = await scene.sandbox.call<Content>(
    method,
    `sandbox/${path}`,
    body === undefined ? {} : { body },
  );
  expect({ call, status: rest.status, raw }).toMatchObject({ status: 200 });
  return shown;
}

/** The first lines of the stream after its start: one event. */
async function firstEvent(lastEventId: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/payment/sandbox/events/stream`, {
    headers: { apiKey: sandboxApiKey, 'last-event-id': lastEventId },
  });
  expect(response.status).toBe(200);
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (/^data: .*webHookEvent.*\n\n/m.test(text)) {
      break;
    }
  }
  return text;
}

interface Page {
  readonly data: readonly { readonly id: string; readonly deliveries?: readonly JsonObject[] }[];
}

test('every call answers as docs/reference.md shows', { timeout: 200_000 }, async () => {
  const hook = scene.server.endpoint(OK, status(410), OK);
  const callbackUrl = hook.url;
  const since = new Date(Date.now() - 1_000).toISOString();
  const samples: Record<string, unknown> = {};

  const hosted = { ...shownRequest('Create a hosted payment'), callbackUrl };
  samples.createHostedPayment = await answer('POST intent', hosted);
  samples.cancelPayment = await answer('POST intents/order-1002/cancel');
  const express = { ...shownRequest('Create an express payment'), callbackUrl };
  samples.createExpressPayment = await answer('POST express/pay', express);
  await hook.request(0);
  samples.createRefund = await answer('POST refunds', shownRequest('Refund a payment'));
  await hook.request(1);
  samples.readRefund = await answer('GET refunds/refund-1001-1');
  samples.readPayment = await answer('GET intents/order-1001');
  // The sandbox keeps a refund of 100.26 pending.
  const waiting = { paymentIntentUniqueId: 'order-1001', refundUniqueId: 'refund-1001-2' };
  await answer('POST refunds', { ...waiting, amountMinor: 10_026 });
  samples.cancelRefund = await answer('POST refunds/refund-1001-2/cancel');

  samples.listPayments = await eventually(
    () => answer<Page>('GET intents?status=SUCCESS'),
    ({ content }) => JSON.stringify(content).includes('"refundedAmount":5000'),
  );
  samples.listRefunds = await eventually(
    () => answer<Page>('GET refunds?status=SUCCESS'),
    ({ content }) => content.data.length === 1,
  );
  const events = await eventually(
    () => answer<Page>('GET events?type=PAYMENT_SUCCESS'),
    ({ content }) => JSON.stringify(content).includes('"state":"delivered"'),
  );
  samples.listEvents = events;
  const [event] = events.content.data;
  // The server refused the event of the refund for good.
  await eventually(
    () => answer<Page>('GET events?deliveryState=dead'),
    ({ content }) => content.data.length === 1,
  );
  samples.resendEvents = await answer('POST events/resend', { since });
  samples.readEvent = await answer(`GET events/${event?.id}`);
  samples.resendEvent = await answer(`POST events/${event?.id}/resend`);

  const endpoint = await answer<{ readonly id: string }>('POST webhook-endpoints', {
    ...shownRequest('Create a webhook endpoint'),
    url: callbackUrl,
  });
  samples.createWebhookEndpoint = endpoint;
  const path = `webhook-endpoints/${endpoint.content.id}`;
  samples.listWebhookEndpoints = await answer('GET webhook-endpoints');
  samples.readWebhookEndpoint = await answer(`GET ${path}`);
  samples.changeWebhookEndpoint = await answer(`PATCH ${path}`, {
    ...shownRequest('Change a webhook endpoint'),
    url: callbackUrl,
  });
  samples.rotateWebhookSecret = await answer(
    `POST ${path}/secret`,
    shownRequest('Rotate the secret of a webhook endpoint'),
  );
  samples.deleteWebhookEndpoint = await answer(`DELETE ${path}`);
  samples.createPaymentLink = await answer('POST links', shownRequest('Create a payment link'));
  samples.listPaymentLinks = await answer('GET links');
  samples.readPaymentLink = await answer('GET links/link-honey');
  samples.changePaymentLink = await answer(
    'PATCH links/link-honey',
    shownRequest('Change a payment link'),
  );
  samples.deactivatePaymentLink = await answer('POST links/link-honey/deactivate');
  samples.listWebhookKeys = await answer('GET webhook-keys');
  const banks = await answer<readonly unknown[]>('GET banks');
  samples.listBanks = { ...banks, content: banks.content.slice(0, 2) };
  samples.streamEvents = await firstEvent(event?.id ?? '');

  await expect(`${JSON.stringify(fixed(samples, hook), null, 2)}\n`).toMatchFileSnapshot(FILE);
});

/** The answers with the same ids, times and addresses in each run. */
function fixed(samples: unknown, hook: Endpoint): unknown {
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => {
    numbers.set(id, numbers.get(id) ?? numbers.size + 1);
    return numbers.get(id);
  };
  const text = (value: string) =>
    cut(
      value
        .replaceAll(hook.url, 'https://shop.example.com/webhooks')
        .replaceAll(scene.server.baseUrl, 'https://shop.example.com')
        .replaceAll(
          /http:\/\/localhost:\d+\/(checkout|receipt|pay)\/.*/g,
          'http://localhost:8787/$1/…',
        )
        .replaceAll(UUID, (id) => `01a2008e-cb2e-7e59-b4f1-00000000000${numberOf(id)}`)
        .replaceAll(/evt_\w+/g, (id) => `evt_01a2008ecbf57962970755ee9ce4000${numberOf(id)}`)
        .replace(/^we_.*/, 'we_3593f4e0884c4f19b6d9')
        .replace(/^whsec_.*/, 'whsec_…')
        .replace(/(?<=PUBLIC KEY-----\n)[^-]*/, '…\n')
        .replace(TRANSACTION_ID, '6B02F9A8JSRWKJ92838F'),
    );
  return JSON.parse(JSON.stringify(samples), (field, value: unknown) =>
    field === 'paymentIntentId'
      ? 4_821_093_357_266_104
      : value === null
        ? null
        : (TIMES[field] ?? (typeof value === 'string' ? text(value) : value)),
  );
}

/** A payload says what it is in its first words. */
function cut(value: string): string {
  return value.replaceAll(/^(.{88}).{8,}$/gm, '$1…');
}
