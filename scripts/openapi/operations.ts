import type { Environment } from '../../src/domain/method.ts';
import type { ProblemCode } from '../../src/http/problems.ts';
import { ANSWERS } from './answers.ts';
import { type JsonSchema, reference } from './json-schema.ts';
import { type QueryParameter, queryParameters } from './requests.ts';

/** A call of the API in one environment. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  /** Where `{id}` in the path comes from; null for a path without it. */
  readonly idText: string | null;
  readonly request: JsonSchema | null;
  /** Without a body, the defaults apply. */
  readonly isBodyOptional?: true;
  readonly query?: readonly QueryParameter[];
  readonly answer: JsonSchema;
  /** Server-sent events whose data has the form of `answer`, instead of an answer in JSON. */
  readonly isStream?: true;
  /** Headers that it reads, besides those of all operations. */
  readonly headers?: readonly { readonly name: string; readonly description: string }[];
  /** Every problem that it answers, besides those of all operations. */
  readonly problems: readonly ProblemCode[];
}

/** What any call with a key may be answered. */
export const PROBLEMS_OF_EVERY_CALL: readonly ProblemCode[] = [
  'https_required',
  'internal_error',
  'service_unavailable',
];
export const PROBLEMS_OF_KEYS: readonly ProblemCode[] = [
  'api_key_missing',
  'api_key_invalid',
  'api_key_wrong_environment',
  'permission_missing',
  'too_many_requests',
];
const PROBLEMS_OF_BODIES: readonly ProblemCode[] = [
  'validation_failed',
  'invalid_json',
  'body_too_large',
  'unsupported_content_type',
  'unsupported_charset',
  'unsupported_content_encoding',
];
const PROBLEMS_OF_CREATION: readonly ProblemCode[] = [
  ...PROBLEMS_OF_BODIES,
  'idempotency_key_invalid',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'duplicate_payment_id',
];

const EVENT_ID = 'The `id` of the event: `webhook-id` of its webhook';
const UNIQUE_ID = 'Your `paymentIntentUniqueId`, percent-encoded';
const ANY_ID = `${UNIQUE_ID}; or the \`uuid\` or \`paymentIntentId\` of the payment`;

const PAYMENT = '/api/v1/payment';

/** Every call, sandbox first. */
export function operations(): readonly Operation[] {
  return [
    ...operationsOf('sandbox'),
    ...refunds('sandbox'),
    ...webhookEndpoints('sandbox'),
    ...operationsOf('production'),
    ...refunds('production'),
    ...webhookEndpoints('production'),
    eventStream(),
    banks(),
  ];
}

