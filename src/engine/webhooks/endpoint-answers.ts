import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';

/**
 * The answers to creations of endpoints with an Idempotency-Key (docs/decisions.md#8). One batch
 * writes the endpoint and the answer, so no crash leaves one without the other.
 */

/** What a repeat gets. `answer`: byte for byte the first one. */
export type StoredAnswer =
  | { readonly type: 'replay'; readonly answer: string }
  | { readonly type: 'key_reused' };

/** What is stored under the key, or null. */
export async function storedAnswer(
  env: Env,
  tenant: Tenant,
  { keyDigest, bodyDigest }: IdempotencyClaim,
): Promise<StoredAnswer | null> {
  const row = await prepare(env.DB, {
    sql: `SELECT body_digest AS bodyDigest, sealed_answer AS sealedAnswer
      FROM webhook_endpoint_answers
      WHERE merchant_id = ?1 AND environment = ?2 AND key_digest = ?3`,
    params: [tenant.merchantId, tenant.environment, keyDigest],
  }).first<{ readonly bodyDigest: string; readonly sealedAnswer: string }>();
  if (row === null) {
    return null;
  }
  if (row.bodyDigest !== bodyDigest) {
    return { type: 'key_reused' };
  }
  const keys = configOf(env).dataEncryptionKeys;
  const answer = await unseal(keys, row.sealedAnswer, contextOf(tenant, keyDigest));
  if (answer === null) {
    // Another endpoint would be worse than an error: the merchant has the first one.
    throw new Error('the data key of the answer is no longer configured');
  }
  return { type: 'replay', answer };
}

/** Stores the answer, if the batch has created the endpoint. */
export async function insertAnswer(
  env: Env,
  { merchantId, environment }: Tenant,
  { keyDigest, bodyDigest }: IdempotencyClaim,
  endpoint: { readonly endpointId: string; readonly createdAtMs: number },
  answer: string,
): Promise<SqlStatement> {
  const { endpointId, createdAtMs } = endpoint;
  const context = contextOf({ merchantId, environment }, keyDigest);
  const sealedAnswer = await seal(configOf(env).dataEncryptionKeys, answer, context);
  return {
    sql: `INSERT INTO webhook_endpoint_answers (merchant_id, environment, key_digest, body_digest,
        sealed_answer, created_at_ms)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = ?7)`,
    params: [merchantId, environment, keyDigest, bodyDigest, sealedAnswer, createdAtMs, endpointId],
  };
}

function contextOf({ merchantId, environment }: Tenant, keyDigest: string): string {
  return `webhook_endpoint_answer/${environment}/${merchantId}/${keyDigest}`;
}
