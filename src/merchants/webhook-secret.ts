import { base64FromBytes } from '../crypto/encoding.ts';

/** Standard Webhooks requires 24 to 64 bytes. 32 bytes match HMAC-SHA-256. */
export const WEBHOOK_SECRET_BYTES = 32;

/** A new signing secret in the form that Standard Webhooks libraries take: `whsec_<base64>`. */
export function generateWebhookSecret(): string {
  return webhookSecretFrom(crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES)));
}

/** The secret of 32 random bytes. */
export function webhookSecretFrom(randomBytes: Uint8Array): string {
  return `whsec_${base64FromBytes(randomBytes)}`;
}
