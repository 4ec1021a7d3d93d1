import * as v from 'valibot';
import { OPERATIONS, type OperationId } from '../../src/api.ts';
import { type Operation, template } from '../../src/engine/api/operation.ts';
import type { ProblemCode } from '../../src/kit/http/problems.ts';
import { all, CHECKOUT_URL, envelope, one, pageOf, withWarnings } from './answers.ts';
import { type JsonSchema, reference } from './json-schema.ts';
import { type QueryParameter, queryParameters } from './requests.ts';

/** What the documents say about a call, besides its row in `src/api.ts`. */
interface Description {
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Where `{id}` in the path comes from. */
  readonly idText?: string;
  readonly idExample?: string;
  /** The name of the body's schema. */
  readonly request?: string;
  /** Without a body, the defaults apply. */
  readonly isBodyOptional?: true;
  readonly query?: readonly QueryParameter[];
  readonly answer: JsonSchema;
  /** Server-sent events whose data has the form of `answer`, instead of an answer in JSON. */
  readonly isStream?: true;
  /** Headers that it reads, besides those of all operations. */
  readonly headers?: readonly { readonly name: string; readonly description: string }[];
  /** Every problem that it answers, besides those of all operations. */
  readonly problems?: readonly ProblemCode[];
}

/** A call as the document shows it. */
export interface DocumentedOperation extends Description {
  readonly id: OperationId;
  readonly method: Operation['method'];
  /** Below the environment's prefix, with `{id}`. */
  readonly path: string;
  /** Other paths that answer the same, from the root on; `{environment}` is `/sandbox` or empty. */
  readonly aliases: readonly string[];
  readonly needsKey: boolean;
}

export type Tag =
  | 'Payments'
  | 'Refunds'
  | 'Events'
  | 'Webhook endpoints'
  | 'Payment links'
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
  'maintenance',
];

const PAYMENT_ID = 'Your `paymentIntentUniqueId`, percent-encoded';
const OF_PAYMENT = { idText: PAYMENT_ID, idExample: 'order-1001' };
const OF_REFUND = {
  idText: 'Your `refundUniqueId`, percent-encoded',
  idExample: 'refund-1001-1',
};
const EVENT_ID = 'The `id` of the event: `webhook-id` of its webhook';
const ENDPOINT_ID = 'The `id` of the endpoint, `we_…`';

const OF_LINK = {
  idText: 'The `paymentLinkUniqueId`, percent-encoded',
  idExample: 'link-honey',
};

const LISTING =
  'Newest first. All filters must match; a parameter that does not exist is an error.';

