import { hash } from 'node:crypto';
import { type Clock, never, OUTSIDE, type Process } from './clock.ts';
import { SimulatedFailure } from './faults.ts';
import type { Journal } from './journal.ts';
import { Sqlite } from './sqlite.ts';

/** What the runtime promises for alarms: retries of a handler that throws, and then silence. */
const ALARM_RETRIES_MAX = 6;
const ALARM_RETRY_MS = 2_000;
/** Objects stay in memory for seconds after their last call. */
const IDLE_MS_MAX = 15_000;
/** How far the clocks of two machines differ. */
const SKEW_MS_MAX = 3_000;

/** The objects' databases of earlier histories, to be used again. */
const idleStores: Sqlite[] = [];

/** The runtime ended the object in the middle of its work. */
class Crash extends Error {
  override readonly name = 'Crash';
}

/** What a caller sees of a call that failed in the runtime. */
class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly remote = true;
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

type Method = (...args: readonly unknown[]) => unknown;

/** A class of objects. */
export type ObjectClass = new (ctx: DurableObjectState, env: Env) => { alarm(): Promise<void> };

/** What objects need of the history. */
interface Surroundings {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly env: Env;
}

/** All objects of a class in a history, by their ids. */
export class Objects {
  readonly hosts = new Map<string, ObjectHost>();
  readonly #world: Surroundings;
  readonly #class: ObjectClass;
  readonly #clock: Clock;
  readonly #names = new Map<string, string>();
  /** How often everything was lost: a part of the ids, so that no namespace knows another's. */
  #losses = 0;

  constructor(world: Surroundings, objectClass: ObjectClass) {
    this.#world = world;
    this.#class = objectClass;
    this.#clock = world.clock;
  }

  /** As a binding of the Worker. */
  readonly namespace = {
    idFromName: (name: string) => {
      const id = hash('sha256', `${this.#losses} ${name}`);
      this.#names.set(id, name);
      return { toString: () => id };
    },
    get: (id: { toString(): string }) => this.#stub(id.toString()),
  };

  host(objectId: string): ObjectHost {
    const name = this.#names.get(objectId) ?? 'unnamed';
    const host =
      this.hosts.get(objectId) ?? new ObjectHost(this.#world, this.#class, objectId, name);
    this.hosts.set(objectId, host);
    return host;
  }

  #stub(objectId: string): object {
    return new Proxy(
      {},
      {
        get: (_target, method) =>
          typeof method === 'string' && method !== 'then'
            ? (...args: readonly unknown[]) => this.#call(objectId, method, args)
            : undefined,
      },
    );
  }

  #call(objectId: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const clock = this.#clock;
    if (!clock.isCallPossible()) {
      return never();
    }
    const caller = clock.current;
    const isOutage = clock.isDown('objects');
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => clock.schedule(caller, clock.latencyMs(), settle);
      const fail = (message: string) => {
        const error = new CallFailed(message, clock.timing.chance(0.6));
        answer(() => reject(error));
      };
      if (isOutage || clock.strikes('call_lost')) {
        fail('object unreachable');
        return;
      }
      const lateMs = clock.strikes('call_late') ? clock.timing.between(1_000, 180_000) : 0;
      const losses = this.#losses;
      clock.schedule(OUTSIDE, lateMs + clock.latencyMs(), () => {
        if (losses !== this.#losses) {
          fail('the namespace is gone');
          return;
        }
        this.host(objectId).receive(method, args, {
          succeed: (value) => answer(() => resolve(value)),
          refuse: (error) => answer(() => reject(error)),
          fail,
        });
      });
    });
  }

  /** Deletes the namespace with all objects; an empty one begins, with other ids. */
  lose(): void {
    this.#losses += 1;
    for (const host of this.hosts.values()) {
      host.lose();
    }
    this.hosts.clear();
  }

  /** Keeps the databases for the next history. */
  release(): void {
    for (const host of this.hosts.values()) {
      host.release();
    }
  }
}

interface Caller {
  readonly succeed: (value: unknown) => void;
  readonly refuse: (error: unknown) => void;
  readonly fail: (message: string) => void;
}

/** One object: its durable storage and, while it is in memory, its instance. */
class ObjectHost {
  readonly id: string;
  readonly name: string;
  readonly sql: Sqlite;
  alarmAtMs: number | null = null;
  readonly #world: Surroundings;
  readonly #class: ObjectClass;
  readonly #clock: Clock;
  #instance: InstanceType<ObjectClass> | null = null;
  #process: Process | null = null;
  readonly #calls = new Set<Caller>();
  #alarmRuns = 0;
  /** Calls that no request and no alarm awaits. */
  #background = 0;
  #lastUsedAtMs = 0;
  #starts = 0;
  /** What the constructor waits for; null: nothing. */
  #starting: Promise<void> | null = null;
  #isCommitting = false;
  #isLost = false;

