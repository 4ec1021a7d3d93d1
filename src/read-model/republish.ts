import { concurrently } from '../concurrently.ts';
import { prepare, type SqlStatement } from '../database.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import type { Environment } from '../domain/method.ts';
import { type IntentClient, intentByObjectId, intentByUniqueId } from '../intent/client.ts';
import { errorText, log } from '../log.ts';

/**
 * Rebuilds the read model: each object sends its payment again. For the operator, after a change of
 * the read model's columns or when its data may be wrong.
 */

export interface RepublishRequest {
  /** Null: start with the first payment. */
  readonly afterUuid: string | null;
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
  /** `afterUuid` of the next call, or null after the last page. */
  readonly nextUuid: string | null;
}

/** One request handles a page, with two calls for each payment: well below a Worker's limits. */
export const REPUBLISH_ROWS_MAX = 1_000;

interface Known {
  readonly uuid: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly uniqueId: string;
}

/** Republishes a page of all payments in the read model, over all merchants, by uuid. */
export async function republishPage(env: Env, request: RepublishRequest): Promise<RepublishedPage> {
  const limit = Math.max(1, Math.min(Math.trunc(request.limit), REPUBLISH_ROWS_MAX));
  const statement = knownStatement(request.afterUuid ?? '', limit);
  const { results } = await prepare(env.DB, statement).all<Known>();
  const clients = results.map(({ uniqueId, ...tenant }) => intentByUniqueId(env, tenant, uniqueId));
  const nextUuid = results.length < limit ? null : (results.at(-1)?.uuid ?? null);
  return { ...(await republish(clients)), nextUuid };
}

export function knownStatement(afterUuid: string, limit: number): SqlStatement {
  return {
    sql: `SELECT uuid, merchant_id AS merchantId, environment, unique_id AS uniqueId
      FROM payment INDEXED BY payment_by_uuid WHERE uuid > ? ORDER BY uuid LIMIT ?`,
    params: [afterUuid, limit],
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
