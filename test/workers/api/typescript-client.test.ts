import { exports } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { Kefel, verifyWebhook } from '../../../clients/typescript/kefel.ts';
import {
  ALPHA,
  chooseMethod,
  consumeAll,
  merchantServer,
  ORIGIN,
  simulate,
  useGateway,
} from '../support.ts';

/** Goal: the TypeScript client also works in workerd, for a merchant whose shop is a Worker. */

const caught = useGateway();

const kefel = new Kefel({
  apiKey: ALPHA.apiKeys.sandbox,
  baseUrl: ORIGIN,
  fetch: (input, init) => exports.default.fetch(new Request(input, init)),
});

test('creates and reads a payment, and verifies its webhook', async () => {
  const { checkoutUrl } = await kefel.payments.create({
    paymentIntentUniqueId: 'order-1',
    currency: 'ETB',
    amount: 100.5,
    methods: [],
    commissionPaidByCustomer: false,
    expireIn: 3_600,
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: 'https://shop.example.com/hook',
  });
  const [webhook, ...others] = await paid(checkoutUrl);
  expect(others).toEqual([]);
  expect(webhook).toMatchObject({
    type: 'PAYMENT_SUCCESS',
    environment: 'sandbox',
    payment: { uniqueId: 'order-1', totalAmount: 10_050 },
  });
  expect(await kefel.payments.get('order-1')).toMatchObject({ status: 'SUCCESS' });
});

/** Pays by the pages. Returns the webhooks that arrive. */
async function paid(checkoutUrl: string) {
  const arrivals = merchantServer();
  await simulate(await chooseMethod(checkoutUrl), 'approve');
  await consumeAll(caught);
  const expected = { merchantId: ALPHA.id, environment: 'sandbox' } as const;
  return Promise.all(
    arrivals.map(({ text, headers }) =>
      verifyWebhook(text, headers, ALPHA.webhookSecret, expected),
    ),
  );
}
