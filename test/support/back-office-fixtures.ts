import { type Intent, paidAtMs } from '../../src/engine/domain/intent.ts';
import { phoneEndText } from '../../src/engine/domain/phone.ts';
import type { Refund } from '../../src/engine/domain/refund.ts';
import { chargedMinor } from '../../src/engine/domain/terms.ts';
import { shownDelivery } from '../../src/engine/intent/book-message.ts';
import { projectedRefunds, projectionRow } from '../../src/engine/intent/projected-view.ts';
import type { EventSummary, HistoryEntry } from '../../src/engine/intent/protocol.ts';
import type {
  EventRow,
  ListedPayment,
  PaymentRow,
  RefundRow,
  SameOrderPayment,
} from '../../src/lists/book/rows.ts';
import { attemptWith, intentWith, NOW_MS } from './checkout-fixtures.ts';

/** Payments as the back office sees them, ordinary ones and the longest that there can be. */

/** The longest `paymentIntentUniqueId`. */
export const LONGEST_ID = `order-${'0123456789'.repeat(25)}`.slice(0, 255);

/** Without a space at which a line could break. */
export const LONGEST_NAME = 'የኢትዮጵያቡናላኪዎችናአቅራቢዎችማኅበርኃላፊነቱየተወሰነየግልኩባንያ'.repeat(2).slice(0, 60);

/** 999,999,999.99. */
export const LARGEST_MINOR = 99_999_999_999;

const MINUTE_MS = 60_000;

const PAID_ATTEMPT = attemptWith({
  id: 'attempt-2',
  reference: 'K3W8N5PX2T9B4ZC7VM6D',
  method: 'M_PESA',
  flow: 'push',
  phone: '251712345678',
  status: 'succeeded',
  redirectUrl: null,
  receipt: 'SKL0OPWX5E',
  railReference: 'ws_CO_2111202512000012345678',
  providerCode: '0',
  updatedAtMs: NOW_MS + MINUTE_MS,
});

const FAILED_ATTEMPT = attemptWith({
  id: 'attempt-1',
  status: 'failed',
  failureReason: 'insufficient_funds',
  providerCode: 'TRADE_REFUSED_BY_THE_BANK_OF_THE_CUSTOMER',
});

export function refundWith(changed: Partial<Refund>): Refund {
  return {
    id: 'refund-1',
    requestId: 'request-1',
    idempotencyKeyDigest: null,
    bodyDigest: null,
    reference: 'R7K2M9QX4T0B8ZC3VN5D',
    attemptId: PAID_ATTEMPT.id,
    reason: 'One pot was broken',
    requester: { type: 'member', memberId: 'mem_owner' },
    status: 'succeeded',
    requestedStatus: 'pending',
    requestedActionReason: null,
    failureReason: null,
    actionReason: null,
    startAtMs: NOW_MS,
    claimId: null,
    deadlineAtMs: null,
    checkAtMs: null,
    checks: 0,
    railReference: 'SKM1REFUND',
    providerCode: null,
    late: false,
    proposal: null,
    manualResolutionId: null,
    amountMinor: 50_050,
    commissionReturnedMinor: 0,
    returnedMinor: 50_050,
    createdAtMs: NOW_MS + 2 * MINUTE_MS,
    updatedAtMs: NOW_MS + 3 * MINUTE_MS,
    ...changed,
  } as Refund;
}

const ENDED = { endedAtMs: NOW_MS + MINUTE_MS, updatedAtMs: NOW_MS + MINUTE_MS };

/** Paid at the second try, and partly returned. */
export const PAID = intentWith(
  { uniqueId: 'order-1044', metadata: { basket: 'B-17', channel: 'app' } },
  {
    ...ENDED,
    status: 'succeeded',
    attempts: [FAILED_ATTEMPT, PAID_ATTEMPT],
    paidAttemptId: PAID_ATTEMPT.id,
    refunds: [refundWith({}), refundWith({ id: 'refund-2', status: 'pending' })],
  },
);

/** The same with the longest id, name and amount that there can be. */
export const LONGEST: Intent = {
  ...PAID,
  terms: {
    ...PAID.terms,
    uniqueId: LONGEST_ID,
    uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0002',
    merchantName: LONGEST_NAME,
    amountMinor: LARGEST_MINOR,
    customer: {
      name: LONGEST_NAME,
      email: `${'a'.repeat(60)}@${'mail'.repeat(12)}.example.com`,
      phone: '251712345678',
      isPhoneUpdatable: false,
    },
    callbackUrl: `https://shop.example.com/${'hooks/'.repeat(20)}`,
  },
  refunds: [refundWith({ id: LONGEST_ID, amountMinor: LARGEST_MINOR, reason: LONGEST_NAME })],
};

