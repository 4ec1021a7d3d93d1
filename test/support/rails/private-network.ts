import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { WRANGLERS_BUILD_OPTIONS } from '../../../scripts/project/bundling.ts';
import { WRANGLER_ENVIRONMENT } from '../../../scripts/project/wrangler.ts';
import type { RailAnswer } from '../../../src/engine/rails/call-rail.ts';
import { FAILED_HEADER, URL_HEADER } from './binding-headers.ts';
import type { RailCallHere } from './binding-worker.ts';
import type { Way } from './scene.ts';

/**
 * A stand-in for a VPC service: a service binding in workerd, whose other end plays the tunnel. It
 * alone knows where the provider is: host names in `provider.invalid` lead nowhere else.
 */
export interface PrivateNetworkStandIn {
  readonly way: Way;
  /** A call of a rail, made in workerd through its own binding. */
  callRail(call: RailCallHere): Promise<RailAnswer>;
  stop(): Promise<void>;
}

const TUNNEL = `export default {
  fetch(request) {
    const { hostname, pathname, search } = new URL(request.url);
    const [, scheme, port] = /^(https?)-(\\d+)\\.provider\\.invalid$/.exec(hostname);
    const url = scheme + '://localhost:' + port + pathname + search;
    const { method, headers, body } = request;
    return fetch(url, { method, headers, body, redirect: 'manual' });
  },
}`;

/** The address of a server on this machine in the private network. */
export function addressInNetwork(url: string): string {
  const { protocol, port, pathname, search } = new URL(url);
  return `https://${protocol.slice(0, -1)}-${port}.provider.invalid${pathname}${search}`;
}

export async function startPrivateNetwork(): Promise<PrivateNetworkStandIn> {
  Object.assign(process.env, WRANGLER_ENVIRONMENT);
  const built = await build({
    ...WRANGLERS_BUILD_OPTIONS,
    entryPoints: ['test/support/rails/binding-worker.ts'],
    write: false,
  });
  const compatibilityDate = '2026-11-01';
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      logRequests: false,
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: 'gateway',
          modules: true,
          script: built.outputFiles[0]?.text ?? '',
          compatibilityDate,
          serviceBindings: { VPC_TEST: 'tunnel' },
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        },
        { name: 'tunnel', modules: true, script: TUNNEL, compatibilityDate },
      ],
    }),
  );
  const { origin } = await miniflare.unsafeGetDirectURL('gateway');
  const through = async (url: string, init: RequestInit): Promise<Response> => {
    const headers = { ...Object(init.headers), [URL_HEADER]: url };
    const answer = await fetch(`${origin}/pass`, { ...init, headers });
    const failed = answer.headers.get(FAILED_HEADER);
    if (failed !== null) {
      throw new TypeError(decodeURIComponent(failed));
    }
    return answer;
  };
  return {
    way: {
      settings: { through: 'VPC_TEST' },
      bindings: { VPC_TEST: { fetch: through } },
      addressOf: addressInNetwork,
    },
    callRail: async (call) => {
      const body = JSON.stringify(call);
      const answer = await fetch(`${origin}/rail`, { method: 'POST', body });
      return (await answer.json()) as RailAnswer;
    },
    stop: () => miniflare.dispose(),
  };
}
