import { hash } from 'node:crypto';
import type { Random } from '../harness/random.ts';
import type { Clock } from './clock.ts';
import { SimulatedFailure } from './faults.ts';
import type { Journal } from './journal.ts';
import { type FetchInit, SimulatedResponse } from './network.ts';
import type { Provider } from './provider.ts';

/**
 * Replaces what the runtime gives to code and what differs from run to run: time, timers, random
 * numbers and the network. WebCrypto runs in threads, which would make the order of events depend on
 * the machine, so a quick synchronous stand-in takes its place: it has the properties that Kefel
 * relies on, and no strength.
 */

/** What code that replaces Kefel's or the runtime's finds of the history. */
interface Surroundings {
  readonly clock: Clock;
  readonly ids: Random;
  readonly jitter: Random;
  readonly journal: Journal;
  readonly merchants: { fetch(url: string, init: FetchInit): Promise<unknown> };
  readonly provider: Provider;
}

let world: Surroundings | null = null;

/** Begins a history. */
export function enter(next: Surroundings): void {
  world = next;
}

/** The history that runs, for what the bundle puts in place of modules of Kefel. */
export function here(): Surroundings {
  if (world === null) {
    throw new Error('no history is running');
  }
  return world;
}

interface Timer {
  isCleared: boolean;
}

function startTimer(run: () => void, delayMs = 0): Timer {
  const { clock } = here();
  const timer: Timer = { isCleared: false };
  clock.schedule(clock.current, Math.max(0, delayMs), () => {
    if (!timer.isCleared) {
      run();
    }
  });
  return timer;
}

/** An `AbortSignal.timeout` of the simulated clock. */
export class SimulatedSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners: (() => void)[] = [];

  static timeout(delayMs: number): SimulatedSignal {
    const signal = new SimulatedSignal();
    startTimer(() => {
      signal.aborted = true;
      signal.reason = new SimulatedFailure('timed out');
      for (const listener of signal.#listeners) {
        listener();
      }
    }, delayMs);
    return signal;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }
}

function randomUUID(): string {
  const hex = Array.from({ length: 4 }, () =>
    here().ids.uint32().toString(16).padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function getRandomValues(bytes: Uint8Array): Uint8Array {
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = here().ids.uint32() & 0xff;
  }
  return bytes;
}

interface Key {
  readonly bytes: Uint8Array;
  readonly algorithm: { readonly modulusLength: number };
}

type Data = Uint8Array | ArrayBuffer;

function viewOf(data: Data): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array(data);
}

function digestOf(...parts: readonly Data[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', Buffer.concat(parts.map(viewOf)), 'buffer'));
}

const TAG_BYTES = 16;

interface Sealing {
  readonly iv: Uint8Array;
  readonly additionalData: Uint8Array;
}

function masked(data: Uint8Array): Uint8Array {
  return data.map((byte) => byte ^ 0x5a);
}

const subtle = {
  importKey: async (_format: string, data: Data): Promise<Key> => ({
    bytes: viewOf(data).slice(),
    algorithm: { modulusLength: 2048 },
  }),
  sign: async (_algorithm: unknown, key: Key, data: Data) => digestOf(key.bytes, data).buffer,
  verify: async (_algorithm: unknown, key: Key, signature: Data, data: Data) =>
    Buffer.compare(digestOf(key.bytes, data), viewOf(signature)) === 0,
  deriveBits: async ({ info }: { readonly info: Uint8Array }, key: Key) =>
    digestOf(key.bytes, info).buffer,
  digest: async (_algorithm: string, data: Data) => digestOf(data).buffer,
  encrypt: async ({ iv, additionalData }: Sealing, key: Key, data: Data) => {
    const tag = digestOf(key.bytes, iv, additionalData, data).subarray(0, TAG_BYTES);
    return new Uint8Array(Buffer.concat([masked(viewOf(data)), tag])).buffer;
  },
  decrypt: async ({ iv, additionalData }: Sealing, key: Key, data: Data) => {
    const view = viewOf(data);
    const plain = masked(view.subarray(0, -TAG_BYTES));
    const tag = digestOf(key.bytes, iv, additionalData, plain).subarray(0, TAG_BYTES);
    if (Buffer.compare(tag, view.subarray(-TAG_BYTES)) !== 0) {
      throw new SimulatedFailure('not authentic');
    }
    return plain.buffer;
  },
};

/** Call once, before any history. */
export function replaceGlobals(): void {
  const print = (line: string) => here().journal.log(line);
  Date.now = () => here().clock.nowMs + here().clock.current.skewMs;
  Math.random = () => here().jitter.next();
  const replacements = {
    crypto: { subtle, randomUUID, getRandomValues },
    setTimeout: startTimer,
    clearTimeout: (timer: Timer) => {
      timer.isCleared = true;
    },
    scheduler: { wait: (durationMs: number) => here().clock.sleep(durationMs) },
    fetch: (url: string, init: FetchInit) => here().merchants.fetch(url, init),
    AbortSignal: SimulatedSignal,
    Response: SimulatedResponse,
    console: { info: print, warn: print, error: print, log: print },
  };
  for (const [name, value] of Object.entries(replacements)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}
