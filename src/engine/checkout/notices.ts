import { h } from 'preact';
import { seeOther } from '../../kit/ui/headers.ts';
import { pageResponse } from './page-response.ts';
import type { NoticeKind } from './pages/notice.tsx';

/** Query of the page for a customer whose form we could not process. */
export const FAILED_PARAMETER = 'failed';

/** The address of a page that a link leads to. */
const PAGE = /^\/(?:checkout|receipt|pay|simulator)\/[^/]*/;

const ANSWERS: Readonly<
  Record<NoticeKind, { readonly status: number; readonly retryAfterSeconds?: number }>
> = {
  unknown: { status: 404 },
  bad_form: { status: 400 },
  receipt_over: { status: 410 },
  /** The rate limiter's period. */
  busy: { status: 429, retryAfterSeconds: 10 },
  error: { status: 503, retryAfterSeconds: 5 },
};

/** 404: a link that we did not sign, or of a deleted payment. The same page for both. */
export function unknownPage(request: Request): Promise<Response> {
  return notice(request, 'unknown', null);
}

/** 410: a receipt whose time is over, even if its payment was deleted since. */
export function receiptOverPage(request: Request): Promise<Response> {
  return notice(request, 'receipt_over', null);
}

/** 404: an address at which no page has ever been. It leads on to the pages of the back office. */
export async function lostPage(request: Request, backOffice: string): Promise<Response> {
  const { LostPage } = await import('./pages/notice.tsx');
  return pageResponse(request, h(LostPage, { backOffice }), { status: 404 });
}

/** 400: a post that none of our pages sends. */
export function badFormPage(request: Request, retryPath: string): Promise<Response> {
  return notice(request, 'bad_form', retryPath);
}

/** 429: one link was opened too often. After a form, the payment's page says so. */
export async function busyPage(request: Request): Promise<Response> {
  const path = pagePath(request);
  return isForm(request) && path !== null ? seeOther(path) : notice(request, 'busy', path);
}

/**
 * 503: any failure on our side. The page never shows internal text. After a form, the payment's page
 * says so: it shows whether the form had an effect, and the customer can reload it.
 */
export async function unavailablePage(request: Request): Promise<Response> {
  const path = pagePath(request);
  return isForm(request) && path !== null
    ? seeOther(`${path}?${FAILED_PARAMETER}=1`)
    : notice(request, 'error', path);
}

function isForm(request: Request): boolean {
  return request.method === 'POST';
}

/**
 * A page that a customer is waiting on retries automatically after a failure. A form is never
 * resent automatically.
 */
async function notice(
  request: Request,
  kind: NoticeKind,
  retryPath: string | null,
): Promise<Response> {
  // Loaded with the first one: most customers see none.
  const { NoticePage } = await import('./pages/notice.tsx');
  const answer = ANSWERS[kind];
  const retryAfterSeconds = request.method === 'GET' ? answer.retryAfterSeconds : undefined;
  return pageResponse(request, h(NoticePage, { kind, retryPath, retryAfterSeconds }), answer);
}

/** The page that the request belongs to, because a post's own path cannot be fetched. */
function pagePath(request: Request): string | null {
  return PAGE.exec(new URL(request.url).pathname)?.[0] ?? null;
}
