import type { Bindings } from '../config.ts';
import { bytesFromBase64 } from '../crypto/encoding.ts';
import type { Branding } from '../domain/merchant.ts';
import { prepare } from '../platform/database.ts';
import type { Logo } from './branding.ts';

/**
 * The merchant's logo with this digest, or null. Logos are never deleted, because payments refer to
 * them. Throws when D1 does not answer.
 */
export async function merchantLogo(
  env: Bindings,
  merchantId: string,
  digest: string,
): Promise<Logo | null> {
  const sql = `SELECT media_type AS mediaType, base64 FROM merchant_logos
    WHERE merchant_id = ?1 AND digest = ?2`;
  type Row = Pick<Logo, 'mediaType'> & { readonly base64: string };
  const row = await prepare(env.DB, { sql, params: [merchantId, digest] }).first<Row>();
  return row && { mediaType: row.mediaType, digest, bytes: bytesFromBase64(row.base64) };
}

/** The branding of new payments; both null when not set. Throws when D1 does not answer. */
export async function merchantBranding(db: D1Database, merchantId: string): Promise<Branding> {
  const sql = `SELECT color, logo_digest AS logoDigest FROM merchant_branding
    WHERE merchant_id = ?1`;
  const branding = await prepare(db, { sql, params: [merchantId] }).first<Branding>();
  return branding ?? { color: null, logoDigest: null };
}
