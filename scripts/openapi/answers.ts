import * as v from 'valibot';
import type { ExpressContent } from '../../src/engine/api/express-answer.ts';
import type { paymentContent } from '../../src/engine/api/routes/read-payment.ts';
import type { AppParameters } from '../../src/engine/domain/app-form.ts';
import { FAILURE_REASONS } from '../../src/engine/domain/attempt.ts';
import type { Anomaly } from '../../src/engine/domain/intent.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { REFUND_ACTION_REASONS, REFUND_FAILURE_REASONS } from '../../src/engine/domain/refund.ts';
import { LISTED_STATUSES } from '../../src/engine/intent/protocol.ts';
import { WIRE_EVENT_TYPES } from '../../src/engine/webhooks/endpoints.ts';
import {
  type paymentPayload,
  WIRE_EVENTS,
  WIRE_STATUSES,
  WIRE_TRANSACTION_STATUSES,
} from '../../src/engine/webhooks/payload.ts';
import {
  type refundPayload,
  WIRE_REFUND_STATUSES,
} from '../../src/engine/webhooks/refund-payload.ts';
import type { PageContent } from '../../src/kit/http/list-request.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import type { EventContent } from '../../src/lists/api/event-content.ts';
import type { ResendContent } from '../../src/lists/api/events.ts';
import type { PaymentSummaryContent } from '../../src/lists/api/payments.ts';
import type { BankContent, WebhookKeyContent } from '../../src/lists/api/reference-data.ts';
import type { RefundSummaryContent } from '../../src/lists/api/refunds.ts';
import type { EndpointContent } from '../../src/lists/api/webhook-endpoints.ts';
import type { PaymentLinkContent } from '../../src/lists/links/schema.ts';
import { converted, type JsonSchema, nullable, openEnum, reference } from './json-schema.ts';

/**
 * What the API answers and webhooks carry. The types are those of the code that makes the answers,
 * so a member that one has and the other lacks does not compile. The conformance test holds every
 * answer of a running gateway against these, without properties that are not listed here.
 */

/** How people read a schema: what it is, what it means, and what it consists of. */
const KEYWORDS = [
  '$ref',
  'type',
  'enum',
  'const',
  'format',
  'pattern',
  'description',
  'contentMediaType',
  'contentSchema',
  'anyOf',
  'properties',
  'required',
  'items',
  'additionalProperties',
];

/** An object that the code makes as `Content`: exactly its members. */
function answer<Content extends object>(
  entries: {
    readonly [Name in keyof Content]-?: v.GenericSchema<Content[Name]>;
  },
) {
  return v.object(entries);
}

function described<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text));
}

const text = (description: string) => described(v.string(), description);
const pattern = (source: string) => v.pipe(v.string(), v.metadata({ pattern: source }));
const constant = <const Value extends string | number>(value: Value, type: string) =>
  v.pipe(v.literal(value), v.metadata({ type }));
const integer = v.pipe(v.number(), v.integer());
const amountMinor = (description: string) =>
  described(integer, `${description}, in minor units (15050 is 150.50)`);
const majorUnits = (description: string) =>
  described(v.number(), `${description}, in major units, as it was sent`);

/** One of these, or a text that is added later. */
function open<const Values extends readonly string[]>(values: Values) {
  return v.pipe(v.picklist(values), v.metadata({ isOpen: true }));
}

const time = described(
  v.pipe(v.string(), v.metadata({ format: 'date-time' })),
  'ISO 8601 in UTC with milliseconds',
);
const timeOf = (description: string) => described(time, description);
const uuid = v.pipe(v.string(), v.metadata({ format: 'uuid' }));
const currency = v.picklist(CURRENCIES);
const method = open(METHODS);
const asking = v.picklist(['NO', 'OPTIONAL', 'REQUIRED']);
const failureReason = described(
  open(FAILURE_REASONS),
  'Treat a reason that you do not know like `declined`.',
);
const paymentStatus = v.picklist(Object.values(WIRE_STATUSES));
const eventType = open(WIRE_EVENT_TYPES);
const transactionId = described(
  pattern('^[A-Z0-9]{20}$'),
  'What the customer and the provider know the attempt by',
);
const receipt = v.nullable(
  text("The provider's receipt of a paid attempt, by which its statements name the payment"),
);
const providerReference = v.nullable(
  text(
    "The provider's id of the attempt; null until it is known, and if it contains the customer's phone number",
  ),
);
const test = described(v.boolean(), 'True in the sandbox');
const metadata = described(
  v.record(v.string(), v.string()),
  'As sent when the payment was created',
);
const payloadVersion = pattern('^\\d{4}-\\d{2}-\\d{2}$');

