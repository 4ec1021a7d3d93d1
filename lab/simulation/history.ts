import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { MerchantAccount, MerchantBook, PaymentIntent } from '../../src/connected-objects.ts';
import { configOf } from '../../src/engine/config.ts';
import { forgetDeliverySlots } from '../../src/engine/webhooks/consume.ts';
import { forgetWebhookSettings } from '../../src/engine/webhooks/settings.ts';
import { Random } from '../harness/random.ts';
import { Actors } from './actors.ts';
import { Bucket } from './bucket.ts';
import { Clock, OUTSIDE, START_MS } from './clock.ts';
import { Database, newSqlite } from './database.ts';
import { Disaster } from './disaster.ts';
import { enter, replaceGlobals } from './globals.ts';
import { Journal, type Violation } from './journal.ts';
import { insertMerchants, MerchantServers } from './merchants.ts';
import { Objects } from './objects.ts';
import type { Plan } from './plan.ts';
import { Provider } from './provider.ts';
import { type QueueSettings, Queues } from './queues.ts';
import type { Sqlite } from './sqlite.ts';
import { checkPromises } from './verdict.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** After the last fault: longer than provider queries, the schedule of webhooks and pauses. */
const SETTLING_MS = 75 * DAY_MS;
/** When people look at a payment again: this replaces alarms that the runtime has lost. */
const LOOKS_AFTER_MS = [2 * MINUTE_MS, 2 * 60 * MINUTE_MS, 10 * DAY_MS];

/** Until a gateway is restored: longer than every wait of a plan. */
const DISASTER_HOURS_MAX = 48;

const LOST_ALARMS = ['alarm_lost', 'alarm_not_set'] as const;

