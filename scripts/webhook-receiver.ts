/**
 * `npm run webhooks [-- --port 8799] [--status 200]`: a minimal webhook endpoint of a merchant.
 * Prints every webhook and whether both signatures verify with the demo merchant's keys. `--status
 * 500` shows how the gateway retries failed deliveries.
 */
import { verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { Environment } from '../src/domain/method.ts';
import { credentialsOf, type DemoMerchant, readDemoMerchant } from './dev/demo-merchant.ts';
import { WEBHOOK_RECEIVER_PORT } from './dev/first-steps.ts';

/** The outer JSON of a webhook (docs/decisions.md#17). */
interface ReceivedWebhook {
  readonly webHookEvent: string;
  readonly paymentIntentUniqueId: string;
  readonly status: string;
  readonly environment: Environment;
  readonly signature: string;
  readonly body: string;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: String(WEBHOOK_RECEIVER_PORT) },
      status: { type: 'string', default: '200' },
    },
  });
  const port = Number(values.port);
  const status = Number(values.status);
  if (!Number.isInteger(port) || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new Error('--port takes a port and --status an HTTP status from 200 to 599');
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    console.log(await account(Buffer.concat(chunks).toString('utf8'), request.headers));
    response.writeHead(status).end();
  });
  server.once('error', fail);
  server.listen(port, () => console.log(`Waiting for webhooks on http://localhost:${port}/`));
}

/** A few lines of text about one request. Never throws. */
async function account(rawBody: string, headers: IncomingHttpHeaders): Promise<string> {
  try {
    const merchant = await readDemoMerchant();
    const webhook: ReceivedWebhook = JSON.parse(rawBody);
    const payment: unknown = JSON.parse(webhook.body);
    const { environment } = webhook;
    return `
${webhook.webHookEvent}  ${webhook.paymentIntentUniqueId}  ${webhook.status}  (${environment})
  webhook-id                 ${headers['webhook-id']}
  Standard Webhooks (HMAC)   ${verdict(isStandardWebhook(rawBody, headers, merchant, environment))}
  signature (RSA)            ${verdict(isSignedByRsa(webhook, merchant, environment))}
${indented(payment)}`;
  } catch (error) {
    return `Not a webhook of Kefel: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * The headers sign the raw bytes of the request with a secret that Kefel and the merchant share.
 */
function isStandardWebhook(
  rawBody: string,
  headers: IncomingHttpHeaders,
  merchant: DemoMerchant,
  environment: Environment,
): boolean {
  const secret = credentialsOf(merchant, environment).webhookSecret;
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  try {
    new Webhook(secret).verify(rawBody, signed);
    return true;
  } catch {
    return false;
  }
}

/** `signature` signs the text of `body` with Kefel's private key. */
function isSignedByRsa(
  webhook: ReceivedWebhook,
  merchant: DemoMerchant,
  environment: Environment,
): boolean {
  const signature = Buffer.from(webhook.signature, 'base64');
  const publicKey = merchant.webhookPublicKeys[environment];
  return verify('RSA-SHA256', Buffer.from(webhook.body), publicKey, signature);
}

function verdict(isValid: boolean): string {
  return isValid ? 'valid' : 'NOT VALID: do not trust this';
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^/gm, '  ');
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

try {
  main();
} catch (error) {
  fail(error);
}
