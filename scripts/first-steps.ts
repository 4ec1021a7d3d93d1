import { METHODS_BY_PROMPT } from '../src/domain/method.ts';
import type { DemoMerchant } from './demo-merchant.ts';
import type { StandIns } from './stand-ins/start-all.ts';

/** Where `npm run webhooks` listens unless told otherwise. */
export const WEBHOOK_RECEIVER_PORT = 8799;

/**
 * What to try on a gateway that just started: every command works when pasted. `joinUrl` makes an
 * owner of whoever opens it first.
 */
export function firstSteps(merchant: DemoMerchant, joinUrl: string): string {
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

4. See it all in the merchant's dashboard. This link makes you an owner, with a passkey of this
   browser; it works once, and each \`npm run dev\` prints a new one. Later, sign in at
   ${merchant.baseUrl}/dashboard

  ${joinUrl}

5. Be the operator: \`npm run operator -- --help\`, and a desk at ${merchant.baseUrl}/operator
   (any name; the password is OPERATOR_SECRETS in .dev.vars).
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

/** Where somebody plays the customer of the methods that prompt a phone. */
export function productionSteps({ byMethod }: StandIns): string {
  const phones = METHODS_BY_PROMPT.map(
    (method) => `  ${method.padEnd(16)} ${byMethod[method].baseUrl}/`,
  );
  return `Production pays through stand-ins for the six rails, which take no money. Use the production key
and /api/v1/payment/intent; the "phones" of the methods that prompt one are at:

${phones.join('\n')}
`;
}