type Payment = Awaited<ReturnType<typeof paymentContent>>;
type PaymentWithoutEvent = ReturnType<typeof paymentPayload>;
type Refund = ReturnType<typeof refundPayload>;

const beneficiary = answer<Payment['checkoutBeneficiaries'][number]>({
  bank: v.string(),
  creditAccount: v.string(),
  splitType: v.picklist(['PERCENTAGE', 'NUMBER']),
  amount: described(v.number(), 'Minor units for `NUMBER`; the percentage itself for `PERCENTAGE`'),
  shareAmount: amountMinor('What is owed, rounded down'),
});

const productItem = answer<Payment['productItems'][number]>({
  name: v.string(),
  description: v.nullable(v.string()),
  image: v.nullable(v.string()),
  quantity: integer,
  type: v.picklist(['SERVICE', 'DIGITAL_PRODUCT', 'PHYSICAL_PRODUCT']),
  price: amountMinor('Price'),
});

const transaction = described(
  answer<NonNullable<Payment['transaction']>>({
    id: uuid,
    transactionId,
    paymentType: method,
    transactionStatus: v.picklist(Object.values(WIRE_TRANSACTION_STATUSES)),
    createdAt: time,
    updatedAt: time,
    failureReason: v.nullable(failureReason),
    receipt,
    providerReference,
  }),
  'The paid attempt, else the latest',
);

const customer = answer<NonNullable<Payment['merchantCustomer']>>({
  name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  isPhoneUpdatable: v.nullable(v.boolean()),
});

const ANOMALIES = {
  duplicate_payment: true,
  surplus_payment: true,
  second_receipt: true,
  contradicting_failure: true,
  refused_callback: true,
  contradicting_refund: true,
  excess_refund: true,
  receipt_conflict: true,
  restored: true,
} satisfies Record<Anomaly['kind'], true>;

const anomaly = answer<Payment['anomalies'][number]>({
  type: open(Object.keys(ANOMALIES) as Anomaly['kind'][]),
  transactionId: v.nullable(transactionId),
  refundUniqueId: v.nullable(text('The refund that it is about')),
  excessMinor: v.nullable(
    amountMinor(
      'Only of `excess_refund`: how much more than the customer paid was returned with this refund',
    ),
  ),
  reviewedAt: v.nullable(
    timeOf(
      'Only of `excess_refund` and `restored`: when the operator reviewed it. Until then Kefel accepts no refund of the transaction, or no payment',
    ),
  ),
  createdAt: time,
  receipt: v.nullable(
    text("Only of `second_receipt`: the provider's receipt of what may be a second payment"),
  ),
});

const { paidAt, merchantId, environment, receiptUrl, ...payment } = answer<PaymentWithoutEvent>({
  paymentIntentId: described(integer, 'A random id'),
  uuid,
  uniqueId: text('Your `paymentIntentUniqueId`'),
  paymentLinkUniqueId: v.nullable(v.string()),
  test,
  callbackUrl: v.nullable(v.string()),
  returnUrl: v.nullable(v.string()),
  commissionPaidByCustomer: v.boolean(),
  creationDate: time,
  lastUpdateDate: time,
  expireDate: time,
  totalAmount: amountMinor('The amount without commission'),
  commission: amountMinor("The commission of the transaction's method"),
  chargedAmount: amountMinor('What the customer pays'),
  currency,
  checkoutBeneficiaries: described(v.array(beneficiary), 'The splits'),
  productItems: v.array(productItem),
  transaction: v.nullable(transaction),
  merchantCustomer: v.nullable(customer),
  paymentMethodTypes: v.array(method),
  status: paymentStatus,
  previousStatus: v.nullable(paymentStatus),
  sequence: described(integer, 'Grows with each change of the payment'),
  late: described(
    v.boolean(),
    'Paid after `expireDate` by the provider’s date, or proved after the payment had ended',
  ),
  reason: v.nullable(failureReason),
  metadata,
  paidAt: v.nullable(timeOf('When Kefel recorded that it was paid')),
  merchantId: text('Your id at this gateway: compare it in every webhook'),
  environment: v.picklist(ENVIRONMENTS),
  receiptUrl: v.nullable(
    text(
      "The customer's receipt; null until the payment is paid, and once the receipt can no longer be opened",
    ),
  ),
}).entries;

/** They come last: docs/api.md#may-change. */
const added = { paidAt, merchantId, environment };

