import { configOf } from '../../engine/config.ts';
import { apiKeyDigest, apiKeyHint, generateApiKey } from '../../engine/merchants/api-key.ts';
import {
  type GrantedPermissions,
  storedPermissions,
} from '../../engine/merchants/key-permissions.ts';
import { type Changing, runAct } from '../../kit/audit/log.ts';
import { found } from '../../kit/http/problem.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import {
  isFormId,
  isGrantable,
  isRollable,
  KEYS_ACTIVE_MAX,
  nameProblem,
  OVERLAPS_MS,
  type Overlap,
  overlapFrom,
} from './key-rules.ts';
import { type ApiKeyView, apiKeyBy } from './keys.ts';

/** How members change a tenant's API keys, each change in one batch with its audit entry. */

export interface NewApiKey {
  /** In plain text; the statement contains only its digest and last four characters. */
  readonly apiKey: string;
  /** The merchant's name for the key. */
  readonly name: string;
  readonly createdAtMs: number;
  /** The name of the member who created it, if a member did. */
  readonly createdBy?: string;
  /** Identifies the member's form: a form that is sent twice creates one key. */
  readonly formId?: string;
  /** Absent: everything. */
  readonly permissions?: GrantedPermissions;
}

const INSERT_SQL = `
  INSERT INTO api_keys
    (digest, merchant_id, environment, name, hint, created_by, created_at_ms, form_id, permissions)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9`;
/** Rejects a form that is sent twice and a key that exists: a revoked key stays revoked. */
const IF_NEW = `(SELECT count(*) FROM api_keys
    WHERE merchant_id = ?2 AND environment = ?3 AND revoked_at_ms IS NULL
      AND (expires_at_ms IS NULL OR expires_at_ms > ?7)) < ?10
  ON CONFLICT DO NOTHING`;

/**
 * Inserts a key. Changes no row when the key exists, the form was sent before or the tenant has too
 * many keys.
 */
export async function createApiKey(tenant: Tenant, key: NewApiKey): Promise<SqlStatement> {
  return {
    sql: `${INSERT_SQL} WHERE ${IF_NEW}`,
    params: [...(await keyParams(tenant, key)), KEYS_ACTIVE_MAX],
  };
}

/**
 * Replaces a valid key that has no end yet: inserts a new key, and lets the old one expire at
 * `endsAtMs`. Run both statements in this order: the second has no effect if the first has none.
 */
export async function rollApiKey(
  tenant: Tenant,
  oldDigest: string,
  key: NewApiKey,
  endsAtMs: number,
): Promise<readonly [SqlStatement, SqlStatement]> {
  // An old key that ends at once makes room for the new one.
  const activeMax = endsAtMs > key.createdAtMs ? KEYS_ACTIVE_MAX : KEYS_ACTIVE_MAX + 1;
  const newDigest = await apiKeyDigest(key.apiKey);
  return [
    {
      sql: `${INSERT_SQL} FROM api_keys AS old WHERE old.digest = ?11 AND old.merchant_id = ?2
          AND old.environment = ?3 AND old.revoked_at_ms IS NULL AND old.expires_at_ms IS NULL
          AND ${IF_NEW}`,
      params: [...(await keyParams(tenant, key)), activeMax, oldDigest],
    },
    {
      sql: `UPDATE api_keys SET expires_at_ms = ?4
        WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3
          AND EXISTS (SELECT 1 FROM api_keys WHERE digest = ?5)`,
      params: [oldDigest, tenant.merchantId, tenant.environment, endsAtMs, newDigest],
    },
  ];
}

async function keyParams(tenant: Tenant, key: NewApiKey): Promise<SqlStatement['params']> {
  return [
    await apiKeyDigest(key.apiKey),
    tenant.merchantId,
    tenant.environment,
    key.name,
    apiKeyHint(key.apiKey),
    key.createdBy ?? null,
    key.createdAtMs,
    key.formId ?? null,
    storedPermissions(key.permissions ?? null),
  ];
}

/** Revokes a key of this tenant, everywhere within 10 s. Keeps the time of a first revocation. */
export function revokeApiKey(tenant: Tenant, digest: string, revokedAtMs: number): SqlStatement {
  return {
    sql: `UPDATE api_keys SET revoked_at_ms = ?4
      WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3 AND revoked_at_ms IS NULL`,
    params: [digest, tenant.merchantId, tenant.environment, revokedAtMs],
  };
}

