/**
 * `npm run webhooks`: a minimal webhook endpoint of a merchant. Prints every webhook, whether both
 * signatures verify with the demo merchant's keys, whether the event is this merchant's, and what it
 * answered. `--help` lists the options.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import type { Environment } from '../src/kit/tenant.ts';
import { credentialsOf, readDemoMerchant } from './dev/demo-merchant.ts';
import { WEBHOOK_RECEIVER_PORT } from './dev/first-steps.ts';
import { expectFreePort } from './dev/ports.ts';
import { isSignedByRsa, isStandardWebhook } from './gateway/webhook-signatures.ts';
import { numberOption, runScript } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run webhooks',
  about: `Prints every webhook, whether both signatures verify with the demo merchant's keys, and
whether the event is the demo merchant's.
Name it in a payment: "callbackUrl": "http://localhost:${WEBHOOK_RECEIVER_PORT}/webhooks"`,
  options: {
    port: numberOption('PORT', 'where it listens', WEBHOOK_RECEIVER_PORT, 1, 65_535),
    status: {
      ...numberOption('STATUS', '', 200, 200, 599),
      about: 'what it answers (default: 200); 500 shows how the gateway retries',
    },
    secret: {
      value: 'SECRET',
      about: "the secret of an endpoint, whsec_…, beside the demo merchant's; can be repeated",
      isRepeatable: true as const,
      read: (_text: string | undefined, name: string, secrets: readonly string[]) => {
        if (!secrets.every((secret) => secret.startsWith('whsec_'))) {
          throw new Error(`--${name} takes a secret that starts with whsec_`);
        }
        return secrets;
      },
    },
  },
};

const UNTRUSTED = 'do not trust this';
const OTHER_SECRET = 'signed with another secret; name the one of an endpoint by --secret';

/** The outer JSON of a webhook (docs/decisions.md#17). */
interface ReceivedWebhook {
  readonly webHookEvent: string;
  readonly paymentIntentUniqueId: string;
  readonly status: string;
  readonly environment: Environment;
  readonly signature: string;
  readonly body: string;
}

/** What the script reads of the JSON text in `body`. */
interface ReceivedPayment {
  readonly merchantId?: string;
  readonly environment?: Environment;
}

await runScript(SCRIPT, async ({ port, status, secret: endpointSecrets }) => {
  await expectFreePort(port, SCRIPT.usage);
  /** The tries of each `webhook-id`, which stays the same when Kefel retries. */
  const tries = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const rawBody = await bodyOf(request);
    const text = await account(rawBody, request.headers, endpointSecrets);
    response.writeHead(status).end();
    const webhookId = String(request.headers['webhook-id']);
    const tryNumber = (tries.get(webhookId) ?? 0) + 1;
    tries.set(webhookId, tryNumber);
    console.log(`${text}\n  answered                   ${status}, to try ${tryNumber}`);
  });
  await once(server.listen(port), 'listening');
  console.log(`Waiting for webhooks on http://localhost:${port}/`);
});

/** A few lines of text about one request. Never throws. */
async function account(
  rawBody: string,
  headers: IncomingHttpHeaders,
  endpointSecrets: readonly string[],
): Promise<string> {
  try {
    const merchant = await readDemoMerchant();
    const webhook: ReceivedWebhook = JSON.parse(rawBody);
    const payment: ReceivedPayment = JSON.parse(webhook.body);
    const { environment } = webhook;
    const secrets = [credentialsOf(merchant, environment).webhookSecret, ...endpointSecrets];
    const isSigned = isSignedByRsa(webhook, merchant.webhookPublicKeys[environment]);
    const hasSecret = secrets.some((secret) => isStandardWebhook(rawBody, headers, secret));
    // The demo merchant takes events of both environments, each by its own keys. For an event from
    // before these names, the secret alone proves whose it is.
    const named = {
      ...(hasSecret && { merchantId: merchant.merchantId, environment }),
      ...payment,
    };
    const isOurs = named.merchantId === merchant.merchantId && named.environment === environment;
    return `
${webhook.webHookEvent}  ${webhook.paymentIntentUniqueId}  ${webhook.status}  (${environment})
  webhook-id                 ${headers['webhook-id']}
  Standard Webhooks (HMAC)   ${verdict(hasSecret, isSigned ? OTHER_SECRET : UNTRUSTED)}
  signature (RSA)            ${verdict(isSigned, UNTRUSTED)}
  merchant and environment   ${verdict(isOurs, UNTRUSTED)}
${indented(payment)}`;
  } catch (error) {
    return `Not a webhook of Kefel: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function verdict(isValid: boolean, warning: string): string {
  return isValid ? 'valid' : `NOT VALID: ${warning}`;
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^/gm, '  ');
}
