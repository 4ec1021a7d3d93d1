import { h } from 'preact';
import { seeOther } from '../ui/headers.ts';
import { pageResponse } from './page-response.ts';
import { type NoticeKind, NoticePage } from './pages/notice.tsx';

/** The rate limiter's period. */
const BUSY_RETRY_AFTER_SECONDS = 10;
const UNAVAILABLE_RETRY_AFTER_SECONDS = 5;

/** Query of the page for a customer whose form we could not process. */
export const FAILED_PARAMETER = 'failed';

/** 404: a link that we did not sign, or of a deleted payment. The same page for both. */
export function unknownPage(request: Request): Promise<Response> {
  return notice(request, 'unknown', 404, null);
}

/** 400: a post that none of our pages sends. */
export function badFormPage(request: Request, retryPath: string): Promise<Response> {
  return notice(request, 'bad_form', 400, retryPath);
}

/** 429: one link was opened too often. After a form, the payment's page says so. */
export async function busyPage(request: Request): Promise<Response> {
  const path = pagePath(request);
  return isForm(request) && path !== null
    ? seeOther(path)
    : notice(request, 'busy', 429, path, BUSY_RETRY_AFTER_SECONDS);
}

/**
 * 503: any failure on our side. The page never shows internal text. After a form, the payment's page
 * says so: it shows whether the form had an effect, and the customer can reload it.
 */
export async function unavailablePage(request: Request): Promise<Response> {
  const path = pagePath(request);
  return isForm(request) && path !== null
    ? seeOther(`${path}?${FAILED_PARAMETER}=1`)
    : notice(request, 'error', 503, path, UNAVAILABLE_RETRY_AFTER_SECONDS);
}

function isForm(request: Request): boolean {
  return request.method === 'POST';
}

async function notice(
  request: Request,
  kind: NoticeKind,
  status: number,
  retryPath: string | null,
  retryAfterSeconds?: number,
): Promise<Response> {
  const page = h(NoticePage, {
    kind,
    retryPath,
    retryAfterSeconds: canRetryByItself(request, kind) ? (retryAfterSeconds ?? null) : null,
  });
  return pageResponse(request, page, {
    status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/**
 * A page that a customer is waiting on retries automatically after a failure. A form is never
 * resent automatically.
 */
function canRetryByItself(request: Request, kind: NoticeKind): boolean {
  return request.method === 'GET' && (kind === 'busy' || kind === 'error');
}

/** The page that the request belongs to, because a post's own path cannot be fetched. */
function pagePath(request: Request): string | null {
  const [, area, token] = new URL(request.url).pathname.split('/');
  return (area === 'checkout' || area === 'simulator') && token !== undefined
    ? `/${area}/${token}`
    : null;
}
