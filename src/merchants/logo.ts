import type { Bindings } from '../config.ts';
import { bytesFromBase64 } from '../crypto/encoding.ts';
import type { Logo, LogoMediaType } from './branding.ts';

/**
 * The merchant's logo of this digest, or null when it has none. Logos are only ever added, so one
 * that a payment names stays. Throws when D1 does not answer.
 */
export async function merchantLogo(
  env: Bindings,
  merchantId: string,
  digest: string,
): Promise<Logo | null> {
  const row = await env.DB.prepare(
    'SELECT media_type, base64 FROM merchant_logos WHERE merchant_id = ?1 AND digest = ?2',
  )
    .bind(merchantId, digest)
    .first<{ readonly media_type: LogoMediaType; readonly base64: string }>();
  return row === null
    ? null
    : { mediaType: row.media_type, digest, bytes: bytesFromBase64(row.base64) };
}
