import { expect, inject, test } from 'vitest';
import { OK, status } from '../support/e2e-merchant-server.ts';
import { createSimulated, useScene } from '../support/e2e-scene.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';

/**
 * Goal: a merchant whose server was down finds the events that it missed and gets them again
 * without support (docs/lists.md#catching-up). Method: a server that refuses and fails, then works.
 */

const { baseUrl, merchants } = inject('sandbox');
/** Longer than the book ever lags here, on a busy machine too. */
const SHOWN_WITHIN_MS = 60_000;

const scene = await useScene('down');

interface Page {
  readonly data: readonly {
    readonly id: string;
    readonly uniqueId: string;
    readonly paymentIntentUniqueId: string;
    readonly deliveries: readonly { readonly state: string }[];
  }[];
}

async function content<Content>(path: string, body?: unknown): Promise<Content> {
  const answer = await fetch(`${baseUrl}/api/v1/payment/sandbox/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { apiKey: merchants.down.sandboxApiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { content: Content }).content;
}

test('lists what it missed, and gets it by one call', async () => {
  const since = new Date(Date.now() - 1_000).toISOString();
  const metadata = { outage: 'flood' };
  const missed = [
    await createSimulated(scene, [status(410), OK], { metadata }),
    await createSimulated(scene, [status(410), OK], { metadata }),
  ];
  const arrived = await createSimulated(scene, [OK], { metadata });
  const first = await Promise.all(missed.map(({ hook }) => hook.request(0)));
  const ids = missed.map(({ uniqueId }) => uniqueId).sort();
  const dead = async () => {
    const { data } = await content<Page>(`events?deliveryState=dead&createdFrom=${since}`);
    return data.map(({ paymentIntentUniqueId }) => paymentIntentUniqueId).sort();
  };
  await expect.poll(dead, { timeout: SHOWN_WITHIN_MS }).toEqual(ids);
  const paid = async () => {
    const { data } = await content<Page>('intents?status=SUCCESS&metadata[outage]=flood');
    return data.map(({ uniqueId }) => uniqueId).sort();
  };
  // Each payment reaches the book by a call of its own.
  const all = [...ids, arrived.uniqueId].sort();
  await expect.poll(paid, { timeout: SHOWN_WITHIN_MS }).toEqual(all);

  expect(await content('events/resend', { since })).toMatchObject({ resent: 2, hasMore: false });
  for (const [index, { uniqueId, hook }] of missed.entries()) {
    const again = await hook.request(1);
    expect(verifiedWebhook(again, scene.keys).paymentIntentUniqueId).toBe(uniqueId);
    expect(again.headers['webhook-id']).toBe(first[index]?.headers['webhook-id']);
    expect(again.rawBody.equals(first[index]?.rawBody ?? Buffer.alloc(0))).toBe(true);
  }
  await expect.poll(dead, { timeout: SHOWN_WITHIN_MS }).toEqual([]);
  expect(arrived.hook.requests).toHaveLength(1);
});
