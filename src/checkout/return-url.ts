import { type Intent, reportedAttempt } from '../domain/intent.ts';
import { wireStatus } from '../webhooks/payload.ts';

/** A URL that a customer may be redirected to: http or https, never a script or a download. */
export function webUrl(text: string | null): URL | null {
  const url = text === null ? null : URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}

/**
 * The merchant's `returnUrl` with the result appended (docs/decisions.md#20), or null when the
 * merchant set none. The merchant's own query stays byte for byte, even parameters with our names,
 * so it is not parsed and rebuilt. Ours come last. `transactionId` is absent without a transaction.
 */
export function returnUrlFor(intent: Intent): string | null {
  const url = webUrl(intent.terms.returnUrl);
  if (url === null) {
    return null;
  }
  const own = new URLSearchParams({
    paymentIntentUniqueId: intent.terms.uniqueId,
    status: wireStatus(intent.status),
  });
  const attempt = reportedAttempt(intent);
  if (attempt !== null) {
    own.set('transactionId', attempt.reference);
  }
  // Only form decoders read "+" as a space; every decoder reads "%20".
  const appended = own.toString().replaceAll('+', '%20');
  const query = url.search.slice(1);
  const joint = query === '' || query.endsWith('&') ? '' : '&';
  url.search = `${query}${joint}${appended}`;
  return url.href;
}
