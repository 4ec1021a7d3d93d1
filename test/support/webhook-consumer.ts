import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type {
  ChosenEndpoint,
  ClaimedDelivery,
  DeliveryId,
  DeliveryMessage,
  DeliveryReport,
} from '../../src/engine/intent/protocol.ts';
import { consumeDeliveries } from '../../src/engine/webhooks/consume.ts';
import type { WebhookEndpoint } from '../../src/engine/webhooks/endpoints.ts';
import { webhookSecretContext } from '../../src/engine/webhooks/settings.ts';
import type { NamedKey } from '../../src/kit/crypto/key-ring.ts';
import { seal } from '../../src/kit/crypto/sealed.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { testSecrets } from './secrets.ts';

/** The consumer of webhooks with SQLite, a payment's object and the queue in the test's hands. */

const variables = testSecrets();
export const tenant: Tenant = { environment: 'sandbox', merchantId: 'm1' };
const dataKey: NamedKey = { keyId: 't1', base64: Buffer.alloc(32, 2).toString('base64') };
export const secret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;

export const ENDPOINT: WebhookEndpoint = {
  endpointId: 'we_1',
  url: 'https://shop.example.com/hook',
  eventTypes: [],
  isEnabled: true,
  signatureHeader: null,
  language: null,
  paymentLinkUniqueId: null,
  tillId: null,
};

/** SQLite behind the few D1 calls that we make; counts them. */
export function database() {
  const sqlite = new DatabaseSync(':memory:');
  for (const name of ['0001_baseline', '0012_endpoints_of_people', '0013_endpoints_of_tills']) {
    sqlite.exec(readFileSync(`migrations/${name}.sql`, 'utf8'));
  }
  const calls = { queries: 0 };
  const prepare = (sql: string) => ({
    bind: (...values: (string | number | null)[]) => ({
      all: async () => {
        calls.queries += 1;
        return { results: sqlite.prepare(sql).all(...values), meta: { changes: 0 } };
      },
    }),
  });
  const batch = (statements: ReturnType<ReturnType<typeof prepare>['bind']>[]) =>
    Promise.all(statements.map((statement) => statement.all()));
  const d1 = { prepare, batch };
  const addEndpoint = (endpoint: Partial<WebhookEndpoint>, of: Tenant = tenant) => {
    const added = { ...ENDPOINT, ...endpoint };
    const insert = sqlite.prepare(
      `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, event_types, description,
        enabled, signature_header, created_at_ms, payload_version, language,
        payment_link_unique_id, till_id)
        VALUES (?, ?, ?, ?, ?, '', ?, ?, 1, '2026-11-23', ?, ?, ?)`,
    );
    const types = JSON.stringify(added.eventTypes);
    const { endpointId, url, isEnabled, signatureHeader, language } = added;
    const { merchantId, environment: where } = of;
    insert.run(
      ...[endpointId, merchantId, where, url, types, Number(isEnabled), signatureHeader],
      ...[language, added.paymentLinkUniqueId, added.tillId],
    );
  };
  const addHeader = (name: string, { merchantId, environment: where }: Tenant = tenant) => {
    const insert = sqlite.prepare('INSERT INTO webhook_callback_settings VALUES (?, ?, ?)');
    insert.run(merchantId, where, name);
  };
  const addSecret = async (
    plaintext: string,
    createdAtMs: number,
    expiresAtMs: number | null = null,
    of: Tenant = tenant,
    endpointId: string | null = null,
    context: string = webhookSecretContext(of, endpointId),
  ) => {
    const sealed = await seal([dataKey], plaintext, context);
    sqlite
      .prepare('INSERT INTO webhook_secrets VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(plaintext, of.merchantId, of.environment, endpointId, sealed, createdAtMs, expiresAtMs);
  };
  return { d1, sqlite, calls, addEndpoint, addHeader, addSecret };
}

/** An object that hands out a delivery and stores the report. */
export function paymentObject(delivery: Partial<ClaimedDelivery>) {
  const reports: DeliveryReport[] = [];
  const stub = {
    claimDelivery: async (_id: DeliveryId, endpoints: readonly ChosenEndpoint[]) => ({
      type: 'claimed',
      delivery: {
        claimId: 'claim-1',
        eventId: 'evt_1',
        tenant,
        callbackUrl: null,
        endpointId: endpoints[0]?.endpointId ?? null,
        ownOrigin: 'http://localhost:8787',
        fault: null,
        requestBody: '{"webHookEvent":"PAYMENT_SUCCESS"}',
        ...delivery,
      },
    }),
    reportDelivery: async (report: DeliveryReport) => {
      reports.push(report);
    },
  };
  return { stub, reports };
}

export function environment(stub: unknown, d1: unknown, more: Record<string, string> = {}): Env {
  const env: unknown = {
    ...variables,
    PUBLIC_BASE_URL: '',
    EXPIRE_IN_SECONDS_MIN: '5',
    EXPIRE_IN_SECONDS_MAX: '31622400',
    CALLBACK_HTTPS_ONLY: 'false',
    LOCAL_CALLBACKS: 'true',
    RATE_LIMITS: 'off',
    REFUND_COMMISSION: 'return',
    SECOND_OPERATOR_ABOVE: 'off',
    RETENTION_PAYMENT_DAYS: '400',
    RETENTION_AUDIT_ADDRESS_DAYS: '400',
    RETENTION_DEAD_LETTER_DAYS: '400',
    RETENTION_MANUAL_RECEIPT_DAYS: '400',
    DB: d1,
    PAYMENT_INTENT: { idFromName: (id: string) => id, get: () => stub },
    ...more,
  };
  return env as Env;
}

/** Runs the consumer over messages; `settled` waits for the work it left in waitUntil. */
export async function consume(
  env: Env,
  queue: string,
  messages: readonly DeliveryMessage[],
  { attempts = 3 } = {},
) {
  const waiting: Promise<unknown>[] = [];
  const fates: string[] = messages.map(() => 'forgotten');
  const batch: unknown = {
    queue,
    messages: messages.map((body, index) => ({
      id: `m${index}`,
      body,
      attempts,
      ack: () => {
        fates[index] = 'acked';
      },
      retry: (options: { delaySeconds: number }) => {
        fates[index] = `again in ${options.delaySeconds} s`;
      },
    })),
  };
  const ctx: unknown = { waitUntil: (promise: Promise<unknown>) => waiting.push(promise) };
  await consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx as ExecutionContext);
  return { fates, settled: () => Promise.all(waiting) };
}

export const message: DeliveryMessage = {
  objectName: 'a'.repeat(64),
  sequence: 3,
  position: 0,
  tenant,
  endpointId: null,
  mustChoose: false,
  eventType: 'payment_succeeded',
};
/** The message of a payment without a callbackUrl. */
export const choosing: DeliveryMessage = { ...message, mustChoose: true };
