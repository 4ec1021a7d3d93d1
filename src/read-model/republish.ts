import { concurrently } from '../concurrently.ts';
import { prepare, type SqlStatement } from '../database.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import type { Environment } from '../domain/method.ts';
import { type IntentClient, intentByObjectId, intentByUniqueId } from '../intent/client.ts';
import { errorText, log } from '../log.ts';

/**
 * The read model made anew from the objects: each is asked to send what it holds once more. For the
 * operator, after a change of the read model's columns or a doubt.
 */

export interface RepublishRequest {
  /** Null: from the beginning. */
  readonly afterUuid: string | null;
  /** 1 … REPUBLISH_ROWS_MAX. */
  readonly limit: number;
}

export interface Republished {
  /** Sent again; the read model holds it within seconds. */
  readonly republished: number;
  /** No such payment, or only its tombstone is left. */
  readonly missing: number;
  /** Could not be asked or could not send. Worth another call. */
  readonly failed: number;
}

export interface RepublishedPage extends Republished {
  /** For the next call, or null when this was the last page. */
  readonly nextUuid: string | null;
}

/** One page is one request of the operator: two calls for each payment, far from a Worker's limits. */
export const REPUBLISH_ROWS_MAX = 1_000;

interface Known {
  readonly uuid: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly uniqueId: string;
}

/** Republishes the payments that the read model knows, over all merchants, in the order of their uuid. */
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

/** The same for payments that the read model may have lost, by their objects' ids. Garbage is missing. */
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