/** Keys of the right form: the simulated WebCrypto accepts any. */
const SECRETS = {
  LINK_SIGNING_KEYS: `t1:${Buffer.alloc(32, 1).toString('base64')}`,
  DATA_ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 2).toString('base64')}`,
  BACKUP_KEYS: `t1:${Buffer.alloc(32, 3).toString('base64')}`,
  WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: 's1:AAAA',
  WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: 'p1:AAAA',
};

/** What all histories of a process share. */
export interface Setup {
  /** Of D1, with the tables. */
  readonly sqlite: Sqlite;
  /** The variables of wrangler.toml. */
  readonly variables: Readonly<Record<string, string>>;
  /** The queues of wrangler.toml. */
  readonly queues: readonly QueueSettings[];
}

/** `root`: of the repository, or of a copy of it. Call once: it replaces what the runtime gives. */
export function setUp(root: string): Setup {
  const { vars, queues } = parse(readFileSync(join(root, 'wrangler.toml'), 'utf8')) as unknown as {
    readonly vars: Setup['variables'];
    readonly queues: { readonly consumers: Setup['queues'] };
  };
  const setup = { sqlite: newSqlite(root), variables: vars, queues: queues.consumers };
  replaceGlobals();
  return setup;
}

export interface HistoryResult {
  /** Of the trace. */
  readonly hash: number;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  /** What the history reached, for the report on coverage. */
  readonly reached: readonly string[];
  readonly violations: readonly Violation[];
  readonly lines: readonly string[] | null;
}

/** Kefel's surroundings in one history. */
export class World {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly ids: Random;
  readonly jitter: Random;
  readonly journal: Journal;
  /** The payments' objects. */
  readonly objects: Objects;
  readonly accounts: Objects;
  readonly books: Objects;
  readonly database: Database;
  readonly queues: Queues;
  readonly merchants: MerchantServers;
  readonly provider: Provider;
  readonly actors: Actors;
  readonly bucket: Bucket;
  /** Null: the gateway is not lost. */
  readonly disaster: Disaster | null;
  readonly env: Env;

  constructor(plan: Plan, { sqlite, variables, queues }: Setup, isTraced: boolean) {
    this.plan = plan;
    this.clock = new Clock(plan, isTraced);
    this.ids = new Random(plan.seed, 'ids');
    this.jitter = new Random(plan.seed, 'jitter');
    this.journal = new Journal(this.clock);
    this.objects = new Objects(this, PaymentIntent);
    this.accounts = new Objects(this, MerchantAccount);
    this.books = new Objects(this, MerchantBook);
    this.database = new Database(this.clock, sqlite);
    this.queues = new Queues(this, queues);
    this.merchants = new MerchantServers(this.clock);
    this.provider = new Provider(this);
    this.actors = new Actors(this);
    this.bucket = new Bucket(this.clock);
    this.disaster = plan.disaster && new Disaster(this, plan.disaster);
    this.env = {
      ...variables,
      ...SECRETS,
      PUBLIC_BASE_URL: 'https://pay.example.com',
      RATE_LIMITS: 'off',
      PAYMENT_INTENT: this.objects.namespace,
      MERCHANT_BOOK: this.books.namespace,
      MERCHANT_ACCOUNT: this.accounts.namespace,
      OPERATOR_ALERTS: ALERTS,
      DB: this.database,
      WEBHOOKS: this.queues.binding('kefel-webhooks'),
      WEBHOOK_RETRIES: this.queues.binding('kefel-webhook-retries'),
      PROVIDER_REPORTS: this.queues.binding('kefel-provider-reports'),
      // Most histories have no backup, which would make them longer.
      ...(plan.disaster !== null && { BACKUPS: this.bucket.binding }),
    } as unknown as Env;
  }

  /** Nothing has failed. */
  get isCalm(): boolean {
    const hasPlanned = this.plan.steps.some(
      ({ action: { type } }) => type === 'outage' || type === 'crash',
    );
    const isLost = this.disaster !== null && this.disaster.lostAtMs !== null;
    return this.clock.faults.counts.size === 0 && !hasPlanned && !isLost;
  }
}

/** The object of the alerts takes every report: it decides nothing about money. */
const ALERTS = {
  idFromName: (name: string) => name,
  get: () => ({
    stand: async () => undefined,
    tally: async () => undefined,
    happen: async () => undefined,
  }),
};

/** Runs one history. The same plan gives the same result, hash included. */
export async function runHistory(
  plan: Plan,
  setup: Setup,
  isTraced: boolean,
): Promise<HistoryResult> {
  const world = new World(plan, setup, isTraced);
  const { clock, journal, provider, actors } = world;
  enter(world);
  // Shared by all histories of this process: the configuration never changes.
  configOf(world.env);
  forgetWebhookSettings();
  forgetDeliverySlots();
  insertMerchants(setup.sqlite, plan.refundDailyMaxMinor);
  try {
    actors.begin();
    await clock.runUntil(START_MS + plan.faultsEndAfterMs);
    clock.note('the faults are over');
    clock.faults.isOver = true;
    for (
      let hours = 0;
      hours < DISASTER_HOURS_MAX && world.disaster?.isOver === false;
      hours += 1
    ) {
      await clock.runUntil(clock.nowMs + 60 * MINUTE_MS);
    }
    // By then all orders are closed and all refunds executed.
    clock.schedule(OUTSIDE, 2 * 60 * MINUTE_MS, () => provider.reconcile());
    // Where the runtime has lost no alarm, everything must go on by itself.
    const hasLostAlarm = LOST_ALARMS.some((fault) => clock.faults.counts.has(fault));
    for (const afterMs of hasLostAlarm ? LOOKS_AFTER_MS : []) {
      clock.schedule(OUTSIDE, afterMs, () => actors.lookAtAll());
    }
    clock.schedule(OUTSIDE, 3 * DAY_MS, () => actors.resolveAll());
    await clock.runUntil(clock.nowMs + SETTLING_MS);
    for (const line of [...clock.internalErrors]) {
      journal.expect('no internal errors', false, line);
    }
    if (clock.isEndless) {
      journal.expect('5 expiry', false, `no end after ${clock.events} events`);
    } else {
      await checkPromises(world);
    }
    return {
      hash: clock.hash >>> 0,
      events: clock.events,
      faults: clock.faults.counts,
      reached: [...journal.reached],
      violations: journal.violations,
      lines: clock.lines,
    };
  } finally {
    world.objects.release();
    world.accounts.release();
    world.books.release();
    setup.sqlite.reset();
  }
}
