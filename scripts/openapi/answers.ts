import { FAILURE_REASONS } from '../../src/domain/intent.ts';
import { CURRENCIES, METHODS } from '../../src/domain/method.ts';
import { REFUND_ACTION_REASONS, REFUND_FAILURE_REASONS } from '../../src/domain/refund.ts';
import { LISTED_STATUSES } from '../../src/read-model/events-list.ts';
import { WIRE_EVENT_TYPES } from '../../src/webhooks/endpoints.ts';
import { WIRE_EVENTS } from '../../src/webhooks/payload.ts';
import { type JsonSchema, listOf, nullable, objectOf, openEnum, reference } from './json-schema.ts';

/**
 * What the API answers and webhooks carry, as JSON Schema. The conformance test holds every answer
 * of a running gateway against these, without properties that are not listed here.
 */

const time: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds',
};
const uuid: JsonSchema = { type: 'string', format: 'uuid' };
const amountMinor = (description: string): JsonSchema => ({
  type: 'integer',
  description: `${description}, in minor units (15050 is 150.50)`,
});
const method = openEnum(METHODS);
const failureReason = openEnum(
  FAILURE_REASONS,
  'Treat a reason that you do not know like `declined`.',
);
const paymentStatus: JsonSchema = {
  type: 'string',
  enum: ['OPEN', 'PROCESSING', 'SUCCESS', 'FAILED', 'EXPIRED', 'CANCELED'],
};
const eventType = openEnum(WIRE_EVENT_TYPES);
const transactionId: JsonSchema = {
  type: 'string',
  pattern: '^[A-Z0-9]{20}$',
  description: 'What the customer and the provider know the attempt by',
};

const receipt = nullable({
  type: 'string',
  description: "The provider's receipt of a paid attempt, by which its statements name the payment",
});
const providerReference = nullable({
  type: 'string',
  description:
    "The provider's id of the attempt; null until it is known, and if it contains the customer's phone number",
});

const beneficiary = objectOf({
  bank: { type: 'string' },
  creditAccount: { type: 'string' },
  splitType: { type: 'string', enum: ['PERCENTAGE', 'NUMBER'] },
  amount: {
    type: 'number',
    description: 'Minor units for `NUMBER`; the percentage itself for `PERCENTAGE`',
  },
  shareAmount: amountMinor('What is owed, rounded down'),
});

const productItem = objectOf({
  name: { type: 'string' },
  description: nullable({ type: 'string' }),
  image: nullable({ type: 'string' }),
  quantity: { type: 'integer' },
  type: { type: 'string', enum: ['SERVICE', 'DIGITAL_PRODUCT', 'PHYSICAL_PRODUCT'] },
  price: amountMinor('Price'),
});

const transaction = objectOf(
  {
    id: uuid,
    transactionId,
    paymentType: method,
    transactionStatus: { type: 'string', enum: ['PROCESSING', 'SUCCESS', 'FAILED', 'EXPIRED'] },
    createdAt: time,
    updatedAt: time,
    failureReason: nullable(failureReason),
    receipt,
    providerReference,
  },
  'The paid attempt, else the latest',
);

const customer = objectOf({
  name: nullable({ type: 'string' }),
  email: nullable({ type: 'string' }),
  phone: nullable({ type: 'string' }),
  isPhoneUpdatable: nullable({ type: 'boolean' }),
});

const anomaly = objectOf({
  type: openEnum([
    'duplicate_payment',
    'contradicting_failure',
    'refused_callback',
    'contradicting_refund',
    'excess_refund',
    'receipt_conflict',
  ]),
  transactionId: nullable(transactionId),
  refundUniqueId: nullable({ type: 'string', description: 'The refund that it is about' }),
  excessMinor: nullable(
    amountMinor(
      'Only of `excess_refund`: how much more than the customer paid was returned with this refund',
    ),
  ),
  reviewedAt: nullable({
    ...time,
    description:
      'Only of `excess_refund`: when the operator reviewed it. Until then no refund of the transaction is accepted',
  }),
  createdAt: time,
});

