import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { isSignedByRsa, isStandardWebhook } from '../../scripts/gateway/webhook-signatures.ts';
import { listenLocally } from '../harness/local-server.ts';
import { Random } from '../harness/random.ts';
import { contradictionsIn, type Envelope, type ShownEvent } from '../harness/shown.ts';
import type { Observations } from './observations.ts';

const PATH = '/webhooks';
const FAILING_PROBABILITY = 0.06;
const HANGING_PROBABILITY = 0.01;
/** Longer than the gateway waits for an answer. */
const HANG_MS = 20_000;

export interface ReceivedEvent {
  readonly webhookId: string;
  readonly event: string;
  readonly payment: ShownEvent;
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
      const body = await text(request).catch(() => null);
      if (body === null) {
        // The gateway was killed while sending.
        observed.count('webhooks cut off');
        return;
      }
      const chosen = this.#firstChance(this.#receive(body, request.headers));
      if (chosen < HANGING_PROBABILITY) {
        observed.count('webhooks left hanging');
        setTimeout(() => response.destroy(), HANG_MS).unref();
        return;
      }
      const fails = chosen < HANGING_PROBABILITY + FAILING_PROBABILITY;
      if (fails) {
        observed.count('webhooks answered 500');
      }
      response.writeHead(fails ? 500 : 204).end();
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

  /** Returns the event; null for a request that is not authentic. */
  #receive(rawBody: string, headers: IncomingHttpHeaders): ReceivedEvent | null {
    this.#observed.count('webhooks received');
    const webhookId = String(headers['webhook-id']);
    const violation = (what: string) =>
      this.#observed.violation(null, `webhook ${webhookId} ${what}; it was ${rawBody}`);
    try {
      const envelope: Envelope = JSON.parse(rawBody);
      if (!this.#isAuthentic(rawBody, headers, envelope)) {
        throw new Error('a signature is wrong');
      }
      const payment: ShownEvent = JSON.parse(envelope.body);
      const { webHookEvent: event } = envelope;
      const known = this.#events.get(webhookId) ?? {
        ...{ webhookId, event, payment, rawBody, tries: 0 },
      };
      this.#events.set(webhookId, known);
      known.tries += 1;
      if (known.rawBody !== rawBody) {
        violation(`changed: ${known.rawBody}`);
      }
      for (const contradiction of contradictionsIn(envelope)) {
        violation(contradiction);
      }
      return known;
    } catch (error) {
      violation(`is not authentic: ${error}`);
      return null;
    }
  }

  #isAuthentic(rawBody: string, headers: IncomingHttpHeaders, envelope: Envelope): boolean {
    const { test }: ShownEvent = JSON.parse(envelope.body);
    const { sandboxWebhookSecret, productionWebhookSecret, webhookPublicKeys } = this.#merchant;
    return (
      isStandardWebhook(rawBody, headers, test ? sandboxWebhookSecret : productionWebhookSecret) &&
      isSignedByRsa(envelope, webhookPublicKeys[test ? 'sandbox' : 'production'])
    );
  }

  /** Decides about an event's first try; 1, which accepts it, for every other. */
  #firstChance(event: ReceivedEvent | null): number {
    return event?.tries === 1
      ? new Random(this.#seed, 'merchant', event.payment.uniqueId).next()
      : 1;
  }
}
