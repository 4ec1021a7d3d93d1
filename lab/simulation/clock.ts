import { Random } from '../harness/random.ts';
import { type Climate, type Fault, Faults } from './faults.ts';

/** 1 January 2027, 00:00 UTC. */
export const START_MS = Date.UTC(2027, 0, 1);

/**
 * Code that runs with a clock of its own and can die: an object in memory, a Worker that handles one
 * request or batch, a merchant, a customer.
 */
export interface Process {
  readonly name: string;
  /** Of Kefel: it can be killed, and only its steps count as Kefel's. */
  readonly isWorker: boolean;
  readonly skewMs: number;
  isAlive: boolean;
  onKill: (() => void) | null;
}

interface ScheduledEvent {
  readonly atMs: number;
  readonly process: Process;
  readonly run: () => void;
}

/** The world outside: provider, merchant's servers, the runtime. */
export const OUTSIDE: Process = {
  name: 'outside',
  isWorker: false,
  skewMs: 0,
  isAlive: true,
  onKill: null,
};

/** The promise of a call whose caller is dead. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** More than any history that settles. */
const EVENTS_MAX = 10_000;

/**
 * The text of an error that is neither the simulation's own failure nor an API's answer. Of two operators
 * who restore at once, one gets such a failure of its step, and takes the next one.
 */
const INTERNAL_ERROR =
  /(?<!Unavailable: )\b(?:Type|Range|Syntax|Reference)?Error: (?!\S+(?: NULL)? constraint failed: restore\.)/;

const immediate = setImmediate;

/**
 * The simulated clock: everything that happens is an event with a time. One event resumes exactly
 * one process and runs until no promise can continue, so the order of events is the order of
 * everything, and one seed gives one history.
 */
export class Clock {
  nowMs = START_MS;
  /** Whose code runs. */
  current: Process = OUTSIDE;
  readonly faults: Faults;
  /** Latencies and other accidents of timing. */
  readonly timing: Random;
  readonly lines: string[] | null;
  hash = 0;
  events = 0;
  /** Lines of the history with errors that nothing explains. */
  readonly internalErrors: string[] = [];
  /** In order of time; of one time, in the order of scheduling. */
  readonly #queue: ScheduledEvent[] = [];
  /** Kefel's processes that live. */
  readonly #workers = new Set<Process>();
  /** What is down, and until when. */
  readonly downUntilMs = { database: 0, queues: 0, objects: 0, merchants: 0, provider: 0 };

  constructor(plan: Climate, isTraced: boolean) {
    this.faults = new Faults(plan);
    this.timing = new Random(plan.seed, 'timing');
    this.lines = isTraced ? [] : null;
  }

  isDown(what: keyof Clock['downUntilMs']): boolean {
    return this.nowMs < this.downUntilMs[what];
  }

  /** One line of the history. */
  note(text: string): void {
    const line = `${this.nowMs - START_MS} ${this.current.name} ${text}`;
    this.hash = hashOf(line, this.hash);
    this.lines?.push(line);
    if (INTERNAL_ERROR.test(line)) {
      this.internalErrors.push(line);
    }
  }

  strikes(fault: Fault): boolean {
    const hasStruck = this.faults.strikes(fault);
    if (hasStruck) {
      this.note(`! ${fault} #${this.faults.counts.get(fault)}`);
    }
    return hasStruck;
  }

  schedule(process: Process, afterMs: number, run: () => void): void {
    const atMs = this.nowMs + Math.max(0, Math.ceil(afterMs));
    const place = 1 + this.#queue.findLastIndex((other) => other.atMs <= atMs);
    this.#queue.splice(place, 0, { atMs, process, run });
  }

  newProcess(name: string, isWorker: boolean, skewMs = 0): Process {
    const process: Process = { name, isWorker, skewMs, isAlive: true, onKill: null };
    if (isWorker) {
      this.#workers.add(process);
    }
    return process;
  }

  /** Runs `work` as a process. */
  spawn(process: Process, afterMs: number, work: () => Promise<unknown>): void {
    this.schedule(process, afterMs, () => {
      work().catch((error: unknown) => this.note(`ended: ${String(error)}`));
    });
  }

  kill(process: Process): void {
    this.#workers.delete(process);
    if (process.isAlive) {
      process.isAlive = false;
      process.onKill?.();
    }
  }

  killWorkers(): void {
    for (const process of this.#workers) {
      this.kill(process);
    }
  }

  /** In the current process. */
  sleep(durationMs: number): Promise<void> {
    return this.call(durationMs, () => undefined);
  }

  /**
   * The current process waits, then `act` happens outside, and the process continues with its
   * result.
   */
  call<T>(latencyMs: number, act: () => T): Promise<T> {
    const process = this.current;
    return new Promise((resolve, reject) => {
      this.schedule(process, latencyMs, () => {
        try {
          resolve(act());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** False when the current process is dead, or dies now: its calls go nowhere. */
  isCallPossible(): boolean {
    const process = this.current;
    if (process.isAlive && process.isWorker && this.strikes('worker_killed')) {
      this.kill(process);
    }
    return process.isAlive;
  }

  /** Milliseconds on the network. */
  latencyMs(): number {
    return this.timing.between(1, 40);
  }

  /** Whether so much has happened that it will never settle. */
  get isEndless(): boolean {
    return this.events > EVENTS_MAX;
  }

  /** Runs events in order of time until none is due before `endMs`. */
  async runUntil(endMs: number): Promise<void> {
    for (;;) {
      const [next] = this.#queue;
      if (next === undefined || next.atMs > endMs || this.isEndless) {
        break;
      }
      this.#queue.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (!next.process.isAlive) {
        continue;
      }
      this.events += 1;
      this.current = next.process;
      next.run();
      // All continuations of promises run before this.
      await new Promise((resolve) => immediate(resolve));
    }
    this.nowMs = Math.max(this.nowMs, endMs);
    this.current = OUTSIDE;
  }
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
