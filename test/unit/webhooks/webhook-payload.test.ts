import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { openIntent } from '../../../src/engine/domain/decide.ts';
import type { EventType, Intent, IntentStatus } from '../../../src/engine/domain/intent.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import { RECEIPT_LIFETIME_MS } from '../../../src/engine/domain/schedule.ts';
import * as payload from '../../../src/engine/webhooks/payload.ts';
import { documentedFields } from '../../support/api-tables.ts';
import { attemptWith } from '../../support/checkout-fixtures.ts';
import { accepted, paidTwice, requestRefund, someTerms } from '../../support/intents.ts';

const { statusContent, WIRE_EVENTS } = payload;
const RECEIPT_PATH = '/receipt/k1.token';

function eventBody(intent: Intent, event: EventType, refund: Refund | null = null): string {
  return payload.eventBody(intent, event, refund, RECEIPT_PATH);
}

function paymentPayload(intent: Intent) {
  return payload.paymentPayload(intent, RECEIPT_PATH);
}

const createdAtMs = Date.UTC(2026, 10, 17, 9, 30, 0, 5);

const minimalTerms = someTerms({
  environment: 'production',
  uuid: '0d7e2f8e-7d8b-4d52-9a3c-0c8f8a1f0001',
  number: 9_007_199_254_740_991,
  methods: [
    { method: 'TELE_BIRR', commissionMinor: 150 },
    { method: 'M_PESA', commissionMinor: 200 },
  ],
  commissionPaidByCustomer: true,
  description: 'A bag of coffee',
  debitAccount: '1000555',
  returnUrl: null,
  callbackUrl: null,
  simulation: null,
  createdAtMs,
  expiresAtMs: createdAtMs + 600_000,
});

const minimal = openIntent(minimalTerms);

const attempt = attemptWith({
  id: '5a0fd5c8-1111-4222-8333-444455556666',
  railId: 'mpesa',
  reference: 'ABCDEFGHJK0123456789',
  method: 'M_PESA',
  phone: '251911223344',
  flow: 'push',
  status: 'succeeded',
  redirectUrl: 'https://rail.example.com/secret',
  railReference: 'RAIL-1',
  providerCode: '0',
  receipt: 'RECEIPT-1',
  isProved: true,
  startedAtMs: createdAtMs + 1_000,
  updatedAtMs: createdAtMs + 2_500,
});

const full: Intent = {
  ...minimal,
  terms: {
    ...minimalTerms,
    environment: 'sandbox',
    number: 42,
    uniqueId: 'ትዕዛዝ "1"',
    paymentLinkUniqueId: 'link-1',
    metadata: { order: 'ሀ-7', 'cart.id': '"9"' },
    returnUrl: 'https://shop.example.com/back?a=1',
    callbackUrl: 'https://shop.example.com/hook',
    splits: [
      {
        bank: 'CBE',
        creditAccount: '1000123',
        type: 'percentage',
        value: 1_250,
        shareMinor: 1_250,
      },
      { bank: 'AWASH', creditAccount: '0132', type: 'number', value: 2_001, shareMinor: 2_001 },
    ],
    items: [
      {
        name: 'Coffee',
        description: 'Yirgacheffe',
        image: 'https://shop.example.com/coffee.png',
        quantity: 2,
        type: 'PHYSICAL_PRODUCT',
        priceMinor: 2_500,
      },
      {
        name: 'Tip',
        description: null,
        image: null,
        quantity: 1,
        type: 'SERVICE',
        priceMinor: 5_000,
      },
    ],
    customer: {
      name: 'Abebe',
      email: 'abebe@example.com',
      phone: '911223344',
      isPhoneUpdatable: false,
    },
  },
  status: 'succeeded',
  previousStatus: 'processing',
  version: 3,
  attempts: [attempt],
  updatedAtMs: createdAtMs + 2_500,
  endedAtMs: createdAtMs + 2_500,
  paidAttemptId: attempt.id,
};

const IN_STATUS_ONLY = [
  'description',
  'debitAccount',
  'phoneNumber',
  'anomalies',
  'refundedAmount',
  'refunds',
  'checkoutUrl',
  'netShareAmounts',
  'expiryHeldUntil',
];

const minimalTermsText =
  '"paymentIntentId":9007199254740991,"uuid":"0d7e2f8e-7d8b-4d52-9a3c-0c8f8a1f0001",' +
  '"uniqueId":"order-1","paymentLinkUniqueId":null,"test":false,"callbackUrl":null,' +
  '"returnUrl":null,"commissionPaidByCustomer":true,"creationDate":"2026-11-17T09:30:00.005Z",' +
  '"lastUpdateDate":"2026-11-17T09:30:00.005Z","expireDate":"2026-11-17T09:40:00.005Z",' +
  '"totalAmount":10000,"commission":0,"chargedAmount":10000,"currency":"ETB",' +
  '"checkoutBeneficiaries":[],"productItems":[],"transaction":null,"merchantCustomer":null,' +
  '"paymentMethodTypes":["TELE_BIRR","M_PESA"]';

