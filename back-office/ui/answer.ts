import { h, type VNode } from 'preact';
import { documentHeaders, seeOther } from '../../src/kit/ui/headers.ts';
import { htmlIn } from '../../src/kit/ui/texts.ts';
import { backOfficeLanguageOf } from '../i18n/texts.ts';
import { PageUrl } from './page.tsx';

/** The CSP of dashboard and desk: only our own script and styles; forms post only to us. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export interface AnswerOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** The HTML response of a page. Its links to itself lead to `url`, unless it names none. */
export function answerPage(
  { request, url = new URL(request.url) }: { readonly request: Request; readonly url?: URL },
  page: VNode,
  { status = 200, cookies = [], retryAfterSeconds }: AnswerOptions = {},
): Response {
  const headers = documentHeaders(request, CONTENT_SECURITY_POLICY);
  // Sent only to our own pages. The form check uses it for old browsers.
  headers.set('referrer-policy', 'same-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  addOptional(headers, cookies, retryAfterSeconds);
  const placed = h(PageUrl.Provider, { value: url, children: page });
  return new Response(htmlIn(backOfficeLanguageOf(request), placed), { status, headers });
}

function addOptional(
  headers: Headers,
  cookies: readonly string[],
  retryAfterSeconds: number | undefined,
): void {
  for (const cookie of cookies) {
    headers.append('set-cookie', cookie);
  }
  if (retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(retryAfterSeconds));
  }
}

/**
 * Redirects after a successful form to a page whose query `done` names its message. Reloading and
 * going back never post again.
 */
export function redirectTo(
  path: string,
  {
    done,
    fragment = '',
    cookies = [],
  }: {
    readonly done?: string;
    /** The place on the page, such as `#refunds`. */
    readonly fragment?: string;
    readonly cookies?: readonly string[];
  } = {},
): Response {
  const separator = path.includes('?') ? '&' : '?';
  const address = done === undefined ? path : `${path}${separator}done=${done}`;
  const response = seeOther(address + fragment);
  for (const cookie of cookies) {
    response.headers.append('set-cookie', cookie);
  }
  return response;
}

/** JSON for our own script. */
export function answerJson(
  body: unknown,
  { status = 200, cookies = [], retryAfterSeconds }: AnswerOptions = {},
): Response {
  const headers = new Headers({
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  addOptional(headers, cookies, retryAfterSeconds);
  return new Response(JSON.stringify(body), { status, headers });
}
