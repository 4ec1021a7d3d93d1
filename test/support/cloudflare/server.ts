/**
 * A local Cloudflare: its API, with the state of one account, and the Workers that were deployed.
 *
 *     await using cloudflare = await startCloudflare();
 *     await run('npx', ['wrangler', 'deploy'], { env: { ...process.env, ...cloudflare.environment } });
 *     const answer = await cloudflare.fetch('pay.example.com', '/health');
 *
 * - `environment` leads wrangler and the project's scripts here: API, token, account, and as HTTPS proxy
 *   the gateway, so that a script's `fetch('https://pay.example.com/…')` reaches the deployed Worker.
 *   A proxy's tunnel to any other host is refused.
 * - `options` change the new account: `{ account: { subdomain: null, hasR2: false, databasesMax: 0 },
 *   permissions: […] }`. `state` is the account, and may be read and changed at any time:
 *   `state.dnsRecords.add(…)`, `state.foreignHostnames.add(…)`, `state.databases`, `state.scripts`.
 * - `calls` are the names of all calls so far, such as `POST /accounts/{account}/d1/database`;
 *   `changes()` are those that changed something. Empty it with `calls.length = 0`.
 * - `failCall(3)` breaks the connection at the third call from now; `failCall(3, 'reset', Infinity)`
 *   keeps the network down until `recover()`; `failCall('PUT /accounts/{account}/workers/scripts/{script}',
 *   500, 3)` fails a call and wrangler's retries. Faults: `reset`, `answer lost` (after it took effect),
 *   500, 429, or an `ApiError` that Cloudflare may answer.
 * - **Contract**: a call of our own scripts that test/fixtures/cloudflare/calls.json does not have, or whose
 *   body has other fields, is answered with 500, is in `refusals`, and makes `stop()` throw. Each call there
 *   names its documentation. Wrangler's own calls are as they are; one without a handler is refused.
 * - `gatewayUrl` takes requests by their Host header; `fetch(hostname, path)` sends one. Routes, custom
 *   domains and workers.dev lead to a Worker, the current deployment's percentages or
 *   `Cloudflare-Workers-Version-Overrides` to a version. The Worker sees an https address.
 * - All versions of the current deployment run. Their objects live in the version with the largest
 *   share, or in `runtime.hostObjects('kefel', versionId)`; so old and new versions call each other's
 *   objects. Queues, schedules (`runtime.schedule`) and service bindings lead to that version.
 * - `runtime.database(uuid)` runs batches; `runtime.bucket(name)` is the binding; `runtime.logs` has what
 *   Workers logged.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenLocally } from '../../../lab/harness/local-server.ts';
import { type Account, accountHandlers, newAccount } from './account.ts';
import { Answer, API_PATH, ApiError, type Call, type Handlers, readCall } from './api.ts';
import { AssetSessions } from './assets.ts';
import { readContract, violations } from './contract.ts';
import { d1Handlers } from './d1.ts';
import { type Fault, Faults } from './faults.ts';
import { answerAt, CERTIFICATE_FILE, gatewayServer, Router } from './gateway.ts';
import { objectHandlers } from './objects.ts';
import { ALL_PERMISSIONS, neededFor, type Permission } from './permissions.ts';
import { queueHandlers } from './queues.ts';
import { r2Handlers } from './r2.ts';
import { Runtime } from './runtime.ts';
import { scriptHandlers } from './scripts.ts';
import { triggerHandlers } from './triggers.ts';
import { versionHandlers } from './versions.ts';

export interface CloudflareOptions {
  /** What is different from a new account with a workers.dev subdomain, R2 and a zone example.com. */
  readonly account?: Partial<Account>;
  readonly permissions?: readonly Permission[];
  /** Keeps objects and databases; by default it is temporary. */
  readonly directory?: string;
  readonly port?: number;
  readonly gatewayPort?: number;
}

export type Cloudflare = Awaited<ReturnType<typeof startCloudflare>>;

const TOKEN = 'token-of-the-local-cloudflare';