export const PROCESSING = intentWith(
  { uniqueId: 'order-1045', uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0003' },
  { status: 'processing', attempts: [attemptWith({ status: 'unresolved', method: 'E_BIRR' })] },
);

/** The customer left its attempt, which they may still pay. */
export const LEFT = intentWith(
  { uniqueId: 'order-1046', uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0005' },
  {
    status: 'failed',
    failureReason: 'abandoned',
    attempts: [
      attemptWith({
        status: 'unresolved',
        failureReason: 'abandoned',
        method: 'TELE_BIRR',
        checkAtMs: NOW_MS + 4_000_000,
        deadlineAtMs: NOW_MS + 7_200_000,
      }),
    ],
  },
);

export const FAILED = intentWith(
  { uniqueId: 'order-1043', uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0004' },
  { ...ENDED, status: 'failed', failureReason: 'declined', attempts: [FAILED_ATTEMPT] },
);

/** Paid twice, and once after the end: it needs the operator. */
export const ANOMALOUS: Intent = {
  ...PAID,
  late: true,
  anomalies: [{ kind: 'duplicate_payment', attemptId: FAILED_ATTEMPT.id, atMs: NOW_MS }],
} as unknown as Intent;

export function rowOf(intent: Intent): PaymentRow {
  const row = projectionRow(intent);
  const charged = row.method === null ? row.amountMinor : chargedMinor(intent.terms, row.method);
  return { ...row, chargedMinor: charged, paidAtMs: paidAtMs(intent) };
}

/** Two payments of what may be one order. */
export const TWICE: Intent = {
  ...PAID,
  terms: { ...PAID.terms, uniqueId: 'WC-1044-1' },
  refunds: [],
};
export const OTHER_TRY: SameOrderPayment = {
  uniqueId: 'WC-1044-2',
  paidAtMs: NOW_MS + 5 * MINUTE_MS,
  refundedMinor: 0,
  openRefunds: 0,
};

function listed(intent: Intent): ListedPayment {
  const { name = null, phone = null } = intent.terms.customer ?? {};
  return { ...rowOf(intent), customerName: name, maskedPhone: phone && phoneEndText(phone) };
}

export const ROWS: readonly ListedPayment[] = [LONGEST, PROCESSING, PAID, FAILED].map(listed);

/** One pair before a refund, and one payment whose other try was refunded. */
export const TWICE_ROWS: readonly ListedPayment[] = [
  { ...listed(TWICE), sameOrder: [OTHER_TRY] },
  { ...listed(TWICE), uniqueId: 'WC-1044-2', sameOrder: [{ ...OTHER_TRY, uniqueId: 'WC-1044-1' }] },
  { ...listed(TWICE), uniqueId: 'WC-1043-2', sameOrder: [{ ...OTHER_TRY, refundedMinor: 5 }] },
];

export const REFUND_ROWS: readonly RefundRow[] = [LONGEST, PAID].flatMap((intent) =>
  projectedRefunds(intent).map(({ late, ...refund }) => ({
    ...refund,
    environment: intent.terms.environment,
    merchantId: intent.terms.merchantId,
    uniqueId: intent.terms.uniqueId,
    paymentUuid: intent.terms.uuid,
    currency: intent.terms.currency,
    late: late ? 1 : 0,
  })),
);

export const HISTORY: readonly HistoryEntry[] = [
  ['create', null, 'open', null],
  [
    'start_attempt',
    'open',
    'processing',
    { actor: 'customer', attemptIndex: 0, method: 'TELE_BIRR', attemptStatus: 'processing' },
  ],
  [
    'resolve_attempt',
    'processing',
    'open',
    {
      actor: 'provider',
      attemptIndex: 0,
      method: 'TELE_BIRR',
      attemptStatus: 'failed',
      reason: 'insufficient_funds',
      providerCode: 'TRADE_REFUSED_BY_THE_BANK_OF_THE_CUSTOMER',
    },
  ],
  [
    'resolve_attempt',
    'processing',
    'succeeded',
    {
      actor: 'operator',
      attemptIndex: 1,
      method: 'M_PESA',
      attemptStatus: 'succeeded',
      receipt: 'SKL0OPWX5E',
      operator: LONGEST_NAME,
      operatorProved: true,
      note: `Receipt ${'X'.repeat(80)}`,
    },
  ],
].map(([command, fromStatus, toStatus, detail], index) => ({
  version: index + 1,
  atMs: NOW_MS + index * 1_000,
  command,
  fromStatus,
  toStatus,
  detail,
})) as readonly HistoryEntry[];

const TRIES: EventSummary['tries'] = [
  { atMs: NOW_MS, durationMs: 10_000, httpStatus: null, error: 'timeout', answerExcerpt: '' },
  {
    atMs: NOW_MS + MINUTE_MS,
    durationMs: 412,
    httpStatus: 502,
    error: null,
    answerExcerpt: `<html>${'Bad gateway. '.repeat(40)}`,
  },
];

function eventWith(changed: Partial<EventSummary>): EventSummary {
  return {
    sequence: 4,
    position: 0,
    endpointId: 'whe_1',
    origin: `https://${'hooks-of-a-shop.'.repeat(4)}example.com`,
    eventId: 'evt_01a219d0b559740fb3171a9cba48179f',
    type: 'payment_succeeded',
    deliveryStatus: 'dead',
    createdAtMs: NOW_MS,
    dueAtMs: null,
    tries: TRIES,
    ...changed,
  } as EventSummary;
}

export const EVENTS: readonly EventSummary[] = [
  eventWith({}),
  eventWith({
    position: 1,
    endpointId: null,
    origin: null,
    deliveryStatus: 'undeliverable',
    tries: [],
  }),
  eventWith({
    position: 2,
    endpointId: 'whe_2',
    origin: 'https://erp.example.com',
    deliveryStatus: 'waiting',
    dueAtMs: NOW_MS + MINUTE_MS,
  }),
];

export const EVENT_ROWS: readonly EventRow[] = EVENTS.map((event) => ({
  ...shownDelivery({ ...event, log: event.tries }),
  deliveryId: `${event.eventId}-${event.position}`,
  environment: 'sandbox',
  merchantId: PAID.terms.merchantId,
  uniqueId: LONGEST_ID,
  paymentUuid: LONGEST.terms.uuid,
  eventId: event.eventId,
  type: event.type,
  sequence: event.sequence,
  position: event.position,
  createdAtMs: event.createdAtMs,
  endpointId: event.endpointId,
  destinationOrigin: event.origin,
}));