function operationsOf(environment: Environment): readonly Operation[] {
  const isSandbox = environment === 'sandbox';
  const prefix = isSandbox ? `${PAYMENT}/sandbox` : PAYMENT;
  const suffix = isSandbox ? 'Sandbox' : 'Production';
  const common = { tag: isSandbox ? 'Sandbox' : 'Production', needsKey: true, idText: null };
  return [
    {
      ...common,
      method: 'post',
      path: `${prefix}/intent`,
      id: `createHostedPayment${suffix}`,
      summary: 'Create a hosted payment',
      description: 'Answers the address of a page. Redirect the customer there.',
      request: reference('HostedPaymentRequest'),
      answer: ANSWERS.hosted,
      problems: PROBLEMS_OF_CREATION,
    },
    {
      ...common,
      method: 'post',
      path: isSandbox ? `${PAYMENT}/express/sandbox/pay` : `${PAYMENT}/express/pay`,
      id: `createExpressPayment${suffix}`,
      summary: 'Create an express payment',
      description:
        'Charges one method directly. `SUCCESS` in `content.status` means accepted, not paid: wait for the webhook.',
      request: reference(isSandbox ? 'ExpressPaymentSandboxRequest' : 'ExpressPaymentRequest'),
      answer: ANSWERS.express,
      problems: PROBLEMS_OF_CREATION,
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/intent/{id}`,
      id: `readPayment${suffix}`,
      summary: 'Read a payment',
      description: 'The payment as it is now.',
      idText: ANY_ID,
      request: null,
      answer: ANSWERS.payment,
      problems: ['payment_not_found'],
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/checkout/{id}`,
      id: `readCheckout${suffix}`,
      summary: 'Read a payment (second path)',
      description: 'The same as reading a payment.',
      idText: ANY_ID,
      request: null,
      answer: ANSWERS.payment,
      problems: ['payment_not_found'],
    },
    {
      ...common,
      method: 'post',
      path: `${prefix}/intent/cancel/{id}`,
      id: `cancelPayment${suffix}`,
      summary: 'Cancel a payment',
      description:
        'Works while no attempt is under way. Canceling a canceled payment changes nothing. No event follows.',
      idText: UNIQUE_ID,
      request: null,
      answer: ANSWERS.payment,
      problems: ['payment_not_found', 'payment_in_progress', 'payment_ended'],
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/intents`,
      id: `listPayments${suffix}`,
      summary: 'List payments',
      description:
        'Newest first. All filters must match; a parameter that does not exist is an error.',
      query: queryParameters('payments'),
      request: null,
      answer: ANSWERS.payments,
      problems: ['validation_failed'],
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/events`,
      id: `listEvents${suffix}`,
      summary: 'List events',
      description:
        'Newest first. All filters must match; a parameter that does not exist is an error.',
      query: queryParameters('events'),
      request: null,
      answer: ANSWERS.events,
      problems: ['validation_failed'],
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/events/{id}`,
      id: `readEvent${suffix}`,
      summary: 'Read an event',
      description: 'The event as it is now, with the exact body that is sent.',
      idText: EVENT_ID,
      request: null,
      answer: ANSWERS.event,
      problems: ['event_not_found'],
    },
    {
      ...common,
      method: 'post',
      path: `${prefix}/events/{id}/resend`,
      id: `resendEvent${suffix}`,
      summary: 'Send an event again',
      description:
        'From the start of its schedule. An event that is on its way anyway stays as it is.',
      idText: EVENT_ID,
      request: null,
      answer: ANSWERS.event,
      problems: ['event_not_found', 'event_superseded'],
    },
    {
      ...common,
      method: 'post',
      path: `${prefix}/events/resend`,
      id: `resendEvents${suffix}`,
      summary: 'Send missed events again',
      description:
        'Sends all events since a time that have not arrived, oldest first, up to 200 in one call. Call again with `nextCursor` while `hasMore` is true.',
      request: reference('ResendEventsRequest'),
      answer: ANSWERS.resend,
      problems: PROBLEMS_OF_BODIES,
    },
    {
      ...common,
      method: 'get',
      path: `${prefix}/webhook-keys`,
      id: `listWebhookKeys${suffix}`,
      summary: 'List the public webhook keys',
      description:
        'They verify `signature` of a webhook. A resent event keeps its first signature, so retired keys stay listed for 400 days. Needs no API key.',
      needsKey: false,
      request: null,
      answer: ANSWERS.webhookKeys,
      problems: [],
    },
  ];
}

function refunds(environment: Environment): readonly Operation[] {
  const isSandbox = environment === 'sandbox';
  const path = `${PAYMENT}${isSandbox ? '/sandbox' : ''}/refund`;
  const suffix = isSandbox ? 'Sandbox' : 'Production';
  const common = { tag: isSandbox ? 'Sandbox' : 'Production', needsKey: true };
  const one = { ...common, idText: 'Your `refundUniqueId`, percent-encoded' };
  return [
    {
      ...common,
      method: 'post',
      path,
      id: `createRefund${suffix}`,
      summary: 'Refund a payment',
      description:
        'Returns the payment, or a part of it, to the customer. The answer is `PENDING`, or `REQUIRES_ACTION` when the operator must return the money by hand; an event follows with the outcome. Unknown fields are errors, because a misspelled `amount` would return everything.',
      idText: null,
      request: reference('RefundRequest'),
      answer: ANSWERS.refund,
      problems: [
        ...PROBLEMS_OF_BODIES,
        'payment_not_found',
        'idempotency_key_invalid',
        'idempotency_key_reused',
        'duplicate_refund_id',
        'payment_not_paid',
        'refund_too_large',
        'refund_needs_review',
        'too_many_refunds',
        'refund_too_late',
        'refund_daily_limit',
      ],
    },
    {
      ...one,
      method: 'get',
      path: `${path}/{id}`,
      id: `readRefund${suffix}`,
      summary: 'Read a refund',
      description: 'The refund as it is now.',
      request: null,
      answer: ANSWERS.refund,
      problems: ['refund_not_found'],
    },
    {
      ...one,
      method: 'post',
      path: `${path}/{id}/cancel`,
      id: `cancelRefund${suffix}`,
      summary: 'Cancel a refund',
      description:
        'Works while it is `PENDING`. Canceling a canceled refund changes nothing. No event follows.',
      request: null,
      answer: ANSWERS.refund,
      problems: ['refund_not_found', 'refund_not_cancelable'],
    },
    {
      ...common,
      method: 'get',
      path: `${path}s`,
      id: `listRefunds${suffix}`,
      summary: 'List refunds',
      description:
        'Newest first. All filters must match; a parameter that does not exist is an error.',
      idText: null,
      query: queryParameters('refunds'),
      request: null,
      answer: ANSWERS.refunds,
      problems: ['validation_failed'],
    },
  ];
}

function webhookEndpoints(environment: Environment): readonly Operation[] {
  const isSandbox = environment === 'sandbox';
  const list = `${PAYMENT}${isSandbox ? '/sandbox' : ''}/webhook-endpoints`;
  const suffix = isSandbox ? 'Sandbox' : 'Production';
  const common = { tag: isSandbox ? 'Sandbox' : 'Production', needsKey: true };
  const all = { ...common, path: list, idText: null };
  const one = { ...common, path: `${list}/{id}`, idText: 'The `id` of the endpoint, `we_…`' };
  return [
    {
      ...all,
      method: 'get',
      id: `listWebhookEndpoints${suffix}`,
      summary: 'List the webhook endpoints',
      description: 'All of them, oldest first.',
      request: null,
      answer: ANSWERS.webhookEndpoints,
      problems: [],
    },
    {
      ...all,
      method: 'post',
      id: `createWebhookEndpoint${suffix}`,
      summary: 'Create a webhook endpoint',
      description:
        'Payments without a `callbackUrl` send their events there within 5 seconds. The answer holds the secret; no later answer does. At most 10 in each environment.',
      request: reference('NewWebhookEndpoint'),
      answer: ANSWERS.webhookEndpointWithSecret,
      problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_limit'],
    },
    {
      ...one,
      method: 'get',
      id: `readWebhookEndpoint${suffix}`,
      summary: 'Read a webhook endpoint',
      description: 'The endpoint as it is now, without its secrets.',
      request: null,
      answer: ANSWERS.webhookEndpoint,
      problems: ['webhook_endpoint_not_found'],
    },
    {
      ...one,
      method: 'patch',
      id: `changeWebhookEndpoint${suffix}`,
      summary: 'Change a webhook endpoint',
      description: 'Fields that are absent stay as they are. Events that wait follow to a new URL.',
      request: reference('WebhookEndpointChanges'),
      answer: ANSWERS.webhookEndpoint,
      problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_not_found'],
    },
    {
      ...one,
      method: 'delete',
      id: `deleteWebhookEndpoint${suffix}`,
      summary: 'Delete a webhook endpoint',
      description:
        'Also its secrets. Events that wait for it end as undelivered. Answers the endpoint as it was.',
      request: null,
      answer: ANSWERS.webhookEndpoint,
      problems: ['webhook_endpoint_not_found'],
    },
    {
      ...one,
      method: 'post',
      path: `${list}/{id}/secret`,
      id: `rotateWebhookSecret${suffix}`,
      summary: 'Rotate the secret of a webhook endpoint',
      description:
        'Answers a new secret. The old ones sign beside it for `overlapHours` more, so that the server can change over without a gap.',
      request: reference('NewWebhookSecret'),
      isBodyOptional: true,
      answer: ANSWERS.webhookEndpointWithSecret,
      problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_not_found', 'webhook_secret_limit'],
    },
  ];
}

function eventStream(): Operation {
  return {
    method: 'get',
    path: `${PAYMENT}/sandbox/events/stream`,
    id: 'streamEventsSandbox',
    tag: 'Sandbox',
    summary: 'Stream events to your machine',
    description:
      'The events of the sandbox as they happen, as server-sent events: `id` is the `webhook-id` and `data` the body of the webhook. For development: `kefel listen` reads it. The first message, `event: ready`, has no event; its `id` is where the stream starts. The stream ends after two minutes, or when its key is revoked: connect again with the last `id`. At most 20 streams a minute are opened.',
    needsKey: true,
    idText: null,
    request: null,
    answer: reference('Webhook'),
    isStream: true,
    headers: [
      {
        name: 'Last-Event-ID',
        description: 'Where to go on: the last `id`. Without it: after the newest event',
      },
    ],
    problems: ['event_not_found'],
  };
}

function banks(): Operation {
  return {
    method: 'get',
    path: `${PAYMENT}/banks`,
    id: 'listBanks',
    tag: 'Reference data',
    summary: 'List the banks',
    description: 'The banks that a split can name. Takes a key of either environment.',
    needsKey: true,
    idText: null,
    request: null,
    answer: ANSWERS.banks,
    problems: [],
  };
}
