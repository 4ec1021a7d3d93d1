import type { Branding } from '../../engine/domain/merchant.ts';
import { type Logo, merchantBranding } from '../../engine/merchants/logo.ts';
import { type Changing, entryOf, runAudited } from '../../kit/audit/log.ts';
import { base64FromBytes } from '../../kit/crypto/encoding.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { colorFrom, LOGOS_MAX, type LogoRefusal, logoFrom } from './branding.ts';

/**
 * Changes the given parts of a merchant's branding; null removes a part. Applies to new payments
 * within 10 s. Fails in D1 when the merchant does not exist or the logo was not added before.
 */
export function setBranding(merchantId: string, changes: Partial<Branding>): SqlStatement {
  const { color, logoDigest } = changes;
  return {
    sql: `INSERT INTO merchant_branding (merchant_id, color, logo_digest) VALUES (?1, ?2, ?3)
      ON CONFLICT (merchant_id) DO UPDATE SET
        color = iif(?4, excluded.color, color),
        logo_digest = iif(?5, excluded.logo_digest, logo_digest)`,
    params: [
      merchantId,
      color ?? null,
      logoDigest ?? null,
      Number(color !== undefined),
      Number(logoDigest !== undefined),
    ],
  };
}

/** Stores a logo, permanently, because payments refer to it. Has no effect for a stored logo. */
export function addLogo(merchantId: string, logo: Logo, createdAtMs: number): SqlStatement {
  return {
    sql: `INSERT INTO merchant_logos (merchant_id, digest, media_type, base64, created_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (merchant_id, digest) DO NOTHING`,
    params: [merchantId, logo.digest, logo.mediaType, base64FromBytes(logo.bytes), createdAtMs],
  };
}

/** A part of the branding; null removes it. */
export type BrandingChange =
  | { readonly color: string | null }
  | { readonly logo: Uint8Array<ArrayBuffer> | null };

export type BrandingRefusal = LogoRefusal | 'bad_color' | 'too_many';

/** Changes a merchant's color or logo, with an audit entry for a difference; else says why not. */
export async function changeBranding(
  by: Changing,
  change: BrandingChange,
): Promise<BrandingRefusal | null> {
  if ('color' in change) {
    const color = change.color === null ? null : colorFrom(change.color);
    return color === null && change.color !== null ? 'bad_color' : store(by, { color }, null);
  }
  if (change.logo === null) {
    return store(by, { logoDigest: null }, null);
  }
  const logo = await logoFrom(change.logo);
  if (typeof logo === 'string') {
    return logo;
  }
  const sql = 'SELECT count(*) AS n FROM merchant_logos WHERE merchant_id = ?1 AND digest <> ?2';
  const params = [by.tenant.merchantId, logo.digest];
  const others = await prepare(by.env.DB, { sql, params }).first<number>('n');
  return (others ?? 0) >= LOGOS_MAX ? 'too_many' : store(by, { logoDigest: logo.digest }, logo);
}

async function store(by: Changing, detail: Partial<Branding>, logo: Logo | null): Promise<null> {
  const { env, tenant, nowMs } = by;
  const { merchantId } = tenant;
  const known = await merchantBranding(env.DB, merchantId);
  const next = { ...known, ...detail };
  if (next.color !== known.color || next.logoDigest !== known.logoDigest) {
    const change = [
      ...(logo === null ? [] : [addLogo(merchantId, logo, nowMs)]),
      setBranding(merchantId, detail),
    ];
    const entry = entryOf(by, { action: 'branding.changed', target: null, detail });
    // The branding is that of both environments.
    await runAudited(env.DB, change, { ...entry, environment: null });
  }
  return null;
}
