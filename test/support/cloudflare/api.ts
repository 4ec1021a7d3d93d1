import type { IncomingMessage } from 'node:http';

/** A request to Cloudflare's API, read and named as the contract and the handlers know it. */
export interface Call {
  /** The method and the path's template: `POST /accounts/{account}/d1/database`. */
  readonly name: string;
  /** What stands in the places of the template. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly token: string | null;
  /** Whether wrangler asks, and not a script of ours. */
  readonly isWranglers: boolean;
  /** The jurisdiction of an R2 bucket: each jurisdiction has its own buckets. */
  readonly jurisdiction: string;
}

export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'multipart'; readonly parts: readonly Part[] };

/** A part of a multipart body. Only files have a type. */
export interface Part {
  readonly name: string;
  readonly type: string | null;
  readonly content: Buffer;
}

/** An answer with `success: false`. Wrangler decides by the code. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly status: number;
  /** More members of the error. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    code: number,
    message: string,
    status = 400,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.more = more;
  }
}

/** An answer with `result_info`, or with another status than 200. */
export class Answer {
  readonly result: unknown;
  readonly more: More;

  constructor(result: unknown, more: More) {
    this.result = result;
    this.more = more;
  }
}

interface More {
  readonly info?: Readonly<Record<string, unknown>>;
  readonly status?: number;
}

/** Returns the `result` of the envelope, or an `Answer`; throws an `ApiError`. */
export type Handler = (call: Call) => unknown;
/** The handlers by the names of calls. */
export type Handlers = Readonly<Record<string, Handler>>;

const PAGE_SIZE = 20;

/** One page of a list, as the query asks for it. */
export function page<Item>(items: readonly Item[], query: URLSearchParams): Answer {
  const number = Number(query.get('page') ?? 1);
  const size = Number(query.get('per_page') ?? PAGE_SIZE);
  const shown = items.slice((number - 1) * size, number * size);
  const info = {
    page: number,
    per_page: size,
    count: shown.length,
    total_count: items.length,
    total_pages: Math.ceil(items.length / size),
  };
  return new Answer(shown, { info });
}

/** The segment after one of these is the id or the name of one thing. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  accounts: 'account',
  buckets: 'bucket',
  consumers: 'consumer',
  database: 'database',
  deployments: 'deployment',
  domains: 'domain',
  namespaces: 'namespace',
  queues: 'queue',
  routes: 'route',
  secrets: 'secret',
  scripts: 'script',
  services: 'service',
  versions: 'version',
  zones: 'zone',
};
/** Actions that stand where an id could stand. */
const ACTIONS = ['changeset', 'records'];

/** The path's template, and what stands in its places. */
export function templateOf(path: string) {
  const params: Record<string, string> = {};
  // The name of an object has slashes of its own.
  const [beforeObject = '', objectName] = path.split(/(?<=\/objects)\/(.+)/);
  const segments = beforeObject.split('/');
  const template = segments.map((segment, index) => {
    const before = segments[index - 1] ?? '';
    // `workers/workers/{worker}`, but `workers/scripts`.
    const isWorker = before === 'workers' && segments[index - 2] === 'workers';
    const name = isWorker ? 'worker' : COLLECTIONS[before];
    if (name === undefined || ACTIONS.includes(segment)) {
      return segment;
    }
    params[name] = decodeURIComponent(segment);
    return `{${name}}`;
  });
  if (objectName !== undefined) {
    params.object = decodeURIComponent(objectName);
    template.push('{object}');
  }
  return { template: template.join('/'), params };
}

/** Below this the server has its API, as Cloudflare has. */
export const API_PATH = '/client/v4';

export async function readCall(request: IncomingMessage): Promise<Call> {
  const url = new URL(request.url ?? '', 'http://localhost');
  const { template, params } = templateOf(url.pathname.slice(API_PATH.length));
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return {
    name: `${request.method} ${template}`,
    params,
    query: url.searchParams,
    body: await readBody(Buffer.concat(chunks), request.headers['content-type'] ?? ''),
    token: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null,
    isWranglers: request.headers['user-agent']?.startsWith('wrangler/') === true,
    jurisdiction: String(request.headers['cf-r2-jurisdiction'] ?? 'default'),
  };
}

async function readBody(bytes: Buffer, type: string): Promise<Body> {
  if (bytes.length === 0) {
    return { kind: 'none' };
  }
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': type },
    }).formData();
    const parts = [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, type: null, content: Buffer.from(value) }
        : { name, type: value.type, content: Buffer.from(await value.arrayBuffer()) },
    );
    return { kind: 'multipart', parts: await Promise.all(parts) };
  }
  const text = bytes.toString();
  try {
    // Wrangler sends the JSON of queues as text/plain.
    return { kind: 'json', json: JSON.parse(text) };
  } catch {
    return { kind: 'text', text };
  }
}

/** The body that the contract has promised to be JSON. */
export function jsonOf<Json>({ name, body }: Call): Json {
  if (body.kind !== 'json') {
    throw new ApiError(10001, `${name} needs a body of JSON`);
  }
  return body.json as Json;
}

export function partsOf({ name, body }: Call): readonly Part[] {
  if (body.kind !== 'multipart') {
    throw new ApiError(10001, `${name} needs a body of parts`);
  }
  return body.parts;
}
