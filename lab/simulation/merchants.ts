import { METHODS } from '../../src/engine/domain/method.ts';
import type { MerchantAccess } from '../../src/engine/merchants/access.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { type Clock, never } from './clock.ts';
import { rateOf } from './commissions.ts';
import { SimulatedFailure } from './faults.ts';
import { type FetchInit, SimulatedResponse } from './network.ts';
import type { Sqlite } from './sqlite.ts';

/** The merchants and their webhook servers. */

export interface Merchant extends Tenant {
  /** Its payments name a callbackUrl; else they go to its endpoints. */
  readonly hasCallbackUrl: boolean;
  /** Whether events of refunds go to the callbackUrl; else nothing gets them. */
  readonly refundEvents: boolean;
}

/** Two merchants in production, and one of them in the sandbox too. */
export const MERCHANTS: readonly [Merchant, Merchant, Merchant] = [
  { environment: 'production', merchantId: 'mer_books', hasCallbackUrl: true, refundEvents: true },
  {
    environment: 'production',
    merchantId: 'mer_coffee',
    hasCallbackUrl: false,
    refundEvents: false,
  },
  { environment: 'sandbox', merchantId: 'mer_books', hasCallbackUrl: true, refundEvents: false },
];

/** Endpoints of the merchant without callback URLs: one for everything, one for refunds only. */
const ENDPOINTS = [
  { id: 'we_all', host: 'all.coffee.example.com', eventTypes: [] },
  {
    id: 'we_refunds',
    host: 'refunds.coffee.example.com',
    eventTypes: ['REFUND_REQUIRES_ACTION', 'REFUND_SUCCESS', 'REFUND_FAILED'],
  },
];

/** The host that takes a merchant's callbacks. */
export function callbackHostOf({ environment, merchantId }: Tenant): string {
  return `${merchantId.replace('mer_', '')}-${environment}.example.com`;
}

/** A payment of any merchant. */
export function keyOf({ environment, merchantId }: Tenant, uniqueId: string): string {
  return `${environment}/${merchantId}/${uniqueId}`;
}

export function accessOf({ environment, merchantId }: Tenant): MerchantAccess {
  return {
    environment,
    merchantId,
    merchantName: 'Merchant',
    branding: null,
    business: null,
    keyDigest: 'd'.repeat(64),
    keyName: 'key',
    permissions: null,
    methods: METHODS.map((method) => ({ method, rate: rateOf(method) })),
    switchedOff: [],
    limits: {},
    appSchemes: [],
    bookVolume: 0,
    isInMaintenance: false,
    merchantNumber: numberOf(merchantId),
  };
}

const MERCHANT_IDS = [...new Set(MERCHANTS.map(({ merchantId }) => merchantId))];

function numberOf(merchantId: string): number {
  return MERCHANT_IDS.indexOf(merchantId) + 1;
}

export function insertMerchants(sql: Sqlite, refundDailyMaxMinor: number | null): void {
  for (const merchantId of MERCHANT_IDS) {
    sql.all(
      `INSERT INTO merchants (id, number, name, refund_daily_max_minor, created_at_ms)
       VALUES (?, ?, 'Merchant', ?, 0)`,
      [merchantId, numberOf(merchantId), refundDailyMaxMinor],
    );
  }
  const { environment, merchantId } = MERCHANTS[1];
  for (const { id, host, eventTypes } of ENDPOINTS) {
    sql.all(
      `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, event_types, description,
         enabled, signature_header, created_at_ms, payload_version)
       VALUES (?, ?, ?, ?, ?, '', 1, NULL, 0, '2026-11-23')`,
      [id, merchantId, environment, `https://${host}/hook`, JSON.stringify(eventTypes)],
    );
  }
}

/** One request that arrived at a merchant's server. */
export interface Receipt {
  readonly host: string;
  readonly eventId: string;
  readonly body: string;
  readonly atMs: number;
  /** What Kefel got: a status, or null when the answer did not arrive. */
  readonly status: number | null;
}

const SLOW_MS = 20_000;

/** All merchants' webhook servers. */
export class MerchantServers {
  readonly receipts: Receipt[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In place of `fetch`. */
  fetch(url: string, { headers, body, signal }: FetchInit): Promise<unknown> {
    const clock = this.#clock;
    if (!clock.isCallPossible()) {
      return never();
    }
    const { host } = new URL(url);
    const eventId = headers['webhook-id'] ?? '';
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    aborted.catch(() => undefined);
    const receive = (status: number | null) => {
      clock.note(`merchant ${host} ${eventId.slice(0, 10)} ${status}`);
      this.receipts.push({ host, eventId, body, atMs: clock.nowMs, status });
    };
    const isUnreachable = clock.isDown('merchants') || clock.strikes('merchant_unreachable');
    if (isUnreachable) {
      return clock.call(clock.latencyMs(), () => {
        throw new SimulatedFailure('connection refused');
      });
    }
    if (clock.strikes('merchant_slow')) {
      const answered = clock
        .call(SLOW_MS, () => receive(null))
        .then(() => new SimulatedResponse(''));
      return Promise.race([answered, aborted]);
    }
    const answer = clock.call(clock.latencyMs(), () => {
      const status = this.#status();
      receive(status);
      const isPatient = status === 503;
      return new SimulatedResponse('', {
        status,
        headers: isPatient ? { 'retry-after': '120' } : {},
      });
    });
    return Promise.race([answer, aborted]);
  }

  #status(): number {
    const clock = this.#clock;
    if (clock.strikes('merchant_gone')) {
      return 410;
    }
    if (clock.strikes('merchant_down')) {
      return clock.timing.pick([500, 503, 302, 404]);
    }
    return clock.strikes('merchant_lies') ? 500 : 200;
  }
}
