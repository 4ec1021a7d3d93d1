import { isLoopback } from '../config.ts';
import { type OwnOrigin, problemResponse } from './envelope.ts';
import { problem } from './problem.ts';

const YEAR_SECONDS = 31_536_000;

/** Names the version of the Worker that answered: a deployment looks for it before it goes on. */
export const VERSION_HEADER = 'x-kefel-version';

/** The bindings that the headers need. */
interface Named extends OwnOrigin {
  readonly VERSION: Pick<WorkerVersionMetadata, 'id'>;
}

/**
 * Adds to every answer the Worker's version and an `x-request-id`: Cloudflare's ray id if there is
 * one, else a random id. Over https also HSTS, so that the browser never again sends a link, a session or a key in the clear;
 * plain http is refused.
 */
export async function withCommonHeaders(
  request: Request,
  env: Named,
  answer: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = request.headers.get('cf-ray') ?? crypto.randomUUID();
  const response = refusePlainHttp(request, env, requestId) ?? (await answer(requestId));
  response.headers.set('x-request-id', requestId);
  response.headers.set(VERSION_HEADER, env.VERSION.id);
  if (request.url.startsWith('https:')) {
    response.headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
  }
  return response;
}

/** Areas whose requests carry keys: a redirect would let a client go on sending them in the clear. */
const KEYED_AREA = /^\/(?:api|operator)(?:\/|$)/;
/** Reports of providers. They prove themselves, and refusing one could lose news of a payment. */
const RAILS = /^\/rails\//;

/** The answer to a request over plain http, or null for a request that may go on. */
function refusePlainHttp(request: Request, env: OwnOrigin, requestId: string): Response | null {
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
