import type { Tenant } from '../domain/intent.ts';
import type { SqlStatement } from '../platform/database.ts';
import { prepare } from '../platform/database.ts';
import { apiKeyDigest, apiKeyHint, apiKeyLabel } from './api-key.ts';
import { type GrantedPermissions, permissionsFrom, storedPermissions } from './key-permissions.ts';
import { KEYS_ACTIVE_MAX } from './key-rules.ts';

/** A tenant's API keys, as its members see and change them. D1 stores no key in plain text. */

/** Keys on the page: all valid ones, and the latest revoked or expired ones. */
const KEYS_LISTED_MAX = 100;
/** The last use of a key is stored at most this often, so that not every request writes. */
export const API_KEY_USE_EVERY_MS = 5 * 60 * 1_000;

/** Records a use. Changes no row when a recent or later use is recorded. */
export function markApiKeyUsed(digest: string, usedAtMs: number): SqlStatement {
  return {
    sql: `UPDATE api_keys SET last_used_at_ms = ?2
      WHERE digest = ?1 AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?3)`,
    params: [digest, usedAtMs, usedAtMs - API_KEY_USE_EVERY_MS],
  };
}

export interface ApiKeyByForm {
  /** In plain text; the statement contains only its digest and last four characters. */
  readonly apiKey: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Identifies the form: a form that is sent twice creates one key. */
  readonly formId: string;
  readonly permissions: GrantedPermissions;
}

const ACTIVE = 'revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?7)';
const INSERT_SQL = `
  INSERT INTO api_keys
    (digest, merchant_id, environment, name, hint, created_by, created_at_ms, form_id, permissions)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9`;
const ROOM = `(SELECT count(*) FROM api_keys
    WHERE merchant_id = ?2 AND environment = ?3 AND ${ACTIVE}) < ?10`;
const ONCE = 'ON CONFLICT (merchant_id, environment, form_id) WHERE form_id IS NOT NULL DO NOTHING';

/** Inserts a key. Changes no row when the form was sent before or the tenant has too many keys. */
export async function createApiKey(tenant: Tenant, key: ApiKeyByForm): Promise<SqlStatement> {
  return {
    sql: `${INSERT_SQL} WHERE ${ROOM} ${ONCE}`,
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
  key: ApiKeyByForm,
  endsAtMs: number,
): Promise<readonly [SqlStatement, SqlStatement]> {
  // An old key that ends at once makes room for the new one.
  const activeMax = endsAtMs > key.createdAtMs ? KEYS_ACTIVE_MAX : KEYS_ACTIVE_MAX + 1;
  const newDigest = await apiKeyDigest(key.apiKey);
  return [
    {
      sql: `${INSERT_SQL} FROM api_keys AS old WHERE old.digest = ?11 AND old.merchant_id = ?2
          AND old.environment = ?3 AND old.revoked_at_ms IS NULL AND old.expires_at_ms IS NULL
          AND ${ROOM} ${ONCE}`,
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

async function keyParams(tenant: Tenant, key: ApiKeyByForm): Promise<SqlStatement['params']> {
  return [
    await apiKeyDigest(key.apiKey),
    tenant.merchantId,
    tenant.environment,
    key.name,
    apiKeyHint(key.apiKey),
    key.createdBy,
    key.createdAtMs,
    key.formId,
    storedPermissions(key.permissions),
  ];
}

/** Changes no row when the key already has this name. */
export function renameApiKey(tenant: Tenant, digest: string, name: string): SqlStatement {
  return {
    sql: `UPDATE api_keys SET name = ?4
      WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3 AND name <> ?4`,
    params: [digest, tenant.merchantId, tenant.environment, name],
  };
}

/** The parts of a key that pages show. */
export interface ApiKeyView {
  readonly digest: string;
  readonly name: string;
  /** The last four characters. */
  readonly hint: string;
  /** `kfl_test_…abcd` */
  readonly label: string;
  /** Null for keys that no member made. */
  readonly createdBy: string | null;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly permissions: GrantedPermissions;
}

type StoredView = Omit<ApiKeyView, 'label' | 'permissions'> & {
  readonly permissions: string | null;
};

function viewOf({ environment }: Tenant, { permissions, ...view }: StoredView): ApiKeyView {
  const label = apiKeyLabel(environment, view.hint);
  return { ...view, label, permissions: permissionsFrom(permissions) };
}

const VIEW_SQL = `
  SELECT digest, name, hint, created_by AS createdBy, created_at_ms AS createdAtMs,
    last_used_at_ms AS lastUsedAtMs, expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
    permissions
  FROM api_keys WHERE merchant_id = ?1 AND environment = ?2`;

/** The tenant's keys: the valid ones first, then the others, each newest first. */
export async function apiKeys(
  db: D1Database,
  tenant: Tenant,
  nowMs: number,
): Promise<readonly ApiKeyView[]> {
  const isOver = '(revoked_at_ms IS NOT NULL OR ifnull(expires_at_ms <= ?3, 0))';
  const { results } = await prepare(db, {
    sql: `${VIEW_SQL} ORDER BY ${isOver}, created_at_ms DESC, digest LIMIT ${KEYS_LISTED_MAX}`,
    params: [tenant.merchantId, tenant.environment, nowMs],
  }).all<StoredView>();
  return results.map((stored) => viewOf(tenant, stored));
}

/** The tenant's key with that digest, or from that form; null when there is none. */
export async function apiKeyBy(
  db: D1Database,
  tenant: Tenant,
  by: { readonly digest: string } | { readonly formId: string },
): Promise<ApiKeyView | null> {
  const [column, value] = 'digest' in by ? ['digest', by.digest] : ['form_id', by.formId];
  const params = [tenant.merchantId, tenant.environment, value];
  const sql = `${VIEW_SQL} AND ${column} = ?3`;
  const stored = await prepare(db, { sql, params }).first<StoredView>();
  return stored === null ? null : viewOf(tenant, stored);
}

/** The names of a merchant's keys with these digests, revoked ones included. */
export async function apiKeyNames(
  db: D1Database,
  merchantId: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) {
    return new Map();
  }
  const sql = `SELECT digest, name FROM api_keys
    WHERE merchant_id = ?1 AND digest IN (SELECT value FROM json_each(?2))`;
  const statement = { sql, params: [merchantId, JSON.stringify(digests)] };
  const { results } = await prepare(db, statement).all<{ digest: string; name: string }>();
  return new Map(results.map(({ digest, name }) => [digest, name]));
}
