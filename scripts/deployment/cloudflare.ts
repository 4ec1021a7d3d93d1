import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const DEFAULT_BASE_URL = 'https://api.cloudflare.com/client/v4';
const TIMEOUT_MS = 60_000;
/** The most that every list of the API takes. */
const PER_PAGE = 50;

/** Cloudflare refused a call, or did not answer: `code` is null then. */
export class CloudflareError extends Error {
  override readonly name = 'CloudflareError';
  /** Below the base URL; empty for a missing login. */
  readonly path: string;
  readonly code: number | null;
  readonly status: number | null;

  constructor(message: string, path: string, code: number | null, status: number | null) {
    super(message);
    this.path = path;
    this.code = code;
    this.status = status;
  }
}

interface Envelope {
  readonly success: boolean;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
  readonly result: unknown;
  readonly result_info?: ListInfo | null;
}

/** What an answer says of the list that it is a part of. Not every list says the same. */
interface ListInfo {
  readonly per_page?: number;
  readonly total_count?: number;
  readonly cursor?: string;
  readonly cursors?: { readonly after?: string };
}

export interface CloudflareCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, such as `/accounts/…`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Cloudflare's API with one token. */
export class Cloudflare {
  readonly #baseUrl: string;
  #token: string;
  readonly #renewed: (() => Promise<string>) | null;

  /** `renewed`: a login's next token, for a command that outlives the first one. */
  constructor(token: string, baseUrl: string, renewed: (() => Promise<string>) | null = null) {
    this.#token = token;
    this.#baseUrl = baseUrl;
    this.#renewed = renewed;
  }

  /** The result of a call. Throws CloudflareError, whose message never has the token. */
  async call<Result>(call: CloudflareCall): Promise<Result> {
    return (await this.#send(call)).result as Result;
  }

  get<Result>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Result> {
    return this.call({ method: 'GET', path, headers });
  }

  /** The result, or null for something that does not exist. */
  async getIfPresent<Result>(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Result | null> {
    try {
      return await this.get<Result>(path, headers);
    } catch (error) {
      if (error instanceof CloudflareError && error.status === 404) {
        return null;
      }
      throw error;
    }
  }

  /** All rows of a list that has pages. */
  list<Row>(path: string): Promise<readonly Row[]> {
    return this.#rows(path, `page=1&per_page=${PER_PAGE}`);
  }

  /** All rows of a list that comes whole, unless its answer says that there are more. */
  listWhole<Row>(path: string): Promise<readonly Row[]> {
    return this.#rows(path, null);
  }

  /** Follows cursors and pages. A full page may be the last one: only the next one tells. */
  async #rows<Row>(path: string, first: string | null): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let place = first;
    let before = '';
    for (let page = 1; ; page += 1) {
      const separator = path.includes('?') ? '&' : '?';
      const { result, result_info } = await this.#send({
        method: 'GET',
        path: place === null ? path : `${path}${separator}${place}`,
      });
      // Versions come as an object that has them.
      const added = Array.isArray(result) ? (result as Row[]) : (result as { items: Row[] }).items;
      const text = JSON.stringify(added);
      // A list that ignores the page would never end.
      if (added.length === 0 || text === before) {
        return rows;
      }
      rows.push(...added);
      before = text;
      const info = result_info ?? {};
      const size = info.per_page ?? PER_PAGE;
      const cursor = info.cursor || info.cursors?.after;
      const isFull = first !== null && added.length >= size;
      if (cursor) {
        place = `cursor=${encodeURIComponent(cursor)}`;
      } else if (isFull || rows.length < (info.total_count ?? 0)) {
        place = `page=${page + 1}&per_page=${size}`;
      } else {
        return rows;
      }
    }
  }

  async #send({ method, path, body, headers = {} }: CloudflareCall): Promise<Envelope> {
    const response = await this.#reach(method, path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const envelope = envelopeIn(response.text);
    if (envelope?.success !== true) {
      const [error] = envelope?.errors ?? [];
      throw new CloudflareError(
        error === undefined
          ? `Cloudflare answered ${response.status} to ${method} ${path}`
          : `Cloudflare refused ${method} ${path}: ${error.message} (${error.code})`,
        path,
        error?.code ?? null,
        response.status,
      );
    }
    return envelope;
  }

  async #reach(method: string, path: string, request: RequestInit) {
    const response = await this.#sent(method, path, request);
    if (response.status !== 401 || this.#renewed === null) {
      return response;
    }
    this.#token = await this.#renewed();
    return this.#sent(method, path, request);
  }

  async #sent(method: string, path: string, request: RequestInit) {
    try {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        ...request,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { ...request.headers, authorization: `Bearer ${this.#token}` },
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CloudflareError(
        `Cloudflare cannot be reached for ${method} ${path}: ${reason}`,
        path,
        null,
        null,
      );
    }
  }
}

/** The client for CLOUDFLARE_API_TOKEN, else for the login of `npx wrangler login`. */
export async function cloudflareOf(environment: NodeJS.ProcessEnv): Promise<Cloudflare> {
  const baseUrl = environment.CLOUDFLARE_API_BASE_URL ?? DEFAULT_BASE_URL;
  const given = environment.CLOUDFLARE_API_TOKEN;
  const login = () => loginToken(environment);
  return given === undefined
    ? new Cloudflare(await login(), baseUrl, login)
    : new Cloudflare(given, baseUrl);
}

/** Wrangler refreshes the login, if it has expired. */
async function loginToken(environment: NodeJS.ProcessEnv): Promise<string> {
  const main = createRequire(import.meta.url).resolve('wrangler');
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', main, 'auth', 'token', '--json'],
      { env: { ...environment, WRANGLER_HIDE_BANNER: 'true' } },
    );
    const { token } = JSON.parse(stdout) as { readonly token?: string };
    if (token !== undefined) {
      return token;
    }
  } catch {
    // Not logged in: the message below says what to do.
  }
  throw new CloudflareError(
    'no login to Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN',
    '',
    null,
    401,
  );
}

function envelopeIn(text: string): Envelope | null {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && 'success' in value
    ? (value as Envelope)
    : null;
}

/** Null for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
