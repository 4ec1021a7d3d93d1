import { errorText, log } from './log.ts';

/** Before it works, an alarm sets the next one this far ahead, so that a failure cannot lose it. */
export const ALARM_SAFETY_MS = 30_000;
/** An alarm that is this late counts as lost: the next request does its work. */
const ALARM_OVERDUE_MS = 60_000;

/** What the alarm needs of its object. */
interface Sleeper {
  /** When stored work must wake the object; null: never. */
  wakeAtMs(): number | null;
  /** Does what is due. */
  work(): Promise<void>;
}

type Context = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>;

/**
 * The one alarm of an object. The object's parts say when they must wake; only this class sets the
 * alarm. It keeps the time in memory, because setting an alarm writes a row.
 */
export class ObjectAlarm {
  readonly #ctx: Context;
  readonly #sleeper: Sleeper;
  /** Null: unknown, or none is set. */
  #atMs: number | null = null;
  #isRunning = false;

  constructor(ctx: Context, sleeper: Sleeper) {
    this.#ctx = ctx;
    this.#sleeper = sleeper;
  }

  /** The alarm's time, which an evicted object does not know; null: none is set. */
  async learn(): Promise<number | null> {
    if (this.#atMs === null) {
      const storedAtMs = await this.#ctx.storage.getAlarm();
      // A change during the wait knows better.
      this.#atMs ??= storedAtMs;
    }
    return this.#atMs;
  }

  /**
   * Sets the alarm to the time at which the object must wake; null: never. May be part of a transaction.
   * `keepsEarlier`: one that comes earlier stays, because moving it writes a row. While the alarm runs,
   * its safety alarm stays, and its end sets the next one.
   */
  set(atMs: number | null, keepsEarlier = false): void {
    const armedAtMs = this.#atMs;
    const isEarlier = keepsEarlier && armedAtMs !== null && atMs !== null && armedAtMs < atMs;
    // An alarm in the past has fired or is lost.
    const isArmed = armedAtMs !== null && armedAtMs > Date.now();
    if (this.#isRunning || (isArmed && (armedAtMs === atMs || isEarlier))) {
      return;
    }
    this.#atMs = atMs;
    void (atMs === null ? this.#ctx.storage.deleteAlarm() : this.#ctx.storage.setAlarm(atMs));
  }

  /** Sets the alarm for one more thing, unless it comes earlier. The alarm's time must be known. */
  setBy(atMs: number | null): void {
    if (atMs !== null && (this.#atMs === null || atMs < this.#atMs)) {
      this.set(atMs);
    }
  }

  /** Changes rows and alarm together or not at all. */
  commit<T>(change: () => T): T {
    try {
      return this.#ctx.storage.transactionSync(change);
    } catch (error) {
      // The rollback undid the alarm too.
      this.#atMs = null;
      throw error;
    }
  }

  /**
   * The object's `alarm()`. Throws only if it cannot set the safety alarm: the runtime then repeats it,
   * but only a few times.
   */
  async run(): Promise<void> {
    this.#isRunning = true;
    try {
      const safeAtMs = Date.now() + ALARM_SAFETY_MS;
      await this.#ctx.storage.setAlarm(safeAtMs);
      this.#atMs = safeAtMs;
      const hasWorked = await this.#work();
      // No await between these two lines: a change there would get no alarm.
      this.#isRunning = false;
      this.set(hasWorked ? this.#sleeper.wakeAtMs() : safeAtMs);
    } finally {
      this.#isRunning = false;
    }
  }

  async #work(): Promise<boolean> {
    try {
      await this.#sleeper.work();
      return true;
    } catch (error) {
      log('error', 'alarm_failed', {
        objectName: this.#ctx.id.name ?? null,
        error: errorText(error),
      });
      return false;
    }
  }

  /**
   * Runs the alarm when it is lost. Requests call it, because the runtime can lose alarms. `dueAtMs`:
   * when the alarm or its work was due; null: it was not.
   */
  runIfOverdue(dueAtMs: number | null): void {
    const lateMs = Date.now() - (dueAtMs ?? Number.POSITIVE_INFINITY);
    if (lateMs > ALARM_OVERDUE_MS && !this.#isRunning) {
      log('warn', 'alarm_overdue', { objectName: this.#ctx.id.name ?? null, lateMs });
      this.#ctx.waitUntil(this.run());
    }
  }
}
