import { describe, expect, test } from 'vitest';
import { judge, type PaymentFacts } from '../../../../src/control/provider-files/judge.ts';
import type { FileLine } from '../../../../src/control/provider-files/lines.ts';

const PAYMENT: PaymentFacts = {
  merchantId: 'abebe',
  uniqueId: 'order-1',
  status: 'succeeded',
  method: 'TELE_BIRR',
  currency: 'ETB',
  chargedMinor: 10_000,
  transactionId: 'T-1',
  paidAtMs: 0,
  returnedMinor: [],
};
const LINE: FileLine = {
  line: 2,
  type: 'payment',
  amountMinor: 10_000,
  feeMinor: null,
  netMinor: null,
  currency: 'ETB',
  atMs: 0,
  receipt: 'CK1',
  reference: null,
};
const CONTRACT = { basisPoints: 150, fixedMinor: 0 };

interface Case {
  readonly line?: Partial<FileLine>;
  readonly payment?: Partial<PaymentFacts>;
  readonly others?: readonly number[];
  readonly payments?: readonly PaymentFacts[];
  readonly fee?: typeof CONTRACT;
}

const refund = { type: 'refund', amountMinor: 4_000 } as const;

describe('a line', () => {
  test.each<[title: string, outcome: string, expectedMinor: number | null, of: Case]>([
    ['of a paid payment', 'matched', null, {}],
    ['of no payment', 'not_ours', null, { payments: [] }],
    ['of two payments', 'double', null, { payments: [PAYMENT, PAYMENT] }],
    ['of an expired payment', 'not_paid', null, { payment: { status: 'expired' } }],
    ['beside another line', 'double', null, { others: [10_000] }],
    ['of another method', 'double', null, { payment: { method: 'M_PESA' } }],
    ['with another amount', 'amount_differs', 10_000, { line: { amountMinor: 9_999 } }],
    ['in another currency', 'amount_differs', 10_000, { line: { currency: 'USD' } }],
    ['with the fee of the contract', 'matched', null, { line: { feeMinor: 150 }, fee: CONTRACT }],
    ['with another fee', 'fee_differs', 150, { line: { feeMinor: 151 }, fee: CONTRACT }],
    ['with a net of the contract', 'matched', null, { line: { netMinor: 9_850 }, fee: CONTRACT }],
    ['with another net', 'fee_differs', 150, { line: { netMinor: 9_800 }, fee: CONTRACT }],
    ['with a net beside its fee', 'fee_differs', 100, { line: { feeMinor: 100, netMinor: 9_850 } }],
    ['with a net without a contract', 'matched', null, { line: { netMinor: 9_850 } }],
    ['with a fee without a contract', 'matched', null, { line: { feeMinor: 5 } }],
    ['of a refund', 'refund', null, { line: refund, payment: { returnedMinor: [1, 4_000] } }],
    ['of no refund', 'refund_differs', 0, { line: refund }],
    [
      'of a refund of another amount',
      'refund_differs',
      1,
      { line: refund, payment: { returnedMinor: [1] } },
    ],
    [
      'of a refund again',
      'double',
      null,
      { line: refund, payment: { returnedMinor: [4_000] }, others: [4_000] },
    ],
    [
      'of a second refund',
      'refund',
      null,
      { line: refund, payment: { returnedMinor: [4_000, 4_000] }, others: [4_000] },
    ],
  ])('%s is %s', (_, outcome, expectedMinor, of) => {
    const { line, payment, others = [], payments = [{ ...PAYMENT, ...payment }], fee = null } = of;
    const known = { method: 'TELE_BIRR', payments, othersOf: () => others, fee } as const;
    expect(judge({ ...LINE, ...line }, known)).toMatchObject({ outcome, expectedMinor });
  });
});
