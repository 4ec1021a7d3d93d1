import { expect, test } from 'vitest';
import { PAYMENT_MODEL } from '../../lab/linearize/model.ts';
import type {
  Answer,
  Call,
  Operation,
  PaymentView,
  RefundView,
} from '../../lab/linearize/operations.ts';
import { contradictionText } from '../../lab/linearize/run.ts';
import { linearize } from '../../lab/linearize/search.ts';

/** The checker of `npm run lab -- linearize`, on histories made by hand: it must find what is wrong. */

type Step = readonly [from: number, to: number, operation: Operation, answer: Answer | null];

function verdictOf(steps: readonly Step[]): string {
  const history = steps.map(
    ([invokedAt, answeredAt, operation, answer], client): Call => ({
      client,
      operation,
      invokedAt,
      answeredAt,
      answer,
    }),
  );
  return linearize(PAYMENT_MODEL, history).type;
}

const CREATE = {
  type: 'create',
  kind: 'hosted',
  amountMinor: 400_00,
  idempotencyKey: 'key',
} as const;
const OTHER_CREATE = { ...CREATE, amountMinor: 300_00, idempotencyKey: null } as const;
const READ = { type: 'read' } as const;
const CANCEL = { type: 'cancel' } as const;

const DUPLICATE = problem(409, 'duplicate_payment_id');
const NOT_FOUND = problem(404, 'payment_not_found');

function problem(status: number, code: string): Answer {
  return { type: 'problem', status, code };
}

function created(body: string, isReplay = false): Answer {
  return { type: 'created', body, isReplay };
}

const OPEN: PaymentView = {
  totalAmount: 400_00,
  status: 'OPEN',
  previousStatus: null,
  sequence: 1,
  reason: null,
  late: false,
  transaction: null,
  anomalies: [],
  refundedAmount: 0,
  refunds: [],
};
const TRANSACTION = {
  id: 'attempt',
  transactionId: 'REFERENCE',
  transactionStatus: 'SUCCESS',
} as const;
const PAID: PaymentView = {
  ...OPEN,
  status: 'SUCCESS',
  previousStatus: 'PROCESSING',
  sequence: 3,
  transaction: TRANSACTION,
};

function shows(payment: PaymentView): Answer {
  return { type: 'payment', payment };
}

const CANCELED: PaymentView = {
  ...OPEN,
  status: 'CANCELED',
  previousStatus: 'OPEN',
  sequence: 2,
};

/** A payment that the simulator has paid, by the time 5. */
const PAID_STEPS: readonly Step[] = [
  [0, 1, { ...CREATE, kind: 'express_succeeds' }, created('answer')],
  [2, 5, READ, shows(PAID)],
];

function refund(refundId: string, amountMinor: number | null): Operation {
  return { type: 'request_refund', refundId, amountMinor };
}

function refundShown(
  refundUniqueId: string,
  status: RefundView['status'],
  amountMinor: number,
): Answer {
  return { type: 'refund', refund: { refundUniqueId, status, amountMinor } };
}

const LINEARIZABLE: Readonly<Record<string, readonly Step[]>> = {
  'of two creates at the same time, either one wins': [
    [0, 3, CREATE, DUPLICATE],
    [1, 2, OTHER_CREATE, created('page')],
    [4, 5, READ, shows({ ...OPEN, totalAmount: 300_00 })],
  ],
  'a status call during a create finds it or not': [
    [0, 5, CREATE, created('page')],
    [1, 2, READ, NOT_FOUND],
    [3, 4, READ, shows(OPEN)],
  ],
  'a create without an answer happened later': [
    [0, Number.POSITIVE_INFINITY, CREATE, null],
    [1, 2, READ, NOT_FOUND],
    [3, 4, READ, shows(OPEN)],
    [5, 6, CREATE, created('page', true)],
  ],
  'a create without an answer never happened': [
    [0, Infinity, CREATE, null],
    [1, 2, READ, NOT_FOUND],
  ],
  'a refund that has begun cannot be canceled, and what it holds is not refunded again': [
    ...PAID_STEPS,
    [6, 8, refund('a', 300_00), refundShown('a', 'PENDING', 300_00)],
    [7, 9, refund('b', null), refundShown('b', 'PENDING', 100_00)],
    [10, 11, { type: 'cancel_refund', refundId: 'a' }, problem(409, 'refund_not_cancelable')],
    [12, 13, refund('c', 1_00), problem(409, 'refund_too_large')],
  ],
};