describe('the bytes of an event (decisions.md#17)', () => {
  test('of a minimal intent: compact, with nulls, in the documented order', () => {
    const expired: Intent = { ...minimal, status: 'expired', previousStatus: 'open', version: 2 };
    expect(eventBody(expired, 'payment_expired')).toBe(
      `{${minimalTermsText},"event":"PAYMENT_EXPIRED","status":"EXPIRED",` +
        '"previousStatus":"OPEN","sequence":2,"late":false,"reason":null,"metadata":{},"paidAt":null,' +
        '"merchantId":"mer_1","environment":"production","receiptUrl":null}',
    );
  });

  test('of a full intent', () => {
    expect(eventBody(full, 'payment_succeeded')).toBe(
      '{"paymentIntentId":42,"uuid":"0d7e2f8e-7d8b-4d52-9a3c-0c8f8a1f0001",' +
        '"uniqueId":"ትዕዛዝ \\"1\\"","paymentLinkUniqueId":"link-1","test":true,' +
        '"callbackUrl":"https://shop.example.com/hook",' +
        '"returnUrl":"https://shop.example.com/back?a=1","commissionPaidByCustomer":true,' +
        '"creationDate":"2026-11-17T09:30:00.005Z","lastUpdateDate":"2026-11-17T09:30:02.505Z",' +
        '"expireDate":"2026-11-17T09:40:00.005Z","totalAmount":10000,"commission":200,' +
        '"chargedAmount":10200,"currency":"ETB","checkoutBeneficiaries":[' +
        '{"bank":"CBE","creditAccount":"1000123","splitType":"PERCENTAGE","amount":12.5,' +
        '"shareAmount":1250},{"bank":"AWASH","creditAccount":"0132","splitType":"NUMBER",' +
        '"amount":2001,"shareAmount":2001}],"productItems":[{"name":"Coffee",' +
        '"description":"Yirgacheffe","image":"https://shop.example.com/coffee.png","quantity":2,' +
        '"type":"PHYSICAL_PRODUCT","price":2500},{"name":"Tip","description":null,"image":null,' +
        '"quantity":1,"type":"SERVICE","price":5000}],"transaction":{' +
        '"id":"5a0fd5c8-1111-4222-8333-444455556666","transactionId":"ABCDEFGHJK0123456789",' +
        '"paymentType":"M_PESA","transactionStatus":"SUCCESS",' +
        '"createdAt":"2026-11-17T09:30:01.005Z","updatedAt":"2026-11-17T09:30:02.505Z",' +
        '"failureReason":null,"receipt":"RECEIPT-1","providerReference":"RAIL-1"},' +
        '"merchantCustomer":{"name":"Abebe","email":"abebe@example.com",' +
        '"phone":"911223344","isPhoneUpdatable":false},' +
        '"paymentMethodTypes":["TELE_BIRR","M_PESA"],"event":"PAYMENT_SUCCESS",' +
        '"status":"SUCCESS","previousStatus":"PROCESSING","sequence":3,"late":false,' +
        '"reason":null,"metadata":{"order":"ሀ-7","cart.id":"\\"9\\""},' +
        '"paidAt":"2026-11-17T09:30:02.505Z","merchantId":"mer_1","environment":"sandbox",' +
        '"receiptUrl":"https://pay.example.com/receipt/k1.token"}',
    );
  });

  test('date the attempt by its own last change, not by one of a refund', () => {
    const refunded: Intent = { ...full, updatedAtMs: createdAtMs + 86_400_000 };
    expect(JSON.parse(eventBody(refunded, 'payment_succeeded'))).toMatchObject({
      lastUpdateDate: '2026-11-18T09:30:00.005Z',
      transaction: { updatedAt: '2026-11-17T09:30:02.505Z' },
    });
  });

  test('of a refund end with the merchant and the environment, after the refund', () => {
    const refunded = accepted(paidTwice(), [requestRefund('refund-1')], 1_000);
    const body = JSON.parse(eventBody(refunded, 'refund_succeeded', refunded.refunds[0]));
    expect(Object.entries(body).slice(-5)).toEqual([
      ['refund', expect.objectContaining({ refundUniqueId: 'refund-1' })],
      ['paidAt', expect.any(String)],
      ['merchantId', 'mer_1'],
      ['environment', 'sandbox'],
      ['receiptUrl', expect.stringContaining(RECEIPT_PATH)],
    ]);
  });

  test('of a refund that ends after the receipt name none', () => {
    const refunded = accepted(paidTwice(), [requestRefund('refund-1')], 1_000);
    const later = { ...refunded, updatedAtMs: refunded.updatedAtMs + RECEIPT_LIFETIME_MS };
    const body = JSON.parse(eventBody(later, 'refund_succeeded', refunded.refunds[0]));
    expect(body.receiptUrl).toBeNull();
  });

  test('of a failure contain its reason, and of a late success the lateness', () => {
    const failed: Intent = { ...minimal, status: 'failed', failureReason: 'abandoned' };
    expect(JSON.parse(eventBody(failed, 'payment_failed'))).toMatchObject({
      event: 'PAYMENT_FAILED',
      status: 'FAILED',
      reason: 'abandoned',
    });
    expect(JSON.parse(eventBody({ ...full, late: true }, 'payment_succeeded')).late).toBe(true);
  });

  test.each([
    ['of M-PESA, with the phone of the attempt', 'ws_CO_1711202612300091122334400', '251911223344'],
    ["with the customer's phone as given", 'ORDER-911223344', null],
  ])('leave out a reference %s', (_name, railReference, phone) => {
    const paid: Intent = { ...full, attempts: [{ ...attempt, railReference, phone }] };
    expect(JSON.parse(eventBody(paid, 'payment_succeeded')).transaction).toMatchObject({
      receipt: 'RECEIPT-1',
      providerReference: null,
    });
  });

  test('survive text that is not valid UTF-16', () => {
    const odd: Intent = { ...minimal, terms: { ...minimalTerms, uniqueId: 'a\ud800b' } };
    const body = eventBody(odd, 'payment_failed');
    expect(new TextDecoder().decode(new TextEncoder().encode(body))).toBe(body);
  });

  test('has the fields of docs/reference.md, in their order', () => {
    const inStatus = documentedFields('### Payment');
    // The route adds the addresses, which take a signature.
    expect([...Object.keys(statusContent(full)), 'checkoutUrl', 'receiptUrl']).toEqual(inStatus);
    const inEvents = inStatus
      .filter((field) => !IN_STATUS_ONLY.includes(field))
      .flatMap((field) => (field === 'paymentMethodTypes' ? [field, 'event'] : [field]));
    expect(Object.keys(JSON.parse(eventBody(full, 'payment_succeeded')))).toEqual(inEvents);
    const ofRefundsOnly = ['refundedAmount', 'refund'];
    expect(documentedFields('### EventBody').sort()).toEqual(
      [...inEvents, ...ofRefundsOnly].sort(),
    );
  });

  test('names events and their statuses', () => {
    expect(WIRE_EVENTS).toEqual({
      payment_succeeded: { event: 'PAYMENT_SUCCESS', status: 'SUCCESS' },
      payment_failed: { event: 'PAYMENT_FAILED', status: 'FAILED' },
      payment_expired: { event: 'PAYMENT_EXPIRED', status: 'EXPIRED' },
      refund_requires_action: {
        event: 'REFUND_REQUIRES_ACTION',
        status: 'REFUND_REQUIRES_ACTION',
      },
      refund_succeeded: { event: 'REFUND_SUCCESS', status: 'REFUNDED' },
      refund_failed: { event: 'REFUND_FAILED', status: 'REFUND_FAILED' },
    });
  });
});

