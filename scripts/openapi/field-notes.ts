import { METHODS, TRAITS } from '../../src/engine/domain/method.ts';

/** What the document says of a field that its type and limits do not, and perhaps an example. */
export type Note = string | readonly [text: string, example: unknown];

/** By the field's path: `items[].name`. */
export type Notes = Readonly<Record<string, Note>>;

const COMMON_NOTES = {
  items: 'What is sold. An empty list counts as absent.',
  'items[].name': ['Name of the item', 'Yirgacheffe coffee'],
  'items[].description': 'A line about it',
  'items[].image': 'URL of a picture; returned as sent, shown on no page',
  'items[].quantity': ['How many', 1],
  'items[].type': ['What kind of thing it is', 'PHYSICAL_PRODUCT'],
  'items[].price': ['Price in major units with at most two decimals: round to cents', 150.5],
  currency: ['Currency of the amounts', 'ETB'],
  paymentIntentUniqueId: [
    'Your id of the payment. Each payment needs its own; Kefel answers a repeat with 409.',
    'order-1001',
  ],
  paymentLinkUniqueId: 'Id of a payment link of yours; returned as sent',
  splitPayment:
    'Shares of the payment for bank accounts. Percentages add up to at most 100, and all shares together to at most the total.',
  'splitPayment[].amount': [
    'A percentage or an amount, as `splitType` says, with at most two decimals',
    20,
  ],
  'splitPayment[].bank': 'Code of a bank that supports withdrawal, from `GET /banks`',
  'splitPayment[].splitType': ['What `amount` is', 'PERCENTAGE'],
  'splitPayment[].creditAccount': 'The account to credit',
  expireIn: [
    'Seconds from now until the payment expires; in production a method may need more than the minimum',
    3600,
  ],
  callbackUrl: [
    'Where the webhooks of this payment go; without it, or if it is plain http, they go to your endpoints',
    'https://shop.example.com/webhooks',
  ],
  refundEvents: [
    'Whether events of refunds go to `callbackUrl` too; `false` by default, because existing receivers may not know them. If not, your endpoints get them.',
    true,
  ],
  commissionPaidByCustomer: ['Whether the customer pays the commission on top', true],
  customerInfo: 'What you know of the customer',
  'customerInfo.name': 'Name of the customer',
  'customerInfo.email': 'E-mail address of the customer',
  metadata: [
    'Your own notes, such as ids of your systems: webhooks, the status call and lists repeat them, and you can find payments by them. In the sandbox, `kefel_webhook` orders a fault of delivery (`/docs/sandbox`).',
    { cart: '8841' },
  ],
} as const satisfies Notes;

export const HOSTED_NOTES: Notes = {
  ...COMMON_NOTES,
  paymentIntentUniqueId: [COMMON_NOTES.paymentIntentUniqueId[0], 'order-1002'],
  amount: [
    'The total in major units, at least 1.00, with at most two decimals: round to cents. With `items` too, it equals the sum of the prices or of price × quantity. Send `amount`, `items` or both. In the sandbox some amounts, such as 100.02, have a fixed outcome (`/docs/sandbox`).',
    150.5,
  ],
  methods: ['The methods that the customer may choose; `[]` means all', ['TELE_BIRR', 'CBE']],
  returnUrl: [
    'Where the customer returns to: http, https, or a scheme of your app that the operator has registered. Kefel appends `paymentIntentUniqueId`, `status` and `transactionId`.',
    'https://shop.example.com/thanks',
  ],
  'customerInfo.phone': ['Nine digits without 0 or +251, the first of them 9', '911234567'],
  'customerInfo.isPhoneUpdatable': '`false` keeps the customer from changing the phone',
};

const REDIRECTING = METHODS.filter((method) => TRAITS[method].needsReturnUrl)
  .map((method) => `\`${method}\``)
  .join(' and ');

export const EXPRESS_NOTES: Notes = {
  ...COMMON_NOTES,
  amount: [
    'The total in major units with at most two decimals: round to cents; not compared with the items. Send `amount` or `items`. In the sandbox some amounts, such as 100.02, have a fixed outcome (`/docs/sandbox`).',
    150.5,
  ],
  method: ['The method to charge', 'CBE'],
  telebirrForm:
    'Where the customer pays by `TELE_BIRR` instead of on the page of telebirr: in its app, called by your own app (`IN_APP`) or by your mini app (`MINI_APP`). In production only once the operator has switched it on (`/docs/api`).',
  returnUrl: `Where the customer returns to from the page of the provider; required for ${REDIRECTING}`,
  phoneNumber: [
    'The phone to charge: 9 or 7 and eight digits, optionally after 0, 251 or +251. `M_PESA`, `TELE_BIRR_USSD`, `E_BIRR` and `CBE` need it here or in `customerInfo.phone`.',
    '0911234567',
  ],
  'customerInfo.phone': 'Like `phoneNumber`',
  debitAccount: 'The account to debit',
  description: 'What the payment is for',
  testMode: 'How the sandbox simulates the payment: required there, ignored in production',
  'testMode.testModeType': [
    '`SIMULATED_TEST` ends by itself; `ACTUAL_TEST` goes to the test system of the provider, or to the simulator',
    'SIMULATED_TEST',
  ],
  'testMode.simulationStatus': ['The outcome of a `SIMULATED_TEST`; required for it', 'SUCCESS'],
};

