import { MESSAGE_QUEUES, type MessageQueue, producerOf } from '../../dead-letters/queues.ts';
import { countWaiting } from '../../dead-letters/store.ts';
import type { Environment } from '../../domain/method.ts';
import { errorText, log } from '../../log.ts';
import { countEventsByStatus, oldestUndelivered } from '../../read-model/attention.ts';
import type { EventRow } from '../../read-model/events-list.ts';
import { businessDay, failuresPerRail, type RailOutcome } from '../../read-model/totals.ts';
import { type RailState, railStates } from '../rails.ts';

/** What a queue holds; null with the reason in words where Cloudflare does not say. */
export interface QueueHealth {
  readonly queue: MessageQueue;
  readonly backlog: number | null;
  readonly backlogBytes: number | null;
  /** When the oldest message was sent; null when there is none, or nobody says. */
  readonly oldestAtMs: number | null;
  readonly unknown: string | null;
}

export interface EnvironmentHealth {
  readonly environment: Environment;
  /** Events that have not arrived, by the state of their delivery. */
  readonly eventsByStatus: Readonly<Record<string, number>>;
  /** The one that has been on its way for longest. */
  readonly oldestUndelivered: EventRow | null;
  /** Payments of today and yesterday (days in Addis Ababa) that have ended, by method and reason. */
  readonly endsSinceYesterday: readonly RailOutcome[];
  /** Of the last seven days and today. */
  readonly endsSinceWeek: readonly RailOutcome[];
}

export interface Health {
  /** The clock of this answer. */
  readonly atMs: number;
  /** How long D1 took for the simplest question, in milliseconds. */
  readonly d1Ms: number;
  readonly queues: readonly QueueHealth[];
  readonly deadLetters: Readonly<Partial<Record<MessageQueue, number>>>;
  readonly environments: readonly EnvironmentHealth[];
  /** Methods whose secret is malformed, and what is wrong with it. */
  readonly misconfiguredRails: readonly RailState[];
}

const DAYS_OF_A_WEEK = 7;

/** Everything at a glance. Throws when D1 does not answer: then that is what is wrong. */
export async function readHealth(env: Env, nowMs: number): Promise<Health> {
  const d1Ms = await d1Time(env.DB);
  const [queues, deadLetters, ...environments] = await Promise.all([
    Promise.all(MESSAGE_QUEUES.map((queue) => queueHealth(env, queue))),
    countWaiting(env.DB),
    environmentHealth(env.DB, 'production', nowMs),
    environmentHealth(env.DB, 'sandbox', nowMs),
  ]);
  const misconfiguredRails = railStates(env).filter(({ state }) => state === 'misconfigured');
  return { atMs: nowMs, d1Ms, queues, deadLetters, environments, misconfiguredRails };
}

/** A Worker's clock stands still but for I/O, which is just what is measured here. */
async function d1Time(db: D1Database): Promise<number> {
  const startMs = Date.now();
  await db.prepare('SELECT 1').run();
  return Date.now() - startMs;
}

async function queueHealth(env: Env, queue: MessageQueue): Promise<QueueHealth> {
  try {
    const { backlogCount, backlogBytes, oldestMessageTimestamp } = await producerOf(
      env,
      queue,
    ).metrics();
    return {
      queue,
      backlog: backlogCount,
      backlogBytes,
      oldestAtMs: timeOf(oldestMessageTimestamp),
      unknown: null,
    };
  } catch (error) {
    log('warn', 'queue_metrics_failed', { queue, error: errorText(error) });
    const unknown = 'Cloudflare does not say just now';
    return { queue, backlog: null, backlogBytes: null, oldestAtMs: null, unknown };
  }
}

/** An empty queue has no oldest message; some say 1970 instead of nothing. */
function timeOf(date: Date | undefined): number | null {
  const atMs = date === undefined ? 0 : new Date(date).getTime();
  return atMs > 0 ? atMs : null;
}

async function environmentHealth(
  db: D1Database,
  environment: Environment,
  nowMs: number,
): Promise<EnvironmentHealth> {
  const today = businessDay(nowMs);
  const [eventsByStatus, oldest, endsSinceYesterday, endsSinceWeek] = await Promise.all([
    countEventsByStatus(db, environment),
    oldestUndelivered(db, environment),
    failuresPerRail(db, environment, today - 1),
    failuresPerRail(db, environment, today - DAYS_OF_A_WEEK),
  ]);
  return {
    environment,
    eventsByStatus,
    oldestUndelivered: oldest,
    endsSinceYesterday,
    endsSinceWeek,
  };
}
