import { METHODS } from '../../src/domain/method.ts';
import { statusContent } from '../../src/webhooks/payload.ts';
import { amountsOf, commissionOf } from './books.ts';
import type { World } from './history.ts';
import type { Plan } from './plan.ts';
import type { Ended, Expect } from './verdict.ts';

/** The amounts in the read model's rows, its totals and its claims, against the books. */
export function checkRows(expect: Expect, world: World, plan: Plan, ended: readonly Ended[]): void {
  const totals = new Totals();
  for (const one of ended) {
    checkPaymentRow(expect, world, plan, one, totals);
  }
  const days = world.database.sql.all(
    `SELECT merchant_id, environment, method, status, sum(payments) AS payments,
       sum(amount_minor) AS amount_minor, sum(commission_minor) AS commission_minor,
       sum(refunded_minor) AS refunded_minor
     FROM payment_day GROUP BY 1, 2, 3, 4 HAVING sum(payments) > 0`,
    [],
  );
  const shown = days.map((row) => Object.values(row).join(' ')).sort();
  const wanted = totals.lines();
  expect(
    shown.join('; ') === wanted.join('; '),
    '7 amounts',
    () => `the totals are ${shown.join('; ')}, and must be ${wanted.join('; ')}`,
  );
  checkClaims(expect, world);
}

function checkPaymentRow(
  expect: Expect,
  world: World,
  plan: Plan,
  { payment, intent }: Ended,
  totals: Totals,
): void {
  const { sql } = world.database;
  const { environment, merchantId } = payment.merchant;
  const shown = statusContent(intent);
  const amounts = amountsOf(world, plan, payment);
  const [row] = sql.all(
    `SELECT method, status, amount_minor, commission_minor, commission_paid_by_customer, currency,
       refunded_minor FROM payment WHERE merchant_id = ? AND environment = ? AND unique_id = ?`,
    [merchantId, environment, payment.uniqueId],
  );
  const { method: shownMethod = null, status, amount_minor: shownMinor } = row ?? {};
  const method = METHODS.find((one) => one === shownMethod) ?? null;
  const amountMinor = amounts.find((amount) => amount === shownMinor) ?? amounts[0];
  const commissionMinor = method === null ? 0 : commissionOf(amountMinor ?? 0, method);
  const returned = shown.refunds.filter(
    ({ status, transactionId }) =>
      status === 'SUCCESS' &&
      shown.status === 'SUCCESS' &&
      transactionId === shown.transaction?.transactionId,
  );
  const wanted = {
    amount_minor: amountMinor,
    commission_minor: commissionMinor,
    commission_paid_by_customer: Number(payment.commissionPaidByCustomer),
    currency: 'ETB',
    refunded_minor: returned.reduce((sum, refund) => sum + refund.amountMinor, 0),
  };
  compare(expect, `the row of ${payment.uniqueId}`, row, wanted);
  totals.add(
    [merchantId, environment, method ?? '', String(status)],
    [amountMinor ?? 0, commissionMinor, wanted.refunded_minor],
  );
  for (const refund of shown.refunds) {
    const [stored] = sql.all(
      `SELECT amount_minor, commission_returned_minor, returned_minor, currency FROM refunds
       WHERE merchant_id = ? AND environment = ? AND refund_unique_id = ?`,
      [merchantId, environment, refund.refundUniqueId],
    );
    compare(expect, `the row of ${refund.refundUniqueId}`, stored, {
      amount_minor: refund.amountMinor,
      commission_returned_minor: refund.commissionReturnedMinor,
      returned_minor: refund.returnedMinor,
      currency: 'ETB',
    });
  }
}

/** A claim of a refund that was refused no longer counts in the merchant's day. */
function checkClaims(expect: Expect, { database, journal }: World): void {
  const claims = database.sql.all(
    `SELECT merchant_id, environment, refund_unique_id FROM refunds
     WHERE status = 'claimed' AND requests = 1`,
    [],
  );
  for (const claim of claims) {
    const name = Object.values(claim).join('/');
    const isExcused = journal.refundsInDoubt.has(name) || journal.hasUnreleasedClaim;
    expect(isExcused, '11 refunds', () => `the claim of ${name} was not released`);
  }
}

function compare(
  expect: Expect,
  where: string,
  row: Readonly<Record<string, unknown>> | undefined,
  wanted: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(wanted)) {
    expect(
      row?.[name] === value,
      '7 amounts',
      () => `${name} of ${where} is ${String(row?.[name])}, and must be ${String(value)}`,
    );
  }
}

/** The totals of lists, by merchant, environment, method and status. */
class Totals {
  readonly #sums = new Map<string, number[]>();

  add(key: readonly string[], amounts: readonly number[]): void {
    const name = key.join(' ');
    const sums = this.#sums.get(name) ?? [0, ...amounts.map(() => 0)];
    this.#sums.set(
      name,
      [1, ...amounts].map((amount, index) => amount + (sums[index] ?? 0)),
    );
  }

  lines(): readonly string[] {
    return [...this.#sums].map(([name, sums]) => `${name} ${sums.join(' ')}`).sort();
  }
}