export const REFUND_NOTES: Notes = {
  paymentIntentUniqueId: ['The payment', 'order-1001'],
  refundUniqueId: [
    'Your id of the refund. Each refund needs its own; Kefel answers a repeat with 409.',
    'refund-1001-1',
  ],
  amountMinor: [
    'How much of the amount to return, without commission, in minor units (5000 is 50.00); absent: all that is left. In the sandbox some amounts, such as 10022, have a fixed outcome (`/docs/sandbox`).',
    5000,
  ],
  reason: ['Your own words; the customer does not see them', 'Two bags were torn'],
  transactionId:
    'Another paid transaction of the payment, such as a `duplicate_payment`; absent: the one that paid',
};

export const ENDPOINT_NOTES: Notes = {
  url: [
    'The address that events are posted to; webhooks must be able to reach it',
    'https://shop.example.com/webhooks',
  ],
  eventTypes: [
    'The types of events that it takes; empty: all, also those that are added later',
    ['PAYMENT_SUCCESS'],
  ],
  description: ['A line for people', 'Warehouse'],
  enabled: 'Whether events are sent there; at first `true`',
  signatureHeader: [
    'The name of a second signature header, for shop plugins; `null`: none',
    'X-Shop-Signature',
  ],
};

const PAGE_NOTES = {
  createdFrom: ['From this time of creation on', '2026-11-22T00:00:00Z'],
  createdTo: ['Before this time of creation', '2026-11-23T00:00:00Z'],
  limit: 'How many rows a page has',
  cursor: '`nextCursor` of the page before',
} as const satisfies Notes;

export const PAYMENTS_QUERY_NOTES: Notes = {
  status: ['Only payments of this status', 'SUCCESS'],
  method: 'Only payments whose paid or latest attempt is by this method',
  endedFrom:
    'From this time of the end on. With `endedFrom` or `endedTo`, the latest end comes first.',
  endedTo: 'Before this time of the end',
  paidFrom:
    'Paid from this time on, also if the payment had ended before. With `paidFrom` or `paidTo`, the latest paid comes first.',
  paidTo: 'Paid before this time',
  customerPhone: [
    'The mobile number of the customer or of an attempt, in any common notation',
    '0911234567',
  ],
  metadata: 'Only payments with this entry: `metadata[cart]=8841`. Repeat it for more.',
  paymentLinkUniqueId: ['Only payments that name this link', 'link-honey'],
  ...PAGE_NOTES,
};

export const REFUNDS_QUERY_NOTES: Notes = {
  status: ['Only refunds of this status', 'REQUIRES_ACTION'],
  paymentIntentUniqueId: ['Only refunds of this payment', 'order-1001'],
  ...PAGE_NOTES,
};

export const EVENTS_QUERY_NOTES: Notes = {
  paymentIntentUniqueId: ['Only events of this payment', 'order-1001'],
  type: 'Only events of this type',
  deliveryState: ['Only events with a delivery in this state', 'dead'],
  ...PAGE_NOTES,
};

export const LINKS_QUERY_NOTES: Notes = {
  isActive: 'Only links that are active, or only those that are not',
  ...PAGE_NOTES,
};

const ASKING = '`REQUIRED`, `OPTIONAL` or, by default, `NO`';

export const LINK_NOTES: Notes = {
  title: [
    'What is paid for: the headline of the page, and of its preview in a chat',
    'Honey, 1 kg',
  ],
  description: ['More about it; customers read it', 'White honey from Tigray'],
  amount: ['A fixed amount in major units, at least 1.00', 450],
  openAmount: 'The customer types the amount',
  'openAmount.min': 'The least amount; absent: 1.00',
  'openAmount.max': 'The largest amount; absent: what the operator lets you take',
  'openAmount.suggestions': 'Up to four amounts that the page offers',
  items: 'The customer chooses how many of each',
  'items[].name': 'What it is',
  'items[].description': 'More about it; customers read it',
  'items[].type': 'What kind of thing it is',
  'items[].price': 'The price of one, in major units',
  'items[].quantityMax': 'The most that one customer can choose',
  currency: 'The currency',
  methods: 'The methods that the customer may choose; `[]` means all that are enabled then',
  askFor: 'What the page asks the customer for',
  'askFor.name': `The name: ${ASKING}. It becomes \`customerInfo.name\``,
  'askFor.phone': `The mobile number: ${ASKING}. It becomes \`customerInfo.phone\``,
  'askFor.email': `The e-mail address: ${ASKING}. It becomes \`customerInfo.email\``,
  'askFor.note': `A note of up to 200 characters: ${ASKING}. It becomes \`metadata.customerNote\``,
  commissionPaidByCustomer: 'Whether the customer bears the commission',
  splitPayment: 'Beneficiaries who share the amount',
  'splitPayment[].bank': 'A `code` of the list of banks',
  'splitPayment[].creditAccount': 'The account to credit',
  'splitPayment[].amount': 'A percentage, or an amount in major units, by `splitType`',
  'splitPayment[].splitType': 'What `amount` means',
  paymentsMax:
    'How many payments the link takes; absent: any number. Counts the payments that are made from then on',
  validUntil: ['From this time on, the page takes no payment', '2026-12-31T21:00:00Z'],
  paidText: ['What the page says after a payment', 'We call you to arrange the delivery.'],
  returnUrl: 'Where the customer goes after a payment instead of to the page of the link',
  callbackUrl: 'Where the webhooks of its payments go; without it, to your endpoints',
  metadata: 'Your own notes, which every payment of the link carries: at most 19 entries',
  isActive: 'Whether the page takes payments; at first `true`',
};

export const RESEND_NOTES: Notes = {
  since: ['Events from this time on', '2026-11-22T08:00:00Z'],
  cursor: '`nextCursor` of the answer before; without it, the oldest event comes first',
};