describe('the status call (decisions.md#17, #31)', () => {
  test('shows the same without the event, and the anomalies last', () => {
    expect(JSON.stringify(statusContent(minimal))).toBe(
      `{${minimalTermsText},"status":"OPEN","previousStatus":null,"sequence":1,"late":false,` +
        '"reason":null,"metadata":{},"description":"A bag of coffee","debitAccount":"1000555",' +
        '"phoneNumber":null,"anomalies":[],"refundedAmount":0,"refunds":[],"netShareAmounts":[],"expiryHeldUntil":null,' +
        '"paidAt":null,"merchantId":"mer_1","environment":"production"}',
    );
    const event = JSON.parse(eventBody(full, 'payment_succeeded'));
    expect(event.paidAt).toBe('2026-11-17T09:30:02.505Z');
    delete event.event;
    expect(JSON.stringify(paymentPayload(full))).toBe(JSON.stringify(event));
  });

  test("names the transaction of an anomaly by the merchant's reference", () => {
    const twice: Intent = {
      ...full,
      attempts: [{ ...attempt, id: 'first', reference: 'FIRST' }, attempt],
      anomalies: [{ kind: 'duplicate_payment', attemptId: attempt.id, atMs: createdAtMs }],
    };
    expect(statusContent(twice).anomalies).toEqual([
      {
        type: 'duplicate_payment',
        transactionId: 'ABCDEFGHJK0123456789',
        refundUniqueId: null,
        excessMinor: null,
        reviewedAt: null,
        createdAt: '2026-11-17T09:30:00.005Z',
        receipt: null,
      },
    ]);
  });

  test.each<[IntentStatus, string]>([
    ['open', 'OPEN'],
    ['processing', 'PROCESSING'],
    ['succeeded', 'SUCCESS'],
    ['failed', 'FAILED'],
    ['expired', 'EXPIRED'],
    ['canceled', 'CANCELED'],
  ])('calls %s %s, also as the previous status', (status, word) => {
    const payload = paymentPayload({ ...minimal, status, previousStatus: status });
    expect([payload.status, payload.previousStatus]).toEqual([word, word]);
  });

  test.each<[Attempt['status'], IntentStatus, string]>([
    ['processing', 'processing', 'PROCESSING'],
    ['unresolved', 'processing', 'PROCESSING'],
    ['unresolved', 'open', 'PROCESSING'],
    ['unresolved', 'expired', 'EXPIRED'],
    ['unresolved', 'failed', 'EXPIRED'],
    ['unresolved', 'canceled', 'EXPIRED'],
    ['succeeded', 'succeeded', 'SUCCESS'],
    ['failed', 'open', 'FAILED'],
    ['expired', 'expired', 'EXPIRED'],
  ])('an attempt %s of an intent %s is %s', (attemptStatus, status, word) => {
    const attempts = [{ ...attempt, status: attemptStatus }];
    const payload = paymentPayload({ ...minimal, status, attempts });
    expect(payload.transaction?.transactionStatus).toBe(word);
  });

  test('reports the paid attempt, not a later one', () => {
    const later: Attempt = { ...attempt, id: 'later', method: 'TELE_BIRR', status: 'failed' };
    const payload = paymentPayload({
      ...full,
      paidAttemptId: attempt.id,
      attempts: [attempt, later],
    });
    expect(payload.transaction?.id).toBe(attempt.id);
    expect(payload.commission).toBe(200);
  });

  test('contains no phone of an attempt and no rail URL (promises.md#10)', () => {
    const railReference = 'ws_CO_1711202612300091122334400';
    const text = JSON.stringify(
      statusContent({ ...full, attempts: [{ ...attempt, railReference }] }),
    );
    expect(text).not.toMatch(/251911223344|ws_CO|rail\.example\.com/);
  });

  test("masks the phone of an express payment, and shows none of a hosted one's customer", () => {
    const express: Intent = { ...full, terms: { ...full.terms, kind: 'express' } };
    expect(statusContent(express).phoneNumber).toBe('251*****3344');
    expect(statusContent(full).phoneNumber).toBeNull();
    expect(eventBody(express, 'payment_succeeded')).not.toContain('phoneNumber');
  });
});

