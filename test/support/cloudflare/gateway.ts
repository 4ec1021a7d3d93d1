import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Account, Script } from './account.ts';
import { FIXTURES_DIRECTORY } from './contract.ts';
import type { Runtime } from './runtime.ts';

/** Chooses the Worker for a host name and path, and its version by the current deployment. */
export class Router {
  /** Counts each Worker's requests, so that shares are exact. */
  readonly #counts = new Map<string, number>();
  readonly account: Account;

  constructor(account: Account) {
    this.account = account;
  }

  /** Null for an address that no Worker serves. */
  scriptFor({ hostname, pathname }: URL): Script | null {
    const { routes, domains, scripts, subdomain } = this.account;
    // A route runs before the Worker of a custom domain; the longest pattern is the most specific.
    const route = routes
      .filter(({ pattern }) => matches(pattern, `${hostname}${pathname}`))
      .sort((one, other) => other.pattern.length - one.pattern.length)[0];
    const domain = domains.find((known) => known.hostname === hostname);
    const onWorkersDev = [...scripts.values()].find(
      (script) => script.onWorkersDev && hostname === `${script.name}.${subdomain}.workers.dev`,
    );
    const name = route?.script ?? domain?.service ?? onWorkersDev?.name;
    return scripts.get(name ?? '') ?? null;
  }

  versionFor(script: Script, headers: Headers): string {
    const shares = script.deployments[0]?.versions ?? [];
    const overrides = headers.get('cloudflare-workers-version-overrides') ?? '';
    const wanted = new RegExp(`(?:^|[\\s,])${script.name}="([^"]+)"`).exec(overrides)?.[1];
    // Cloudflare ignores an override that names a version outside of the deployment.
    if (shares.some(({ version_id }) => version_id === wanted)) {
      return String(wanted);
    }
    const key = headers.get('cloudflare-workers-version-key');
    let point = key === null ? this.#nextPoint(script) : pointOf(key);
    for (const { version_id, percentage } of shares) {
      if (point < percentage) {
        return version_id;
      }
      point -= percentage;
    }
    throw new Error(`${script.name} is not deployed`);
  }

  /** Visits each of a hundred points once in a hundred requests, in no regular order. */
  #nextPoint({ name }: Script): number {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    return (count * STRIDE) % POINTS;
  }
}

/** Signs itself, for example.com and the subdomain of a new account. */
export const CERTIFICATE_FILE = join(FIXTURES_DIRECTORY, 'test-certificate.pem');
const KEY_FILE = join(FIXTURES_DIRECTORY, 'test-key.pem');

const POINTS = 100;
/** Has no factor in common with the number of points. */
const STRIDE = 61;

function pointOf(key: string): number {
  return [...key].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % POINTS, 7);
}

function matches(pattern: string, address: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^$()[\]{}|\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(address);
}

/** Answers as the deployed Workers do at an https address. */
export async function answerAt(
  url: URL,
  init: RequestInit,
  router: Router,
  runtime: Runtime,
): Promise<Response> {
  const script = router.scriptFor(url);
  if (script === null) {
    return new Response(`No Worker serves ${url.hostname}`, { status: 530 });
  }
  const version = router.versionFor(script, new Headers(init.headers));
  return runtime.fetch(script, version, url.href, init);
}

/**
 * The internet in front of the Workers. Requests come by their Host header, or through it as a
 * proxy: `https` tunnels end at its own certificate. It refuses tunnels to any other host, so no
 * test reaches the internet by it.
 */
export function gatewayServer(router: Router, runtime: Runtime): Server {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    passOn(request, response, router, runtime).catch((error) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const tls = { key: readFileSync(KEY_FILE), cert: readFileSync(CERTIFICATE_FILE) };
  const secure = createTlsServer(tls, answer);
  const server = createServer(answer);
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const hostname = url.replace(/:\d+$/, '');
    if (router.scriptFor(new URL(`https://${hostname}`)) === null) {
      socket.end('HTTP/1.1 502 No Worker serves this host\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    secure.emit('connection', socket);
  });
  return server;
}

/** Each connection has its own headers of transport. */
const PER_CONNECTION = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
];

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  router: Router,
  runtime: Runtime,
): Promise<void> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of PER_CONNECTION.includes(name) ? [] : (values ?? [])) {
      headers.append(name, value);
    }
  }
  const hostname = (request.headers.host ?? '').replace(/:\d+$/, '');
  // A request through a proxy names the whole address.
  const { pathname, search } = new URL(request.url ?? '/', `https://${hostname}`);
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answered = await answerAt(
    new URL(`https://${hostname}${pathname}${search}`),
    {
      method: request.method ?? 'GET',
      headers,
      ...(hasBody && { body: Readable.toWeb(request) as never, duplex: 'half' }),
    } as RequestInit,
    router,
    runtime,
  );
  response.statusCode = answered.status;
  for (const [name, value] of answered.headers) {
    // The body has been decoded.
    if (name !== 'content-encoding' && !PER_CONNECTION.includes(name)) {
      response.appendHeader(name, value);
    }
  }
  if (answered.body === null) {
    response.end();
  } else {
    await pipeline(Readable.fromWeb(answered.body as ReadableStream), response);
  }
}