const metadata: JsonSchema = {
  type: 'object',
  description: 'As sent when the payment was created',
  additionalProperties: { type: 'string' },
};

const payment = {
  paymentIntentId: { type: 'integer', description: 'A random id' },
  uuid,
  uniqueId: { type: 'string', description: 'Your `paymentIntentUniqueId`' },
  paymentLinkUniqueId: nullable({ type: 'string' }),
  test: { type: 'boolean', description: 'True in the sandbox' },
  callbackUrl: nullable({ type: 'string' }),
  returnUrl: nullable({ type: 'string' }),
  commissionPaidByCustomer: { type: 'boolean' },
  creationDate: time,
  lastUpdateDate: time,
  expireDate: time,
  totalAmount: amountMinor('The amount without commission'),
  commission: amountMinor("The commission of the transaction's method"),
  chargedAmount: amountMinor('What the customer pays'),
  currency: { type: 'string', enum: CURRENCIES },
  checkoutBeneficiaries: listOf(beneficiary, 'The splits'),
  productItems: listOf(productItem),
  transaction: nullable(transaction),
  merchantCustomer: nullable(customer),
  paymentMethodTypes: listOf(method),
  status: paymentStatus,
  previousStatus: nullable(paymentStatus),
  sequence: { type: 'integer', description: 'Grows with each change of the payment' },
  late: {
    type: 'boolean',
    description:
      'Paid after `expireDate` by the provider’s date, or proved after the payment had ended',
  },
  reason: nullable(failureReason),
  metadata,
} as const satisfies Readonly<Record<string, JsonSchema>>;

const refund = {
  refundUniqueId: { type: 'string', description: 'Your id of the refund' },
  paymentIntentUniqueId: { type: 'string' },
  transactionId: nullable(transactionId),
  status: {
    type: 'string',
    enum: ['PENDING', 'PROCESSING', 'REQUIRES_ACTION', 'SUCCESS', 'FAILED', 'CANCELED'],
  },
  amountMinor: amountMinor("The part of the payment's amount, without commission"),
  commissionReturnedMinor: amountMinor('The commission that is given up'),
  returnedMinor: amountMinor('What the customer gets'),
  currency: { type: 'string', enum: CURRENCIES },
  reason: nullable({ type: 'string', description: 'As sent' }),
  failureReason: nullable(openEnum(REFUND_FAILURE_REASONS)),
  actionReason: nullable(openEnum(REFUND_ACTION_REASONS)),
  providerReference: nullable({ type: 'string', description: "The provider's id of the refund" }),
  late: { type: 'boolean', description: 'Returned after it had been reported as failed' },
  createdAt: time,
  updatedAt: time,
} as const satisfies Readonly<Record<string, JsonSchema>>;

const { reason: _reason, ...refundSummary } = refund;

const refundedMinor = amountMinor('What was returned so far, without commission');

const delivery = objectOf({
  endpointId: nullable({
    type: 'string',
    description: "The endpoint; null: the payment's own `callbackUrl`",
  }),
  url: nullable({
    type: 'string',
    description: "The address; in lists, scheme, host and port of the payment's own `callbackUrl`",
  }),
  state: openEnum(LISTED_STATUSES),
  tries: { type: 'integer', description: 'How often it was sent so far' },
  lastTryAt: nullable(time),
  nextTryAt: nullable(time),
  lastError: nullable({
    type: 'string',
    description: 'Why the last try failed: `HTTP 500`, or a sentence',
  }),
});

const event: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', pattern: '^evt_[0-9a-f]{32}$', description: '`webhook-id` of the webhook' },
  type: eventType,
  paymentIntentUniqueId: { type: 'string' },
  sequence: { type: 'integer', description: 'Orders the events of one payment' },
  test: { type: 'boolean', description: 'True in the sandbox' },
  createdAt: time,
  deliveries: listOf(delivery),
};

const payloadVersion: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };

