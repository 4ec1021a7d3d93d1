import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { webUrl } from './return-url.ts';
import { base64FromBytes } from '../crypto/encoding.ts';
import { rememberingCookie } from '../i18n/language.ts';
import { CHECKOUT_CSS_SHA256 } from '../ui/checkout-assets.generated.ts';

const YEAR_SECONDS = 31_536_000;

/** Of every page and redirect. The link in its address is a bearer secret: nothing leaks it. */
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
  /** The style sheet that the page holds beside our own. */
  readonly brandCss?: string | null;
}

/** An HTML answer out of a page component. */
export async function pageResponse<Props>(
  request: Request,
  page: VNode<Props>,
  options: PageOptions = {},
): Promise<Response> {
  const headers = documentHeaders(request, await contentSecurityPolicy(options));
  if (options.retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(options.retryAfterSeconds));
  }
  const html = `<!doctype html>${renderToString(page)}`;
  return new Response(html, { status: options.status ?? 200, headers });
}

/** The headers of any page of ours, with the content security policy that fits it. */
export function documentHeaders(request: Request, contentSecurityPolicy: string): Headers {
  const headers = commonHeaders(request);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', contentSecurityPolicy);
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('permissions-policy', PERMISSIONS_POLICY);
  headers.set('x-frame-options', 'DENY');
  const cookie = rememberingCookie(request);
  if (cookie !== null) {
    headers.append('set-cookie', cookie);
  }
  return headers;
}

/** After a form: the customer's browser fetches `location` by GET, and Back does not post again. */
export function seeOther(request: Request, location: string): Response {
  const headers = commonHeaders(request);
  headers.set('location', location);
  return new Response(null, { status: 303, headers });
}

/**
 * For what a page fetches beside itself: its status, its images. Opened by themselves they load and
 * run nothing, whatever a browser may take them for.
 */
export function partHeaders(request: Request): Headers {
  const headers = commonHeaders(request);
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  headers.set('cross-origin-resource-policy', 'same-origin');
  return headers;
}

function commonHeaders(request: Request): Headers {
  const headers = new Headers(COMMON_HEADERS);
  if (new URL(request.url).protocol === 'https:') {
    headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
  }
  return headers;
}

/** Nothing but our own script, our own styles and, as images, what this origin serves. */
async function contentSecurityPolicy(options: PageOptions): Promise<string> {
  const formTargets = new Set(["'self'"]);
  for (const target of options.formTargets ?? []) {
    const source = webUrl(target)?.protocol ?? null;
    if (source !== null) {
      formTargets.add(source);
    }
  }
  const styles = [`'sha256-${CHECKOUT_CSS_SHA256}'`];
  if (options.brandCss) {
    styles.push(`'sha256-${await sha256Base64(options.brandCss)}'`);
  }
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.join(' ')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${[...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64FromBytes(new Uint8Array(digest));
}