const CONTRADICTIONS: Readonly<Record<string, readonly Step[]>> = {
  'two creates win': [
    [0, 2, CREATE, created('page')],
    [1, 3, OTHER_CREATE, created('page')],
  ],
  'no create wins': [
    [0, 2, CREATE, DUPLICATE],
    [1, 3, OTHER_CREATE, DUPLICATE],
  ],
  'a replay answers something else': [
    [0, 1, CREATE, created('page')],
    [2, 3, CREATE, created('another page', true)],
  ],
  'an acknowledged create is lost': [
    [0, 1, CREATE, created('page')],
    [2, 3, READ, NOT_FOUND],
  ],
  'the terms are those of the create that lost': [
    [0, 1, CREATE, created('page')],
    [2, 3, OTHER_CREATE, DUPLICATE],
    [4, 5, READ, shows({ ...OPEN, totalAmount: 300_00 })],
  ],
  'a read goes back in time': [
    [0, 1, CREATE, created('page')],
    [2, 9, CANCEL, shows(CANCELED)],
    [3, 4, READ, shows(CANCELED)],
    [5, 6, READ, shows(OPEN)],
  ],
  'the transaction changes its number': [
    ...PAID_STEPS,
    [6, 7, READ, shows(PAID)],
    [8, 9, READ, shows({ ...PAID, transaction: { ...TRANSACTION, transactionId: 'OTHER' } })],
  ],
  'two refunds return more than was paid': [
    ...PAID_STEPS,
    [6, 8, refund('a', 250_00), refundShown('a', 'PENDING', 250_00)],
    [7, 9, refund('b', 250_00), refundShown('b', 'PENDING', 250_00)],
  ],
  'all that is left is refused as too large although something is left': [
    ...PAID_STEPS,
    [6, 9, refund('a', null), problem(409, 'refund_too_large')],
    [7, 8, refund('b', 100_00), refundShown('b', 'PENDING', 100_00)],
  ],
  'a canceled refund is carried out': [
    ...PAID_STEPS,
    [6, 7, refund('a', 100_00), refundShown('a', 'PENDING', 100_00)],
    [8, 9, { type: 'cancel_refund', refundId: 'a' }, refundShown('a', 'CANCELED', 100_00)],
    [10, 11, { type: 'read_refund', refundId: 'a' }, refundShown('a', 'SUCCESS', 100_00)],
  ],
  'two refunds of one payment are with the provider at the same time': [
    ...PAID_STEPS,
    [6, 7, refund('a', 100_00), refundShown('a', 'PENDING', 100_00)],
    [8, 9, refund('b', 100_00), refundShown('b', 'PENDING', 100_00)],
    [
      10,
      11,
      READ,
      shows({
        ...PAID,
        sequence: 7,
        refunds: [
          { refundUniqueId: 'a', status: 'PROCESSING', amountMinor: 100_00 },
          { refundUniqueId: 'b', status: 'PROCESSING', amountMinor: 100_00 },
        ],
      }),
    ],
  ],
};

test.each(Object.entries(LINEARIZABLE))('is linearizable: %s', (_name, steps) => {
  expect(verdictOf(steps)).toBe('linearizable');
});

test.each(Object.entries(CONTRADICTIONS))('is not linearizable: %s', (_name, steps) => {
  expect(verdictOf(steps)).toBe('contradiction');
});

test('a contradiction is printed with what explains it and what does not', () => {
  const history: Call[] = [
    { client: 0, operation: CREATE, invokedAt: 0, answeredAt: 1, answer: created('page') },
    { client: 1, operation: READ, invokedAt: 2, answeredAt: 3, answer: NOT_FOUND },
  ];
  const result = linearize(PAYMENT_MODEL, history);
  expect(result).toEqual({ type: 'contradiction', order: [0] });
  const text = result.type === 'contradiction' && contradictionText('payment 7', history, result);
  expect(text).toMatch(
    /^payment 7: [\s\S]*Explained[\s\S]*"create"[\s\S]*Not explained:[\s\S]*"read"[^\n]*404/,
  );
});