const refund = answer<Refund>({
  refundUniqueId: text('Your id of the refund'),
  paymentIntentUniqueId: v.string(),
  transactionId: v.nullable(transactionId),
  status: v.picklist([...new Set(Object.values(WIRE_REFUND_STATUSES))]),
  amountMinor: amountMinor("The part of the payment's amount, without commission"),
  commissionReturnedMinor: amountMinor('The commission that the operator returns'),
  returnedMinor: amountMinor('What the customer gets'),
  currency,
  reason: v.nullable(text('As sent')),
  failureReason: v.nullable(open(REFUND_FAILURE_REASONS)),
  actionReason: v.nullable(open(REFUND_ACTION_REASONS)),
  providerReference: v.nullable(text("The provider's id of the refund")),
  late: described(v.boolean(), 'Returned after it had been reported as failed'),
  createdAt: time,
  updatedAt: time,
}).entries;
const { reason: _reason, ...refundSummary } = { ...refund, transactionId };

const refundedMinor = 'What was returned so far, without commission';

const delivery = answer<EventContent['deliveries'][number]>({
  endpointId: v.nullable(text("The endpoint; null: the payment's own `callbackUrl`")),
  url: v.nullable(
    text("The address; in lists, scheme, host and port of the payment's own `callbackUrl`"),
  ),
  state: open(LISTED_STATUSES),
  tries: described(integer, 'How often it was sent so far'),
  lastTryAt: v.nullable(time),
  nextTryAt: v.nullable(time),
  lastError: v.nullable(text('Why the last try failed: `HTTP 500`, or a sentence')),
});

const event = answer<EventContent>({
  id: described(pattern('^evt_[0-9a-f]{32}$'), '`webhook-id` of the webhook'),
  type: eventType,
  paymentIntentUniqueId: v.string(),
  sequence: described(integer, 'Orders the events of one payment'),
  test,
  createdAt: time,
  deliveries: v.array(delivery),
}).entries;

const webhookEndpoint = answer<EndpointContent>({
  id: pattern('^we_'),
  kind: described(
    v.picklist(['URL', 'TELEGRAM', 'EMAIL']),
    'A server, or a person whom the dashboard has connected',
  ),
  url: described(v.string(), 'Of a person: `telegram:`, or `mailto:` with a masked address'),
  eventTypes: described(v.array(eventType), 'The types that it takes; empty: all'),
  description: v.string(),
  enabled: described(v.boolean(), 'Whether events are sent there'),
  paused: described(
    v.boolean(),
    'It has failed for five days. Events that have used up their tries wait for it.',
  ),
  signatureHeader: v.nullable(
    text(
      'A second signature header: hex HMAC-SHA256 of the raw body; the key is the secret as text',
    ),
  ),
  payloadVersion: described(
    payloadVersion,
    'The version of the payload that it gets; it keeps that of its creation',
  ),
  createdAt: time,
}).entries;

