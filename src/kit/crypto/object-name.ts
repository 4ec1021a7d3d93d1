import { sha256Hex } from './encoding.ts';

/**
 * The name of the object that owns a payment: 64 hexadecimal digits. Links, messages and order ids
 * carry it, never Cloudflare's id: no other namespace accepts that, and a restored gateway must
 * answer the old ones (docs/decisions.md#49). It is a digest of environment, merchant and unique id,
 * so that one tenant's key, link or query cannot name another tenant's object (docs/promises.md#8).
 * Merchant ids contain no slash.
 */
export function objectNameOf(payment: {
  readonly environment: string;
  readonly merchantId: string;
  readonly uniqueId: string;
}): Promise<string> {
  return sha256Hex(`${payment.environment}/${payment.merchantId}/${payment.uniqueId}`);
}