export async function startCloudflare(options: CloudflareOptions = {}) {
  const { permissions = ALL_PERMISSIONS } = options;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'kefel-cloudflare-')));
  const state = newAccount(options.account ?? {});
  const runtime = new Runtime(state, directory);
  const router = new Router(state);
  const sessions = new AssetSessions(state);
  const faults = new Faults();
  const calls: string[] = [];
  const refusals: string[] = [];
  const contract = readContract();
  const handlers: Handlers = {
    ...accountHandlers(state),
    ...d1Handlers(state, runtime),
    ...queueHandlers(state, runtime),
    ...r2Handlers(state, runtime),
    ...scriptHandlers(state, sessions, runtime),
    ...sessions.handlers,
    ...versionHandlers(state, sessions, runtime),
    ...triggerHandlers(state),
    ...objectHandlers(state, runtime),
  };

  const authorize = ({ name, params, token }: Call) => {
    const isUpload = token !== null && sessions.has(token);
    if (token !== TOKEN && !isUpload) {
      throw new ApiError(1000, 'Invalid API Token', 401);
    }
    const needed = neededFor(name);
    const isOther = params.account !== undefined && params.account !== state.id;
    if (isOther || (needed !== null && !permissions.includes(needed))) {
      throw new ApiError(10000, 'Authentication error', 403);
    }
  };

  const answer = async (call: Call, response: ServerResponse): Promise<void> => {
    const fault = faults.next(call.name);
    if (fault instanceof ApiError) {
      sendError(fault, response);
      return;
    }
    if (fault !== null && fault !== 'answer lost') {
      fail(fault, response);
      return;
    }
    calls.push(call.name);
    const found = call.isWranglers ? [] : violations(contract, call);
    refusals.push(...found);
    try {
      if (found.length > 0) {
        throw new ApiError(0, `not in the contract: ${found.join('; ')}`, 500);
      }
      authorize(call);
      const handler = handlers[call.name];
      if (handler === undefined) {
        refusals.push(`${call.name} has no handler`);
        throw new ApiError(7003, `No route for ${call.name}`, 404);
      }
      const result = await handler(call);
      const { info, status = 200 } = result instanceof Answer ? result.more : {};
      if (fault === 'answer lost') {
        fail(fault, response);
        return;
      }
      send(response, status, {
        success: true,
        errors: [],
        messages: [],
        result: result instanceof Answer ? result.result : result,
        ...(info !== undefined && { result_info: info }),
      });
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, String(error), 500);
      if (!(error instanceof ApiError)) {
        refusals.push(`${call.name} failed: ${error instanceof Error ? error.stack : error}`);
      }
      sendError(known, response);
    }
  };

  const api = createServer((request, response) => {
    readCall(request)
      .then((call) => answer(call, response))
      .catch((error) => {
        refusals.push(`${request.method} ${request.url}: ${error}`);
        response.destroy();
      });
  });
  const url = `${await listenLocally(api, options.port)}${API_PATH}`;
  const gateway = gatewayServer(router, runtime);
  const gatewayUrl = await listenLocally(gateway, options.gatewayPort);

  const stop = async (): Promise<void> => {
    for (const server of [api, gateway]) {
      server.close();
      server.closeAllConnections();
    }
    await runtime.stop();
    if (options.directory === undefined) {
      await rm(directory, { recursive: true, force: true });
    }
    if (refusals.length > 0) {
      throw new Error(`Cloudflare refused:\n${refusals.join('\n')}`);
    }
  };

  return {
    url,
    token: TOKEN,
    accountId: state.id,
    state,
    runtime,
    gatewayUrl,
    calls,
    refusals,
    /** Calls that changed something; D1 is asked and changed by the same call, which is left out. */
    changes: () => calls.filter((name) => !/^GET |\/(?:query|changeset)$/.test(name)),
    failCall: faults.failCall.bind(faults),
    recover: faults.recover.bind(faults),
    fetch: (hostname: string, path: string, init: RequestInit = {}) =>
      answerAt(new URL(path, `https://${hostname}`), init, router, runtime),
    environment: {
      CLOUDFLARE_API_BASE_URL: url,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: state.id,
      CI: 'true',
      HOME: directory,
      XDG_CONFIG_HOME: directory,
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_SEND_ERROR_REPORTS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
      HTTPS_PROXY: gatewayUrl,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_USE_ENV_PROXY: '1',
      NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE,
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function sendError({ code, message, more, status }: ApiError, response: ServerResponse): void {
  const errors = [{ code, message, ...more }];
  send(response, status, { success: false, errors, messages: [], result: null });
}

function fail(fault: Fault, response: ServerResponse): void {
  if (typeof fault === 'number') {
    response.writeHead(fault, { 'content-type': 'text/html' }).end(`<h1>${fault}</h1>`);
  } else {
    response.destroy();
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
