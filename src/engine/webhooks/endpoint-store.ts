import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENDPOINTS_MAX, endpointOrigin, shownUrl, type WebhookEndpoint } from './endpoints.ts';
import { clearEndpoint } from './failing-endpoints.ts';
import { PAYLOAD_VERSION } from './payload.ts';

/**
 * The merchant's endpoints as members and programs manage them; `settings.ts` reads them for
 * sending. A change takes effect within 5 s.
 */

export interface EndpointEntry extends WebhookEndpoint {
  readonly description: string;
  readonly createdAtMs: number;
  /** The version of the payload on the day of its creation, which it keeps. */
  readonly payloadVersion: string;
  /** The first failure since the last success; null while it works. */
  readonly failingSinceMs: number | null;
  readonly lastError: string | null;
  readonly pausedAtMs: number | null;
  /** Whether a person is also told what needs the merchant, beside payments. */
  readonly isToldNeeds: boolean;
  /** The name of the till when the endpoint was connected; null exactly if `tillId` is. */
  readonly tillName: string | null;
}

/** What a merchant chooses. */
export type EndpointSettings = Pick<
  EndpointEntry,
  | 'url'
  | 'eventTypes'
  | 'description'
  | 'isEnabled'
  | 'signatureHeader'
  | 'language'
  | 'paymentLinkUniqueId'
  | 'tillId'
  | 'tillName'
>;

/** The settings that a server's endpoint does not have. */
export const OF_SERVER = {
  language: null,
  paymentLinkUniqueId: null,
  tillId: null,
  tillName: null,
} as const;

type Row = Omit<EndpointEntry, 'eventTypes' | 'isEnabled' | 'isToldNeeds'> & {
  readonly eventTypes: string;
  readonly isEnabled: number;
  readonly isToldNeeds: number;
};

/** The tenant's endpoints as others may see them, oldest first. */
export async function listEndpoints(
  db: D1Database,
  tenant: Tenant,
): Promise<readonly EndpointEntry[]> {
  return (await readEndpoints(db, tenant)).map(shownEndpoint);
}

/** Without the whole address of a person. */
export function shownEndpoint(endpoint: EndpointEntry): EndpointEntry {
  return { ...endpoint, url: shownUrl(endpoint.url) };
}

async function readEndpoints(
  db: D1Database,
  { merchantId, environment }: Tenant,
): Promise<readonly EndpointEntry[]> {
  const { results } = await prepare(db, {
    sql: `SELECT id AS endpointId, url, event_types AS eventTypes, description,
        enabled AS isEnabled, signature_header AS signatureHeader, language,
        payment_link_unique_id AS paymentLinkUniqueId, till_id AS tillId, till_name AS tillName,
        told_until_ms IS NOT NULL AS isToldNeeds, created_at_ms AS createdAtMs,
        payload_version AS payloadVersion, failing_since_ms AS failingSinceMs, last_error AS lastError, paused_at_ms AS pausedAtMs
      FROM webhook_endpoints AS own LEFT JOIN failing_endpoints AS failing
        ON failing.merchant_id = own.merchant_id AND failing.environment = own.environment
          AND failing.endpoint = own.id
      WHERE own.merchant_id = ?1 AND own.environment = ?2
      ORDER BY own.created_at_ms, own.id LIMIT ${ENDPOINTS_MAX}`,
    params: [merchantId, environment],
  }).all<Row>();
  return results.map((row) => ({
    ...row,
    eventTypes: JSON.parse(row.eventTypes) as readonly string[],
    isEnabled: row.isEnabled === 1,
    isToldNeeds: row.isToldNeeds === 1,
  }));
}

/** The tenant's endpoint with this id and its whole address, or null. */
export async function findEndpoint(
  db: D1Database,
  tenant: Tenant,
  endpointId: string,
): Promise<EndpointEntry | null> {
  const endpoints = await readEndpoints(db, tenant);
  return endpoints.find((endpoint) => endpoint.endpointId === endpointId) ?? null;
}

/** An endpoint as it is created. */
export function newEndpoint(
  endpointId: string,
  settings: EndpointSettings,
  createdAtMs: number,
): EndpointEntry {
  return {
    ...settings,
    endpointId,
    createdAtMs,
    payloadVersion: PAYLOAD_VERSION,
    failingSinceMs: null,
    lastError: null,
    pausedAtMs: null,
    isToldNeeds: false,
  };
}

/**
 * Adds an endpoint. Changes no row when the tenant has ENDPOINTS_MAX, when a creation with this
 * Idempotency-Key is stored, or when the person's request was used.
 */
