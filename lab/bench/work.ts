import { setTimeout as wait } from 'node:timers/promises';
import { type HttpAnswer, HttpClient, type HttpRequest } from '../../scripts/gateway/http.ts';
import { quantile } from '../harness/quantile.ts';
import { runWorkers } from '../harness/workers.ts';
import type { Receiver } from './receiver.ts';

/** What the load does to one server in one case. A unit is what the table counts. */
export interface Work {
  /** Sends one request and throws for an unexpected answer. Unused indexes name new payments. */
  readonly send: (index: number) => Promise<unknown>;
  readonly unitsPerSend: number;
  /** One of each unit, beyond what `send` waits for: part of the time, or only of the CPU time. */
  readonly webhooks: 'none' | 'timed' | 'untimed';
  /** Units that were prepared and start by themselves. */
  readonly due: { readonly atMs: number; readonly units: number } | null;
}

export interface Budget {
  readonly clients: number;
  /** The load stops after this time, or after this number of calls of `send`. */
  readonly stop: { readonly afterMs: number } | { readonly afterSends: number };
}

export interface SliceResult {
  readonly units: number;
  /** Until the last answer, or the last webhook. */
  readonly elapsedMs: number;
  /** By Date.now(). */
  readonly startedAtMs: number;
  /** The median latency of the requests; NaN without requests. */
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Does the work and waits for its webhooks. */
export async function runSlice(
  work: Work,
  receiver: Receiver,
  { clients, stop }: Budget,
): Promise<SliceResult> {
  const arrivedBefore = receiver.arrived;
  const latenciesMs: number[] = [];
  const beganAtMs = performance.now();
  const isOver = (sends: number) =>
    'afterSends' in stop ? sends >= stop.afterSends : performance.now() - beganAtMs >= stop.afterMs;
  await runWorkers(clients, isOver, async () => {
    const sentAtMs = performance.now();
    await work.send(newIndex());
    latenciesMs.push(performance.now() - sentAtMs);
  });
  const units = latenciesMs.length * work.unitsPerSend + (work.due?.units ?? 0);
  if (work.due !== null) {
    // The receiver's patience is for webhooks that are due.
    await wait(Math.max(0, work.due.atMs - Date.now()));
  }
  const answeredAtMs = performance.now();
  if (work.webhooks !== 'none') {
    await receiver.untilArrived(arrivedBefore + units);
  }
  const endedAtMs = work.webhooks === 'timed' ? performance.now() : answeredAtMs;
  const elapsedMs = endedAtMs - beganAtMs;
  const startedAtMs = performance.timeOrigin + beganAtMs;
  // Time before the work was due is not the server's.
  const waitedMs = work.due === null ? 0 : work.due.atMs - startedAtMs;
  if (waitedMs < 0) {
    throw new Error('the prepared work began before the measurement');
  }
  return {
    units,
    elapsedMs: elapsedMs - waitedMs,
    startedAtMs: startedAtMs + waitedMs,
    p50Ms: quantile(latenciesMs, 0.5),
    p95Ms: quantile(latenciesMs, 0.95),
  };
}

/** As many connections as clients, so that none of them waits for another. */
const CONNECTIONS_MAX = 64;
const client = new HttpClient(CONNECTIONS_MAX);

export async function expectAnswer(request: HttpRequest, status: number): Promise<HttpAnswer> {
  const answer = await client.send(request);
  if (answer.status !== status) {
    throw new Error(
      `${request.method} ${request.url}: expected ${status}, got ${answer.status} ${answer.body}`,
    );
  }
  return answer;
}

let lastIndex = 0;

/** Unique within this process. */
function newIndex(): number {
  lastIndex += 1;
  return lastIndex;
}

/** Work of one request a unit. */
export function requests(
  status: number,
  request: (index: number) => HttpRequest,
  webhooks: Work['webhooks'] = 'none',
): Work {
  return {
    send: (index) => expectAnswer(request(index), status),
    unitsPerSend: 1,
    webhooks,
    due: null,
  };
}

const PREPARING_CLIENTS = 16;
/** What a reading round reads in turn, each in an object of its own. */
const OBJECTS_READ = 200;

/** Sends this many requests that are not measured. */
export async function prepareMany<Result>(
  count: number,
  send: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  await runWorkers(
    PREPARING_CLIENTS,
    (sends) => sends >= count,
    async () => {
      results.push(await send(newIndex()));
    },
  );
  return results;
}

/** Work on things that are prepared before, in turn. */
export async function reading<Item>(
  status: number,
  prepare: (index: number) => Promise<Item>,
  request: (item: Item) => HttpRequest,
): Promise<Work> {
  const next = inTurn(await prepareMany(OBJECTS_READ, prepare));
  return requests(status, (index) => request(next(index)));
}

function inTurn<Item>(items: readonly Item[]): (index: number) => Item {
  return (index) => {
    const item = items[index % items.length];
    if (item === undefined) {
      throw new Error('nothing was prepared');
    }
    return item;
  };
}

/** Work on a list, with more rows than it shows. */
export async function listing(
  create: (index: number) => HttpRequest,
  list: HttpRequest,
): Promise<Work> {
  await prepareMany(OBJECTS_READ, (index) => expectAnswer(create(index), 200));
  return requests(200, () => list);
}

/** Prepared units. One request completes a unit and waits for the unit's webhook, too. */
export async function completing(
  receiver: Receiver,
  units: number,
  status: number,
  prepare: (index: number) => Promise<{ readonly id: string; readonly request: HttpRequest }>,
): Promise<Work> {
  const next = inTurn(await prepareMany(units, prepare));
  const send = (index: number) => {
    const { id, request } = next(index);
    return Promise.all([receiver.untilArrivalOf(id), expectAnswer(request, status)]);
  };
  return { send, unitsPerSend: 1, webhooks: 'none', due: null };
}

const PACE_UNITS = 100;
const STORM_MARGIN_MS = 6_000;

/**
 * Units that start by themselves in the same second. `create` makes one that is due then, or one that
 * is not measured: a few of these tell how fast all can be prepared, also on a slow disk.
 */
export async function storm(
  units: number,
  create: (index: number, dueAtMs: number | null) => HttpRequest,
): Promise<Work> {
  const prepare = (count: number, dueAtMs: number | null) =>
    prepareMany(count, (index) => expectAnswer(create(index, dueAtMs), 200));
  const beganAtMs = performance.now();
  await prepare(PACE_UNITS, null);
  const expectedMs = ((performance.now() - beganAtMs) / PACE_UNITS) * units;
  const atMs = Math.ceil((Date.now() + 2 * expectedMs + STORM_MARGIN_MS) / 1_000) * 1_000;
  await prepare(units, atMs);
  const due = { atMs, units };
  return { send: async () => undefined, unitsPerSend: 0, webhooks: 'timed', due };
}
