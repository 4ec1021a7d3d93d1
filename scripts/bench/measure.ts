import { type BenchCase, CASES, type CaseName } from './cases.ts';
import { untilQuiet } from './cpu.ts';
import type { Load, Side } from './load.ts';
import type { BenchServer } from './server.ts';
import type { Round, Sample } from './statistics.ts';
import type { Budget } from './work.ts';

export interface Servers {
  readonly kefel: BenchServer;
  readonly floor: BenchServer;
}

/** How long and how often to measure. */
export interface Effort {
  /** One measurement of `requests` for each. */
  readonly clients: readonly number[];
  readonly rounds: number;
  /** Of cases with prepared or counted units, which take longer. */
  readonly burstRounds: number;
  readonly sliceMs: number;
  readonly warmUpMs: number;
  readonly isQuick: boolean;
}

export interface Measurement {
  readonly name: CaseName;
  readonly clients: number;
  readonly rounds: readonly Round[];
}

/** The projections queue waits a second to fill a batch, so a second of rest may not be the end. */
export const CONSUMERS_SILENCE_MS = 1_300;
const SILENCE_MS = 150;
const BURST_CLIENTS = 32;
/** Calls for missed events, 200 events each. */
const DELIVERY_CLIENTS = 1;

/** Measures a case with each number of clients. */
export async function* measureCase(
  servers: Servers,
  load: Load,
  name: CaseName,
  effort: Effort,
): AsyncGenerator<Measurement> {
  const measured = new MeasuredCase(servers, load, name, effort);
  if (measured.definition.kind !== 'requests') {
    yield await measured.bursts();
    return;
  }
  await measured.prepare();
  for (const clients of effort.clients) {
    yield await measured.requests(clients);
  }
}

class MeasuredCase {
  readonly definition: BenchCase;
  readonly #servers: Servers;
  readonly #load: Load;
  readonly #name: CaseName;
  readonly #effort: Effort;

  constructor(servers: Servers, load: Load, name: CaseName, effort: Effort) {
    this.definition = CASES[name];
    this.#servers = servers;
    this.#load = load;
    this.#name = name;
    this.#effort = effort;
  }

  async prepare(): Promise<void> {
    await this.#prepareSide('kefel');
    await this.#prepareSide('floor');
  }

  async requests(clients: number): Promise<Measurement> {
    const { rounds, sliceMs, warmUpMs } = this.#effort;
    for (const side of ['kefel', 'floor'] as const) {
      await this.#load.run(side, { clients, stop: { afterMs: warmUpMs } });
    }
    const budget = { clients, stop: { afterMs: sliceMs } };
    return this.#rounds(rounds, clients, (side) => this.#sample(side, budget));
  }

  async bursts(): Promise<Measurement> {
    const isDelivery = this.definition.kind === 'delivery';
    const clients = isDelivery ? DELIVERY_CLIENTS : BURST_CLIENTS;
    const { full, quick } = this.definition.units ?? { full: 0, quick: 0 };
    const burst = async (side: Side, units: number) => {
      const unitsPerSend = await this.#prepareSide(side, units);
      const afterSends = unitsPerSend === 0 ? 0 : units / unitsPerSend;
      return this.#sample(side, { clients, stop: { afterSends } });
    };
    await burst('kefel', quick);
    await burst('floor', quick);
    const { burstRounds, isQuick } = this.#effort;
    return this.#rounds(burstRounds, clients, (side) => burst(side, isQuick ? quick : full));
  }

  async #rounds(
    count: number,
    clients: number,
    sample: (side: Side) => Promise<Sample>,
  ): Promise<Measurement> {
    const rounds: Round[] = [];
    for (let round = 0; round < count; round += 1) {
      // The one that runs second finds a warmer machine, so they take turns.
      if (round % 2 === 0) {
        const kefel = await sample('kefel');
        rounds.push({ kefel, floor: await sample('floor') });
      } else {
        const floor = await sample('floor');
        rounds.push({ kefel: await sample('kefel'), floor });
      }
    }
    return { name: this.#name, clients, rounds };
  }

  async #sample(side: Side, budget: Budget): Promise<Sample> {
    const { processId } = this.#servers[side];
    const silenceMs = this.definition.writes ? CONSUMERS_SILENCE_MS : SILENCE_MS;
    const rowsBefore = await this.#rowsProjected(side);
    const before = await untilQuiet(processId, silenceMs);
    const result = await this.#load.run(side, budget);
    const after = await untilQuiet(processId, silenceMs);
    const rows = (await this.#rowsProjected(side)) - rowsBefore;
    if (this.definition.projected !== undefined && rows !== result.units) {
      throw new Error(`${side}: ${result.units} payments, but ${rows} rows in D1`);
    }
    const elapsedMs =
      this.definition.kind === 'burst' ? after.sinceMs - result.startedAtMs : result.elapsedMs;
    return {
      ratePerSecond: (result.units / elapsedMs) * 1_000,
      cpuMsPerUnit: (after.cpuTimeMs - before.cpuTimeMs) / result.units,
      p50Ms: result.p50Ms,
      p95Ms: result.p95Ms,
    };
  }

  #prepareSide(side: Side, units = 0): Promise<number> {
    return this.#load.prepare(side, this.#servers[side].url, this.#name, units);
  }

  async #rowsProjected(side: Side): Promise<number> {
    const table = this.definition.projected?.[side];
    if (table === undefined) {
      return 0;
    }
    const [row] = await this.#servers[side].query<{ n: number }>(`SELECT count(*) n FROM ${table}`);
    return row?.n ?? 0;
  }
}
