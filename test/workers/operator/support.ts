import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { RefundCommand } from '../../../src/engine/domain/refund.ts';
import worker from '../../support/gateway.ts';
import { requestRefund } from '../../support/intents.ts';
import { choose } from '../rails/support.ts';
import { booksReport } from '../support/book.ts';
import {
  type Answer,
  advance,
  answerOf,
  type Body,
  booksAreFed,
  type CaughtMessages,
  CREATE_PATHS,
  call,
  createHosted,
  execute,
  fireAlarm,
  hostedBody,
  intentOf,
  MINUTE_MS,
  ORIGIN,
  payHosted,
  startRedirect,
  type TestMerchant,
} from '../support.ts';

/** The secrets of test/support/secrets.ts: two shared ones, as during a rotation. */
export const SECRET = `kfl_op_${'n'.repeat(43)}`;
export const OLDER_SECRET = `kfl_op_${'o'.repeat(43)}`;

/** Secrets that only one person has. */
export const PERSONAL_SECRETS = {
  Hana: `kfl_op_${'h'.repeat(43)}`,
  Dawit: `kfl_op_${'d'.repeat(43)}`,
} as const;

export interface OperateOptions {
  /** Null: no header at all. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A gateway with other settings. */
  readonly bindings?: Env;
}

/** A gateway on which two operators must agree about refunds above 50 birr. */
export const TWO_OPERATORS: Env = { ...env, SECOND_OPERATOR_ABOVE: '50' };

/** A request to the operator's side: GET without a body, otherwise POST. */
export function operate(
  path: string,
  body?: unknown,
  { authorization = `Bearer ${SECRET}`, headers: others = {}, bindings }: OperateOptions = {},
): Promise<Response> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { ...(authorization !== null && { authorization }), ...others };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  if (bindings === undefined) {
    return call(path, {
      method,
      apiKey: null,
      ...sent,
      ...(body !== undefined && { contentType: 'application/json' }),
      headers,
    });
  }
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return sendTo(bindings, path, { method, ...sent, headers: { ...type, ...headers } });
}

/** A request to a gateway with other settings. */
export function sendTo(bindings: Env, path: string, init: RequestInit): Promise<Response> {
  const request = new Request(`${ORIGIN}${path}`, { redirect: 'manual', ...init });
  return worker.fetch(request as never, bindings, createExecutionContext());
}

/** The hidden fields of the page's form, as the browser sends them. */
export function hiddenFields(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
}

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** The desk in the browser of an operator, who has a shared secret unless the options name another. */
export function deskOf(
  name: string,
  { secret = SECRET, bindings = env }: { readonly secret?: string; readonly bindings?: Env } = {},
) {
  const operator = { authorization: `Bearer ${secret}`, 'x-operator': encodeURIComponent(name) };
  const open = (path: string) => sendTo(bindings, path, { headers: { ...operator, ...OWN_PAGE } });
  const pageOf = async (path: string) => {
    const response = await open(path);
    const html = await response.text();
    expect([path, response.status, html.slice(0, 15)]).toEqual([path, 200, '<!doctype html>']);
    return html;
  };
  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = OWN_PAGE,
  ) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    const sent = { method: 'POST', body, headers: { ...operator, ...type, ...headers } };
    return sendTo(bindings, path, sent);
  };
  /** Sends a form and returns where that leads. */
  const send = async (path: string, fields: Readonly<Record<string, string>>) => {
    const response = await post(path, fields);
    expect(response.status).toBe(303);
    return response.headers.get('location') ?? '';
  };
  /** The same with the hidden fields of its page. */
  const change = async (path: string, fields: Readonly<Record<string, string>> = {}) =>
    send(path, { ...hiddenFields(await pageOf(path)), ...fields });
  return { open, pageOf, post, send, change };
}

/** The same to the API, with the parsed answer. */
export function operateApi(
  path: string,
  body?: unknown,
  options?: OperateOptions,
): Promise<Answer> {
  return answerOf(operate(`/operator/v1${path}`, body, options));
}

/** The content of a successful answer. */
export async function content<Content>(answer: Promise<Answer>): Promise<Content> {
  const { status, text, envelope } = await answer;
  if (status !== 200) {
    throw new Error(`answered ${status}: ${text}`);
  }
  return envelope.content as Content;
}

/** A payment `order-1` with an unresolved attempt `a1`, as the book has it. */
export async function unresolved(caught: CaughtMessages): Promise<void> {
  await createHosted();
  await execute(startRedirect('a1', Date.now() + 5 * MINUTE_MS));
  advance(6 * MINUTE_MS);
  await fireAlarm();
  expect((await intentOf()).attempts[0]?.status).toBe('unresolved');
  await project(caught);
}

/** The books take what the objects have sent, and report it to the operator. */
export async function project(caught: CaughtMessages): Promise<void> {
  await booksAreFed(caught);
  await booksReport();
}

type RequestRefund = Extract<RefundCommand, { type: 'request_refund' }>;

/** A paid payment `order-1` of 100.50 whose refund `r1`, of all or a part, waits for a person. */
export async function refundByHand(
  changes: Partial<RequestRefund['refund']> = {},
  capability: RequestRefund['capability'] = null,
): Promise<void> {
  await payHosted();
  await execute(await refundRequest('r1', changes, capability));
}

/** The command that reserves a refund of the payment's first attempt. */
export async function refundRequest(
  id: string,
  changes: Partial<RequestRefund['refund']> = {},
  capability: RequestRefund['capability'] = null,
): Promise<RequestRefund> {
  const [attempt] = (await intentOf()).attempts;
  if (attempt === undefined) {
    throw new Error('no attempt');
  }
  return requestRefund(id, { attemptId: attempt.id, ...changes }, { capability });
}

/** A payment whose customer is at telebirr. */
export async function atTelebirr(merchant: TestMerchant, uniqueId = 'order-1', changes: Body = {}) {
  const body = hostedBody({ paymentIntentUniqueId: uniqueId, methods: ['TELE_BIRR'], ...changes });
  const { envelope, status, text } = await answerOf(
    call(CREATE_PATHS.hosted.production, {
      method: 'POST',
      apiKey: merchant.apiKeys.production,
      body,
    }),
  );
  expect(status, text).toBe(200);
  await choose(new URL(String(envelope.content)).pathname, 'TELE_BIRR');
}
