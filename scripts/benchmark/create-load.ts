import { setTimeout as wait } from 'node:timers/promises';
import { runWorkers } from '../chaos/load.ts';
import type { DemoMerchant } from '../dev/demo-merchant.ts';
import { type HttpClient, type HttpRequest, jsonPost } from '../gateway/http.ts';
import { median, quantile } from './statistics.ts';

/**
 * The projections queue waits a second to fill a batch. Its work must not slow down the next
 * slice.
 */
const REST_MS = 1_300;
const LONG_EXPIRY_SECONDS = 3_600;

/** Returns the request with this number; each one concerns a new object. */
export type CreateRequests = (index: number) => HttpRequest;

export interface Competitor {
  readonly requests: CreateRequests;
  readonly client: HttpClient;
}

export interface Measured {
  /** One for each slice. */
  readonly ratesPerSecond: number[];
  /** One for each request. */
  readonly latenciesMs: number[];
}

export interface Comparison {
  readonly clients: number;
  readonly gateway: Measured;
  readonly bare: Measured;
  /** Gateway rate / bare rate of each round, since a disturbance of the machine slows both. */
  readonly rateRatios: readonly number[];
}

export interface ComparisonOptions {
  readonly clients: number;
  readonly rounds: number;
  readonly sliceMs: number;
}

let lastIndex = 0;

/** Unique within a run. */
export function newIndex(): number {
  lastIndex += 1;
  return lastIndex;
}

/** Measures gateway and bare Worker in turn, slice by slice. */
export async function compare(
  gateway: Competitor,
  bare: Competitor,
  { clients, rounds, sliceMs }: ComparisonOptions,
): Promise<Comparison> {
  const measured = { gateway: emptyMeasured(), bare: emptyMeasured() };
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const gatewayRate = await runSlice(gateway, clients, sliceMs, measured.gateway);
    const bareRate = await runSlice(bare, clients, sliceMs, measured.bare);
    ratios.push(gatewayRate / bareRate);
  }
  return { clients, ...measured, rateRatios: ratios };
}

/** Warms up code and connections, without measuring. */
export async function warmUp(competitor: Competitor, clients: number, ms: number): Promise<void> {
  await runSlice(competitor, clients, ms, emptyMeasured());
}

async function runSlice(
  { requests, client }: Competitor,
  clients: number,
  sliceMs: number,
  measured: Measured,
): Promise<number> {
  await wait(REST_MS);
  const startedAtMs = performance.now();
  let answers = 0;
  await runWorkers(
    clients,
    () => performance.now() - startedAtMs >= sliceMs,
    async () => {
      const sentAtMs = performance.now();
      const answer = await client.send(requests(newIndex()));
      measured.latenciesMs.push(performance.now() - sentAtMs);
      answers += 1;
      if (answer.status !== 200) {
        throw new Error(`A create answered ${answer.status} ${answer.body}`);
      }
    },
  );
  const ratePerSecond = answers / ((performance.now() - startedAtMs) / 1_000);
  measured.ratesPerSecond.push(ratePerSecond);
  return ratePerSecond;
}

function emptyMeasured(): Measured {
  return { ratesPerSecond: [], latenciesMs: [] };
}

/** A typical hosted create: an item, all methods, both URLs. */
export function gatewayCreates(merchant: DemoMerchant, callbackUrl: string): CreateRequests {
  const url = `${merchant.baseUrl}/api/v1/payment/sandbox/intent`;
  return (index) =>
    jsonPost(url, { apiKey: merchant.sandboxApiKey }, createBody(index, callbackUrl));
}

/** Sends the same bytes to the bare Worker, so that both read and store the same amount. */
export function bareCreates(baseUrl: string, callbackUrl: string): CreateRequests {
  return (index) => jsonPost(`${baseUrl}/${index}`, {}, createBody(index, callbackUrl));
}

function createBody(index: number, callbackUrl: string): string {
  return JSON.stringify({
    paymentIntentUniqueId: `benchmark-${index}`,
    currency: 'ETB',
    amount: 150.5,
    items: [{ name: 'Coffee', quantity: 1, type: 'PHYSICAL_PRODUCT', price: 150.5 }],
    methods: [],
    commissionPaidByCustomer: true,
    expireIn: LONG_EXPIRY_SECONDS,
    returnUrl: 'https://shop.example/thanks',
    callbackUrl,
  });
}

/** Rows of a Markdown table. */
export function comparisonRows({ clients, gateway, bare }: Comparison): readonly string[] {
  const row = (name: string, { ratesPerSecond, latenciesMs }: Measured) =>
    `| ${name} | ${clients} | ${median(ratesPerSecond).toFixed(0)} | ` +
    `${quantile(latenciesMs, 0.5).toFixed(1)} | ${quantile(latenciesMs, 0.95).toFixed(1)} | ` +
    `${quantile(latenciesMs, 0.99).toFixed(1)} |`;
  return [row('hosted create', gateway), row('bare Worker', bare)];
}
