import { OPERATOR_PROBLEMS } from '../../back-office/operator/problems.ts';
import { PROBLEMS, type ProblemEntry } from '../../src/kit/http/problems.ts';
import type { ApiDocument } from '../harness/api-document.ts';
import { MARKUP } from './mutate.ts';
import type { Route } from './routes.ts';
import { parsedJson, type WireAnswer, type WireRequest } from './wire.ts';

/** What an answer to any request must be like. */

const CODES: Readonly<Record<string, ProblemEntry>> = { ...PROBLEMS, ...OPERATOR_PROBLEMS };

/** Every page has these, for every request. */
const PAGE_HEADERS: Readonly<Record<string, RegExp>> = {
  'cache-control': /^no-store$/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
  'referrer-policy': /^(?:no-referrer|same-origin)$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'permissions-policy': /camera=\(\)/,
};

/** Texts of our runtime, our database and our sources. */
const INTERNAL =
  /\bat [\w.<>]+ \(|\.tsx?:\d|node_modules|SQLITE_|D1_ERROR|TypeError|RangeError|SyntaxError|ReferenceError|Durable Object/;

/** Wrangler's local proxy says so when the gateway answers before a streamed body has arrived. */
const CUT_OFF = 'Error: Network connection lost.';

/**
 * An answer that the runtime gives by itself, before or after our code runs: it lacks our
 * `x-request-id`.
 */
export function isOfRuntime({ status, headers, body }: WireAnswer): boolean {
  return (
    !headers.has('x-request-id') &&
    (status === 501 ||
      (status >= 400 && status < 500) ||
      (status === 500 && body.toString('utf8').startsWith(CUT_OFF)))
  );
}

export class Oracle {
  readonly #document: ApiDocument;
  readonly #routes: readonly Route[];

  constructor(document: ApiDocument, routes: readonly Route[]) {
    this.#document = document;
    this.#routes = routes;
  }

  /** The first route that this request reaches. */
  routeOf({ method, target }: WireRequest): Route | null {
    const path = pathOf(target);
    return this.#routes.find((it) => it.method === method && it.pattern.test(path)) ?? null;
  }

  /** What is wrong with the answer; empty if nothing is. */
  faultsOf(request: WireRequest, answer: WireAnswer): readonly string[] {
    if (isOfRuntime(answer)) {
      return [];
    }
    const { status, headers } = answer;
    const text = answer.body.toString('utf8');
    const type = headers.get('content-type') ?? '';
    const path = pathOf(request.target);
    const isApi = /^\/(?:api|operator\/v1)(?:\/|$)/.test(path);
    // The documentation explains how Kefel is built.
    const isDocument = status === 200 && /^\/(?:docs|llms)/.test(path);
    return [
      ...(status >= 500 ? [`answered ${status}`] : []),
      ...(!isDocument && INTERNAL.test(text) ? [`internal text: ${INTERNAL.exec(text)?.[0]}`] : []),
      ...(type.startsWith('text/html') ? this.#pageFaults(answer, text) : []),
      ...(isApi && request.method !== 'HEAD' && !type.startsWith('text/event-stream')
        ? this.#apiFaults(request, answer, text)
        : []),
    ];
  }

  #pageFaults({ headers }: WireAnswer, text: string): readonly string[] {
    return [
      ...Object.entries(PAGE_HEADERS)
        .filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
        .map(([name]) => `a page with ${name}: ${headers.get(name)}`),
      ...(text.includes(MARKUP) ? ['text that is not escaped'] : []),
    ];
  }

  #apiFaults(request: WireRequest, { status }: WireAnswer, text: string): readonly string[] {
    const envelope = parsedJson(text);
    if (typeof envelope !== 'object' || envelope === null || !('status' in envelope)) {
      return [`no envelope: ${text.slice(0, 200)}`];
    }
    const { code } = envelope as { code?: string };
    const isOfMerchants = pathOf(request.target).startsWith('/api');
    const call = this.#documentedCall(request);
    return [
      ...(envelope.status === status ? [] : [`status ${String(envelope.status)} in the envelope`]),
      ...(status >= 400 && CODES[code ?? '']?.status !== status ? [`code ${code}`] : []),
      ...(call === null ? [] : this.#document.answerFaults(call, status, envelope)),
      // The document is the merchants'; the operator's API has codes of its own.
      ...(status >= 400 && isOfMerchants ? this.#document.errorFaults(envelope) : []),
    ];
  }

  /** The call of the document that this request makes: `GET /api/v1/payment/intent/{id}`. */
  #documentedCall(request: WireRequest): string | null {
    const route = this.routeOf(request);
    const call = `${request.method} ${route?.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    return this.#document.spellings.includes(call) ? call : null;
  }
}

/** The path as the runtime's URL parser reads it. */
function pathOf(target: string): string {
  const text = Buffer.from(target, 'latin1').toString('utf8');
  return URL.parse(`http://localhost${text.startsWith('/') ? text : `/${text}`}`)?.pathname ?? text;
}
