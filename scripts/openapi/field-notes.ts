import { METHODS, TRAITS } from '../../src/domain/method.ts';

/** What the document says of a field that its type and limits do not. */
export interface Note {
  readonly text: string;
  readonly example?: unknown;
}

/** By the field's path: `items[].name`. */
export type Notes = Readonly<Record<string, Note>>;

const COMMON_NOTES = {
  items: { text: 'What is sold. An empty list counts as absent.' },
  'items[].name': { text: 'Name of the item', example: 'Yirgacheffe coffee' },
  'items[].description': { text: 'A line about it' },
  'items[].image': { text: 'URL of a picture' },
  'items[].quantity': { text: 'How many', example: 1 },
  'items[].type': { text: 'What kind of thing it is', example: 'PHYSICAL_PRODUCT' },
  'items[].price': {
    text: 'Price in major units with at most two decimals: round to cents',
    example: 150.5,
  },
  currency: { text: 'Currency of the amounts', example: 'ETB' },
  paymentIntentUniqueId: {
    text: 'Your id of the payment. Each payment needs its own; Kefel answers a repeat with 409.',
    example: 'order-1001',
  },
  paymentLinkUniqueId: { text: 'Id of a payment link of yours; returned as sent' },
  splitPayment: {
    text: 'Shares of the payment for bank accounts. Percentages add up to at most 100, and all shares together to at most the total.',
  },
  'splitPayment[].amount': {
    text: 'A percentage or an amount, as `splitType` says, with at most two decimals',
    example: 20,
  },
  'splitPayment[].bank': { text: 'Code of a bank that supports withdrawal, from `GET /banks`' },
  'splitPayment[].splitType': { text: 'What `amount` is', example: 'PERCENTAGE' },
  'splitPayment[].creditAccount': { text: 'The account to credit' },
  expireIn: {
    text: 'Seconds from now until the payment expires; in production a method may need more than the minimum',
    example: 3600,
  },
  callbackUrl: {
    text: 'Where the webhooks of this payment go; else to your endpoints',
    example: 'https://shop.example.com/webhooks',
  },
  refundEvents: {
    text: 'Whether events of refunds go to `callbackUrl` too; `false` by default, because existing receivers may not know them. Your endpoints get them when they do not.',
    example: true,
  },
  commissionPaidByCustomer: {
    text: 'Whether the customer pays the commission on top',
    example: true,
  },
  customerInfo: { text: 'What you know of the customer' },
  'customerInfo.name': { text: 'Name of the customer' },
  'customerInfo.email': { text: 'E-mail address of the customer' },
  metadata: {
    text: 'Your own notes, such as ids of your systems: webhooks, the status call and lists repeat them, and payments are found by them. In the sandbox, `kefel_webhook` orders a fault of delivery (`/docs/sandbox`).',
    example: { cart: '8841' },
  },
} as const satisfies Notes;

export const HOSTED_NOTES: Notes = {
  ...COMMON_NOTES,
  amount: {
    text: 'The total in major units, at least 1.00, with at most two decimals: round to cents. With `items` too, it equals the sum of the prices or of price × quantity. Send `amount`, `items` or both. In the sandbox some amounts, such as 100.02, have a fixed outcome (`/docs/sandbox`).',
    example: 150.5,
  },
  methods: { text: 'The methods that the customer may choose; `[]` means all', example: [] },
  returnUrl: {
    text: 'Where the customer returns to: http, https, or a scheme of your app that the operator has registered. Kefel appends `paymentIntentUniqueId`, `status` and `transactionId`.',
    example: 'https://shop.example.com/thanks',
  },
  'customerInfo.phone': {
    text: 'Nine digits without 0 or +251, the first of them 9',
    example: '911234567',
  },
  'customerInfo.isPhoneUpdatable': { text: '`false` keeps the customer from changing the phone' },
};

const REDIRECTING = METHODS.filter((method) => TRAITS[method].needsReturnUrl)
  .map((method) => `\`${method}\``)
  .join(' and ');

