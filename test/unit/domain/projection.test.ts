import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { openIntent } from '../../../src/engine/domain/decide.ts';
import { ID_CHARACTERS_MAX } from '../../../src/engine/domain/identifiers.ts';
import { type Intent, paidAtMs } from '../../../src/engine/domain/intent.ts';
import { OPEN_PROJECTION_AGAIN_MS } from '../../../src/engine/domain/schedule.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import type { PaymentDetails, ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { newDelivery } from '../../../src/engine/intent/delivery.ts';
import {
  phonesOf,
  projectedRefunds,
  projectionRow,
} from '../../../src/engine/intent/projected-view.ts';
import {
  isShownAtOnce,
  needsConfirmation,
  projectionDiffers,
  searchedIds,
} from '../../../src/engine/intent/projection.ts';
import { paymentDetails, projectedEvents } from '../../../src/engine/intent/projection-message.ts';
import type { DeliveryTry } from '../../../src/engine/intent/protocol.ts';
import type { StoredDelivery } from '../../../src/engine/intent/store.ts';
import {
  abandon,
  accept,
  accepted,
  CANCEL,
  claimRefund,
  fail,
  refuseCallback,
  requestRefund,
  resolveRefund,
  someTerms,
  startAttempt,
  succeed,
} from '../../support/intents.ts';
import { at, play } from '../../support/story.ts';

/**
 * Goal: the book's view of a payment says what happened, and which changes its readers must
 * see at once. Method: run stories through the machine, and compare the view at their end. (The
 * simulation only compares the books with this view.)
 */

const after = (commands: readonly Command[], changes: Partial<IntentTerms> = {}): Intent =>
  accepted(openIntent(someTerms(changes)), commands, 1_000);

const startCbe = (id: string) => startAttempt(id, { method: 'CBE' });

const START = startAttempt('a');
const ABANDONED_THEN_IN_FLIGHT = [START, abandon('a'), startAttempt('b')];

test.each<[string, boolean, readonly Command[]]>([
  ['open', false, []],
  ['in flight', false, [START]],
  ['open, after a failed attempt', false, [START, fail('a')]],
  ['in flight, after an attempt without an outcome', true, ABANDONED_THEN_IN_FLIGHT],
  ['in flight, after a refused callback', true, [START, refuseCallback('a')]],
  ['paid', true, [START, succeed('a')]],
  ['canceled', true, [CANCEL]],
])('a payment that is %s is shown at once and for certain: %s', (_name, isShown, commands) => {
  const intent = after(commands);
  expect(isShownAtOnce(intent)).toBe(isShown);
  expect(needsConfirmation(intent, OPEN_PROJECTION_AGAIN_MS - 1)).toBe(isShown);
  expect(needsConfirmation(intent, OPEN_PROJECTION_AGAIN_MS)).toBe(true);
});

/** Returns a part of an attempt's amount. */
function requestPart(id: string, attemptId = 'b'): Command {
  return requestRefund(id, { attemptId, amountMinor: 1_000 });
}

const returnMoney = (refundId: string): readonly Command[] => [
  claimRefund(refundId),
  resolveRefund(refundId, { type: 'succeeded', railReference: 'BANK-9' }),
];

/** Two declined, then paid by CBE and once more by telebirr. */
const PAID_TWICE: readonly Command[] = [
  ...[startAttempt('x'), fail('x'), startAttempt('y'), fail('y')],
  ...[startAttempt('a'), abandon('a'), startCbe('b'), succeed('b'), succeed('a')],
];

test.each<[string, readonly Command[], Partial<ProjectionRow>]>([
  ['without an attempt', [], { method: null, commissionMinor: 0, attempts: [] }],
  [
    'in flight',
    [START],
    { method: 'TELE_BIRR', commissionMinor: 250, unresolvedAttempts: 0, attempts: [] },
  ],
  [
    'in flight by a method without commission',
    [startCbe('a')],
    { method: 'CBE', commissionMinor: 0 },
  ],
  [
    'in flight, after an attempt without an outcome',
    ABANDONED_THEN_IN_FLIGHT,
    {
      ...{ transactionId: 'REFB', unresolvedAttempts: 1, anomalies: 0, attempts: [] },
      // The customer may pay until the deadline, and the last query takes a moment.
      concernedAttempts: [
        {
          ...{ transactionId: 'REFA', method: 'TELE_BIRR' },
          ...{ chargedMinor: 10_000, unresolvedFromMs: 90_000 },
        },
      ],
    },
  ],
  [
    'paid twice',
    PAID_TWICE,
    {
      status: 'succeeded',
      method: 'CBE',
      transactionId: 'REFB',
      anomalies: 1,
      concernedAttempts: [
        expect.objectContaining({ transactionId: 'REFA', anomalies: ['duplicate_payment'] }),
      ],
      openRefunds: 0,
      attempts: [{ method: 'TELE_BIRR', ended: 3, succeeded: 1 }],
    },
  ],
  [
    'paid after two failures by two methods',
    [START, fail('a'), startCbe('b'), fail('b'), startAttempt('c'), succeed('c')],
    {
      method: 'TELE_BIRR',
      commissionMinor: 250,
      attempts: [
        { method: 'TELE_BIRR', ended: 1, succeeded: 0 },
        { method: 'CBE', ended: 1, succeeded: 0 },
      ],
    },
  ],
  [
    'partly returned',
    [
      ...[startCbe('b'), succeed('b'), requestPart('one'), ...returnMoney('one')],
      ...[requestPart('two'), requestPart('three')],
    ],
    { refundedMinor: 1_000, openRefunds: 2 },
  ],
])('the row of a payment %s', (_name, commands, row) => {
  expect(projectionRow(after(commands))).toMatchObject(row);
});

