import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError, type Handlers, jsonOf, page } from './api.ts';

/** All that an account has. Plain data: a test may read and change it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Before `.workers.dev`; null until it is registered. */
  subdomain: string | null;
  /** Whether the account has taken R2, which asks for a payment card. */
  hasR2: boolean;
  databasesMax: number;
  readonly zones: Zone[];
  readonly databases: Database[];
  readonly queues: Queue[];
  readonly buckets: Bucket[];
  readonly scripts: Map<string, Script>;
  readonly domains: Domain[];
  readonly routes: Route[];
  /** Host names with a DNS record of something else, which `wrangler deploy` overrides. */
  readonly dnsRecords: Set<string>;
  /** Host names that a zone of another account serves. */
  readonly foreignHostnames: Set<string>;
  /** Contents of uploaded assets, by their hashes. */
  readonly files: Map<string, Buffer>;
}

export interface Zone {
  readonly id: string;
  readonly name: string;
}

export interface Database {
  readonly uuid: string;
  readonly name: string;
  readonly created_at: string;
  readonly version: 'production';
  readonly jurisdiction: string | null;
  readonly primary_location_hint: string | null;
}

export interface Queue {
  readonly queue_id: string;
  readonly queue_name: string;
  readonly created_on: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Missing for a queue without one. */
  readonly jurisdiction?: string;
  readonly consumers: Consumer[];
}

export interface Consumer {
  readonly consumer_id: string;
  readonly script: string;
  readonly dead_letter_queue: string | null;
  readonly settings: ConsumerSettings;
}

export interface ConsumerSettings {
  readonly batch_size?: number;
  readonly max_retries?: number;
  readonly max_wait_time_ms?: number;
  readonly retry_delay?: number;
}

export interface Bucket {
  readonly name: string;
  readonly creation_date: string;
  readonly location: string;
  readonly storage_class: string;
  readonly jurisdiction: string;
}

export interface Script {
  readonly name: string;
  readonly tag: string;
  readonly created_on: string;
  /** Oldest first. */
  readonly versions: Version[];
  /** Newest first. The first is the current one. */
  readonly deployments: Deployment[];
  /** The namespaces of the classes that a deployment has made. */
  readonly namespaces: Namespace[];
  readonly schedules: string[];
  onWorkersDev: boolean;
  observability: unknown;
}

export interface Namespace {
  readonly id: string;
  readonly class: string;
  readonly use_sqlite: boolean;
}

/** A binding, after those that inherit have been resolved. Secrets are bindings, too. */
export interface Binding {
  readonly name: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Version {
  readonly id: string;
  readonly number: number;
  readonly created_on: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly bindings: readonly Binding[];
  readonly mainModule: string;
  readonly modules: readonly { readonly name: string; readonly content: string }[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** The classes of objects, by name. */
  readonly exports: Readonly<Record<string, unknown>>;
  readonly assets: Assets | null;
}

export interface Assets {
  /** The files' hashes, by path. */
  readonly manifest: Readonly<Record<string, string>>;
  readonly config: AssetsConfig;
}

export interface AssetsConfig {
  readonly run_worker_first?: boolean | readonly string[];
  readonly _headers?: string;
}

export interface Deployment {
  readonly id: string;
  readonly created_on: string;
  readonly source: string;
  readonly author_email: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly strategy: 'percentage';
  readonly versions: readonly Share[];
}

export interface Share {
  readonly version_id: string;
  readonly percentage: number;
}

export interface Domain {
  readonly id: string;
  readonly hostname: string;
  readonly service: string;
  readonly environment: string;
  readonly zone_id: string;
  readonly zone_name: string;
}

export interface Route {
  readonly id: string;
  readonly pattern: string;
  readonly script: string;
  readonly zone_name: string;
}

/** 32 hexadecimal digits, as most ids of Cloudflare have. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

export const newUuid = () => randomUUID();

/** Cloudflare's times end with microseconds; no caller reads them. */
export const now = () => new Date().toISOString();

/** Constant, because setup registers a subdomain that begins like it, which the certificate names. */
const ACCOUNT_ID = '0123456789abcdef0123456789abcdef';

export function newAccount(given: Partial<Account>): Account {
  return {
    id: ACCOUNT_ID,
    name: "Trial's account",
    email: 'operator@example.com',
    subdomain: 'kefel-trial',
    hasR2: true,
    databasesMax: 10,
    zones: [{ id: newId(), name: 'example.com' }],
    databases: [],
    queues: [],
    buckets: [],
    scripts: new Map(),
    domains: [],
    routes: [],
    dnsRecords: new Set(),
    foreignHostnames: new Set(),
    files: new Map(),
    ...given,
  };
}

/** The zone that a host name belongs to. */
export function zoneOf(account: Account, hostname: string): Zone | null {
  const isIn = ({ name }: Zone) => hostname === name || hostname.endsWith(`.${name}`);
  return account.zones.find(isIn) ?? null;
}

const A = '/accounts/{account}';

/** The token's owner, its accounts, their zones and their subdomain. */
export function accountHandlers(account: Account): Handlers {
  const { id, name, email } = account;
  return {
    'GET /user/tokens/verify': () => ({ id: newId(), status: 'active' }),
    'GET /user': () => ({ id: newId(), email }),
    'GET /accounts': ({ query }) => page([{ id, name, type: 'standard' }], query),
    'GET /memberships': ({ query }) =>
      page([{ id: newId(), account: { id, name }, roles: ['Administrator'] }], query),
    'GET /zones': ({ query }) => {
      const zones = account.zones.filter((zone) => zone.name === (query.get('name') ?? zone.name));
      return page(
        zones.map((zone) => ({ ...zone, status: 'active', account: { id, name } })),
        query,
      );
    },
    [`GET ${A}/workers/subdomain`]: () => {
      if (account.subdomain === null) {
        throw new ApiError(10007, 'workers.api.error.subdomain_not_found', 404);
      }
      return { subdomain: account.subdomain };
    },
    [`PUT ${A}/workers/subdomain`]: (call) => {
      account.subdomain = jsonOf<{ subdomain: string }>(call).subdomain;
      return { subdomain: account.subdomain };
    },
  };
}
