import { type Act, type Changing, runAct } from '../../kit/audit/log.ts';
import { base64FromBytes } from '../../kit/crypto/encoding.ts';
import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { type Config, configOf } from '../config.ts';
import { SECRETS_MAX, type SecretEntry } from './secret-rules.ts';
import { forgetSettingsOf, webhookSecretContext } from './settings.ts';

/**
 * The signing secrets of an endpoint, or with `endpointId` null of the environment, as members and
 * programs manage them; `settings.ts` reads them for signing.
 */
export interface SecretOwner extends Tenant {
  readonly endpointId: string | null;
}

const HOUR_MS = 60 * 60 * 1_000;
/** Standard Webhooks requires 24 to 64 bytes. 32 bytes match HMAC-SHA-256. */
export const WEBHOOK_SECRET_BYTES = 32;

/** A signing secret in the form that Standard Webhooks libraries take: `whsec_<base64>`. */
export function webhookSecretFrom(
  randomBytes: Uint8Array = crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES)),
): string {
  return `whsec_${base64FromBytes(randomBytes)}`;
}

/** `endpoint_id IS` also compares NULL. */
const IN_FORCE = `merchant_id = ?1 AND environment = ?2 AND endpoint_id IS ?4
  AND (expires_at_ms IS NULL OR expires_at_ms > ?3)`;

function paramsOf({ merchantId, environment, endpointId }: SecretOwner, atMs: number) {
  return [merchantId, environment, atMs, endpointId] as const;
}

/** The secrets in force, newest first, without their values. */
export async function secretsInForce(
  db: D1Database,
  owner: SecretOwner,
  nowMs: number,
): Promise<readonly SecretEntry[]> {
  const { results } = await prepare(db, {
    sql: `SELECT id, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs
      FROM webhook_secrets WHERE ${IN_FORCE} ORDER BY created_at_ms DESC, id DESC LIMIT ?5`,
    // The operator may have added more than SECRETS_MAX.
    params: [...paramsOf(owner, nowMs), 2 * SECRETS_MAX],
  }).all<SecretEntry>();
  return results;
}

export type NewSecret = Awaited<ReturnType<typeof newSecret>>;

/** A new random secret, in plain text and sealed for its owner. Stores nothing. */
export async function newSecret(config: Config, owner: SecretOwner, createdAtMs: number) {
  const value = webhookSecretFrom();
  const context = webhookSecretContext(owner, owner.endpointId);
  const sealedSecret = await seal(config.dataEncryptionKeys, value, context);
  const id = `whs_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
  return { id, value, sealedSecret, createdAtMs };
}

/**
 * Adds a secret, sealed for its owner. Changes no row if SECRETS_MAX others would stay in force
 * next to it, or if the tenant has no such endpoint.
 */
export function insertSecret(
  owner: SecretOwner,
  secret: Omit<NewSecret, 'value'>,
  oldExpireAtMs: number,
): SqlStatement {
  return {
    sql: `INSERT INTO webhook_secrets (id, merchant_id, environment, endpoint_id, sealed_secret,
        created_at_ms, expires_at_ms)
      SELECT ?5, ?1, ?2, ?4, ?6, ?3, NULL
      WHERE (?4 IS NULL OR EXISTS (SELECT 1 FROM webhook_endpoints
          WHERE id = ?4 AND merchant_id = ?1 AND environment = ?2))
        AND (?7 <= ?3
          OR (SELECT COUNT(*) FROM webhook_secrets WHERE ${IN_FORCE}) < ${SECRETS_MAX})`,
    params: [...paramsOf(owner, secret.createdAtMs), secret.id, secret.sealedSecret, oldExpireAtMs],
  };
}

/**
 * A new secret; the others end after the overlap. Null when SECRETS_MAX others would stay in force,
 * or without such an endpoint.
 */
export async function rotateSecret(
  by: Changing,
  endpointId: string | null,
  overlapHours: number,
): Promise<NewSecret | null> {
  const { env, tenant, nowMs } = by;
  const owner = { ...tenant, endpointId };
  const secret = await newSecret(configOf(env), owner, nowMs);
  const { id } = secret;
  const oldExpireAtMs = nowMs + overlapHours * HOUR_MS;
  // Others that end earlier keep their end. Without the new secret, none of them ends.
  const expireOthers = {
    sql: `UPDATE webhook_secrets SET expires_at_ms = ?3
      WHERE ${IN_FORCE} AND id <> ?5
        AND EXISTS (SELECT 1 FROM webhook_secrets WHERE id = ?5)`,
    params: [...paramsOf(owner, oldExpireAtMs), id],
  };
  // Every send reads the owner's rows, which would grow without bound.
  const deleteEnded = {
    sql: `DELETE FROM webhook_secrets
      WHERE merchant_id = ?1 AND environment = ?2 AND endpoint_id IS ?4 AND expires_at_ms <= ?3`,
    params: paramsOf(owner, nowMs),
  };
  const detail = { overlapHours, endpoint: endpointId ?? undefined };
  const isAdded = await changeWebhooks(
    by,
    [insertSecret(owner, secret, oldExpireAtMs)],
    { action: 'webhook.secret_rotated', target: id, detail },
    [expireOthers, deleteEnded],
  );
  return isAdded ? secret : null;
}

/** Ends a secret at once, unless every other one has an end. */
export async function endSecretNow(
  by: Changing,
  endpointId: string | null,
  secretId: string,
): Promise<void> {
  const owner = { ...by.tenant, endpointId };
  const end = {
    sql: `UPDATE webhook_secrets SET expires_at_ms = ?3
      WHERE ${IN_FORCE} AND id = ?5 AND EXISTS (SELECT 1 FROM webhook_secrets AS other
        WHERE other.merchant_id = ?1 AND other.environment = ?2 AND other.endpoint_id IS ?4
          AND other.id <> ?5 AND other.expires_at_ms IS NULL)`,
    params: [...paramsOf(owner, by.nowMs), secretId],
  };
  const detail = { endpoint: endpointId ?? undefined };
  await changeWebhooks(by, [end], { action: 'webhook.secret_ended', target: secretId, detail });
}

/** Runs a change with its entry. This isolate uses it for the next event, others within seconds. */
export async function changeWebhooks(
  by: Changing,
  change: readonly SqlStatement[],
  act: Act,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  const isChanged = await runAct(by, change, act, after);
  forgetSettingsOf(by.tenant);
  return isChanged;
}

export type OpenedSecret =
  | { readonly type: 'opened'; readonly value: string }
  | { readonly type: 'unreadable' }
  | { readonly type: 'not_found' };

/** The value of a secret of this tenant that is in force. */
export async function openSecret(
  env: Env,
  owner: SecretOwner,
  id: string,
  nowMs: number,
): Promise<OpenedSecret> {
  const sealed = await prepare(env.DB, {
    sql: `SELECT sealed_secret FROM webhook_secrets WHERE ${IN_FORCE} AND id = ?5`,
    params: [...paramsOf(owner, nowMs), id],
  }).first<string>('sealed_secret');
  if (sealed === null) {
    return { type: 'not_found' };
  }
  const keys = configOf(env).dataEncryptionKeys;
  const value = await unseal(keys, sealed, webhookSecretContext(owner, owner.endpointId));
  return value === null ? { type: 'unreadable' } : { type: 'opened', value };
}