describe('commission and charged amount (decisions.md#15, #17)', () => {
  const withMethods = (commissions: readonly number[], commissionPaidByCustomer: boolean) => {
    const methods = commissions.map((commissionMinor, index) => ({
      method: METHODS[index] ?? 'E_BIRR',
      commissionMinor,
    }));
    return paymentPayload({
      ...minimal,
      terms: { ...minimalTerms, methods, commissionPaidByCustomer },
    });
  };

  test.each([
    ['the only method', [150], true, 150, 10_150],
    ['methods that cost the same', [150, 150, 150], true, 150, 10_150],
    ['methods that differ: nothing is certain yet', [150, 200], true, 0, 10_000],
    ['a merchant who pays it', [150], false, 150, 10_000],
  ])('before an attempt, of %s', (_name, commissions, byCustomer, commission, charged) => {
    const payload = withMethods(commissions, byCustomer);
    expect([payload.commission, payload.chargedAmount]).toEqual([commission, charged]);
  });

  test('of a merchant who pays it, after the attempt', () => {
    const payload = paymentPayload({
      ...full,
      terms: { ...full.terms, commissionPaidByCustomer: false },
    });
    expect([payload.totalAmount, payload.commission, payload.chargedAmount]).toEqual([
      10_000, 200, 10_000,
    ]);
  });

  test('percentages keep their hundredths exactly', () => {
    for (let hundredths = 1; hundredths <= 10_000; hundredths += 1) {
      const split = { bank: 'CBE', creditAccount: '1', type: 'percentage', shareMinor: 0 } as const;
      const terms = { ...minimalTerms, splits: [{ ...split, value: hundredths }] };
      const amount = paymentPayload({ ...minimal, terms }).checkoutBeneficiaries[0]?.amount;
      expect(String(amount)).toBe(String(Number(`${hundredths}e-2`)));
    }
  });
});