export const EXPRESS_NOTES: Notes = {
  ...COMMON_NOTES,
  amount: {
    text: 'The total in major units with at most two decimals: round to cents; not compared with the items. Send `amount` or `items`. In the sandbox some amounts, such as 100.02, have a fixed outcome (`/docs/sandbox`).',
    example: 150.5,
  },
  method: { text: 'The method to charge', example: 'CBE' },
  returnUrl: {
    text: `Where the customer returns to from the page of the provider; required for ${REDIRECTING}`,
  },
  phoneNumber: {
    text: 'The phone to charge: 9 or 7 and eight digits, optionally after 0, 251 or +251. `M_PESA`, `TELE_BIRR_USSD`, `E_BIRR` and `CBE` need it here or in `customerInfo.phone`.',
    example: '0911234567',
  },
  'customerInfo.phone': { text: 'Like `phoneNumber`' },
  debitAccount: { text: 'The account to debit' },
  description: { text: 'What the payment is for' },
  testMode: { text: 'How the sandbox plays the payment: required there, ignored in production' },
  'testMode.testModeType': {
    text: '`SIMULATED_TEST` ends by itself; `ACTUAL_TEST` goes to the test system of the provider, or to the simulator',
    example: 'SIMULATED_TEST',
  },
  'testMode.simulationStatus': {
    text: 'The outcome of a `SIMULATED_TEST`; required for it',
    example: 'SUCCESS',
  },
};

export const REFUND_NOTES: Notes = {
  paymentIntentUniqueId: { text: 'The payment', example: 'order-1001' },
  refundUniqueId: {
    text: 'Your id of the refund. Each refund needs its own; Kefel answers a repeat with 409.',
    example: 'refund-1001-1',
  },
  amountMinor: {
    text: 'How much of the amount to return, without commission, in minor units (5000 is 50.00); absent: all that is left. In the sandbox some amounts, such as 10022, have a fixed outcome (`/docs/sandbox`).',
    example: 5000,
  },
  reason: { text: 'Your own words; the customer does not see them', example: 'Two bags were torn' },
  transactionId: {
    text: 'Another paid transaction of the payment, such as a `duplicate_payment`; absent: the one that paid',
  },
};

export const ENDPOINT_NOTES: Notes = {
  url: {
    text: 'Where the events are posted; one that webhooks can reach',
    example: 'https://shop.example.com/webhooks',
  },
  eventTypes: {
    text: 'The types of events that it takes; empty: all, also those that are added later',
    example: ['PAYMENT_SUCCESS'],
  },
  description: { text: 'A line for people', example: 'Warehouse' },
  enabled: { text: 'Whether events are sent there; at first `true`' },
  signatureHeader: {
    text: 'The name of a second signature header, for shop plugins; `null`: none',
    example: 'X-Shop-Signature',
  },
};

const PAGE_NOTES = {
  createdFrom: { text: 'From this time of creation on', example: '2026-11-22T00:00:00Z' },
  createdTo: { text: 'Before this time of creation', example: '2026-11-23T00:00:00Z' },
  limit: { text: 'How many rows a page has' },
  cursor: { text: '`nextCursor` of the page before' },
} as const satisfies Notes;

export const PAYMENTS_QUERY_NOTES: Notes = {
  status: { text: 'Only payments of this status', example: 'SUCCESS' },
  method: { text: 'Only payments whose paid or latest attempt is by this method' },
  endedFrom: {
    text: 'From this time of the end on. With `endedFrom` or `endedTo`, the latest end comes first.',
  },
  endedTo: { text: 'Before this time of the end' },
  customerPhone: {
    text: 'The mobile number of the customer or of an attempt, in any common notation',
    example: '0911234567',
  },
  metadata: { text: 'Only payments with this entry: `metadata[cart]=8841`. Repeat it for more.' },
  ...PAGE_NOTES,
};

export const REFUNDS_QUERY_NOTES: Notes = {
  status: { text: 'Only refunds of this status', example: 'REQUIRES_ACTION' },
  paymentIntentUniqueId: { text: 'Only refunds of this payment', example: 'order-1001' },
  ...PAGE_NOTES,
};

export const EVENTS_QUERY_NOTES: Notes = {
  paymentIntentUniqueId: { text: 'Only events of this payment', example: 'order-1001' },
  type: { text: 'Only events of this type' },
  deliveryState: { text: 'Only events with a delivery in this state', example: 'dead' },
  ...PAGE_NOTES,
};

export const RESEND_NOTES: Notes = {
  since: { text: 'Events from this time on', example: '2026-11-22T08:00:00Z' },
  cursor: { text: '`nextCursor` of the answer before; without it, the oldest event comes first' },
};
