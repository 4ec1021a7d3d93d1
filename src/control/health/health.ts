import { businessDay } from '../../kit/ethiopian-time.ts';
import { DATABASE_BYTES_MAX, isNearlyFull, prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { type Asked, askBooks } from '../../lists/book/all-books.ts';
import type { TimeToPay } from '../../lists/book/digest.ts';
import { backupHealth } from '../../recovery/backup/actions.ts';
import { MESSAGE_QUEUES, type MessageQueue, producerOf } from '../dead-letters/queues.ts';
import { countWaiting } from '../dead-letters/store.ts';
import { readModes } from '../modes/modes.ts';
import type { Gateway } from '../operator/call.ts';
import {
  type EnvironmentDigest,
  endsSince,
  environmentDigest,
  type RailOutcome,
  timesToPay,
} from './digests.ts';
import { lookForLostBooks, lostBooks } from './lost-books.ts';
import { railStates } from './rails.ts';

/** A queue's backlog. Null, with the reason in `unknown`, when Cloudflare reports none. */
export interface QueueHealth {
  readonly queue: MessageQueue;
  readonly backlog: number | null;
  readonly backlogBytes: number | null;
  /** When the oldest message was sent; null when there is none or it is unknown. */
  readonly oldestAtMs: number | null;
  readonly unknown: string | null;
}

export interface EnvironmentHealth extends EnvironmentDigest {
  readonly environment: Environment;
  /** Payments that ended yesterday or today (in Addis Ababa), by method and reason. */
  readonly endsSinceYesterday: readonly RailOutcome[];
  /** The same for the last seven days and today. */
  readonly endsSinceWeek: readonly RailOutcome[];
  readonly timesToPay: readonly TimeToPay[];
}

const DAYS_OF_A_WEEK = 7;

/** Makes the books of the merchants that were active last report now, and looks for lost ones. */
export async function refreshHealth({ env }: Pick<Gateway, 'env'>): Promise<Asked> {
  await lookForLostBooks(env, Date.now());
  const { asked, isComplete } = await askBooks(env, ENVIRONMENTS, async (book) => {
    await book.report();
    return [];
  });
  return { asked, isComplete };
}

/** The gateway's health. Throws when D1 does not answer. */
export async function readHealth({ env, nowMs }: Pick<Gateway, 'env' | 'nowMs'>) {
  const database = await databaseHealth(env.DB);
  const [modes, queues, deadLetters, ...environments] = await Promise.all([
    readModes({ env }),
    Promise.all(MESSAGE_QUEUES.map((queue) => queueHealth(env, queue))),
    countWaiting(env.DB),
    environmentHealth(env.DB, 'production', nowMs),
    environmentHealth(env.DB, 'sandbox', nowMs),
  ]);
  const [backup, lost] = await Promise.all([backupHealth(env), lostBooks(env.DB, ENVIRONMENTS)]);
  return {
    /** The clock of this answer. */
    atMs: nowMs,
    ...database,
    modes,
    queues,
    deadLetters,
    backup,
    /** Their merchants miss payments in lists, search and totals. */
    lostBooks: lost,
    environments,
    /** Methods whose secret is malformed, and the reason. */
    misconfiguredRails: railStates(env).filter(({ state }) => state === 'misconfigured'),
  };
}

export type Health = Awaited<ReturnType<typeof readHealth>>;

/** A Worker's clock advances only during I/O, which is what `d1Ms` measures. */
async function databaseHealth(db: D1Database) {
  const startMs = Date.now();
  const { meta } = await prepare(db, { sql: 'SELECT 1', params: [] }).run();
  return {
    /** The duration of a minimal D1 query, in milliseconds. */
    d1Ms: Date.now() - startMs,
    d1SizeBytes: meta.size_after,
    d1SizeBytesMax: DATABASE_BYTES_MAX,
    /** The operator must act before the database is full. */
    d1IsNearlyFull: isNearlyFull(meta.size_after),
  };
}

export async function queueHealth(env: Env, queue: MessageQueue): Promise<QueueHealth> {
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
    const unknown = 'Cloudflare reported no metrics';
    return { queue, backlog: null, backlogBytes: null, oldestAtMs: null, unknown };
  }
}

/** For an empty queue, some runtimes report 1970 instead of nothing. */
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
  const [digest, endsSinceYesterday, endsSinceWeek, times] = await Promise.all([
    environmentDigest(db, environment),
    endsSince(db, environment, today - 1),
    endsSince(db, environment, today - DAYS_OF_A_WEEK),
    timesToPay(db, environment),
  ]);
  return { environment, ...digest, endsSinceYesterday, endsSinceWeek, timesToPay: times };
}