/** Schemas that answers and webhooks share, by their name under `components`. */
const SHARED = {
  Payment: described(
    answer<Payment>({
      ...payment,
      description: v.nullable(text('As an express request sent it')),
      debitAccount: v.nullable(text('As an express request sent it')),
      phoneNumber: v.nullable(text('The phone that an express request charged, masked')),
      anomalies: described(
        v.array(anomaly),
        'What the operator must look at; changes no status and sends no event',
      ),
      refundedAmount: amountMinor(refundedMinor),
      refunds: described(v.array(named<Refund>('Refund')), 'Oldest first'),
      netShareAmounts: described(
        v.array(amountMinor('What a beneficiary is owed after the refunds')),
        'In the order of `checkoutBeneficiaries`',
      ),
      expiryHeldUntil: v.nullable(
        timeOf(
          'Until when an attempt in flight may be reported after `expireDate`; PAYMENT_EXPIRED waits for it',
        ),
      ),
      ...added,
      checkoutUrl: v.nullable(text("The customer's page; null once the payment has ended")),
      receiptUrl,
    }),
    'A payment as it is now. Amounts are in minor units.',
  ),
  Refund: described(v.object(refund), 'A refund of a payment. Amounts are in minor units.'),
  RefundSummary: described(
    answer<RefundSummaryContent>(refundSummary),
    'A refund in a list. It can lag a few seconds behind the refund itself.',
  ),
  PaymentSummary: described(
    answer<PaymentSummaryContent>({
      paymentIntentId: payment.paymentIntentId,
      uuid,
      uniqueId: payment.uniqueId,
      test,
      status: paymentStatus,
      totalAmount: payment.totalAmount,
      commission: payment.commission,
      chargedAmount: payment.chargedAmount,
      refundedAmount: amountMinor(refundedMinor),
      currency,
      transactionId: v.nullable(described(transactionId, 'Of the paid or latest attempt')),
      paymentType: v.nullable(described(method, 'The method of the paid or latest attempt')),
      receipt,
      providerReference,
      reason: payment.reason,
      late: payment.late,
      createdAt: time,
      updatedAt: time,
      endedAt: v.nullable(timeOf('When the payment first ended')),
      metadata,
      paidAt,
    }),
    'A payment in a list. It can lag a few seconds behind the payment itself.',
  ),
  Event: described(
    v.object(event),
    'An event and where it was sent. In lists it can lag a few seconds.',
  ),
  EventWithPayload: described(
    v.object({
      ...event,
      payload: v.nullable(
        text('The exact body that is sent; null once the details of the payment are deleted'),
      ),
    }),
    'An event as it is now.',
  ),
  ResendResult: answer<ResendContent>({
    resent: described(integer, 'How many deliveries are on their way now'),
    unreachable: described(
      integer,
      'How many events Kefel could not send because of its own fault; repeat the call later',
    ),
    hasMore: v.boolean(),
    nextCursor: v.nullable(text('Send it as `cursor` for more')),
  }),
  /** Events of refunds have two more properties. */
  EventBody: described(
    v.object({
      ...payment,
      event: eventType,
      refundedAmount: v.optional(
        described(
          amountMinor(refundedMinor),
          `${refundedMinor}, in minor units (15050 is 150.50); in events of refunds`,
        ),
      ),
      refund: v.optional(described(named<Refund>('Refund'), 'The refund; in events of refunds')),
      ...added,
      receiptUrl,
    }),
    'The payment as the event found it: the JSON text in `body` of a webhook.',
  ),
  Webhook: described(
    v.object({
      webHookEvent: eventType,
      paymentIntentUniqueId: v.string(),
      environment: v.picklist(ENVIRONMENTS),
      payloadVersion: described(
        payloadVersion,
        'The version of this payload: docs/api#payload says what a version keeps',
      ),
      status: described(
        open(Object.values(WIRE_EVENTS).map(({ status }) => status)),
        'The outcome of the payment or the refund; the status of the payment itself is in `body`',
      ),
      signature: text('Base64 of SHA256withRSA (PKCS#1 v1.5) over the text of `body`'),
      body: v.pipe(
        text('The payment as JSON text'),
        v.metadata({
          contentMediaType: 'application/json',
          contentSchema: reference('EventBody'),
        }),
      ),
    }),
    'What Kefel posts to your endpoint, with the headers of Standard Webhooks.',
  ),
  ExpressResult: answer<ExpressContent>({
    paymentUrl: v.nullable(text('The page to send the customer to')),
    transactionId,
    status: described(
      v.picklist(['SUCCESS', 'FAILURE']),
      '`SUCCESS`: accepted and under way, not yet paid. `FAILURE`: refused, and final. Charge again only after `FAILURE`.',
    ),
    message: v.string(),
    failureReason: v.nullable(failureReason),
    telebirr: v.optional(
      described(
        v.nullable(
          answer<AppParameters>({
            appId: v.nullable(text('For the SDK: your app passes it on as it is')),
            shortCode: v.nullable(text('The same')),
            receiveCode: v.nullable(text('The same: the order')),
            rawRequest: v.nullable(
              text('For a mini app: the order, and the only field that is not null'),
            ),
          }),
        ),
        'Only with `telebirrForm`: what opens the payment in the app of telebirr; null when the charge was refused, or without a clear answer',
      ),
    ),
  }),
  Bank: answer<BankContent>({
    code: v.string(),
    name: v.string(),
    supportsWithdrawal: v.boolean(),
  }),
  WebhookEndpoint: v.object(webhookEndpoint),
  WebhookEndpointWithSecret: v.object({
    ...webhookEndpoint,
    secret: described(pattern('^whsec_'), 'Keep it on your server. No later answer holds it.'),
  }),
  PaymentLink: answer<PaymentLinkContent>({
    paymentLinkUniqueId: text('The id that payments of the link carry'),
    url: text('The address of the page, to share'),
    title: v.string(),
    description: v.nullable(v.string()),
    amount: v.nullable(majorUnits('The fixed amount')),
    openAmount: v.nullable(
      answer<NonNullable<PaymentLinkContent['openAmount']>>({
        min: majorUnits('The least amount'),
        max: v.nullable(majorUnits('The largest amount')),
        suggestions: v.array(majorUnits('An amount that the page offers')),
      }),
    ),
    items: v.array(
      answer<PaymentLinkContent['items'][number]>({
        name: v.string(),
        description: v.nullable(v.string()),
        type: v.picklist(['SERVICE', 'DIGITAL_PRODUCT', 'PHYSICAL_PRODUCT']),
        quantityMax: integer,
        price: majorUnits('The price of one'),
      }),
    ),
    currency,
    methods: described(v.array(method), 'Empty: all that are enabled'),
    askFor: answer<PaymentLinkContent['askFor']>({
      name: asking,
      phone: asking,
      email: asking,
      note: asking,
    }),
    commissionPaidByCustomer: v.boolean(),
    splitPayment: v.array(
      answer<PaymentLinkContent['splitPayment'][number]>({
        bank: v.string(),
        creditAccount: v.string(),
        splitType: v.picklist(['PERCENTAGE', 'NUMBER']),
        amount: described(v.number(), 'A percentage, or an amount in major units'),
      }),
    ),
    validUntil: v.nullable(time),
    paymentsMax: v.nullable(integer),
    paidText: v.nullable(v.string()),
    returnUrl: v.nullable(v.string()),
    callbackUrl: v.nullable(v.string()),
    metadata,
    isActive: v.boolean(),
    paymentsCount: v.nullable(
      described(
        integer,
        'How many payments of `paymentsMax` are paid; those that customers are paying now are not among them. Null without a maximum',
      ),
    ),
    createdAt: time,
    updatedAt: time,
  }),
  WebhookKey: answer<WebhookKeyContent>({
    keyId: v.string(),
    algorithm: constant('SHA256withRSA', 'string'),
    publicKey: text('SubjectPublicKeyInfo as PEM'),
    retiredAt: v.nullable(timeOf('When it was retired; null while in use')),
    publishedUntil: v.nullable(timeOf('When a retired key leaves the list')),
  }),
};

