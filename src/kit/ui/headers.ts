import { rememberingCookie } from '../i18n/language.ts';

/** For every page and redirect. URLs contain bearer secrets, which no referrer may leak. */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

const PERMISSIONS_POLICY =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), ' +
  'magnetometer=(), microphone=(), payment=(), usb=()';

/**
 * The headers of our pages, with a page's own content security policy. No opener policy is among
 * them: a checkout in a popup stays connected to the merchant's page (docs/embedding.md).
 */
export function documentHeaders(request: Request, contentSecurityPolicy: string): Headers {
  const headers = new Headers(COMMON_HEADERS);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', contentSecurityPolicy);
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('permissions-policy', PERMISSIONS_POLICY);
  headers.set('x-frame-options', 'DENY');
  const cookie = rememberingCookie(request);
  if (cookie !== null) {
    headers.append('set-cookie', cookie);
  }
  return headers;
}

/** After a form: the browser fetches `location` by GET, so Back does not post again. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...COMMON_HEADERS, location } });
}

/**
 * For resources of a page: its status, its images. Opened directly, they load and run nothing.
 */
export function partHeaders(): Headers {
  const headers = new Headers(COMMON_HEADERS);
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  headers.set('cross-origin-resource-policy', 'same-origin');
  return headers;
}
