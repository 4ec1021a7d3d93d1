import { isLoopback } from '../config.ts';
import { type OwnOrigin, problemResponse } from './envelope.ts';
import { problem } from './problem.ts';

/** Areas whose requests carry keys: a redirect would let a client go on sending them in the clear. */
const KEYED_AREA = /^\/(?:api|operator)(?:\/|$)/;
/** Reports of providers. They prove themselves, and refusing one could lose news of a payment. */
const RAILS = /^\/rails\//;

/** The answer to a request over plain http, or null for a request that may go on. */
export function refusePlainHttp(
  request: Request,
  env: OwnOrigin,
  requestId: string,
): Response | null {
  if (request.url.startsWith('https:')) {
    return null;
  }
  const url = new URL(request.url);
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || RAILS.test(url.pathname)) {
    return null;
  }
  if (KEYED_AREA.test(url.pathname)) {
    return problemResponse(request, problem('https_required'), { env, requestId });
  }
  url.protocol = 'https:';
  return new Response(null, {
    status: 308,
    headers: { location: url.href, 'cache-control': 'no-store' },
  });
}
