import { isLoopback } from '../loopback.ts';
import { type OwnOrigin, problemResponse } from './envelope.ts';
import { isHealth } from './health.ts';
import { problem } from './problem.ts';

const YEAR_SECONDS = 31_536_000;

/** Names the version of the Worker that answered: a deployment looks for it before it goes on. */
export const VERSION_HEADER = 'x-kefel-version';

/** The bindings that the headers need. */
interface Named extends OwnOrigin {
  readonly VERSION: Pick<WorkerVersionMetadata, 'id'>;
}

/**
 * Adds to every answer `nosniff` and an `x-request-id`: Cloudflare's ray id if there is one, else a random
 * id; and to all but the health the Worker's version. Over https also HSTS, so that the browser never again
 * sends a link, a session or a key in the clear; plain http is refused.
 */
export async function withCommonHeaders(
  request: Request,
  env: Named,
  answer: (request: Request, requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = request.headers.get('cf-ray') ?? crypto.randomUUID();
  const asked = withSingleSlashes(request);
  const response = refusePlainHttp(asked, env, requestId) ?? (await answer(asked, requestId));
  response.headers.set('x-request-id', requestId);
  // Uptime monitors store and publish answers, which name no version.
  if (!isHealth(new URL(request.url))) {
    response.headers.set(VERSION_HEADER, env.VERSION.id);
  }
  response.headers.set('x-content-type-options', 'nosniff');
  if (request.url.startsWith('https:')) {
    response.headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
  }
  return response;
}

/** What only programs call: merchants' servers and providers. They cannot read pages. */
const OF_PROGRAMS = /^\/(?:api|rails)(?:\/|$)/;

export function isOfProgram(request: Request): boolean {
  return OF_PROGRAMS.test(new URL(request.url).pathname);
}

/**
 * A base URL that ends with a slash makes `//api/v1/…`. Other areas take no such path: a rule that a
 * firewall has for `/operator` would miss it.
 */
function withSingleSlashes(request: Request): Request {
  const url = new URL(request.url);
  const path = url.pathname.replaceAll(/\/{2,}/g, '/');
  if (path === url.pathname || !OF_PROGRAMS.test(path)) {
    return request;
  }
  url.pathname = path;
  return new Request(url, request);
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
