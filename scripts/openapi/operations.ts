import type { ProblemCode } from '../../src/http/problems.ts';
import { ANSWERS } from './answers.ts';
import { type JsonSchema, reference } from './json-schema.ts';
import { type QueryParameter, queryParameters } from './requests.ts';

/** A call of the API. It is the same in both environments. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below the environment's prefix, `/api/v1/payment/sandbox` or `/api/v1/payment`. */
  readonly path: string;
  /** Other paths that answer the same, from the root on; `{environment}` is `/sandbox` or empty. */
  readonly aliases?: readonly string[];
  readonly id: string;
  readonly tag: Tag;
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

export type Tag =
  | 'Payments'
  | 'Refunds'
  | 'Events'
  | 'Webhook endpoints'
  | 'Reference data'
  | 'Sandbox';

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

const UNIQUE_ID = 'Your `paymentIntentUniqueId`, percent-encoded';
const ANY_ID = `${UNIQUE_ID}; or the \`uuid\` or \`paymentIntentId\` of the payment`;

/** Where the paths begin; `{environment}` is one of `ENVIRONMENTS`. */
export const ROOT = '/api/v1/payment';
export const ENVIRONMENTS = ['/sandbox', ''] as const;

const LISTING =
  'Newest first. All filters must match; a parameter that does not exist is an error.';

/** Every call, in the order of the reference. */
export function operations(): readonly Operation[] {
  return [...payments(), ...refunds(), ...events(), ...webhookEndpoints(), ...others()];
}

function payments(): readonly Operation[] {
  const common = { tag: 'Payments', needsKey: true, idText: null } as const;
  return [
    {
      ...common,
      method: 'post',
      path: '/intent',
      id: 'createHostedPayment',
      summary: 'Create a hosted payment',
      description: 'Answers the address of a page. Redirect the customer there.',
      request: reference('HostedPaymentRequest'),
      answer: ANSWERS.hosted,
      problems: PROBLEMS_OF_CREATION,
    },
    {
      ...common,
      method: 'post',
      path: '/express/pay',
      aliases: [`${ROOT}/express{environment}/pay`],
      id: 'createExpressPayment',
      summary: 'Create an express payment',
      description:
        'Charges one method directly. `SUCCESS` in `content.status` means accepted, not paid: wait for the webhook.',
      request: reference('ExpressPaymentRequest'),
      answer: ANSWERS.express,
      problems: PROBLEMS_OF_CREATION,
    },
    {
      ...common,
      method: 'get',
      path: '/intents/{id}',
      aliases: [`${ROOT}{environment}/intent/{id}`, `${ROOT}{environment}/checkout/{id}`],
      id: 'readPayment',
      summary: 'Read a payment',
      description: 'The payment as it is now.',
      idText: ANY_ID,
      request: null,
      answer: ANSWERS.payment,
      problems: ['payment_not_found'],
    },
    {
      ...common,
      method: 'post',
      path: '/intents/{id}/cancel',
      aliases: [`${ROOT}{environment}/intent/cancel/{id}`],
      id: 'cancelPayment',
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
      path: '/intents',
      id: 'listPayments',
      summary: 'List payments',
      description: LISTING,
      query: queryParameters('payments'),
      request: null,
      answer: ANSWERS.payments,
      problems: ['validation_failed'],
    },
  ];
}

function refunds(): readonly Operation[] {
  const common = { tag: 'Refunds', needsKey: true, idText: null } as const;
  const one = { ...common, idText: 'Your `refundUniqueId`, percent-encoded' };
  return [
    {
      ...common,
      method: 'post',
      path: '/refunds',
      aliases: [`${ROOT}{environment}/refund`],
      id: 'createRefund',
      summary: 'Refund a payment',
      description:
        'Returns the payment, or a part of it, to the customer. The answer is `PENDING`, or `REQUIRES_ACTION` when the operator must return the money by hand; an event follows with the outcome. Unknown fields are errors, because a misspelled `amountMinor` would return everything.',
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
      path: '/refunds/{id}',
      aliases: [`${ROOT}{environment}/refund/{id}`],
      id: 'readRefund',
      summary: 'Read a refund',
      description: 'The refund as it is now.',
      request: null,
      answer: ANSWERS.refund,
      problems: ['refund_not_found'],
    },
    {
      ...one,
      method: 'post',
      path: '/refunds/{id}/cancel',
      aliases: [`${ROOT}{environment}/refund/{id}/cancel`],
      id: 'cancelRefund',
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
      path: '/refunds',
      id: 'listRefunds',
      summary: 'List refunds',
      description: LISTING,
      query: queryParameters('refunds'),
      request: null,
      answer: ANSWERS.refunds,
      problems: ['validation_failed'],
    },
  ];
}