/** In the order of the reference. */
const DESCRIPTIONS: Readonly<Record<OperationId, Description>> = {
  createHostedPayment: {
    tag: 'Payments',
    summary: 'Create a hosted payment',
    description: 'Answers the address of a page. Redirect the customer there.',
    request: 'HostedPaymentRequest',
    answer: withWarnings(CHECKOUT_URL),
    problems: PROBLEMS_OF_CREATION,
  },
  createExpressPayment: {
    tag: 'Payments',
    summary: 'Create an express payment',
    description:
      'Charges one method directly. `SUCCESS` in `content.status` means accepted, not paid: wait for the webhook.',
    request: 'ExpressPaymentRequest',
    answer: withWarnings(one('ExpressResult')),
    problems: PROBLEMS_OF_CREATION,
  },
  readPayment: {
    tag: 'Payments',
    summary: 'Read a payment',
    description: 'The payment as it is now.',
    ...OF_PAYMENT,
    idText: `${PAYMENT_ID}; or the \`uuid\` or \`paymentIntentId\` of the payment`,
    answer: envelope(one('Payment')),
    problems: ['payment_not_found'],
  },
  cancelPayment: {
    tag: 'Payments',
    summary: 'Cancel a payment',
    description:
      'Works while no attempt is under way. Canceling a canceled payment changes nothing. No event follows.',
    ...OF_PAYMENT,
    idExample: 'order-1002',
    answer: envelope(one('Payment')),
    problems: ['payment_not_found', 'payment_in_progress', 'payment_ended'],
  },
  listPayments: {
    tag: 'Payments',
    summary: 'List payments',
    description: LISTING,
    query: queryParameters('payments'),
    answer: envelope(pageOf('PaymentSummary')),
    problems: ['validation_failed'],
  },
  createRefund: {
    tag: 'Refunds',
    summary: 'Refund a payment',
    description:
      'Returns the payment, or a part of it, to the customer. The answer is `PENDING`, or `REQUIRES_ACTION` when the operator must return the money by hand; an event follows with the outcome. Unknown fields are errors, because a misspelled `amountMinor` would return everything.',
    request: 'RefundRequest',
    answer: envelope(one('Refund')),
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
      'maintenance',
    ],
  },
  readRefund: {
    tag: 'Refunds',
    summary: 'Read a refund',
    description: 'The refund as it is now.',
    ...OF_REFUND,
    answer: envelope(one('Refund')),
    problems: ['refund_not_found'],
  },
  cancelRefund: {
    tag: 'Refunds',
    summary: 'Cancel a refund',
    description:
      'Works while it is `PENDING`. Canceling a canceled refund changes nothing. No event follows.',
    ...OF_REFUND,
    answer: envelope(one('Refund')),
    problems: ['refund_not_found', 'refund_not_cancelable'],
  },
  listRefunds: {
    tag: 'Refunds',
    summary: 'List refunds',
    description: LISTING,
    query: queryParameters('refunds'),
    answer: envelope(pageOf('RefundSummary')),
    problems: ['validation_failed'],
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description: LISTING,
    query: queryParameters('events'),
    answer: envelope(pageOf('Event')),
    problems: ['validation_failed'],
  },
  readEvent: {
    tag: 'Events',
    summary: 'Read an event',
    description: 'The event as it is now, with the exact body that is sent.',
    idText: EVENT_ID,
    answer: envelope(one('EventWithPayload')),
    problems: ['event_not_found'],
  },
  resendEvent: {
    tag: 'Events',
    summary: 'Send an event again',
    description:
      'Restarts the schedule of its deliveries. A delivery that is under way does not change.',
    idText: EVENT_ID,
    answer: envelope(one('EventWithPayload')),
    problems: ['event_not_found', 'event_superseded'],
  },
  resendEvents: {
    tag: 'Events',
    summary: 'Send missed events again',
    description:
      'Sends all events since a time that have not arrived, oldest first, up to 200 in one call. Call again with `nextCursor` while `hasMore` is true.',
    request: 'ResendEventsRequest',
    answer: withWarnings(one('ResendResult')),
    problems: PROBLEMS_OF_BODIES,
  },
  listWebhookKeys: {
    tag: 'Events',
    summary: 'List the public webhook keys',
    description:
      'The keys verify `signature` of a webhook. A resent event keeps its first signature, so retired keys stay listed as long as payments are kept (400 days, if the operator has not changed it). The call needs no API key.',
    answer: envelope(all('WebhookKey', 'Newest first, then retired keys')),
  },
  listWebhookEndpoints: {
    tag: 'Webhook endpoints',
    summary: 'List the webhook endpoints',
    description: 'All of them, oldest first.',
    answer: envelope(all('WebhookEndpoint', 'Oldest first')),
  },
  createWebhookEndpoint: {
    tag: 'Webhook endpoints',
    summary: 'Create a webhook endpoint',
    description:
      'Within 5 seconds, Kefel sends events of payments without a `callbackUrl` there. The answer holds the secret; besides a repeat with the same `Idempotency-Key`, no later answer does. Each environment has at most 10. `warnings` says if another enabled endpoint has the same `url`.',
    request: 'NewWebhookEndpoint',
    answer: withWarnings(one('WebhookEndpointWithSecret')),
    problems: [
      ...PROBLEMS_OF_BODIES,
      'idempotency_key_invalid',
      'idempotency_key_reused',
      'webhook_endpoint_limit',
    ],
  },
  readWebhookEndpoint: {
    tag: 'Webhook endpoints',
    summary: 'Read a webhook endpoint',
    description: 'The endpoint as it is now, without its secrets.',
    idText: ENDPOINT_ID,
    answer: envelope(one('WebhookEndpoint')),
    problems: ['webhook_endpoint_not_found'],
  },
  changeWebhookEndpoint: {
    tag: 'Webhook endpoints',
    summary: 'Change a webhook endpoint',
    description: 'Absent fields do not change. Kefel sends waiting events to a new URL.',
    idText: ENDPOINT_ID,
    request: 'WebhookEndpointChanges',
    answer: envelope(one('WebhookEndpoint')),
    problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_not_found'],
  },
  deleteWebhookEndpoint: {
    tag: 'Webhook endpoints',
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes its secrets too. Events that wait for it end as undelivered. Answers the endpoint as it was.',
    idText: ENDPOINT_ID,
    answer: envelope(one('WebhookEndpoint')),
    problems: ['webhook_endpoint_not_found'],
  },
  rotateWebhookSecret: {
    tag: 'Webhook endpoints',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Answers a new secret. The old ones sign beside it for `overlapHours` more, so that the server can change over without a gap.',
    idText: ENDPOINT_ID,
    request: 'NewWebhookSecret',
    isBodyOptional: true,
    answer: envelope(one('WebhookEndpointWithSecret')),
    problems: [...PROBLEMS_OF_BODIES, 'webhook_endpoint_not_found', 'webhook_secret_limit'],
  },
  listPaymentLinks: {
    tag: 'Payment links',
    summary: 'List payment links',
    description: LISTING,
    query: queryParameters('links'),
    answer: envelope(pageOf('PaymentLink')),
    problems: ['validation_failed'],
  },
  createPaymentLink: {
    tag: 'Payment links',
    summary: 'Create a payment link',
    description:
      'Answers the link with the `url` of its page. Each submission of the page makes an ordinary hosted payment. Send exactly one of `amount`, `openAmount` and `items`. Unknown fields are errors. Each environment has at most 10,000 links.',
    request: 'NewPaymentLink',
    answer: withWarnings(one('PaymentLink')),
    problems: [
      ...PROBLEMS_OF_BODIES,
      'idempotency_key_invalid',
      'idempotency_key_reused',
      'duplicate_payment_link_id',
      'payment_link_limit',
    ],
  },
  readPaymentLink: {
    tag: 'Payment links',
    summary: 'Read a payment link',
    description: 'The link as it is now.',
    ...OF_LINK,
    answer: envelope(one('PaymentLink')),
    problems: ['payment_link_not_found'],
  },
  changePaymentLink: {
    tag: 'Payment links',
    summary: 'Change a payment link',
    description:
      'Absent fields do not change; `null` removes a value. To change from one kind of price to another, send `null` for the old one, or `[]` for `items`. The `url` and the payments that exist stay as they are.',
    ...OF_LINK,
    request: 'PaymentLinkChanges',
    answer: withWarnings(one('PaymentLink')),
    problems: [...PROBLEMS_OF_BODIES, 'payment_link_not_found'],
  },
  deactivatePaymentLink: {
    tag: 'Payment links',
    summary: 'Deactivate a payment link',
    description:
      'Its page says that it takes no more payments, and shows your contact. Deactivating it again changes nothing. `isActive: true` by the call above activates it again.',
    ...OF_LINK,
    answer: envelope(one('PaymentLink')),
    problems: ['payment_link_not_found'],
  },
  listBanks: {
    tag: 'Reference data',
    summary: 'List the banks',
    description:
      'The banks that a split can name, the same in both environments. Takes a key of either.',
    answer: envelope(v.array(one('Bank'))),
  },
  streamEvents: {
    tag: 'Sandbox',
    summary: 'Stream events to your machine',
    description:
      'Sends events as they happen, for development: `kefel listen` reads it. Only in the sandbox; production answers 404. In these server-sent events, `id` is the `webhook-id` and `data` the body of the webhook. The first message, `event: ready`, has no event; its `id` is where the stream starts. The stream ends after two minutes, or when its key is revoked: connect again with the last `id`. A merchant can open 10 a minute.',
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
};

/** Every call, in the order of the reference. */
export const DOCUMENTED: readonly DocumentedOperation[] = Object.entries(DESCRIPTIONS).map(
  ([name, description]) => {
    const id = name as OperationId;
    const operation: Operation = OPERATIONS[id];
    const [path = '', ...aliases] = operation.paths.map((it) => it.replaceAll(/:(\w+)/g, '{$1}'));
    return {
      ...description,
      id,
      method: operation.method,
      path,
      aliases: aliases.map(template),
      needsKey: 'permission' in operation,
    };
  },
);
