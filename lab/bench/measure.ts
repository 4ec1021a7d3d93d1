import { setTimeout as wait } from 'node:timers/promises';
import { untilQuiet } from '../harness/cpu.ts';
import type { BenchServer } from '../harness/worker-server.ts';
import type { BenchCase } from './cases.ts';
import type { Receiver } from './receiver.ts';
import type { Measurement, Round, Sample } from './table.ts';
import { type Budget, runSlice, type Work } from './work.ts';

export interface Contender {
  readonly server: BenchServer;
  /** Prepares what the case needs; `units` if its units are prepared. */
  prepare(units: number): Work | Promise<Work>;
  /** How many payments lists show. */
  shownPayments(): Promise<number>;
}

export interface Contenders {
  readonly kefel: Contender;
  readonly floor: Contender;
}

/** How long and how often to measure. */
export interface Effort {
  /** One measurement of `requests` for each. */
  readonly clients: readonly number[];
  readonly rounds: number;
  /** The rounds of cases with prepared or counted units, which take longer. */
  readonly burstRounds: number;
  readonly sliceMs: number;
  readonly warmUpMs: number;
  readonly isQuick: boolean;
}

/** Alarms and queues may rest for a second and go on, so a second of rest may not be the end. */
const CONSUMERS_SILENCE_MS = 1_300;
const SILENCE_MS = 150;
/** workerd closes the files of an object that got no call for 10 s. */
const OBJECT_IDLE_MS = 12_000;
const BURST_CLIENTS = 32;
/** Calls for missed events, 200 events each. */
const DELIVERY_CLIENTS = 1;

/** Measures a case, with each number of clients if it consists of requests. */
export async function* measureCase(
  contenders: Contenders,
  receiver: Receiver,
  benchCase: BenchCase,
  effort: Effort,
): AsyncGenerator<Measurement> {
  const { about, kind, writes = false, clientsMax, isProjected = false } = benchCase;
  const both = [contenders.kefel, contenders.floor];
  const silenceMs = writes ? CONSUMERS_SILENCE_MS : SILENCE_MS;

  /** The server rests before and after. */
  const sample = async (
    { server, shownPayments }: Contender,
    work: Work,
    budget: Budget,
  ): Promise<Sample> => {
    const rowsBefore = isProjected ? await shownPayments() : 0;
    const cpuTimeBeforeMs = await server.cpuTimeMs();
    const result = await runSlice(work, receiver, budget);
    const after = await untilQuiet(server, silenceMs);
    const rows = isProjected ? await shownPayments() : result.units;
    if (rows !== rowsBefore + result.units) {
      throw new Error(
        `${about}: ${result.units} payments, but lists show ${rows - rowsBefore} more`,
      );
    }
    const elapsedMs = kind === 'burst' ? after.sinceMs - result.startedAtMs : result.elapsedMs;
    return {
      ratePerSecond: (result.units / elapsedMs) * 1_000,
      cpuMsPerUnit: (after.cpuTimeMs - cpuTimeBeforeMs) / result.units,
      p50Ms: result.p50Ms,
      p95Ms: result.p95Ms,
    };
  };

  if (kind !== 'requests') {
    const { units: { full, quick } = { full: 0, quick: 0 } } = benchCase;
    const clients = kind === 'delivery' ? DELIVERY_CLIENTS : BURST_CLIENTS;
    const burst = async (contender: Contender, units: number) => {
      const work = await contender.prepare(units);
      const afterSends = work.unitsPerSend === 0 ? 0 : units / work.unitsPerSend;
      await untilQuiet(contender.server, silenceMs);
      return sample(contender, work, { clients, stop: { afterSends } });
    };
    await burst(contenders.kefel, quick);
    await burst(contenders.floor, quick);
    const units = effort.isQuick ? quick : full;
    const rounds = await inTurns(effort.burstRounds, contenders, (each) => burst(each, units));
    yield { about, clients, rounds };
    return;
  }
  if (clientsMax !== undefined) {
    await wait(OBJECT_IDLE_MS);
  }
  const works = new Map<Contender, Work>();
  for (const contender of both) {
    works.set(contender, await contender.prepare(0));
    await untilQuiet(contender.server, CONSUMERS_SILENCE_MS);
  }
  const slice = (contender: Contender, clients: number, afterMs: number) =>
    sample(contender, works.get(contender) as Work, { clients, stop: { afterMs } });
  for (const clients of effort.clients.filter((each) => each <= (clientsMax ?? each))) {
    for (const contender of both) {
      await slice(contender, clients, effort.warmUpMs);
    }
    const rounds = await inTurns(effort.rounds, contenders, (each) =>
      slice(each, clients, effort.sliceMs),
    );
    yield { about, clients, rounds };
  }
}

/** The one that runs second finds a warmer machine, so they take turns. */
async function inTurns(
  count: number,
  { kefel, floor }: Contenders,
  sample: (contender: Contender) => Promise<Sample>,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < count; round += 1) {
    const isKefelFirst = round % 2 === 0;
    const first = await sample(isKefelFirst ? kefel : floor);
    const second = await sample(isKefelFirst ? floor : kefel);
    rounds.push(isKefelFirst ? { kefel: first, floor: second } : { kefel: second, floor: first });
  }
  return rounds;
}
