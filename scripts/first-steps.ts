import type { DemoMerchant } from './demo-merchant.ts';

/** Where `npm run webhooks` listens unless told otherwise. */
export const WEBHOOK_RECEIVER_PORT = 8799;

/** What to try on a gateway that just started: every command works when pasted. */
export function firstSteps(merchant: DemoMerchant): string {
  return `
Kefel answers on ${merchant.baseUrl} with a demo merchant. Sandbox payments move no money.

  Sandbox key      ${merchant.sandboxApiKey}
  Production key   ${merchant.productionApiKey}
  Webhook secret   ${merchant.sandboxWebhookSecret}
  All of it        .wrangler/demo-merchant.json

1. See webhooks arrive, in a second terminal:

  npm run webhooks

2. Create a payment, in a third; the answer's "content" is the page where the customer pays:

${paymentCurl(merchant)}

3. Open that address, choose a method and approve: the webhook follows at once.
`;
}

/** Creates a payment; the id is new each second, so that the command can be repeated. */
function paymentCurl(merchant: DemoMerchant): string {
  const callbackUrl = `http://localhost:${WEBHOOK_RECEIVER_PORT}/webhooks`;
  return `  curl ${merchant.baseUrl}/api/v1/payment/sandbox/intent \\
    -H 'apiKey: ${merchant.sandboxApiKey}' -H 'content-type: application/json' \\
    -d '{"paymentIntentUniqueId":"order-'$(date +%s)'","currency":"ETB","amount":150.5,
         "items":[{"name":"Yirgacheffe coffee","quantity":1,"type":"PHYSICAL_PRODUCT","price":150.5}],
         "methods":[],"commissionPaidByCustomer":true,"expireIn":3600,
         "returnUrl":"https://example.com/thanks","callbackUrl":"${callbackUrl}"}'`;
}
