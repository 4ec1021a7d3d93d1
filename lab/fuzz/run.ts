import { failuresIn } from '../../scripts/gateway/failures.ts';
import { ApiDocument } from '../harness/api-document.ts';
import { operate } from '../harness/operator.ts';
import { Random } from '../harness/random.ts';
import { runWorkers } from '../harness/workers.ts';
import { gatewayRoutes } from './bundle-routes.ts';
import { corpusOf } from './corpus.ts';
import { type Mutated, mutated } from './mutate.ts';
import { isOfRuntime, Oracle } from './oracle.ts';
import type { Route } from './routes.ts';
import type { Stage } from './stage.ts';
import { COOKIE, filledIn, SANDBOX_KEY, type Template } from './template.ts';
import { Users } from './users.ts';
import { asCurl, type NoAnswer, send, type WireAnswer, type WireRequest } from './wire.ts';

/** Far beyond what an answer takes on a busy machine, and below what a test waits. */
const TIMEOUT_MS = 30_000;
const AT_ONCE = 8;
/** Some requests sign out or suspend; then the others would only meet closed doors. */
const CHECKED_EVERY = 100;

/** Begins a mode of the gateway, which answers 503 to what it then refuses. */
const BEGINS_MODE = /\/(?:maintenance\/begin|begin-maintenance|pause-changes)$/;
const OUTAGE = 'answered 503';
/** The run ends each mode at once. Workers remember one for 10 s, and a busy machine adds to that. */
const MODE_HOLDS_MS = 30_000;

export interface Finding {
  /** The number of the request, from 1 on; 0 for a finding in the gateway's log. */
  readonly number: number;
  readonly faults: readonly string[];
  readonly mutations: readonly string[];
  readonly curl: string;
}

export interface Report {
  readonly requests: number;
  /** How often each status was answered; `closed` without an answer. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly templates: number;
  readonly routes: number;
  /** Routes that no request reached. */
  readonly unreached: readonly string[];
  readonly findings: readonly Finding[];
}

export interface FuzzOptions {
  readonly seed: number;
  /** Mutated ones, after each route's own request. */
  readonly mutatedRequests: number;
  readonly onProgress?: (sent: number, findings: readonly Finding[]) => void;
}

/** Sends mutated requests to a new stage, and judges every answer. */
export async function fuzz(stage: Stage, options: FuzzOptions): Promise<Report> {
  const { seed, mutatedRequests, onProgress } = options;
  const document = new ApiDocument();
  const routes = await gatewayRoutes();
  await new Users(stage).playAll();
  const { samples, templates } = corpusOf(stage, document, routes, seed);
  const requests = samples.length + mutatedRequests;
  const oracle = new Oracle(document, routes);
  const statuses = new Map<string, number>();
  const findings: Finding[] = [];
  const reached = new Set<Route>();
  let modeHoldsUntilMs = 0;

  /** First each route as users call it, then mutations of each template in turn. */
  const draftOf = (number: number): Mutated => {
    const sample = samples[number - 1];
    return sample === undefined
      ? mutated(
          templates[number % templates.length] as Template,
          templates,
          new Random(seed, `request ${number}`),
        )
      : {
          request: { ...sample, headers: Object.entries(sample.headers), chunkBytes: null },
          mutations: [],
        };
  };
  const sendOne = async (number: number): Promise<void> => {
    if (number % CHECKED_EVERY === 0) {
      await renewCredentials(stage);
      onProgress?.(number, findings);
    }
    const { request: draft, mutations } = draftOf(number);
    const request = filledRequest(draft, stage);
    const route = oracle.routeOf(request);
    const beginsMode = route !== null && BEGINS_MODE.test(route.path);
    if (beginsMode) {
      modeHoldsUntilMs = Number.POSITIVE_INFINITY;
    }
    const answer = await send(stage.gatewayPort, request, TIMEOUT_MS);
    if (beginsMode) {
      await endModes(stage);
      modeHoldsUntilMs = performance.now() + MODE_HOLDS_MS;
    }
    const status = typeof answer === 'string' ? answer : statusText(answer);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (route !== null) {
      reached.add(route);
    }
    const isRefusedByMode = status === '503' && performance.now() < modeHoldsUntilMs;
    const faults =
      typeof answer === 'string'
        ? noAnswerFaults(answer, request)
        : oracle.faultsOf(request, answer).filter((fault) => !isRefusedByMode || fault !== OUTAGE);
    if (faults.length > 0) {
      const curl = asCurl(`http://localhost:${stage.gatewayPort}`, request);
      findings.push({ number, faults, mutations, curl });
    }
  };

  const isOver = (index: number) => index >= requests;
  await runWorkers(AT_ONCE, isOver, (index) => sendOne(index + 1));
  // Pages answer the gateway's own errors as an outage.
  for (const failure of failuresIn(await stage.logs())) {
    findings.push({ number: 0, faults: [failure], mutations: [], curl: '' });
  }
  const unreached = routes.filter((route) => !reached.has(route));
  return {
    requests,
    statuses,
    templates: templates.length,
    routes: routes.length,
    unreached: unreached.map(({ method, path }) => `${method} ${path}`),
    findings,
  };
}

function filledRequest({ target, headers, body, ...rest }: WireRequest, stage: Stage): WireRequest {
  const fill = (text: string) => filledIn(text, stage.credentials);
  return {
    ...rest,
    target: fill(target),
    headers: [
      ['host', new URL(stage.recorder.origin).host],
      ...headers.map(([name, value]) => [name, fill(value)] as const),
    ],
    body: body && Buffer.from(fill(body.toString('latin1')), 'latin1'),
  };
}

/** Goes on as another member with other keys when these no longer work. */
async function renewCredentials(stage: Stage): Promise<void> {
  const origin = `http://localhost:${stage.gatewayPort}`;
  await operate(origin, `merchants/${stage.merchantId}/reactivate`, { reason: 'fuzzed' });
  const { [COOKIE]: cookie, [SANDBOX_KEY]: apikey } = stage.credentials;
  const calls = [
    ['/dashboard/account', { cookie: `kefel_session=${cookie}` }],
    ['/api/v1/payment/banks', { apikey }],
  ] as const;
  for (const [path, headers] of calls) {
    const { status } = await fetch(origin + path, { headers, redirect: 'manual' });
    if (status !== 200) {
      stage.renewCredentials();
      return;
    }
  }
}

async function endModes({ gatewayPort }: Stage): Promise<void> {
  const origin = `http://localhost:${gatewayPort}`;
  await operate(origin, 'maintenance/end', {});
  await operate(origin, 'members/resume-changes', {});
}

function statusText(answer: WireAnswer): string {
  return `${answer.status}${isOfRuntime(answer) ? ' of the runtime' : ''}`;
}

/** The local server may reset a connection whose streamed body the gateway refused early. */
const REFUSED_EARLY_BYTES = 65_536;

function noAnswerFaults(answer: NoAnswer, { body, chunkBytes }: WireRequest): readonly string[] {
  const isRefusedEarly = chunkBytes !== null && (body?.length ?? 0) > REFUSED_EARLY_BYTES;
  return answer === 'closed' && isRefusedEarly ? [] : [answer];
}
