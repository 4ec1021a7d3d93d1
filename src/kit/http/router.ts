import { type IRequest, Router } from 'itty-router';
import { logLimited } from '../platform/limited-log.ts';
import { errorText, log } from '../platform/log.ts';
import { outageBehind } from '../platform/unavailable.ts';
import type { OwnOrigin, ProblemContext } from './envelope.ts';
import { Problem, problem } from './problem.ts';
import { gapBehind } from './setup.ts';

/**
 * The named segments of the path, percent-decoded. Throws `path_not_found` when one cannot be decoded. A
 * function, so that a route can authenticate before it decodes the path.
 */
export type PathParams = () => Readonly<Record<string, string>>;

export type Handler<Bindings = Env> = (
  request: Request,
  env: Bindings,
  ctx: ExecutionContext,
  params: PathParams,
  /** For the log, and in the answer's `x-request-id`. */
  requestId: string,
) => Promise<Response>;

/** An area's answer to a problem, as an envelope or a page. */
export type Refuse<Bindings = Env> = (
  request: Request,
  problem: Problem,
  context: ProblemContext<Bindings>,
) => Response | Promise<Response>;

/** What differs between the areas of the gateway. */
export interface Area<Bindings = Env> {
  readonly refuse: Refuse<Bindings>;
  /** The log line of an error that is neither a problem nor an outage. */
  readonly failureEvent: string;
  /** The log line of an outage: a part of the gateway is unreachable. */
  readonly outageEvent: string;
  /** The log line of a caller without the right credentials, role or permission; null: none. */
  readonly refusalEvent: string | null;
}

type Arguments<Bindings> = [Bindings, ExecutionContext, requestId: string];

/** The routes of one area. Unknown paths answer 404, known paths with another method 405. */
export class AreaRouter<Bindings extends OwnOrigin = Env> {
  readonly #area: Area<Bindings>;
  readonly #router = Router<IRequest, Arguments<Bindings>>();

  constructor(area: Area<NoInfer<Bindings>>) {
    this.#area = area;
  }

  /** HEAD answers like GET, without a body: the runtime would read a stream to its end. */
  get(path: string, handler: Handler<Bindings>, refuse?: Refuse<Bindings>): void {
    this.on('GET', path, handler, refuse);
    const headOf: Handler<Bindings> = async (...call) => {
      const response = await handler(...call);
      await response.body?.cancel();
      return new Response(null, response);
    };
    this.on('HEAD', path, headOf, refuse);
  }

  readonly post = this.#methodOf('POST');
  readonly patch = this.#methodOf('PATCH');
  readonly delete = this.#methodOf('DELETE');

  #methodOf(method: 'POST' | 'PATCH' | 'DELETE') {
    return (path: string, handler: Handler<Bindings>, refuse?: Refuse<Bindings>): void =>
      this.on(method, path, handler, refuse);
  }

  /** Routes a path whose HEAD differs from its GET. `refuse` replaces the area's default. */
  on(
    method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    handler: Handler<Bindings>,
    refuse: Refuse<Bindings> = this.#area.refuse,
  ): void {
    const register = method.toLowerCase() as Lowercase<typeof method>;
    this.#router[register](path, async (itty, env, ctx, requestId) => {
      // itty-router passes the original Request, which its types do not say.
      const request = itty as unknown as Request;
      try {
        return await handler(request, env, ctx, () => decoded(itty.params), requestId);
      } catch (error) {
        return refuse(request, this.#problemOf(error, request, requestId), { env, requestId });
      }
    });
  }

  get routes() {
    return this.#router.routes;
  }

  async fetch(request: Request, ...args: Arguments<Bindings>): Promise<Response> {
    const answered: Response | undefined = await this.#router.fetch(request, ...args);
    const [env, , requestId] = args;
    return answered ?? this.#area.refuse(request, this.#missing(request), { env, requestId });
  }

  #missing(request: Request): Problem {
    const { pathname } = new URL(request.url);
    const known = this.routes.filter(([, pattern]) => pattern.test(pathname));
    if (known.length === 0) {
      return problem('path_not_found');
    }
    const allow = [...new Set(known.map(([method]) => method))].join(', ');
    return problem('method_not_allowed', { method: request.method, headers: { allow } });
  }

  /** The problem that the caller sees. Internal error texts appear only in the log. */
  #problemOf(error: unknown, request: Request, requestId: string): Problem {
    const { failureEvent, outageEvent, refusalEvent } = this.#area;
    if (error instanceof Problem) {
      const { status, code } = error;
      if (refusalEvent !== null && (status === 401 || status === 403)) {
        logLimited(refusalEvent, { requestId, code });
      }
      return error;
    }
    const gap = gapBehind(error, request);
    const outage = gap === null ? outageBehind(error) : null;
    if (outage !== null) {
      log('warn', outageEvent, { requestId, error: errorText(error) });
      return problem('service_unavailable', { retryAfterSeconds: outage.retryAfterSeconds });
    }
    const remedy = gap === null ? {} : { remedy: gap.command };
    log('error', failureEvent, { requestId, error: errorText(error), ...remedy });
    return gap?.isLocal ? problem('not_set_up', gap) : problem('internal_error');
  }
}

/** The answer 405 of areas that answer with pages. */
export function methodNotAllowed({ headers }: Problem): Response {
  return new Response('Method not allowed', {
    status: 405,
    headers: { ...headers, 'cache-control': 'no-store' },
  });
}

function decoded(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]);
    return Object.fromEntries(entries);
  } catch {
    throw problem('path_not_found');
  }
}
