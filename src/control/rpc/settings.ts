import { merchantBranding, merchantLogo } from '../../engine/merchants/logo.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { merchantBusiness, changeBusiness as storeBusiness } from '../merchants/business.ts';
import {
  merchantBankCode,
  changeBankCode as storeBankCode,
} from '../merchants/change-bank-code.ts';
import { changeBranding as storeBranding } from '../merchants/change-branding.ts';
import * as change from '../merchants/change-keys.ts';
import { type ApiKeyView, apiKeyBy, apiKeys } from '../merchants/keys.ts';
import { byMember } from './member.ts';
import { onDatabase, type Plane } from './plane.ts';

export const changeBranding = byMember(storeBranding);
export const changeBusiness = byMember(storeBusiness);
export const changeBankCode = byMember(storeBankCode);
export const createKey = byMember(change.createKey);
export const renameKey = byMember(change.renameKey);
export const revokeKey = byMember(change.revokeKey);
export const rollKey = byMember(change.rollKey);

/** What a member sees of their merchant on every page. */
export interface MerchantFacts {
  readonly name: string;
  /** Members of a suspended merchant can read but not change anything. */
  readonly isSuspended: boolean;
  /** The operator has paused all changes by members (docs/decisions.md#48). */
  readonly areChangesPaused: boolean;
  /** The gateway takes no new payments and refunds. */
  readonly isInMaintenance: boolean;
}

/**
 * Read from D1 for each request, so that a suspension or a pause holds at once. Null for an unknown
 * or closed merchant.
 */
export async function merchant({ env }: Plane, id: string): Promise<MerchantFacts | null> {
  const sql = `SELECT name, status,
      (SELECT members_read_only FROM gateway_settings) AS membersReadOnly,
      (SELECT mode FROM gateway_settings) AS mode
    FROM merchants WHERE id = ?1 AND closed_at_ms IS NULL`;
  const row = await prepare(env.DB, { sql, params: [id] }).first<{
    readonly name: string;
    readonly status: string;
    readonly membersReadOnly: number;
    readonly mode: string;
  }>();
  return (
    row && {
      name: row.name,
      isSuspended: row.status === 'suspended',
      areChangesPaused: row.membersReadOnly === 1,
      isInMaintenance: row.mode === 'maintenance',
    }
  );
}

/** The tenant's API keys: the valid ones first, then the others, each newest first. */
export function keys({ env, nowMs }: Plane, tenant: Tenant): Promise<readonly ApiKeyView[]> {
  return apiKeys(env.DB, tenant, nowMs);
}

/** The tenant's API key with that digest, or null. */
export function key({ env }: Plane, tenant: Tenant, digest: string): Promise<ApiKeyView | null> {
  return apiKeyBy(env.DB, tenant, { digest });
}

/** The merchant's details on receipts, each null when not set. */
export const business = onDatabase(merchantBusiness);

/** The national QR text on a merchant's signs; null when not set. */
export const bankCode = onDatabase(merchantBankCode);

/** The color and logo of a merchant's pages, each null when not set. */
export async function branding({ env }: Plane, merchantId: string) {
  const { color, logoDigest } = await merchantBranding(env.DB, merchantId);
  const logo = logoDigest === null ? null : await merchantLogo(env, merchantId, logoDigest);
  return { color, logo };
}