const webhookEndpoint: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', pattern: '^we_' },
  url: { type: 'string' },
  eventTypes: listOf(eventType, 'The types that it takes; empty: all'),
  description: { type: 'string' },
  enabled: { type: 'boolean', description: 'Whether events are sent there' },
  paused: {
    type: 'boolean',
    description: 'It has failed for five days. Events that have used up their tries wait for it.',
  },
  signatureHeader: nullable({
    type: 'string',
    description:
      'A second signature header: hex HMAC-SHA256 of the raw body; the key is the secret as text',
  }),
  payloadVersion: {
    ...payloadVersion,
    description: 'The version of the payload that it gets; it keeps that of its creation',
  },
  createdAt: time,
};

const pageOf = (name: string): JsonSchema =>
  objectOf(
    {
      data: listOf(reference(name), 'Newest first'),
      hasMore: { type: 'boolean' },
      nextCursor: nullable({ type: 'string', description: 'Send it as `cursor` for more' }),
    },
    'One page',
  );

const envelope = (content: JsonSchema): JsonSchema => ({
  ...objectOf({
    status: { type: 'integer', const: 200 },
    message: { type: 'string', description: 'A sentence for people' },
    content,
  }),
});

function picked(names: readonly (keyof typeof payment)[]) {
  return Object.fromEntries(names.map((name) => [name, payment[name]]));
}

/** Events of refunds have two more properties. */
function eventBody(): JsonSchema {
  const body = objectOf(
    { ...payment, event: eventType },
    'The payment as the event found it: the JSON text in `body` of a webhook.',
  );
  const ofRefund = {
    refundedAmount: {
      ...refundedMinor,
      description: `${refundedMinor.description}; in events of refunds`,
    },
    refund: { ...reference('Refund'), description: 'The refund; in events of refunds' },
  };
  return { ...body, properties: { ...body.properties, ...ofRefund } };
}

