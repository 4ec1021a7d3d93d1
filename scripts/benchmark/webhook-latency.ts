import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { formPost, type HttpAnswer, type HttpClient } from '../gateway/http.ts';
import { type CreateRequests, newIndex } from './create-load.ts';

/** Pause between payments, so that the gateway is idle before each event. */
const IDLE_MS = 60;
const ARRIVAL_TIMEOUT_MS = 10_000;

export interface WebhookLatencies {
  /** From sending the customer's approval: includes the commit. */
  readonly sinceApprovalMs: readonly number[];
  /**
   * From the approval's answer, which the gateway sends after the commit; negative when the webhook
   * was faster.
   */
  readonly sinceAnswerMs: readonly number[];
}

/** A merchant's server that accepts every webhook and reports its arrival time. */
export class ArrivalServer {
  readonly #server: Server;
  #arrival = Promise.withResolvers<number>();

  constructor() {
    this.#server = createServer((request, response) => {
      const arrivedAtMs = performance.now();
      request.resume();
      request.on('end', () => {
        response.writeHead(204).end();
        this.#arrival.resolve(arrivedAtMs);
      });
    });
  }

  /** Returns the URL for webhooks. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    // A listening TCP server has an address.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/webhooks`;
  }

  /** Resolves when the next webhook arrives, with the time on this process's clock. */
  nextArrival(): Promise<number> {
    this.#arrival = Promise.withResolvers<number>();
    return this.#arrival.promise;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Pays one hosted payment after another and measures when each event reaches the merchant. */
export async function measureWebhooks(
  payments: number,
  creates: CreateRequests,
  client: HttpClient,
  arrivals: ArrivalServer,
): Promise<WebhookLatencies> {
  const sinceApprovalMs: number[] = [];
  const sinceAnswerMs: number[] = [];
  for (let payment = 0; payment < payments; payment += 1) {
    const created = expectStatus(await client.send(creates(newIndex())), 200);
    const { content }: { content: string } = JSON.parse(created.body);
    const attempt = { method: 'TELE_BIRR', attempts: '0' };
    const chosen = expectStatus(await client.send(formPost(`${content}/attempts`, attempt)), 303);
    const simulatorUrl = new URL(chosen.headers.location ?? '', content).href;
    const action = simulatorUrl.replace('/simulator/', '/rails/simulator/');
    await wait(IDLE_MS);
    const arrival = arrivals.nextArrival();
    const sentAtMs = performance.now();
    expectStatus(await client.send(formPost(action, { outcome: 'approve' })), 303);
    const answeredAtMs = performance.now();
    const arrivedAtMs = await Promise.race([arrival, timeout()]);
    sinceApprovalMs.push(arrivedAtMs - sentAtMs);
    sinceAnswerMs.push(arrivedAtMs - answeredAtMs);
  }
  return { sinceApprovalMs, sinceAnswerMs };
}

async function timeout(): Promise<never> {
  await wait(ARRIVAL_TIMEOUT_MS, undefined, { ref: false });
  throw new Error('No webhook arrived');
}

function expectStatus(answer: HttpAnswer, status: number): HttpAnswer {
  if (answer.status !== status) {
    throw new Error(`Expected ${status}, got ${answer.status} ${answer.body}`);
  }
  return answer;
}
