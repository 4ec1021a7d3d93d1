import { apiKeyLabel } from '../../engine/merchants/api-key.ts';
import {
  type GrantedPermissions,
  permissionsFrom,
} from '../../engine/merchants/key-permissions.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';

/** A tenant's API keys, as its members see them. D1 stores no key in plain text. */

/** Keys on the page: all valid ones, and the latest revoked or expired ones. */
const KEYS_LISTED_MAX = 100;
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
