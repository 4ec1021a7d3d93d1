import type { StandIns } from '../stand-ins/start-all.ts';
import type { TelegramStandIn } from '../stand-ins/telegram.ts';
import type { DemoMerchant } from './demo-merchant.ts';
import { LOCAL_OPERATORS, personalSecret } from './local-secrets.ts';
import type { Prepared } from './prepare.ts';

/** Where `npm run webhooks` listens by default. */
export const WEBHOOK_RECEIVER_PORT = 8799;

/** What runs on this machine and what to try first. Every command works when pasted. */
export function firstSteps({
  secrets,
  merchant,
  joinUrl,
  standIns,
  telegram,
  isPublished,
}: Prepared & {
  readonly joinUrl: string;
  readonly standIns: StandIns | null;
  readonly telegram: TelegramStandIn | null;
  /** Whether `demo-merchant.json` names this gateway, so that scripts find it. */
  readonly isPublished: boolean;
}): string {
  const { baseUrl, merchantId, sandboxApiKey } = merchant;
  const [operatorSecret] = secrets.OPERATOR_SECRETS.split(',');
  return `
Kefel runs on ${baseUrl}/ and moves no money. Ctrl-C stops it.

  Merchant    ${merchantId}, the merchantId of its webhooks
  API key     ${sandboxApiKey}
              for the sandbox; .wrangler/demo-merchant.json has all keys and webhook secrets
  Docs        ${baseUrl}/docs/quick-start
  Dashboard   ${joinUrl}
              works once and makes you an owner; later, sign in at ${baseUrl}/dashboard
  Operator    ${baseUrl}/operator
              the operator secret ${operatorSecret}
${proved(secrets.OPERATOR_SECRETS)}              in a terminal: npm run operator -- health${isPublished ? '' : ` --url ${baseUrl}`}
${standIns === null ? '' : `  Phones      ${standIns.phonesUrl} prompts of telebirr USSD, M-PESA and eBirr, in production\n`}${telegram === null ? '' : `  Telegram    ${telegram.url} the chat for messages, once you connect it under Notifications\n`}
Run \`npm run webhooks\` in a second terminal, create a payment and open the address in the answer:

${paymentCurl(merchant)}
`;
}

/** The people under whose proved names a developer records production payments by hand. */
function proved(operatorSecrets: string): string {
  return LOCAL_OPERATORS.flatMap((person) => {
    const secret = personalSecret(operatorSecrets, person);
    return secret === undefined ? [] : `              ${person}, with a proved name: ${secret}\n`;
  }).join('');
}

/** Creates a payment; the id is new each second, so that the command can be repeated. */
function paymentCurl({ baseUrl, sandboxApiKey }: DemoMerchant): string {
  const callbackUrl = `http://localhost:${WEBHOOK_RECEIVER_PORT}/webhooks`;
  return `  curl ${baseUrl}/api/v1/payment/sandbox/intent \\
    -H 'apiKey: ${sandboxApiKey}' -H 'content-type: application/json' \\
    -d '{"paymentIntentUniqueId":"order-'$(date +%s)'","currency":"ETB","amount":150,
         "items":[{"name":"Yirgacheffe coffee","quantity":1,"type":"PHYSICAL_PRODUCT","price":150}],
         "methods":[],"commissionPaidByCustomer":true,"expireIn":3600,
         "returnUrl":"https://example.com/thanks","callbackUrl":"${callbackUrl}"}'`;
}