test('a payment is paid when Kefel learns of it, which may be a day after its attempt began', () => {
  const { intent } = play([at(1_000, START), at(29_000, succeed('a'))]);
  expect(paidAtMs(intent)).toBe(29_000);
  expect(paidAtMs(after([START]))).toBeNull();
});

test('a refund has the method and transactionId of the attempt that it returns', () => {
  const intent = after([...PAID_TWICE, requestPart('one'), requestPart('two', 'a')]);
  expect(projectedRefunds(intent)).toMatchObject([
    { id: 'one', method: 'CBE', transactionId: 'REFB' },
    { id: 'two', method: 'TELE_BIRR', transactionId: 'REFA' },
  ]);
});

const CUSTOMER = { name: null, email: null, phone: null, isPhoneUpdatable: null };

test.each<[string, readonly Command[], Partial<IntentTerms>, PaymentDetails | null]>([
  ['nothing is known', [], {}, null],
  ['nothing of the customer is known', [START], { customer: CUSTOMER }, null],
  [
    'the merchant gave them',
    [],
    {
      customer: { ...CUSTOMER, name: 'Abebe', email: 'a@example.com', phone: '911234567' },
      description: 'Books',
      metadata: { shelf: '7' },
    },
    {
      customerName: 'Abebe',
      customerEmail: 'a@example.com',
      phone: '251911234567',
      description: 'Books',
      metadata: { shelf: '7' },
    },
  ],
  [
    'the customer paid by another phone',
    [
      startAttempt('a', { phone: '251922345678' }),
      accept('a', { railReference: 'BANK-7' }),
      succeed('a'),
    ],
    { customer: { ...CUSTOMER, phone: '911234567' } },
    { phone: '251922345678', providerReference: 'BANK-7', receipt: 'RAIL-a' },
  ],
])('the details where %s', (_name, commands, terms, details) => {
  expect(paymentDetails(after(commands, terms))).toEqual(details);
});

test('finds each phone of the customer and the attempts once', () => {
  const phones = ['0911234567', null, 'no phone', '251922345678', '922345678'];
  const commands = phones.flatMap((phone, index) => [
    startAttempt(`${index}`, { phone }),
    fail(`${index}`),
  ]);
  const intent = after(commands, { customer: { ...CUSTOMER, phone: '911234567' } });
  expect(phonesOf(intent)).toEqual(['251911234567', '251922345678']);
  expect(phonesOf(after([START]))).toEqual([]);
});

test('finds a payment by the ids of its refunds', () => {
  const commands = [startCbe('b'), succeed('b'), requestPart('refund'), ...returnMoney('refund')];
  expect(searchedIds(after(commands))).toEqual(
    expect.arrayContaining(['refund', 'REFUND', 'BANK-9']),
  );
});

test.each([
  ['x', ID_CHARACTERS_MAX, true],
  ['x', ID_CHARACTERS_MAX + 1, false],
  ['😀', ID_CHARACTERS_MAX, true],
  ['😀', ID_CHARACTERS_MAX + 1, false],
])('an id of %s, %i times, finds its payment: %s', (character, characters, isFound) => {
  const paymentLinkUniqueId = character.repeat(characters);
  const ids = searchedIds(after([], { paymentLinkUniqueId }));
  expect(ids).toEqual(isFound ? [paymentLinkUniqueId] : []);
});

function tryAt(atMs: number, httpStatus: number): DeliveryTry {
  return { atMs, durationMs: atMs + 1, httpStatus, error: null, answerExcerpt: '' };
}

const DELIVERY: StoredDelivery = {
  ...newDelivery({ endpointId: null, origin: 'https://shop.example.com' }, 0),
  dueAtMs: 7,
};

test.each<[StoredDelivery['deliveryStatus'], object]>([
  ['queued', { deliveryStatus: 'queued', dueAtMs: null }],
  ['claimed', { deliveryStatus: 'queued', dueAtMs: null }],
  ['waiting', { deliveryStatus: 'waiting', dueAtMs: 7 }],
  ['paused', { deliveryStatus: 'paused', dueAtMs: null }],
  ['delivered', { deliveryStatus: 'delivered', dueAtMs: null }],
])('a delivery that is %s is shown with its last try', (deliveryStatus, shown) => {
  const log = [tryAt(1, 500), tryAt(2, 503), tryAt(3, 200)];
  const [event] = projectedEvents([
    {
      ...{ sequence: 3, eventId: 'evt', type: 'payment_succeeded', refundId: null, body: '' },
      ...{ signature: null, createdAtMs: 0 },
      deliveries: [{ ...DELIVERY, deliveryStatus, log }],
    },
  ]);
  const last = { tries: 3, lastTryAtMs: 3, lastHttpStatus: 200, lastDurationMs: 4 };
  expect(event).toMatchObject({ ...shown, ...last });
});

test.each<[string, boolean, Partial<StoredDelivery>]>([
  ['a claim', false, { deliveryStatus: 'claimed', claimId: 'claim', dueAtMs: 9 }],
  ['a try', true, { log: [tryAt(1, 500)] }],
  ['the end', true, { deliveryStatus: 'delivered', dueAtMs: null }],
])('%s of a delivery changes what the book shows: %s', (_name, isShown, changes) => {
  expect(projectionDiffers(DELIVERY, { ...DELIVERY, ...changes })).toBe(isShown);
});