function events(): readonly Operation[] {
  const common = { tag: 'Events', needsKey: true, idText: null } as const;
  const one = { ...common, idText: 'The `id` of the event: `webhook-id` of its webhook' };
  return [
    {
      ...common,
      method: 'get',
      path: '/events',
      id: 'listEvents',
      summary: 'List events',
      description: LISTING,
      query: queryParameters('events'),
      request: null,
      answer: ANSWERS.events,
      problems: ['validation_failed'],
    },
    {
      ...one,
      method: 'get',
      path: '/events/{id}',
      id: 'readEvent',
      summary: 'Read an event',
      description: 'The event as it is now, with the exact body that is sent.',
      request: null,
      answer: ANSWERS.event,
      problems: ['event_not_found'],
    },
    {
      ...one,
      method: 'post',
      path: '/events/{id}/resend',
      id: 'resendEvent',
      summary: 'Send an event again',
      description:
        'From the start of its schedule. An event that is on its way anyway stays as it is.',
      request: null,
      answer: ANSWERS.event,
      problems: ['event_not_found', 'event_superseded'],
    },
    {
      ...common,
      method: 'post',
      path: '/events/resend',
      id: 'resendEvents',
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
      path: '/webhook-keys',
      id: 'listWebhookKeys',
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

function webhookEndpoints(): readonly Operation[] {
  const common = { tag: 'Webhook endpoints', needsKey: true } as const;
  const all = { ...common, path: '/webhook-endpoints', idText: null };
  const one = {
    ...common,
    path: '/webhook-endpoints/{id}',
    idText: 'The `id` of the endpoint, `we_…`',
  };
  return [
    {
      ...all,
      method: 'get',
      id: 'listWebhookEndpoints',
      summary: 'List the webhook endpoints',
      description: 'All of them, oldest first.',
      request: null,
      answer: ANSWERS.webhookEndpoints,
      problems: [],
    },
    {
      ...all,
      method: 'post',
      id: 'createWebhookEndpoint',
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
      id: 'readWebhookEndpoint',
      summary: 'Read a webhook endpoint',
      description: 'The endpoint as it is now, without its secrets.',
      request: null,
      answer: ANSWERS.webhookEndpoint,
      problems: ['webhook_endpoint_not_found'],
    },
    {
      ...one,
      method: 'patch',
      id: 'changeWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description: 'Fields that are absent stay as they are. Events that wait follow to a new URL.',
      request: reference('WebhookEndpointChanges'),
      answer: ANSWERS.webhookEndpoint,
      problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_not_found'],
    },
    {
      ...one,
      method: 'delete',
      id: 'deleteWebhookEndpoint',
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
      path: '/webhook-endpoints/{id}/secret',
      id: 'rotateWebhookSecret',
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

/** What is not about one of these. */
function others(): readonly Operation[] {
  return [
    {
      method: 'get',
      path: '/banks',
      id: 'listBanks',
      tag: 'Reference data',
      summary: 'List the banks',
      description:
        'The banks that a split can name, the same in both environments. Takes a key of either.',
      needsKey: true,
      idText: null,
      request: null,
      answer: ANSWERS.banks,
      problems: [],
    },
    {
      method: 'get',
      path: '/events/stream',
      id: 'streamEvents',
      tag: 'Sandbox',
      summary: 'Stream events to your machine',
      description:
        'Only in the sandbox; in production there is no such event. The events as they happen, as server-sent events: `id` is the `webhook-id` and `data` the body of the webhook. For development: `kefel listen` reads it. The first message, `event: ready`, has no event; its `id` is where the stream starts. The stream ends after two minutes, or when its key is revoked: connect again with the last `id`. At most 20 streams a minute are opened.',
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
    },
  ];
}
