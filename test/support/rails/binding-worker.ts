import { callRail, type RailRequest } from '../../../src/engine/rails/call-rail.ts';
import { FAILED_HEADER, URL_HEADER } from './binding-headers.ts';

/**
 * A gateway of one binding, for tests in Node, which cannot hold one. `/pass` makes a call of the
 * binding; `/rail` makes it as a rail does.
 */

interface Bindings {
  readonly VPC_TEST: { fetch(url: string, init: RequestInit): Promise<Response> };
}

/** A call of a rail, for `/rail`. */
export interface RailCallHere {
  readonly url: string;
  readonly request: RailRequest;
  readonly timeoutMs: number;
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    if (new URL(request.url).pathname === '/rail') {
      const { url, request: asked, timeoutMs } = (await request.json()) as RailCallHere;
      const through = {
        name: 'VPC_TEST',
        fetch: (to: string, init: RequestInit) => env.VPC_TEST.fetch(to, init),
      };
      return Response.json(await callRail({ through }, url, asked, timeoutMs));
    }
    const headers = new Headers(request.headers);
    const url = headers.get(URL_HEADER) ?? '';
    headers.delete(URL_HEADER);
    const { method } = request;
    const body = method === 'GET' ? null : await request.arrayBuffer();
    try {
      return await env.VPC_TEST.fetch(url, { method, headers, body, redirect: 'manual' });
    } catch (error) {
      return new Response(null, { headers: { [FAILED_HEADER]: encodeURIComponent(`${error}`) } });
    }
  },
};
