import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type HostedPaymentRequest, Kefel } from '../../clients/typescript/kefel.ts';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { checkout as english } from '../../src/engine/i18n/en.ts';

/** 1,500.00 in all. */
export const DEMO_ITEMS: NonNullable<HostedPaymentRequest['items']> = [
  { name: 'Yirgacheffe coffee, 1 kg', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 450 },
  { name: 'Clay coffee pot', quantity: 1, type: 'PHYSICAL_PRODUCT', price: 600 },
];

/**
 * Creates a typical hosted payment of the demo merchant: items, all methods, commission paid by the
 * customer. Returns the URL of its page.
 */
export async function createDemoPayment(
  { baseUrl, sandboxApiKey: apiKey }: DemoMerchant,
  expireInSeconds: number,
): Promise<string> {
  const { checkoutUrl } = await new Kefel({ baseUrl, apiKey }).payments.create({
    paymentIntentUniqueId: `demo-${randomUUID()}`,
    currency: 'ETB',
    items: DEMO_ITEMS,
    methods: [],
    commissionPaidByCustomer: true,
    expireIn: expireInSeconds,
    returnUrl: 'https://shop.example/thanks',
  });
  return checkoutUrl;
}

/** Chooses telebirr on the payment's page. */
export async function chooseTelebirr(page: Page): Promise<void> {
  await page.locator('label:has([value=TELE_BIRR])').click();
}

/** After `chooseTelebirr`: comes to the simulator's page, which stands in for telebirr's. */
export async function openSimulator(page: Page): Promise<void> {
  await page.locator('form.choose button[type=submit]').click();
  await page.getByRole('button', { name: english.simulatorApprove }).waitFor();
}

/** On the simulator's page, in English: pays, as a customer does, until the receipt. */
export async function payToReceipt(page: Page): Promise<void> {
  await page.getByRole('button', { name: english.simulatorApprove }).click();
  await page.getByRole('heading', { name: english.paidTitle }).waitFor();
}