  constructor(world: Surroundings, objectClass: ObjectClass, id: string, name: string) {
    this.#world = world;
    this.#class = objectClass;
    this.#clock = world.clock;
    this.id = id;
    this.name = name;
    this.sql = idleStores.pop() ?? new Sqlite();
  }

  readonly #exec = (sql: string, ...params: readonly unknown[]) => {
    const rows = this.sql.all(sql, params);
    return { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows.values() };
  };

  /** What is stored, to be read from outside. */
  storage(): SqlStorage {
    return { exec: this.#exec } as unknown as SqlStorage;
  }

  release(): void {
    this.sql.reset();
    idleStores.push(this.sql);
  }

  lose(): void {
    this.#isLost = true;
    this.#forget();
    this.#calls.clear();
    this.alarmAtMs = null;
    this.release();
  }

  receive(method: string, args: readonly unknown[], caller: Caller): void {
    const instance = this.#wake();
    this.#clock.note(`${method} ${textOf(args)}`);
    this.#calls.add(caller);
    const process = this.#process;
    const isCurrent = () => process === this.#process && this.#calls.delete(caller);
    const called = Reflect.get(instance, method) as Method;
    this.#afterStart(() => called.apply(instance, args as unknown[])).then(
      (result) => {
        if (isCurrent()) {
          this.#world.journal.witness(this.id, method, result);
          if (this.#clock.strikes('answer_lost')) {
            caller.fail('answer lost');
          } else {
            caller.succeed(result);
          }
        }
      },
      (error: unknown) => {
        if (isCurrent()) {
          this.#clock.note(`threw ${String(error)}`);
          caller.refuse(error);
        }
      },
    );
  }

  /** The instance in memory; its process becomes the current one. */
  #wake(): InstanceType<ObjectClass> {
    const clock = this.#clock;
    const idleMs = clock.nowMs - this.#lastUsedAtMs;
    const isIdle = this.#calls.size === 0 && this.#alarmRuns === 0;
    // The platform keeps an object whose call is pending in memory, but may move it to another machine.
    const isForgotten = idleMs > IDLE_MS_MAX && this.#background === 0;
    if (isIdle && (isForgotten || clock.strikes('eviction'))) {
      this.#forget();
    }
    this.#lastUsedAtMs = clock.nowMs;
    if (this.#instance === null || this.#process === null) {
      this.#starts += 1;
      const isSkewed = clock.strikes('clock_skew');
      const skewMs = isSkewed ? clock.timing.between(-SKEW_MS_MAX, SKEW_MS_MAX) : 0;
      this.#process = clock.newProcess(`object ${this.name}/${this.#starts}`, true, skewMs);
      this.#process.onKill = () => this.crash();
      clock.current = this.#process;
      this.#instance = new this.#class(this.#context(this.#process), this.#world.env);
    }
    clock.current = this.#process;
    return this.#instance;
  }

  /** No event reaches an object before what its constructor asked for is done. */
  async #afterStart<T>(event: () => T | Promise<T>): Promise<T> {
    const process = this.#process;
    if (this.#starting !== null && process !== null) {
      await this.#starting;
      this.#clock.current = process;
    }
    return event();
  }

  #forget(): void {
    if (this.#process !== null) {
      this.#process.onKill = null;
      this.#clock.kill(this.#process);
    }
    this.#instance = null;
    this.#process = null;
    this.#starting = null;
    this.#alarmRuns = 0;
    this.#background = 0;
  }

  /** Everything in memory is gone, and so are the calls in progress. */
  crash(): void {
    const wasInAlarm = this.#alarmRuns > 0;
    this.#forget();
    for (const caller of this.#calls) {
      caller.fail('object reset');
    }
    this.#calls.clear();
    const mustRetry = wasInAlarm && this.alarmAtMs === null;
    if (mustRetry && !this.#clock.strikes('alarm_not_retried')) {
      // An alarm whose handler died runs again, unless the handler has set another one.
      this.#setAlarm(this.#clock.nowMs + ALARM_RETRY_MS);
    }
  }

  #context(process: Process): DurableObjectState {
    const requireAlive = () => {
      if (!process.isAlive) {
        throw new Crash('the object is dead');
      }
    };
    const storage = {
      sql: {
        exec: (sql: string, ...params: readonly unknown[]) => {
          requireAlive();
          return this.#exec(sql, ...params);
        },
      },
      transactionSync: <T>(work: () => T): T => {
        requireAlive();
        return this.#commit(work);
      },
      setAlarm: handled(async (atMs: number) => {
        requireAlive();
        // Within a transaction the alarm is a part of the commit, and fails with it.
        if (this.#isCommitting || !this.#clock.strikes('alarm_not_set')) {
          this.#setAlarm(atMs - process.skewMs);
          return;
        }
        // A write that fails resets the object.
        this.crash();
        throw new Crash('the alarm was not set');
      }),
      getAlarm: async () => {
        requireAlive();
        return this.alarmAtMs;
      },
      deleteAlarm: async () => {
        requireAlive();
        this.alarmAtMs = null;
      },
    };
    const context = {
      id: { toString: () => this.id, name: this.name },
      storage,
      blockConcurrencyWhile: (work: () => Promise<void>) => {
        const starting = work().then(() => {
          this.#starting = this.#starting === starting ? null : this.#starting;
        });
        this.#starting = starting;
        return starting;
      },
      waitUntil: (work: Promise<unknown>) => {
        this.#background += 1;
        const ended = () => {
          this.#background -= process === this.#process ? 1 : 0;
        };
        work.then(ended, (error: unknown) => {
          ended();
          this.#clock.note(`background work: ${String(error)}`);
        });
      },
    };
    return context as unknown as DurableObjectState;
  }

  #commit<T>(work: () => T): T {
    const alarmBeforeMs = this.alarmAtMs;
    this.#isCommitting = true;
    let result: T;
    try {
      result = this.sql.transaction(() => {
        const value = work();
        if (this.#clock.strikes('commit_fails')) {
          throw new SimulatedFailure('SQLITE_FULL');
        }
        if (this.#clock.strikes('crash_before_commit')) {
          throw new Crash('before the commit');
        }
        return value;
      });
    } catch (error) {
      this.alarmAtMs = alarmBeforeMs;
      if (error instanceof Crash) {
        this.crash();
      }
      throw error;
    } finally {
      this.#isCommitting = false;
    }
    if (this.#clock.strikes('crash_after_commit')) {
      this.crash();
      throw new Crash('after the commit');
    }
    return result;
  }

  #setAlarm(atMs: number): void {
    const clock = this.#clock;
    this.alarmAtMs = atMs;
    if (clock.strikes('alarm_lost')) {
      return;
    }
    const lateMs = clock.strikes('alarm_late') ? clock.timing.between(1_000, 120_000) : 0;
    const delayMs = Math.max(0, atMs - clock.nowMs) + lateMs;
    clock.schedule(OUTSIDE, delayMs, () => {
      if (this.alarmAtMs === atMs) {
        this.alarmAtMs = null;
        this.#runAlarm(0);
      }
    });
  }

  #runAlarm(retries: number): void {
    if (this.#isLost) {
      return;
    }
    const clock = this.#clock;
    const instance = this.#wake();
    const process = this.#process;
    clock.note('alarm');
    this.#alarmRuns += 1;
    const done = () => {
      if (process === this.#process) {
        this.#alarmRuns -= 1;
        this.#lastUsedAtMs = clock.nowMs;
      }
    };
    const again = (delayMs: number, nextRetries: number) =>
      clock.schedule(OUTSIDE, delayMs, () => this.#runAlarm(nextRetries));
    this.#afterStart(() => instance.alarm()).then(
      () => {
        done();
        if (clock.strikes('alarm_twice')) {
          again(clock.timing.between(0, 5_000), 0);
        }
      },
      () => {
        done();
        if (process === this.#process && this.alarmAtMs === null && retries < ALARM_RETRIES_MAX) {
          again(ALARM_RETRY_MS * 2 ** retries, retries + 1);
        }
      },
    );
  }
}

/** The same function, whose callers may ignore its promise. */
function handled<Args extends readonly unknown[]>(
  work: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return (...args) => {
    const result = work(...args);
    result.catch(() => undefined);
    return result;
  };
}

/** The telling part of a call's arguments. */
function textOf([first]: readonly unknown[]): string {
  const commands = Array.isArray(first) ? first : [first];
  return commands
    .map((command: unknown) => {
      const type: unknown = Object(command).type ?? Object(Object(command).outcome).type ?? '';
      const outcome: unknown = Object(Object(command).outcome).type ?? '';
      return `${String(type)} ${String(outcome)}`.trim();
    })
    .join(', ');
}
