import { appUrl } from '../../kit/http/app-scheme.ts';
import { webUrl } from '../../kit/http/web-url.ts';
import { type Intent, reportedAttempt } from '../domain/intent.ts';
import { wireStatus } from '../webhooks/payload.ts';

/** Where the customer may return to: the web, or an app of the merchant. */
export function wayBackUrl(text: string | null): URL | null {
  return webUrl(text) ?? appUrl(text);
}

/** Only Kefel sets these: two values of one name would be read differently by each language. */
const OWN_NAMES: readonly string[] = ['paymentIntentUniqueId', 'status', 'transactionId'];

/**
 * The merchant's `returnUrl` with the result appended (docs/decisions.md#20), or null when the
 * merchant set none. Parameters with our names are replaced. The rest of the merchant's query stays
 * byte for byte, so it is not parsed and rebuilt. `transactionId` is absent without a transaction.
 */
export function returnUrlFor(intent: Intent): string | null {
  const url = wayBackUrl(intent.terms.returnUrl);
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
  const query = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => !OWN_NAMES.includes(nameOf(parameter)))
    .join('&');
  const joint = query === '' || query.endsWith('&') ? '' : '&';
  url.search = `${query}${joint}${appended}`;
  return url.href;
}

/** The decoded name of one `name=value`. */
function nameOf(parameter: string): string {
  const [name = ''] = new URLSearchParams(parameter).keys();
  return name;
}
