import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { jsonPost } from '../../scripts/gateway/http.ts';
import type { OwnGateway } from '../../scripts/gateway/own-gateway.ts';
import { checkout as english } from '../../src/i18n/en.ts';

/**
 * Creates a typical hosted payment of the demo merchant: items, all methods, commission paid by the
 * customer. Returns the URL of its page.
 */
export async function createDemoPayment(
  { merchant, client }: OwnGateway,
  expireInSeconds: number,
): Promise<string> {
  const body = JSON.stringify({
    paymentIntentUniqueId: `demo-${randomUUID()}`,
    currency: 'ETB',
    items: [
      { name: 'Yirgacheffe coffee, 1 kg', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 450 },
      { name: 'Clay coffee pot', quantity: 1, type: 'PHYSICAL_PRODUCT', price: 600 },
    ],
    methods: [],
    commissionPaidByCustomer: true,
    expireIn: expireInSeconds,
    returnUrl: 'https://shop.example/thanks',
  });
  const url = `${merchant.baseUrl}/api/v1/payment/sandbox/intent`;
  const answer = await client.send(jsonPost(url, { apiKey: merchant.sandboxApiKey }, body));
  if (answer.status !== 200) {
    throw new Error(`The create answered ${answer.status} ${answer.body}`);
  }
  const { content }: { content: string } = JSON.parse(answer.body);
  return content;
}

/** Chooses telebirr on the payment's page, which must be in English. */
export async function chooseTelebirr(page: Page): Promise<void> {
  await page.getByText(english.methodName.TELE_BIRR, { exact: true }).click();
}

/** After `chooseTelebirr`: pays through the pages until the receipt, as a customer does. */
export async function payToReceipt(page: Page): Promise<void> {
  await page.locator('form.choose button[type=submit]').click();
  await page.getByRole('button', { name: english.simulatorApprove }).click();
  await page.getByRole('heading', { name: english.paidTitle }).waitFor();
}
