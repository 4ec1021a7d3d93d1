import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { webUrl } from './return-url.ts';

const YEAR_SECONDS = 31_536_000;

/** Of every answer to a customer's browser. The link is a bearer secret: nothing stores or leaks it. */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

const PERMISSIONS_POLICY = [
  'accelerometer=()',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'gyroscope=()',
  'magnetometer=()',
  'microphone=()',
  'payment=()',
  'usb=()',
].join(', ');

export interface PageOptions {
  readonly status?: number;
  /**
   * Addresses where a form post on this page can end up by redirect. Chrome holds every hop to
   * `form-action`, and merchants redirect on (to their "www", for one), so the scheme is allowed
   * rather than the host: with the host alone the customer's button would seem dead.
   */
  readonly formTargets?: readonly (string | null)[];
  readonly retryAfterSeconds?: number;
}

/** An HTML answer out of a page component. */
export function pageResponse<Props>(
  request: Request,
  page: VNode<Props>,
  options: PageOptions = {},
): Response {
  const headers = commonHeaders(request);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', contentSecurityPolicy(options.formTargets ?? []));
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('permissions-policy', PERMISSIONS_POLICY);
  headers.set('x-frame-options', 'DENY');
  if (options.retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(options.retryAfterSeconds));
  }
  const html = `<!doctype html>${renderToString(page)}`;
  return new Response(html, { status: options.status ?? 200, headers });
}

/** After a form: the customer's browser fetches `location` by GET, and Back does not post again. */
export function seeOther(request: Request, location: string): Response {
  const headers = commonHeaders(request);
  headers.set('location', location);
  return new Response(null, { status: 303, headers });
}

function commonHeaders(request: Request): Headers {
  const headers = new Headers(COMMON_HEADERS);
  if (new URL(request.url).protocol === 'https:') {
    headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
  }
  return headers;
}

export function contentSecurityPolicy(formTargets: readonly (string | null)[]): string {
  const sources = new Set(["'self'"]);
  for (const target of formTargets) {
    const source = webUrl(target)?.protocol ?? null;
    if (source !== null) {
      sources.add(source);
    }
  }
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${[...sources].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