/** Schemas that answers and webhooks share, by their name under `components`. */
export const COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  Payment: objectOf(
    {
      ...payment,
      description: nullable({ type: 'string', description: 'As an express request sent it' }),
      debitAccount: nullable({ type: 'string', description: 'As an express request sent it' }),
      phoneNumber: nullable({
        type: 'string',
        description: 'The phone that an express request charged, masked',
      }),
      anomalies: listOf(anomaly, 'What needs a person; changes no status and sends no event'),
      refundedAmount: refundedMinor,
      refunds: listOf(reference('Refund'), 'Oldest first'),
      netShareAmounts: listOf(
        amountMinor('What a beneficiary is owed after the refunds'),
        'In the order of `checkoutBeneficiaries`',
      ),
      expiryHeldUntil: nullable({
        ...time,
        description:
          'Until when an attempt in flight may be reported after `expireDate`; PAYMENT_EXPIRED waits for it',
      }),
    },
    'A payment as it is now. Amounts are in minor units.',
  ),
  Refund: objectOf(refund, 'A refund of a payment. Amounts are in minor units.'),
  RefundSummary: objectOf(
    refundSummary,
    'A refund in a list. It can lag a few seconds behind the refund itself.',
  ),
  PaymentSummary: objectOf(
    {
      ...picked([
        'paymentIntentId',
        'uuid',
        'uniqueId',
        'test',
        'status',
        'totalAmount',
        'commission',
        'chargedAmount',
      ]),
      refundedAmount: refundedMinor,
      ...picked(['currency']),
      transactionId: nullable({ ...transactionId, description: 'Of the paid or latest attempt' }),
      paymentType: nullable({ ...method, description: 'The method of the paid or latest attempt' }),
      receipt,
      providerReference,
      ...picked(['reason', 'late']),
      createdAt: time,
      updatedAt: time,
      endedAt: nullable({ ...time, description: 'When the payment first ended' }),
      metadata,
    },
    'A payment in a list. It can lag a few seconds behind the payment itself.',
  ),
  Event: objectOf(event, 'An event and where it was sent. In lists it can lag a few seconds.'),
  EventWithPayload: objectOf(
    {
      ...event,
      payload: nullable({
        type: 'string',
        description:
          'The exact body that is sent; null once the details of the payment are deleted',
      }),
    },
    'An event as it is now.',
  ),
  ResendResult: objectOf({
    resent: { type: 'integer', description: 'How many deliveries are on their way now' },
    unreachable: {
      type: 'integer',
      description: 'How many could not be reached; repeat the call for them later',
    },
    hasMore: { type: 'boolean' },
    nextCursor: nullable({ type: 'string', description: 'Send it as `cursor` for more' }),
  }),
  EventBody: eventBody(),
  Webhook: objectOf(
    {
      webHookEvent: eventType,
      paymentIntentUniqueId: { type: 'string' },
      environment: { type: 'string', enum: ['sandbox', 'production'] },
      payloadVersion: {
        ...payloadVersion,
        description: 'The version of this payload: docs/api#payload says what a version keeps',
      },
      status: openEnum(
        Object.values(WIRE_EVENTS).map(({ status }) => status),
        'What the payment became, or the refund; the status of the payment itself is in `body`',
      ),
      signature: {
        type: 'string',
        description: 'Base64 of SHA256withRSA (PKCS#1 v1.5) over the text of `body`',
      },
      body: {
        type: 'string',
        description: 'The payment as JSON text',
        contentMediaType: 'application/json',
        contentSchema: reference('EventBody'),
      },
    },
    'What Kefel posts to your endpoint, with the headers of Standard Webhooks.',
  ),
  ExpressResult: objectOf({
    paymentUrl: nullable({ type: 'string', description: 'The page to send the customer to' }),
    transactionId,
    status: {
      type: 'string',
      enum: ['SUCCESS', 'FAILURE'],
      description:
        '`SUCCESS`: accepted and under way, not yet paid. `FAILURE`: refused, and final. Charge again only after `FAILURE`.',
    },
    message: { type: 'string' },
    failureReason: nullable(failureReason),
  }),
  Bank: objectOf({
    code: { type: 'string' },
    name: { type: 'string' },
    supportsWithdrawal: { type: 'boolean' },
  }),
  WebhookEndpoint: objectOf(webhookEndpoint),
  WebhookEndpointWithSecret: objectOf({
    ...webhookEndpoint,
    secret: {
      type: 'string',
      pattern: '^whsec_',
      description: 'Keep it on your server. No later answer holds it.',
    },
  }),
  WebhookKey: objectOf({
    keyId: { type: 'string' },
    algorithm: { type: 'string', const: 'SHA256withRSA' },
    publicKey: { type: 'string', description: 'SubjectPublicKeyInfo as PEM' },
    retiredAt: nullable({ ...time, description: 'When it was retired; null while in use' }),
    publishedUntil: nullable({ ...time, description: 'When a retired key leaves the list' }),
  }),
};

/** Only with the answers to creations. */
export const WARNINGS: JsonSchema = listOf(
  { type: 'string' },
  'What you should know about the request, such as a misspelled field; absent if there is nothing',
);

/** Successful answers, by the operation that gives them. */
export const ANSWERS = {
  hosted: withWarnings(
    envelope({ type: 'string', format: 'uri', description: 'The address of the page to pay on' }),
  ),
  express: withWarnings(envelope(reference('ExpressResult'))),
  payment: envelope(reference('Payment')),
  payments: envelope(pageOf('PaymentSummary')),
  refund: envelope(reference('Refund')),
  refunds: envelope(pageOf('RefundSummary')),
  events: envelope(pageOf('Event')),
  event: envelope(reference('EventWithPayload')),
  resend: withWarnings(envelope(reference('ResendResult'))),
  banks: envelope(listOf(reference('Bank'))),
  webhookEndpoint: envelope(reference('WebhookEndpoint')),
  webhookEndpoints: envelope(listOf(reference('WebhookEndpoint'), 'Oldest first')),
  webhookEndpointWithSecret: envelope(reference('WebhookEndpointWithSecret')),
  webhookKeys: envelope(listOf(reference('WebhookKey'), 'Newest first, then retired keys')),
} as const satisfies Record<string, JsonSchema>;

function withWarnings(answer: JsonSchema): JsonSchema {
  return { ...answer, properties: { ...answer.properties, warnings: WARNINGS } };
}