/** The form that asks for a key. */
export interface KeyForm {
  readonly formId: string;
  readonly permissions: GrantedPermissions;
}

/** The key in plain text, which cannot be read again, or why there is none. */
export type KeyResult<Refusal> =
  | { readonly type: 'created'; readonly apiKey: string }
  | { readonly type: 'refused'; readonly problem: Refusal };

/** A key with that name. A form that is sent twice creates one key. */
export async function createKey(
  by: Changing,
  name: string,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice'>> {
  const key = await newKey(by, name, form);
  const { apiKey } = key;
  const act = {
    action: 'api_key.created',
    target: targetOf(apiKey),
    detail: detailOf(key),
  } as const;
  return (await runAct(by, [await createApiKey(by.tenant, key)], act))
    ? { type: 'created', apiKey }
    : { type: 'refused', problem: await whyNoKey(by, form) };
}

/** A replacement for the key. Both work during the overlap. Problem 404 for an unknown key. */
export async function rollKey(
  by: Changing,
  digest: string,
  overlap: Overlap,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice' | 'ended'>> {
  const old = await knownKey(by, digest);
  const key = await newKey(by, old.name, form);
  requireValid(overlapFrom(overlap) !== null);
  const endsAtMs = by.nowMs + OVERLAPS_MS[overlap];
  const { apiKey } = key;
  const detail = { ...detailOf(key), replaces: `…${old.hint}`, oldKeyEndsAtMs: endsAtMs };
  const act = { action: 'api_key.rolled', target: targetOf(apiKey), detail } as const;
  if (await runAct(by, await rollApiKey(by.tenant, digest, key, endsAtMs), act)) {
    return { type: 'created', apiKey };
  }
  const problem = isRollable(await knownKey(by, digest)) ? await whyNoKey(by, form) : 'ended';
  return { type: 'refused', problem };
}

/** Changes nothing when the key already has this name. Problem 404 for an unknown key. */
export async function renameKey(by: Changing, digest: string, name: string): Promise<void> {
  const { merchantId, environment } = by.tenant;
  const key = await knownKey(by, digest);
  requireValid(nameProblem(name) === null);
  const sql = `UPDATE api_keys SET name = ?4
    WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3 AND name <> ?4`;
  const detail = { from: key.name, to: name };
  const act = { action: 'api_key.renamed', target: `…${key.hint}`, detail } as const;
  await runAct(by, [{ sql, params: [digest, merchantId, environment, name] }], act);
}

/** The key is rejected everywhere within 10 s. Problem 404 for an unknown key. */
export async function revokeKey(by: Changing, digest: string): Promise<void> {
  const { hint, name } = await knownKey(by, digest);
  const act = { action: 'api_key.revoked', target: `…${hint}`, detail: { name } } as const;
  await runAct(by, [revokeApiKey(by.tenant, digest, by.nowMs)], act);
}

async function newKey(
  { env, tenant, actor, nowMs }: Changing,
  name: string,
  { formId, permissions }: KeyForm,
) {
  requireValid(nameProblem(name) === null && isFormId(formId) && isGrantable(permissions));
  const apiKey = await generateApiKey(configOf(env).dataEncryptionKeys, tenant.environment);
  return { apiKey, name, createdBy: actor.name, createdAtMs: nowMs, formId, permissions };
}

/** Pages check their forms first, so only an intruder sends an invalid value. */
function requireValid(isValid: boolean): void {
  if (!isValid) {
    throw new RangeError('not a valid change of an API key');
  }
}

async function knownKey({ env, tenant }: Changing, digest: string): Promise<ApiKeyView> {
  return found(await apiKeyBy(env.DB, tenant, { digest }));
}

/** How the audit log names a key. */
function targetOf(apiKey: string): string {
  return `…${apiKeyHint(apiKey)}`;
}

/** A key with full access has no list of what it may do. */
function detailOf({ name, permissions }: Pick<KeyForm, 'permissions'> & { readonly name: string }) {
  return { name, ...(permissions !== null && { permissions: permissions.join(', ') }) };
}

async function whyNoKey({ env, tenant }: Changing, { formId }: KeyForm) {
  const made = await apiKeyBy(env.DB, tenant, { formId });
  return made === null ? 'too_many' : 'sent_twice';
}
