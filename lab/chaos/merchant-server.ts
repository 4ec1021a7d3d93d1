import { verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { listenLocally } from '../harness/local-server.ts';
import { Random } from '../harness/random.ts';
import type { Observations } from './observations.ts';

const PATH = '/webhooks';
const FAILING_PROBABILITY = 0.06;
const HANGING_PROBABILITY = 0.01;
/** Longer than the gateway waits for an answer. */
const HANG_MS = 20_000;

/** The envelope of a webhook (docs/decisions.md#17). */
interface Envelope {
  readonly webHookEvent: string;
  readonly paymentIntentUniqueId: string;
  readonly status: string;
  readonly signature: string;
  readonly body: string;
}

/** The checked part of `body`. */
interface Payment {
  readonly uniqueId: string;
  readonly event: string;
  readonly status: string;
  readonly totalAmount: number;
  readonly currency: string;
  readonly test: boolean;
  readonly refund?: { readonly refundUniqueId: string; readonly status: string };
}

/** The status of an envelope with this payment, by which many receivers act. */
function envelopeStatus({ status, refund }: Payment): string {
  if (refund === undefined) {
    return status;
  }
  return refund.status === 'SUCCESS' ? 'REFUNDED' : `REFUND_${refund.status}`;
}

export interface ReceivedEvent {
  readonly webhookId: string;
  readonly event: string;
  readonly status: string;
  readonly payment: Payment;
  /** Every retry must send the same bytes. */
  readonly rawBody: string;
  tries: number;
}

/**
 * The merchant's webhook endpoint on loopback. It accepts only webhooks with both valid signatures,
 * and fails at most once per event, because the third try would come minutes later.
 */
export class MerchantServer {
  readonly #server: Server;
  readonly #merchant: DemoMerchant;
  readonly #observed: Observations;
  readonly #seed: number;
  /** By webhook-id. */
  readonly #events = new Map<string, ReceivedEvent>();

  constructor(merchant: DemoMerchant, observed: Observations, seed: number) {
    this.#merchant = merchant;
    this.#observed = observed;
    this.#seed = seed;
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) {
          chunks.push(chunk);
        }
      } catch {
        // The gateway was killed while sending.
        observed.count('webhooks cut off');
        return;
      }
      const tries = this.#receive(Buffer.concat(chunks).toString('utf8'), request.headers);
      switch (this.#behavior(request.headers, tries)) {
        case 'accepting':
          response.writeHead(204).end();
          break;
        case 'failing':
          observed.count('webhooks answered 500');
          response.writeHead(500).end();
          break;
        case 'hanging':
          observed.count('webhooks left hanging');
          setTimeout(() => response.destroy(), HANG_MS).unref();
      }
    });
  }

  /** Returns the URL for webhooks. */
  async listen(): Promise<string> {
    return (await listenLocally(this.#server)) + PATH;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The verified events by payment. */
  eventsByPayment(): ReadonlyMap<string, readonly ReceivedEvent[]> {
    return Map.groupBy(this.#events.values(), (event) => event.payment.uniqueId);
  }

  /** Returns how often this event has arrived; 0 for a request that is not authentic. */
  #receive(rawBody: string, headers: IncomingHttpHeaders): number {
    this.#observed.count('webhooks received');
    try {
      const envelope = this.#verified(rawBody, headers);
      return this.#remember(String(headers['webhook-id']), envelope, rawBody);
    } catch (error) {
      this.#observed.violation(
        null,
        `webhook ${headers['webhook-id']} is not authentic: ${error}; it was ${rawBody}`,
      );
      return 0;
    }
  }

  #verified(rawBody: string, headers: IncomingHttpHeaders): Envelope {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    const envelope: Envelope = JSON.parse(rawBody);
    const { test }: Payment = JSON.parse(envelope.body);
    const { sandboxWebhookSecret, productionWebhookSecret, webhookPublicKeys } = this.#merchant;
    new Webhook(test ? sandboxWebhookSecret : productionWebhookSecret).verify(rawBody, signed);
    const signature = Buffer.from(envelope.signature, 'base64');
    const publicKey = webhookPublicKeys[test ? 'sandbox' : 'production'];
    if (!verify('RSA-SHA256', Buffer.from(envelope.body), publicKey, signature)) {
      throw new Error('The RSA signature is invalid');
    }
    return envelope;
  }

  #remember(webhookId: string, envelope: Envelope, rawBody: string): number {
    const known = this.#events.get(webhookId);
    if (known !== undefined) {
      if (known.rawBody !== rawBody) {
        this.#observed.violation(
          null,
          `webhook ${webhookId} changed: ${known.rawBody} / ${rawBody}`,
        );
      }
      known.tries += 1;
      return known.tries;
    }
    const payment: Payment = JSON.parse(envelope.body);
    if (
      payment.uniqueId !== envelope.paymentIntentUniqueId ||
      payment.event !== envelope.webHookEvent ||
      envelopeStatus(payment) !== envelope.status
    ) {
      this.#observed.violation(null, `webhook ${webhookId} contradicts its own body: ${rawBody}`);
    }
    const { webHookEvent: event, status } = envelope;
    this.#events.set(webhookId, { webhookId, event, status, payment, rawBody, tries: 1 });
    return 1;
  }

  #behavior(headers: IncomingHttpHeaders, tries: number): 'accepting' | 'failing' | 'hanging' {
    if (tries !== 1) {
      return 'accepting';
    }
    const event = this.#events.get(String(headers['webhook-id']));
    const chosen = new Random(this.#seed, 'merchant', event?.payment.uniqueId ?? '').next();
    if (chosen < HANGING_PROBABILITY) {
      return 'hanging';
    }
    return chosen < HANGING_PROBABILITY + FAILING_PROBABILITY ? 'failing' : 'accepting';
  }
}