export function insertEndpoint(
  { merchantId, environment }: Tenant,
  endpoint: EndpointSettings & Pick<EndpointEntry, 'endpointId' | 'createdAtMs'>,
  keyDigest: string | null = null,
  connectionId: string | null = null,
): SqlStatement {
  return {
    sql: `INSERT INTO webhook_endpoints (merchant_id, environment, id, created_at_ms, url,
        event_types, description, enabled, signature_header, payload_version, language,
        payment_link_unique_id, till_id, till_name)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?12, ?13, ?15, ?16
      WHERE (SELECT COUNT(*) FROM webhook_endpoints
          WHERE merchant_id = ?1 AND environment = ?2) < ${ENDPOINTS_MAX}
        AND NOT EXISTS (SELECT 1 FROM webhook_endpoint_answers
          WHERE merchant_id = ?1 AND environment = ?2 AND key_digest = ?11)
        AND (?14 IS NULL OR EXISTS (SELECT 1 FROM endpoint_connections
          WHERE id = ?14 AND merchant_id = ?1 AND environment = ?2 AND endpoint_id IS NULL))`,
    params: [
      merchantId,
      environment,
      endpoint.endpointId,
      endpoint.createdAtMs,
      ...columnsOf(endpoint),
      PAYLOAD_VERSION,
      keyDigest,
      endpoint.language,
      endpoint.paymentLinkUniqueId,
      connectionId,
      endpoint.tillId,
      endpoint.tillName,
    ],
  };
}

/** Adds a person's endpoint, and uses the request up; the last statement says whether it did. */
export function insertEndpointOfPerson(
  tenant: Tenant,
  endpoint: EndpointSettings & Pick<EndpointEntry, 'endpointId' | 'createdAtMs'>,
  connectionId: string,
  isToldNeeds: boolean,
): readonly SqlStatement[] {
  const { merchantId, environment } = tenant;
  const { endpointId, createdAtMs } = endpoint;
  return [
    insertEndpoint(tenant, endpoint, null, connectionId),
    {
      sql: `UPDATE webhook_endpoints SET told_until_ms = ?4
        WHERE id = ?3 AND merchant_id = ?1 AND environment = ?2 AND ?5`,
      params: [merchantId, environment, endpointId, createdAtMs, isToldNeeds ? 1 : 0],
    },
    {
      sql: `UPDATE endpoint_connections SET endpoint_id = ?4
        WHERE id = ?3 AND merchant_id = ?1 AND environment = ?2 AND endpoint_id IS NULL
          AND EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = ?4)`,
      params: [merchantId, environment, connectionId, endpointId],
    },
  ];
}

export function updateEndpoint(
  { merchantId, environment }: Tenant,
  endpointId: string,
  settings: EndpointSettings,
): SqlStatement {
  return {
    sql: `UPDATE webhook_endpoints SET url = ?4, event_types = ?5, description = ?6, enabled = ?7,
        signature_header = ?8
      WHERE merchant_id = ?1 AND environment = ?2 AND id = ?3`,
    params: [merchantId, environment, endpointId, ...columnsOf(settings)],
  };
}

function columnsOf(settings: EndpointSettings): SqlStatement['params'] {
  const { url, eventTypes, description, isEnabled, signatureHeader } = settings;
  return [url, JSON.stringify(eventTypes), description, isEnabled ? 1 : 0, signatureHeader];
}

/**
 * Deletes an endpoint with its secrets and its failures. Deliveries that wait for it end visibly.
 * The last statement deletes the endpoint itself.
 */
export function deleteEndpoint(tenant: Tenant, endpointId: string): readonly SqlStatement[] {
  const params = [tenant.merchantId, tenant.environment, endpointId];
  const where = 'WHERE merchant_id = ?1 AND environment = ?2';
  return [
    { sql: `DELETE FROM webhook_secrets ${where} AND endpoint_id = ?3`, params },
    clearEndpoint(tenant, endpointId),
    { sql: `DELETE FROM webhook_endpoints ${where} AND id = ?3`, params },
  ];
}

/** What the audit log records. The origin only: path and query may hold a secret of the merchant's. */
export function endpointAuditDetail(settings: EndpointSettings) {
  const { url, isEnabled, eventTypes, signatureHeader } = settings;
  const types = eventTypes.length === 0 ? 'all' : eventTypes.join(', ');
  return { origin: endpointOrigin(url), enabled: isEnabled, eventTypes: types, signatureHeader };
}
