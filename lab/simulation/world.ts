import { MerchantBook, MerchantRegister, PaymentIntent } from '../../src/connected-objects.ts';
import { ReceiptIndex } from '../../src/lists/receipt-index/receipt-index.ts';
import { Random } from '../harness/random.ts';
import { Actors } from './actors.ts';
import { Bucket } from './bucket.ts';
import { Clock } from './clock.ts';
import { Database } from './database.ts';
import { Disaster } from './disaster.ts';
import { Journal } from './journal.ts';
import { MerchantServers } from './merchants.ts';
import { Objects } from './objects.ts';
import type { Plan } from './plan.ts';
import { Provider } from './provider.ts';
import { type QueueSettings, Queues } from './queues.ts';
import type { Sqlite } from './sqlite.ts';

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

/** Kefel's surroundings in one history. */
export class World {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly ids: Random;
  readonly jitter: Random;
  readonly journal: Journal;
  /** The payments' objects. */
  readonly objects: Objects;
  readonly registers: Objects;
  readonly books: Objects;
  readonly receipts: Objects;
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
    this.registers = new Objects(this, MerchantRegister);
    this.books = new Objects(this, MerchantBook);
    this.receipts = new Objects(this, ReceiptIndex);
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
      MERCHANT_REGISTER: this.registers.namespace,
      RECEIPT_INDEX: this.receipts.namespace,
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
    outages: async () => [],
  }),
};
