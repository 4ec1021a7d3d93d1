import { h } from 'preact';
import { messagesFor } from '../i18n/language.ts';
import { pageResponse } from './page-response.ts';
import { type NoticeKind, NoticePage } from './pages/notice.tsx';

/** The rate limiter's period. */
const BUSY_RETRY_AFTER_SECONDS = 10;
/** The period of the limit on prompts. */
const TOO_MANY_TRIES_RETRY_AFTER_SECONDS = 60;
const UNAVAILABLE_RETRY_AFTER_SECONDS = 5;

/** 404: not our link, or of a payment that is no more. The same page for both. */
export function unknownPage(request: Request): Promise<Response> {
  return notice(request, 'unknown', 404, null);
}

/** 400: a post that our pages do not send. */
export function badFormPage(request: Request, retryPath: string): Promise<Response> {
  return notice(request, 'bad_form', 400, retryPath);
}

/** 429: one link, opened too often. */
export function busyPage(request: Request): Promise<Response> {
  return notice(request, 'busy', 429, pagePath(request), BUSY_RETRY_AFTER_SECONDS);
}

/** 429: too many prompts to one phone. */
export function tooManyTriesPage(request: Request, retryPath: string): Promise<Response> {
  return notice(request, 'too_many_tries', 429, retryPath, TOO_MANY_TRIES_RETRY_AFTER_SECONDS);
}

/** 503: for anything that went wrong on our side. No internal text ever shows. */
export function unavailablePage(request: Request): Promise<Response> {
  return notice(request, 'error', 503, pagePath(request), UNAVAILABLE_RETRY_AFTER_SECONDS);
}

function notice(
  request: Request,
  kind: NoticeKind,
  status: number,
  retryPath: string | null,
  retryAfterSeconds?: number,
): Promise<Response> {
  const page = h(NoticePage, {
    text: messagesFor(request),
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
 * A customer who waits for a prompt should not have to notice that we stumbled. A form is never
 * sent again by itself.
 */
function canRetryByItself(request: Request, kind: NoticeKind): boolean {
  return request.method === 'GET' && (kind === 'busy' || kind === 'error');
}

/** The page that the request belongs to: a post's own path cannot be fetched again. */
function pagePath(request: Request): string | null {
  const [, area, token] = new URL(request.url).pathname.split('/');
  return (area === 'checkout' || area === 'simulator') && token !== undefined
    ? `/${area}/${token}`
    : null;
}