/** A reference to one of `SHARED`. */
function named<Content>(name: string) {
  return v.pipe(
    v.custom<Content>(() => true),
    v.metadata({ ...reference(name) }),
  );
}

const warnings = described(
  v.array(v.string()),
  'What you should know about the request, such as a misspelled field; absent if there is nothing',
);

/** The answer of success. */
export function envelope(content: v.GenericSchema, others: v.ObjectEntries = {}): JsonSchema {
  return jsonSchemaOf(
    v.object({
      status: constant(200, 'integer'),
      message: text('A sentence for people'),
      content,
      ...others,
    }),
  );
}

/** Only the answers to creations have warnings. */
export const withWarnings = (content: v.GenericSchema) =>
  envelope(content, { warnings: v.optional(warnings) });

export const one = (name: keyof typeof SHARED) => named(name);
export const all = (name: keyof typeof SHARED, order: string) =>
  described(v.array(one(name)), order);
export const pageOf = (name: keyof typeof SHARED) =>
  described(
    answer<PageContent<unknown>>({
      data: all(name, 'Newest first'),
      hasMore: v.boolean(),
      nextCursor: v.nullable(text('Send it as `cursor` for more')),
    }),
    'One page',
  );

export const CHECKOUT_URL = described(
  v.pipe(v.string(), v.metadata({ format: 'uri' })),
  'The address of the page to pay on',
);

export const COMPONENTS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(SHARED).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
);

export const WARNINGS = jsonSchemaOf(warnings);

/** The schema of what the gateway sends. */
function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const jsonSchema = converted(schema, {
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const { metadata: added } = valibotAction as { metadata?: JsonSchema & { isOpen?: true } };
      return added?.isOpen
        ? (openEnum(jsonSchema.enum as string[]) as object)
        : added === undefined
          ? null
          : { ...jsonSchema, ...(added as object) };
    },
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      switch (valibotSchema.type) {
        case 'nullable': {
          const { wrapped } = valibotSchema as unknown as { readonly wrapped: v.GenericSchema };
          return nullable(jsonSchemaOf(wrapped)) as object;
        }
        case 'record':
          return { type: 'object', additionalProperties: jsonSchema.additionalProperties ?? false };
        default:
          return null;
      }
    },
  });
  return inOrder(jsonSchema);
}

function inOrder(schema: JsonSchema): JsonSchema {
  const rankOf = ([keyword]: [string, unknown]) => KEYWORDS.indexOf(keyword);
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    typeof value !== 'object' || Array.isArray(value) || value === null || key === 'properties'
      ? value
      : Object.fromEntries(Object.entries(value).sort((one, two) => rankOf(one) - rankOf(two))),
  );
}
