import { verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** Whether the headers sign the raw bytes with a secret that Kefel and the merchant share. */
export function isStandardWebhook(
  rawBody: string,
  headers: IncomingHttpHeaders,
  secret: string,
): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  try {
    new Webhook(secret).verify(rawBody, signed);
    return true;
  } catch {
    return false;
  }
}

/** Whether `signature` signs the text of `body` with Kefel's private key. */
export function isSignedByRsa(
  { body, signature }: { readonly body: string; readonly signature: string },
  publicKey: string,
): boolean {
  return verify('RSA-SHA256', Buffer.from(body), publicKey, Buffer.from(signature, 'base64'));
}
