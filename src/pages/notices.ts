import { h } from 'preact';
import { english } from './messages.ts';
import { type NoticeKind, NoticePage } from './notice.tsx';
import { pageResponse } from './page-response.ts';

/** The rate limiter's period. */
const BUSY_RETRY_AFTER_SECONDS = 10;
const UNAVAILABLE_RETRY_AFTER_SECONDS = 2;

/** 404: not our link, or of a payment that is no more. The same page for both. */
export function unknownPage(request: Request): Response {
  return notice(request, 'unknown', 404, null);
}

/** 400: a post that our pages do not send. */
export function badFormPage(request: Request, retryPath: string): Response {
  return notice(request, 'bad_form', 400, retryPath);
}

/** 429: one link, opened too often. */
export function busyPage(request: Request): Response {
  return notice(request, 'busy', 429, pagePath(request), BUSY_RETRY_AFTER_SECONDS);
}

/** 503: for anything that went wrong on our side. No internal text ever shows. */
export function unavailablePage(request: Request): Response {
  return notice(request, 'error', 503, pagePath(request), UNAVAILABLE_RETRY_AFTER_SECONDS);
}

function notice(
  request: Request,
  kind: NoticeKind,
  status: number,
  retryPath: string | null,
  retryAfterSeconds?: number,
): Response {
  const page = h(NoticePage, { text: english, kind, retryPath });
  return pageResponse(request, page, {
    status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** The page that the request belongs to: a post's own path cannot be fetched again. */
function pagePath(request: Request): string | null {
  const [, area, token] = new URL(request.url).pathname.split('/');
  return (area === 'checkout' || area === 'simulator') && token !== undefined
    ? `/${area}/${token}`
    : null;
}
