import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import { type IntentClient, intentByObjectId, intentByUniqueId } from '../intent/client.ts';
import { concurrently } from '../platform/concurrently.ts';
import { prepare, type SqlStatement } from '../platform/database.ts';
import { errorText, log } from '../platform/log.ts';
import { PAYMENTS_BY_TIME } from './payment-row.ts';
import { EACH_TENANT } from './search-all.ts';

/**
 * Rebuilds the read model: each object sends its payment again. For the operator, after a change of
 * the read model's columns or when its data may be wrong.
 */

export interface RepublishRequest {
  /** Null: start with the first payment. */
  readonly after: PaymentPlace | null;
  /** 1 … REPUBLISH_ROWS_MAX. */
  readonly limit: number;
}

export interface Republished {
  /** Sent again. The read model receives them within seconds. */
  readonly republished: number;
  /** No such payment, or only a tombstone. */
  readonly missing: number;
  /** The object was unreachable or could not send. The operator should retry. */
  readonly failed: number;
}

export interface RepublishedPage extends Republished {
  /** Of the payment after which the next page begins, or null after the last page. */
  readonly nextUuid: string | null;
}

/** One request handles a page, with two calls for each payment: well below a Worker's limits. */
export const REPUBLISH_ROWS_MAX = 1_000;

interface Known extends Tenant {
  readonly uuid: string;
  readonly uniqueId: string;
}

/** Where a payment lies among those of all merchants. */
export interface PaymentPlace extends Tenant {
  readonly createdAtMs: number;
  readonly uuid: string;
}

/** Null for a uuid that the read model does not know. */
export function findPlace(db: D1Database, uuid: string): Promise<PaymentPlace | null> {
  return prepare(db, findPlaceStatement(uuid)).first<PaymentPlace>();
}

export function findPlaceStatement(uuid: string): SqlStatement {
  return {
    sql: `SELECT payment.merchant_id AS merchantId, payment.environment AS environment,
        payment.created_at_ms AS createdAtMs, payment.uuid
      FROM ${EACH_TENANT} CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME}
        ON payment.merchant_id = merchants.id AND payment.environment = place.environment
          AND payment.created_at_ms = ?1 AND payment.uuid = ?2`,
    params: [uuidV7TimeMs(uuid), uuid],
  };
}

/** Republishes a page of all payments in the read model, merchant by merchant, oldest first. */
export async function republishPage(env: Env, request: RepublishRequest): Promise<RepublishedPage> {
  const limit = Math.max(1, Math.min(Math.trunc(request.limit), REPUBLISH_ROWS_MAX));
  const statement = knownStatement(request.after, limit);
  const { results } = await prepare(env.DB, statement).all<Known>();
  const clients = results.map(({ uniqueId, ...tenant }) => intentByUniqueId(env, tenant, uniqueId));
  const nextUuid = results.length < limit ? null : (results.at(-1)?.uuid ?? null);
  return { ...(await republish(clients)), nextUuid };
}

export function knownStatement(after: PaymentPlace | null, limit: number): SqlStatement {
  const { merchantId = '', environment = '', createdAtMs = 0, uuid = '' } = after ?? {};
  return {
    sql: `SELECT uuid, merchant_id AS merchantId, environment, unique_id AS uniqueId
      FROM payment INDEXED BY ${PAYMENTS_BY_TIME}
      WHERE (merchant_id, environment, created_at_ms, uuid) > (?, ?, ?, ?)
      ORDER BY merchant_id, environment, created_at_ms, uuid LIMIT ?`,
    params: [merchantId, environment, createdAtMs, uuid, limit],
  };
}

/** Republishes payments that the read model may have lost. Malformed ids count as missing. */
export async function republishObjects(
  env: Env,
  objectIds: readonly string[],
): Promise<Republished> {
  const wellFormed = objectIds.filter((objectId) => OBJECT_ID.test(objectId));
  const clients = wellFormed.map((objectId) => intentByObjectId(env, objectId));
  const result = await republish(clients);
  return { ...result, missing: result.missing + objectIds.length - wellFormed.length };
}

async function republish(clients: readonly IntentClient[]): Promise<Republished> {
  const counts = { republished: 0, missing: 0, failed: 0 };
  for (const outcome of await concurrently(clients, outcomeOf)) {
    counts[outcome] += 1;
  }
  return counts;
}

async function outcomeOf(client: IntentClient): Promise<keyof Republished> {
  try {
    return (await client.republish()) ? 'republished' : 'missing';
  } catch (error) {
    log('warn', 'republish_failed', { objectId: client.objectId, error: errorText(error) });
    return 'failed';
  }
}
