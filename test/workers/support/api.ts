import { createExecutionContext } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { Environment } from '../../../src/kit/tenant.ts';
import worker from '../../support/gateway.ts';
import { expectProblemForm } from '../../support/problems.ts';
import { SECOND_MS } from './clock.ts';
import { ALPHA } from './merchants.ts';

export const ORIGIN = 'https://pay.kefel.test';
export const CALLBACK_URL = 'https://shop.example.com/hook';
/** Lifetime of the payments below, in seconds. */
export const EXPIRE_IN = 3_600;
export const EXPIRE_IN_MS = EXPIRE_IN * SECOND_MS;

export type Body = Record<string, unknown>;

export function hostedBody(changes: Body = {}): Body {
  return {
    amount: 100.5,
    currency: 'ETB',
    paymentIntentUniqueId: 'order-1',
    methods: [],
    returnUrl: 'https://shop.example.com/done?cart=7',
    callbackUrl: CALLBACK_URL,
    refundEvents: true,
    expireIn: EXPIRE_IN,
    commissionPaidByCustomer: false,
    ...changes,
  };
}

/** Express, simulated: succeeds on its own unless `testMode` says otherwise. */
export function expressBody(changes: Body = {}): Body {
  return {
    amount: 100.5,
    currency: 'ETB',
    paymentIntentUniqueId: 'order-1',
    method: 'TELE_BIRR',
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: CALLBACK_URL,
    refundEvents: true,
    expireIn: EXPIRE_IN,
    commissionPaidByCustomer: false,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    ...changes,
  };
}

export const SIMULATED_FAILURE: Body = {
  testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
};

export interface CallOptions {
  readonly method?: string;
  /** Null: no header at all. */
  readonly apiKey?: string | null;
  /** Objects are sent as JSON, strings and streams as they are. */
  readonly body?: BodyInit | Body | undefined;
  /** Null: no header at all, which only a stream allows. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bindings of another deployment. */
  readonly bindings?: Env;
}

/** A deployment that limits how often it is called. */
export const LIMITED: Env = { ...env, RATE_LIMITS: 'on' };

/** One request to the Worker as the network would deliver it; redirects are not followed. */
export function call(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', apiKey = ALPHA.apiKeys.sandbox, body, headers = {} } = options;
  const contentType =
    options.contentType === undefined && body !== undefined
      ? 'application/json'
      : (options.contentType ?? null);
  const isRaw = typeof body === 'string' || body instanceof ReadableStream;
  const url = `${ORIGIN}${path}`;
  const init: RequestInit = {
    method,
    redirect: 'manual',
    headers: {
      ...(apiKey === null ? {} : { apiKey }),
      ...(contentType === null ? {} : { 'content-type': contentType }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  };
  const { bindings } = options;
  return bindings === undefined
    ? exports.default.fetch(url, init)
    : Promise.resolve(
        worker.fetch(new Request(url, init) as never, bindings, createExecutionContext()),
      );
}

export const CREATE_PATHS = {
  hosted: { sandbox: '/api/v1/payment/sandbox/intent', production: '/api/v1/payment/intent' },
  express: {
    sandbox: '/api/v1/payment/express/sandbox/pay',
    production: '/api/v1/payment/express/pay',
  },
} as const;

export function statusPath(id: string, environment: Environment = 'sandbox'): string {
  return `${CREATE_PATHS.hosted[environment]}/${encodeURIComponent(id)}`;
}

export function cancelPath(id: string, environment: Environment = 'sandbox'): string {
  return `${CREATE_PATHS.hosted[environment]}/cancel/${encodeURIComponent(id)}`;
}

const REFUND_PATH = '/api/v1/payment/sandbox/refund';

/** Asks for a refund of `order-1`, named `refund-1`, unless changed. */
export function postRefund(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1', ...changes };
  return call(REFUND_PATH, { ...options, method: 'POST', body });
}

export function refundPath(id = 'refund-1'): string {
  return `${REFUND_PATH}/${encodeURIComponent(id)}`;
}

export function postHosted(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = hostedBody(changes);
  return call(CREATE_PATHS.hosted.sandbox, { ...options, method: 'POST', body });
}

export function postExpress(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = expressBody(changes);
  return call(CREATE_PATHS.express.sandbox, { ...options, method: 'POST', body });
}

/** An API answer with the parts that tests check. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly envelope: {
    readonly status?: number;
    readonly message?: string;
    readonly content?: unknown;
    readonly code?: string;
    readonly validationErrors?: Readonly<Record<string, string>>;
    readonly validationErrorCodes?: Readonly<Record<string, string>>;
    readonly warnings?: readonly string[];
    readonly payment?: unknown;
  };
}

/** The parsed answer of an API. Every error must have the documented form. */
export async function answerOf(response: Response | Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await answerText(await response);
  const envelope = JSON.parse(rest.text);
  if (status >= 400) {
    expectProblemForm(envelope, headers);
  }
  return { status, headers, ...rest, envelope };
}

/** The content of a successful answer. */
export async function contentOf<Content = Record<string, unknown>>(
  answering: Response | Promise<Response>,
): Promise<Content> {
  const { status, text, envelope } = await answerOf(answering);
  expect([status, text]).toEqual([200, text]);
  return envelope.content as Content;
}

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The rows of all pages of a list, in order. */
export async function allPages<Item>(
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Item[]> {
  const seen: Item[] = [];
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) });
    const page: Page<Item> = await contentOf(call(`${path}?${search}`));
    expect(page.hasMore).toBe(page.nextCursor !== null);
    seen.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return seen;
}

async function answerText(response: Response) {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Creates a hosted payment by the API. Returns its checkout URL. */
export function createHosted(changes: Body = {}): Promise<string> {
  return contentOf(postHosted(changes));
}

export interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: string;
  readonly message: string;
}

export function createExpress(changes: Body = {}): Promise<ExpressContent> {
  return contentOf(postExpress(changes));
}
