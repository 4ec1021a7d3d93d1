import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint, ReceivedRequest } from '../support/e2e-merchant-server.ts';
import { expressBody, fence, joinScene, newId, type Scene } from '../support/e2e-scene.ts';

/**
 * Goal: the plugin of a shop that knows nothing of refunds keeps its orders right. Method: a plugin
 * with the rules of existing ones, on a real server, and payments that the API creates and refunds.
 */

const SIGNATURE_HEADER = 'X-Shop-Signature';
/** In the sandbox one refund fails, one succeeds and one waits for a person. */
const REFUNDS_MINOR = [10_022, 4_000, 10_025];

type OrderStatus = 'pending' | 'processing' | 'canceled' | 'failed';

/** The rules of an existing plugin: it verifies the HMAC, and reads nothing but `status`. */
class Plugin {
  readonly orders = new Map<string, OrderStatus>();
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** `isSigned`: the merchant has configured the plugin's own signature header. */
  receive({ rawBody, headers }: ReceivedRequest, isSigned: boolean): void {
    const mac = createHmac('sha256', this.#secret).update(rawBody).digest('hex');
    expect(headers[SIGNATURE_HEADER.toLowerCase()]).toBe(isSigned ? mac : undefined);
    const { paymentIntentUniqueId, status } = JSON.parse(rawBody.toString());
    if (status === 'SUCCESS') {
      // As WooCommerce's `payment_complete`, for an order of any state.
      this.orders.set(paymentIntentUniqueId, 'processing');
    } else if (status === 'FAILED' || status === 'EXPIRED') {
      this.orders.set(paymentIntentUniqueId, 'failed');
    }
  }
}

let scene: Scene;
/** The merchant's only endpoint: the plugin's, or that of the bookkeeping. */
let endpoint: Endpoint;
let plugin: Plugin;

beforeAll(async () => {
  scene = await joinScene('plugin');
  endpoint = scene.server.endpoint();
  const created = await scene.sandbox.call<{ readonly secret: string }>(
    'POST',
    'sandbox/webhook-endpoints',
    { body: { url: endpoint.url, signatureHeader: SIGNATURE_HEADER } },
  );
  plugin = new Plugin(created.body.content.secret);
});

afterAll(() => scene?.close());

/** The requests about a payment, once there are so many. */
async function requestsAbout(
  { requests, ...address }: { readonly hook: Endpoint; readonly requests: number },
  id: string,
): Promise<readonly ReceivedRequest[]> {
  const own = () =>
    address.hook.requests.filter(({ rawBody }) => rawBody.toString().includes(`"${id}"`));
  await address.hook.until(`${requests} requests about ${id}`, () => own().length >= requests);
  return own();
}

test.each([
  ['at an endpoint', { refundEvents: undefined, isCallback: false }],
  ['at the callbackUrl, which knows no refunds', { refundEvents: undefined, isCallback: true }],
  ['at the callbackUrl, which asked for refunds', { refundEvents: true, isCallback: true }],
])(
  'a canceled order stays canceled when it is refunded: a plugin %s',
  async (_name, { refundEvents, isCallback }) => {
    const hook = isCallback ? scene.server.endpoint() : endpoint;
    const id = newId();
    const callbackUrl = isCallback ? hook.url : undefined;
    const order = { paymentIntentUniqueId: id, amount: 250, callbackUrl, refundEvents };
    await scene.sandbox.express(expressBody(order));
    const [paid] = await requestsAbout({ hook, requests: 1 }, id);
    plugin.receive(paid as ReceivedRequest, !isCallback);
    expect(plugin.orders.get(id)).toBe('processing');

    // The shop cancels the order and returns the money.
    plugin.orders.set(id, 'canceled');
    for (const amountMinor of REFUNDS_MINOR) {
      const refund = { paymentIntentUniqueId: id, refundUniqueId: newId(), amountMinor };
      await scene.sandbox.call('POST', 'sandbox/refund', { body: refund });
    }
    const told = isCallback && refundEvents !== true ? endpoint : hook;
    await requestsAbout({ hook: told, requests: told === hook ? 4 : 3 }, id);
    await fence(scene);
    const [, ...later] = await requestsAbout({ hook, requests: 1 }, id);
    expect(later).toHaveLength(told === hook ? 3 : 0);
    for (const request of later) {
      plugin.receive(request, !isCallback);
    }
    expect(plugin.orders.get(id)).toBe('canceled');
  },
);
