import { bytesFromBase64 } from '../../kit/crypto/encoding.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Bindings } from '../config.ts';
import type { Branding } from '../domain/merchant.ts';

/**
 * Formats that every browser shows and that contain only pixels. Never SVG: it can contain script,
 * which would run on the origin of the payment pages.
 */
export type LogoMediaType = 'image/png' | 'image/webp' | 'image/jpeg';

export interface Logo {
  readonly mediaType: LogoMediaType;
  /** Lower-case hexadecimal SHA-256 of the bytes: its name in storage and URLs. */
  readonly digest: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

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
