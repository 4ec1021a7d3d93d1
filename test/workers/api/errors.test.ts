import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { REFUNDS_MAX } from '../../../src/engine/domain/refund-amounts.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { LINKS_MAX } from '../../../src/engine/links/payment-link.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { ENDPOINTS_MAX } from '../../../src/engine/webhooks/endpoints.ts';
import { SECRETS_MAX } from '../../../src/engine/webhooks/secret-rules.ts';
import { PROBLEMS, type ProblemCode } from '../../../src/kit/http/problems.ts';
import { ObjectUnavailable } from '../../../src/kit/platform/object-call.ts';
import worker from '../../support/gateway.ts';
import { operate } from '../operator/support.ts';
import { copyLinks } from '../support/links.ts';
import {
  ALPHA,
  addEndpoint,
  answerOf,
  booksAreFed,
  CREATE_PATHS,
  call,
  cancelPath,
  createHosted,
  DAY_MS,
  execute,
  expressBody,
  fireAlarm,
  hostedBody,
  lastEvent,
  ORIGIN,
  payHosted,
  postExpress,
  postHosted,
  postRefund,
  refundPath,
  resolveAttempt,
  startRedirect,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: every error of docs/errors.md can happen, in its documented form (docs/api.md#errors).
 * Method: provoke each through the Worker. The table is exhaustive by its type, so a new error
 * without a test does not compile.
 */

const caught = useGateway();

const POLICY = '"key";q=1000;w=10, "network";q=30;w=60';

/** A request with other bindings than the tests' own. */
function callWith(bindings: Partial<Env>, url = `${ORIGIN}${statusPath('x')}`): Promise<Response> {
  const headers = { apiKey: ALPHA.apiKeys.sandbox };
  const request = new Request(url, { headers }) as never;
  return worker.fetch(request, { ...env, ...bindings }, createExecutionContext());
}

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/** The provider is asked for a refund, and reports an outcome. */
function refundedBy(refundId: string, type: 'failed' | 'succeeded'): Command[] {
  const outcome =
    type === 'failed'
      ? ({ type, reason: 'declined' } as const)
      : ({ type, railReference: null } as const);
  return [
    { type: 'claim_refund', refundId, claimId: refundId, deadlineAtMs: Date.now() + DAY_MS },
    { type: 'resolve_refund', refundId, outcome },
  ];
}

const PROVOKED: Readonly<Record<ProblemCode, () => Promise<Response>>> = {
  validation_failed: () => postHosted({ currency: 'EUR', e_mail: 1 }),
  invalid_json: () => call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: '{' }),
  https_required: () => callWith({}, 'http://pay.kefel.test/api'),
  not_found: () => operate('/operator/v1/merchants/none'),
  path_not_found: () => call('/api/v1/payment'),
  method_not_allowed: () => call('/api/v1/payment/banks', { method: 'POST' }),
  body_too_large: () => postHosted({ padding: 'x'.repeat(64 * 1_024) }),
  unsupported_content_type: () => postHosted({}, { contentType: 'text/plain' }),
  unsupported_charset: () => postHosted({}, { contentType: 'application/json; charset=utf-16' }),
  unsupported_content_encoding: () => postHosted({}, { headers: { 'content-encoding': 'gzip' } }),
  too_many_requests: () => {
    vi.spyOn(env.API_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
    return callWith({ RATE_LIMITS: 'on' });
  },
  internal_error: () => callWith({ LINK_SIGNING_KEYS: '' }),
  not_set_up: () =>
    callWith({ LINK_SIGNING_KEYS: '' }, 'http://localhost:8787/api/v1/payment/banks'),
  service_unavailable: () => {
    vi.spyOn(IntentClient.prototype, 'read').mockRejectedValue(new ObjectUnavailable('away'));
    return call(statusPath('order-1'));
  },
  maintenance: async () => {
    await env.DB.prepare(
      `UPDATE gateway_settings SET mode = 'maintenance', maintenance_since_ms = 1,
        maintenance_by = 'Sara', maintenance_reason = 'Restoring'`,
    ).run();
    return postHosted();
  },
  api_key_missing: () => call(statusPath('x'), { apiKey: null }),
  api_key_invalid: () => call(statusPath('x'), { apiKey: 'kfl_test_guess' }),
  api_key_wrong_environment: () =>
    call(statusPath('x', 'production'), { apiKey: ALPHA.apiKeys.sandbox }),
  permission_missing: async () => {
    await env.DB.prepare("UPDATE api_keys SET permissions = '[]'").run();
    return call(statusPath('x'));
  },
  idempotency_key_invalid: () => postHosted({}, keyed('clé')),
  idempotency_key_in_use: async () => {
    vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
    await postExpress({}, keyed('k'));
    return postExpress({}, keyed('k'));
  },
  idempotency_key_reused: async () => {
    await postHosted({}, keyed('k'));
    return postHosted({ amount: 7 }, keyed('k'));
  },
  duplicate_payment_id: async () => {
    await createHosted();
    return postHosted();
  },
  payment_not_found: () => call(statusPath('none')),
  event_not_found: () =>
    call('/api/v1/payment/sandbox/events/stream', { headers: { 'last-event-id': 'evt_x' } }),
  webhook_endpoint_not_found: () => call('/api/v1/payment/sandbox/webhook-endpoints/we_none'),
  webhook_endpoint_limit: async () => {
    for (let index = 0; index < ENDPOINTS_MAX; index += 1) {
      await addEndpoint(ALPHA, `we_${index}`, { url: 'https://shop.example.com/' });
    }
    const body = { url: 'https://shop.example.com/' };
    return call('/api/v1/payment/sandbox/webhook-endpoints', { method: 'POST', body });
  },
  webhook_secret_limit: async () => {
    await addEndpoint(ALPHA, 'we_1', { url: 'https://shop.example.com/' });
    const path = '/api/v1/payment/sandbox/webhook-endpoints/we_1/secret';
    for (let times = 1; times < SECRETS_MAX; times += 1) {
      await call(path, { method: 'POST' });
    }
    return call(path, { method: 'POST' });
  },
  payment_link_not_found: () => call('/api/v1/payment/sandbox/links/none'),
  duplicate_payment_link_id: async () => {
    const body = { paymentLinkUniqueId: 'link-1', title: 'Honey', amount: 450 };
    await call('/api/v1/payment/sandbox/links', { method: 'POST', body });
    return call('/api/v1/payment/sandbox/links', { method: 'POST', body });
  },
  payment_link_limit: async () => {
    const body = { title: 'Honey', amount: 450 };
    await call('/api/v1/payment/sandbox/links', { method: 'POST', body });
    await copyLinks(tenantOf(ALPHA), LINKS_MAX - 1);
    return call('/api/v1/payment/sandbox/links', { method: 'POST', body });
  },
  payment_in_progress: async () => {
    await createHosted();
    await execute(startRedirect('a1'));
    return call(cancelPath('order-1'), { method: 'POST' });
  },
  payment_ended: async () => {
    await payHosted();
    return call(cancelPath('order-1'), { method: 'POST' });
  },
  duplicate_refund_id: async () => {
    await payHosted();
    await postRefund();
    return postRefund();
  },
  refund_not_found: () => call(refundPath()),
  payment_not_paid: async () => {
    await createHosted();
    return postRefund();
  },
  refund_too_large: async () => {
    await payHosted();
    return postRefund({ amountMinor: 10_051 });
  },
  too_many_refunds: async () => {
    await payHosted();
    for (let number = 0; number < REFUNDS_MAX; number += 1) {
      await postRefund({ refundUniqueId: String(number), amountMinor: 100 });
    }
    return postRefund({ amountMinor: 100 });
  },
  refund_needs_review: async () => {
    await payHosted();
    for (const refundUniqueId of ['one', 'two']) {
      await postRefund({ refundUniqueId, amountMinor: 9_000 });
      const type = refundUniqueId === 'one' ? 'failed' : 'succeeded';
      await execute(...refundedBy(refundUniqueId, type));
    }
    await execute(...refundedBy('one', 'succeeded').slice(1));
    return postRefund({ amountMinor: 100 });
  },
  refund_too_late: async () => {
    await payHosted();
    vi.setSystemTime(Date.now() + 181 * DAY_MS);
    return postRefund();
  },
  refund_daily_limit: async () => {
    await env.DB.prepare('UPDATE merchants SET refund_daily_max_minor = 10000').run();
    await payHosted();
    return postRefund();
  },
  refund_not_cancelable: async () => {
    await payHosted();
    await postRefund();
    await fireAlarm();
    return call(`${refundPath()}/cancel`, { method: 'POST' });
  },
  event_superseded: async () => {
    await createHosted();
    await execute(startRedirect('a1'), { type: 'abandon_attempt', attemptId: 'a1' });
    await execute({ type: 'abandon_payment' });
    const { eventId } = await lastEvent();
    await execute(resolveAttempt('a1', 'succeeded'));
    await booksAreFed(caught);
    return call(`/api/v1/payment/sandbox/events/${eventId}/resend`, { method: 'POST' });
  },
};

test.each(Object.keys(PROVOKED) as ProblemCode[])('%s', async (code) => {
  const { status, envelope, headers } = await answerOf(PROVOKED[code]());
  expect({ status, code: envelope.code }).toEqual({ status: PROBLEMS[code].status, code });
  // No placeholder is left over.
  expect(envelope.message).not.toMatch(/[{}]|undefined/);
  const isTemporary = /^(?:too_many_requests|service_unavailable|maintenance|.*_in_use)$/.test(
    code,
  );
  expect(headers.has('retry-after')).toBe(isTemporary);
});

test('docs leads to the configured address of the gateway, else to the request’s', async () => {
  const docsOf = async (response: Promise<Response>) =>
    ((await (await response).json()) as { docs: string }).docs;
  expect(await docsOf(callWith({}))).toBe(`${ORIGIN}/docs/errors#payment_not_found`);
  const elsewhere = { PUBLIC_BASE_URL: 'https://pay.example.com' };
  expect(await docsOf(callWith(elsewhere))).toBe(
    'https://pay.example.com/docs/errors#payment_not_found',
  );
  const office = { ...elsewhere, BACK_OFFICE_BASE_URL: 'https://office.example.com/' };
  expect(await docsOf(callWith(office))).toBe(
    'https://office.example.com/docs/errors#payment_not_found',
  );
});

test('validationErrorCodes has the code of each field beside its text', async () => {
  const { envelope } = await answerOf(
    postHosted({ amount: '1', currency: 'EUR', expireIn: undefined }),
  );
  expect(envelope).toMatchObject({
    validationErrors: {
      amount: 'Must be a JSON number.',
      currency: 'Must be ETB or USD.',
      expireIn: 'This field is required.',
    },
    validationErrorCodes: {
      amount: 'invalid_type',
      currency: 'invalid_choice',
      expireIn: 'required',
    },
  });
});

test('decisions.md#27: every answer to a call with a key names its limits, unless they are off', async () => {
  const bodies = { hosted: hostedBody(), express: expressBody({ paymentIntentUniqueId: 'e' }) };
  for (const [path, init] of [
    [CREATE_PATHS.hosted.sandbox, { method: 'POST', body: JSON.stringify(bodies.hosted) }],
    [CREATE_PATHS.express.sandbox, { method: 'POST', body: JSON.stringify(bodies.express) }],
    [CREATE_PATHS.hosted.sandbox, { method: 'POST', body: '{' }],
    [statusPath('order-1'), {}],
    [statusPath('none'), {}],
    [statusPath('none', 'production'), {}],
  ] as const) {
    for (const [limits, policy] of [
      ['on', POLICY],
      ['off', null],
    ] as const) {
      const headers = { apiKey: ALPHA.apiKeys.sandbox, 'content-type': 'application/json' };
      const request = new Request(ORIGIN + path, { ...init, headers }) as never;
      const bindings = { ...env, RATE_LIMITS: limits };
      const response = await worker.fetch(request, bindings, createExecutionContext());
      expect([path, response.headers.get('ratelimit-policy')]).toEqual([path, policy]);
    }
  }
});
