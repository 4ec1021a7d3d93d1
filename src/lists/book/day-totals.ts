import { commissionBackMinor, netShareMinor, sumOf } from '../../engine/domain/refund-amounts.ts';
import type { AttemptCount, ProjectionMessage } from '../../engine/intent/book-message.ts';
import { businessDay } from '../../kit/ethiopian-time.ts';

/** The totals by day. Each total is a sum over rows, so a changed row moves its part. */

/** The summed columns of each table, behind those of its key. */
const AMOUNTS = {
  payment_day: [
    'payments',
    'amount_minor',
    'commission_minor',
    'borne_commission_minor',
    'refunded_minor',
    'returned_commission_minor',
  ],
  failure_day: ['payments'],
  attempt_day: ['ended', 'succeeded'],
  share_day: ['share_minor'],
} as const;

interface Part {
  readonly table: keyof typeof AMOUNTS;
  readonly key: readonly [day: number, ...texts: string[]];
  readonly amounts: readonly number[];
}

interface CountedPayment {
  readonly status: string;
  readonly failure_reason: string | null;
  readonly method: string | null;
  readonly currency: string;
  readonly amount_minor: number;
  readonly commission_minor: number;
  readonly commission_paid_by_customer: number;
  readonly ended_at_ms: number | null;
  readonly paid_at_ms: number | null;
  readonly attempts: string;
  readonly shares: string | null;
}

/** The parts of a payment's row; none before the payment has ended. */
export function partsOfPayment(row: CountedPayment | null): readonly Part[] {
  if (row === null || row.ended_at_ms === null) {
    return [];
  }
  const { method, currency, status, failure_reason: reason } = row;
  const day = businessDay(row.paid_at_ms ?? row.ended_at_ms);
  const attempts: readonly AttemptCount[] = JSON.parse(row.attempts);
  const borneMinor = row.commission_paid_by_customer === 1 ? 0 : row.commission_minor;
  return [
    {
      table: 'payment_day',
      key: [day, method ?? '', currency, status],
      amounts: [1, row.amount_minor, row.commission_minor, borneMinor, 0, 0],
    },
    ...(reason === null
      ? []
      : [{ table: 'failure_day', key: [day, method ?? '', reason], amounts: [1] } as const]),
    ...attempts.map(
      ({ method: own, ended, succeeded }) =>
        ({
          table: 'attempt_day',
          key: [day, own, currency],
          amounts: [ended, succeeded],
        }) as const,
    ),
    ...beneficiariesIn(row.shares).flatMap(([beneficiary, days]) =>
      days.map(
        ([own, shareMinor]) =>
          ({
            table: 'share_day',
            key: [own, currency, beneficiary],
            amounts: [shareMinor],
          }) as const,
      ),
    ),
  ];
}

/** A beneficiary of a payment, and how much each day adds to what it gets. */
type BeneficiaryDays = readonly [beneficiary: string, days: [day: number, shareMinor: number][]];

function beneficiariesIn(shares: string | null): readonly BeneficiaryDays[] {
  return shares === null ? [] : JSON.parse(shares);
}

/**
 * What each beneficiary of a paid payment gets, as `BeneficiaryDays` in JSON: the share on the day of
 * the payment, and on the day of each refund what it took. So the days add up to the net share
 * (docs/decisions.md#39). Null for none.
 */
export function sharesOf({
  row,
  refunds,
  paidAtMs,
  shares = [],
}: ProjectionMessage): string | null {
  if (paidAtMs === null || shares.length === 0) {
    return null;
  }
  const netMinor = row.amountMinor - (row.commissionPaidByCustomer ? 0 : row.commissionMinor);
  const returned = refunds
    .filter(
      ({ status, transactionId }) => status === 'succeeded' && transactionId === row.transactionId,
    )
    .sort((one, other) => one.updatedAtMs - other.updatedAtMs);
  const beneficiaries = shares.map(({ beneficiary, shareMinor }): BeneficiaryDays => {
    let beforeMinor = 0;
    const days = [paidAtMs, ...returned.map(({ updatedAtMs }) => updatedAtMs)].map(
      (atMs, refundsBefore): [number, number] => {
        const refunded = sumOf(returned.slice(0, refundsBefore));
        const netShare = netShareMinor(shareMinor, netMinor, refunded);
        const change = netShare - beforeMinor;
        beforeMinor = netShare;
        return [businessDay(atMs), change];
      },
    );
    return [beneficiary, days];
  });
  return JSON.stringify(beneficiaries);
}

interface CountedRefund {
  readonly status: string;
  readonly method: string;
  readonly currency: string;
  readonly amount_minor: number;
  readonly commission_returned_minor: number;
  readonly returned_minor: number;
  readonly transaction_id: string;
  readonly updated_at_ms: number;
}

/**
 * The part of a refund's row. Totals have only the money of the attempt that paid, so a refund of a
 * second attempt has no part.
 */
export function partsOfRefund(
  row: CountedRefund | null,
  paidTransactionId: string | null,
): readonly Part[] {
  if (row === null || row.status !== 'succeeded' || row.transaction_id !== paidTransactionId) {
    return [];
  }
  const backMinor = commissionBackMinor({
    amountMinor: row.amount_minor,
    commissionReturnedMinor: row.commission_returned_minor,
    returnedMinor: row.returned_minor,
  });
  return [
    {
      table: 'payment_day',
      key: [businessDay(row.updated_at_ms), row.method, row.currency, 'succeeded'],
      amounts: [0, 0, 0, 0, row.amount_minor, backMinor],
    },
  ];
}

/** Moves totals from the parts before a change to those after it. Writes only totals that change. */
export function moveTotals(sql: SqlStorage, before: readonly Part[], after: readonly Part[]): void {
  const changes = new Map<string, Part>();
  const add = ({ table, key, amounts }: Part, sign: 1 | -1) => {
    const name = JSON.stringify([table, key]);
    const known = changes.get(name)?.amounts;
    const sums = amounts.map((amount, index) => (known?.[index] ?? 0) + sign * amount);
    changes.set(name, { table, key, amounts: sums });
  };
  for (const part of before) {
    add(part, -1);
  }
  for (const part of after) {
    add(part, 1);
  }
  for (const { table, key, amounts } of changes.values()) {
    if (amounts.some((amount) => amount !== 0)) {
      const values = [...key, ...amounts];
      const sums = AMOUNTS[table].map((name) => `${name} = ${name} + excluded.${name}`);
      sql.exec(
        `INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})
          ON CONFLICT DO UPDATE SET ${sums.join(', ')}`,
        ...values,
      );
    }
  }
}
