import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  type QueueResult,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { type Mock, vi } from 'vitest';
import type { ResultMessage } from '../../../src/engine/attempts/provider-reports.ts';
import type { ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import type {
  ClaimedDelivery,
  DeliveryMessage,
  DeliveryReport,
} from '../../../src/engine/intent/protocol.ts';
import { bytesFromBase64, utf8 } from '../../../src/kit/crypto/encoding.ts';
import worker from '../../support/gateway.ts';
import { answerOf, call } from './api.ts';
import { type CaughtMessages, reportsAreSent } from './gateway.ts';
import { clientOf } from './payment-object.ts';

type MessageBody = DeliveryMessage | ResultMessage;

export type QueueName = 'kefel-webhooks' | 'kefel-webhook-retries' | 'kefel-provider-reports';

/** Delivers messages to the Worker's consumer in one batch and waits until all its work is done. */
export async function consume(
  queue: QueueName,
  bodies: readonly MessageBody[],
  bindings: Env = env,
  attempts = 1,
): Promise<QueueResult> {
  const messages = bodies.map((body, index) => ({
    id: `message-${index}`,
    timestamp: new Date(),
    attempts,
    body,
  }));
  const batch = createMessageBatch<MessageBody>(queue, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, bindings, ctx);
  return getQueueResult(batch, ctx);
}

/** Counts the rows that batches write to D1 since the last take, including indexes and triggers. */
export function countDatabaseRows(): { take(): number } {
  let written = 0;
  const batch = env.DB.batch.bind(env.DB);
  vi.spyOn(env.DB, 'batch').mockImplementation(async <Row>(statements: D1PreparedStatement[]) => {
    const results = await batch<Row>(statements);
    written += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
    return results;
  });
  return {
    take: () => {
      const taken = written;
      written = 0;
      return taken;
    },
  };
}

/** The result of a batch of this many messages, for every way in which the consumer reports it. */
export function fateOf(result: QueueResult, messages: number): 'acked' | 'retried' | 'mixed' {
  const acked = result.ackAll ? messages : result.explicitAcks.length;
  const retried = result.retryBatch.retry ? messages : result.retryMessages.length;
  if (acked === messages && retried === 0) {
    return 'acked';
  }
  return retried === messages && acked === 0 ? 'retried' : 'mixed';
}

/** Waits until the books have what the payments have sent. Takes the messages. */
export async function booksAreFed(caught: CaughtMessages): Promise<ProjectionMessage[]> {
  await reportsAreSent();
  return caught.projections.splice(0);
}

/** Delivers all caught messages, and waits until the books show it. */
export async function consumeAll(caught: CaughtMessages): Promise<void> {
  await reportsAreSent();
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await consume('kefel-webhook-retries', caught.retries.splice(0));
  await booksAreFed(caught);
}

/** A webhook as it arrived. */
export interface Arrival {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly event: {
    readonly webHookEvent: string;
    readonly paymentIntentUniqueId: string;
    readonly status: string;
    readonly signature: string;
    readonly body: string;
  };
}

/** Whether this secret made one of the signatures of Standard Webhooks. */
export function isSignedBy(secret: string | undefined, arrival: Arrival | undefined): boolean {
  try {
    const headers = Object.fromEntries(arrival?.headers ?? []);
    new Webhook(secret ?? '').verify(arrival?.text ?? '', headers);
    return true;
  } catch {
    return false;
  }
}

/** The merchant's server: `answer` may throw like a broken connection. Returns what arrives. */
export function merchantServer(
  answer: (arrival: Arrival) => Response | Promise<Response> = () => new Response('ok'),
): Arrival[] {
  const arrivals: Arrival[] = [];
  const fetcher: Mock<typeof fetch> = vi.spyOn(globalThis, 'fetch');
  fetcher.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const { url, headers } = request;
    const arrival = { url, headers, text, event: JSON.parse(text) };
    arrivals.push(arrival);
    return answer(arrival);
  });
  return arrivals;
}

/** The payment inside an event. */
export function paymentIn(arrival: Arrival): Record<string, unknown> {
  return JSON.parse(arrival.event.body);
}

export async function claim(sequence: number, uniqueId = 'order-1'): Promise<ClaimedDelivery> {
  const result = await clientOf(uniqueId).claimDelivery({ sequence, position: 0 });
  if (result.type === 'refused') {
    throw new Error(`event ${sequence} could not be claimed`);
  }
  return result.delivery;
}

export function report(
  sequence: number,
  claimId: string,
  outcome: DeliveryReport['outcome'],
  uniqueId = 'order-1',
): Promise<void> {
  const log = { atMs: Date.now(), durationMs: 1, httpStatus: null, error: null, answerExcerpt: '' };
  return clientOf(uniqueId).reportDelivery({ sequence, position: 0, claimId, outcome, log });
}

/** The first of what was sent or has arrived; throws when there is nothing. */
export function firstOf<Sent>([first]: readonly Sent[]): Sent {
  if (first === undefined) {
    throw new Error('nothing was sent');
  }
  return first;
}

export interface WebhookKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly retiredAt: string | null;
}

/** The keys that a Worker with these bindings publishes. */
export async function webhookKeys(bindings: Env = env): Promise<WebhookKey[]> {
  const path = '/api/v1/payment/sandbox/webhook-keys';
  const { envelope } = await answerOf(call(path, { apiKey: null, bindings }));
  return envelope.content as WebhookKey[];
}

export function spkiOf({ publicKey }: WebhookKey): string {
  return publicKey.replaceAll(/-----[A-Z ]+-----|\s/g, '');
}

/** Whether one of the published keys verifies the RSA signature over `body`. */
export async function isGenuine(
  { event }: Arrival,
  keys?: readonly WebhookKey[],
): Promise<boolean> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  for (const published of keys ?? (await webhookKeys())) {
    const spki = bytesFromBase64(spkiOf(published));
    const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
    const signature = bytesFromBase64(event.signature);
    if (await crypto.subtle.verify(algorithm.name, key, signature, utf8(event.body))) {
      return true;
    }
  }
  return false;
}
