import { setTimeout as wait } from 'node:timers/promises';
import { untilQuiet } from '../harness/cpu.ts';
import type { LoadedServer } from '../harness/worker-server.ts';
import { type BenchCase, CASES, type CaseName } from './cases.ts';
import type { Load, Side } from './load.ts';
import type { Round, Sample } from './statistics.ts';
import type { Budget } from './work.ts';

export interface Contender {
  readonly side: Side;
  readonly server: LoadedServer;
}

/** Kefel and what it is compared with. */
export interface Contenders {
  readonly kefel: Contender;
  readonly baseline: Contender;
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
/** workerd closes the files of an object that nobody has called for 10 s. */
export const OBJECT_IDLE_MS = 12_000;
const BURST_CLIENTS = 32;
/** Calls for missed events, 200 events each. */
const DELIVERY_CLIENTS = 1;

/** Measures a case with each number of clients. */
export async function* measureCase(
  contenders: Contenders,
  load: Load,
  name: CaseName,
  effort: Effort,
): AsyncGenerator<Measurement> {
  const measured = new MeasuredCase(contenders, load, name, effort);
  if (CASES[name].kind !== 'requests') {
    yield await measured.bursts();
    return;
  }
  const { clientsMax = Number.POSITIVE_INFINITY } = CASES[name];
  const allowed = effort.clients.filter((clients) => clients <= clientsMax);
  if (allowed.length > 0) {
    await measured.prepare();
  }
  for (const clients of allowed) {
    yield await measured.requests(clients);
  }
}

class MeasuredCase {
  readonly #contenders: Contenders;
  readonly #load: Load;
  readonly #name: CaseName;
  readonly #effort: Effort;

  constructor(contenders: Contenders, load: Load, name: CaseName, effort: Effort) {
    this.#contenders = contenders;
    this.#load = load;
    this.#name = name;
    this.#effort = effort;
  }

  async prepare(): Promise<void> {
    if (this.#case.clientsMax !== undefined) {
      await wait(OBJECT_IDLE_MS);
    }
    for (const contender of this.#both) {
      await this.#prepareUnits(contender, 0);
      await untilQuiet(contender.server, CONSUMERS_SILENCE_MS);
    }
  }

  async requests(clients: number): Promise<Measurement> {
    const { rounds, sliceMs, warmUpMs } = this.#effort;
    for (const { side, server } of this.#both) {
      await this.#load.run(side, { clients, stop: { afterMs: warmUpMs } });
      await untilQuiet(server, this.#silenceMs);
    }
    const budget = { clients, stop: { afterMs: sliceMs } };
    return this.#rounds(rounds, clients, (contender) => this.#sample(contender, budget));
  }

  async bursts(): Promise<Measurement> {
    const { kind, units: { full, quick } = { full: 0, quick: 0 } } = this.#case;
    const clients = kind === 'delivery' ? DELIVERY_CLIENTS : BURST_CLIENTS;
    const burst = async (contender: Contender, units: number) => {
      const unitsPerSend = await this.#prepareUnits(contender, units);
      const afterSends = unitsPerSend === 0 ? 0 : units / unitsPerSend;
      await untilQuiet(contender.server, this.#silenceMs);
      return this.#sample(contender, { clients, stop: { afterSends } });
    };
    await burst(this.#contenders.kefel, quick);
    await burst(this.#contenders.baseline, quick);
    const { burstRounds, isQuick } = this.#effort;
    const units = isQuick ? quick : full;
    return this.#rounds(burstRounds, clients, (contender) => burst(contender, units));
  }

  get #case(): BenchCase {
    return CASES[this.#name];
  }

  get #both(): readonly Contender[] {
    return [this.#contenders.kefel, this.#contenders.baseline];
  }

  get #silenceMs(): number {
    return this.#case.writes ? CONSUMERS_SILENCE_MS : SILENCE_MS;
  }

  async #rounds(
    count: number,
    clients: number,
    sample: (contender: Contender) => Promise<Sample>,
  ): Promise<Measurement> {
    const rounds: Round[] = [];
    for (let round = 0; round < count; round += 1) {
      // The one that runs second finds a warmer machine, so they take turns.
      if (round % 2 === 0) {
        const kefel = await sample(this.#contenders.kefel);
        rounds.push({ kefel, baseline: await sample(this.#contenders.baseline) });
      } else {
        const baseline = await sample(this.#contenders.baseline);
        rounds.push({ kefel: await sample(this.#contenders.kefel), baseline });
      }
    }
    return { name: this.#name, clients, rounds };
  }

  /** The server rests before and after. */
  async #sample({ side, server }: Contender, budget: Budget): Promise<Sample> {
    const { kind, isProjected = false } = this.#case;
    const rowsBefore = isProjected ? await server.projectedRows?.() : 0;
    const cpuTimeBeforeMs = await server.cpuTimeMs();
    const result = await this.#load.run(side, budget);
    const after = await untilQuiet(server, this.#silenceMs);
    const rows = isProjected ? await server.projectedRows?.() : result.units;
    if (rows !== (rowsBefore ?? 0) + result.units) {
      throw new Error(`${side}: ${result.units} payments, but ${rows} rows in D1`);
    }
    const elapsedMs = kind === 'burst' ? after.sinceMs - result.startedAtMs : result.elapsedMs;
    return {
      ratePerSecond: (result.units / elapsedMs) * 1_000,
      cpuMsPerUnit: (after.cpuTimeMs - cpuTimeBeforeMs) / result.units,
      p50Ms: result.p50Ms,
      p95Ms: result.p95Ms,
    };
  }

  /** Returns the units that one request does. */
  #prepareUnits({ side, server }: Contender, units: number): Promise<number> {
    return this.#load.prepare(side, server.url, this.#name, units);
  }
}
