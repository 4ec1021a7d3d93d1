import { ApiDocument } from '../harness/api-document.ts';
import { operate } from '../harness/operator.ts';
import { Random } from '../harness/random.ts';
import { gatewayRoutes } from './bundle-routes.ts';
import { type Corpus, corpusOf } from './corpus.ts';
import { type Mutated, mutated } from './mutate.ts';
import { isOfRuntime, Oracle } from './oracle.ts';
import type { Stage } from './stage.ts';
import { COOKIE, type Credentials, filledIn, SANDBOX_KEY } from './template.ts';
import { Users } from './users.ts';
import { asCurl, type NoAnswer, send, type WireAnswer, type WireRequest } from './wire.ts';

/** Far beyond what an answer takes on a busy machine, and below what a test waits. */
const TIMEOUT_MS = 30_000;
const AT_ONCE = 8;
/** Some requests sign out or suspend; then the others would only meet closed doors. */
const CHECKED_EVERY = 100;

/** What the gateway logs about its own errors: pages answer them as an outage. */
const FAILURES = /"event":"(?:api|operator|dashboard|page|rail_message)_failed".*/g;

export interface Finding {
  /** Of the request, from 1 on; 0 for what the gateway's log tells. */
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
  readonly requests: number;
  readonly onProgress?: (sent: number, findings: readonly Finding[]) => void;
}

/** Sends mutated requests to a new stage, and judges every answer. */
export async function fuzz(stage: Stage, options: FuzzOptions): Promise<Report> {
  const document = new ApiDocument();
  const routes = await gatewayRoutes();
  await new Users(stage).playAll();
  const corpus = corpusOf(stage, document, routes, options.seed);
  return new Run(stage, options, corpus, new Oracle(document, routes)).toTheEnd(routes.length);
}

class Run {
  readonly #stage: Stage;
  readonly #options: FuzzOptions;
  readonly #corpus: Corpus;
  readonly #oracle: Oracle;
  readonly #statuses = new Map<string, number>();
  readonly #findings: Finding[] = [];
  readonly #reached = new Set<string>();
  #credentialsUsed = 0;
  #sent = 0;

  constructor(stage: Stage, options: FuzzOptions, corpus: Corpus, oracle: Oracle) {
    this.#stage = stage;
    this.#options = options;
    this.#corpus = corpus;
    this.#oracle = oracle;
  }

  async toTheEnd(routes: number): Promise<Report> {
    const { requests } = this.#options;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (this.#sent < requests) {
          this.#sent += 1;
          await this.#sendOne(this.#sent);
        }
      }),
    );
    const all = this.#oracle.routeNames;
    for (const failure of (await this.#stage.logs()).match(FAILURES) ?? []) {
      this.#findings.push({ number: 0, faults: [failure], mutations: [], curl: '' });
    }
    return {
      requests,
      statuses: this.#statuses,
      templates: this.#corpus.templates.length,
      routes,
      unreached: all.filter((route) => !this.#reached.has(route)),
      findings: this.#findings,
    };
  }

  async #sendOne(number: number): Promise<void> {
    if (number % CHECKED_EVERY === 0) {
      await this.#renewCredentials();
      this.#options.onProgress?.(number, this.#findings);
    }
    const random = new Random(this.#options.seed, `request ${number}`);
    const { request: draft, mutations } = this.#next(number, random);
    const request = this.#filledIn(draft);
    const route = this.#oracle.routeOf(request);
    const answer = await send(this.#stage.gatewayPort, request, TIMEOUT_MS);
    const status = typeof answer === 'string' ? answer : statusText(answer);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (route !== null) {
      this.#reached.add(`${route.method} ${route.path}`);
    }
    const faults =
      typeof answer === 'string'
        ? noAnswerFaults(answer, request)
        : this.#oracle.faultsOf(request, answer);
    if (faults.length > 0) {
      const curl = asCurl(`http://localhost:${this.#stage.gatewayPort}`, request);
      this.#findings.push({ number, faults, mutations, curl });
    }
  }

  /** First each route as users call it, then mutations of each template in turn. */
  #next(number: number, random: Random): Mutated {
    const { samples, templates } = this.#corpus;
    const sample = samples[number - 1];
    if (sample !== undefined) {
      return {
        request: { ...sample, headers: Object.entries(sample.headers), chunkBytes: null },
        mutations: [],
      };
    }
    const template = templates[number % templates.length];
    if (template === undefined) {
      throw new Error('nothing was recorded');
    }
    return mutated(template, templates, random);
  }

  get #credentials(): Credentials {
    const all = this.#stage.credentials;
    const credentials = all[this.#credentialsUsed % all.length];
    if (credentials === undefined) {
      throw new Error('there are no credentials');
    }
    return credentials;
  }

  #filledIn({ target, headers, body, ...rest }: WireRequest): WireRequest {
    const fill = (text: string) => filledIn(text, this.#credentials);
    return {
      ...rest,
      target: fill(target),
      headers: [
        ['host', new URL(this.#stage.recorder.origin).host],
        ...headers.map(([name, value]) => [name, fill(value)] as const),
      ],
      body: body && Buffer.from(fill(body.toString('latin1')), 'latin1'),
    };
  }

  /** Goes on as another member with other keys when these no longer work. */
  async #renewCredentials(): Promise<void> {
    const origin = `http://localhost:${this.#stage.gatewayPort}`;
    const path = `merchants/${this.#stage.merchantId}/reactivate`;
    await operate(origin, path, { reason: 'fuzzed' });
    const [page, call] = await Promise.all([
      fetch(`${origin}/dashboard/account`, {
        headers: { cookie: `kefel_session=${this.#credentials[COOKIE]}` },
        redirect: 'manual',
      }),
      fetch(`${origin}/api/v1/payment/banks`, {
        headers: { apikey: this.#credentials[SANDBOX_KEY] },
      }),
    ]);
    if (page.status !== 200 || call.status !== 200) {
      this.#credentialsUsed += 1;
    }
  }
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
