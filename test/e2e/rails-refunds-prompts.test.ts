import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wireAmount } from '../../lab/harness/wire-amount.ts';
import type { Fault, RefundPlan } from '../../scripts/stand-ins/stand-in.ts';
import { operateOnceAccepted } from '../support/e2e-operator.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { expectNoMore } from '../support/e2e-rails-endings.ts';
import type { Cell } from '../support/e2e-rails-table.ts';
import { RefundedPayment } from '../support/e2e-refunds.ts';
import { newId } from '../support/e2e-scene.ts';

/**
 * Refunds by M-PESA and eBirr, which answer no query about them: a lost answer is followed by
 * M-PESA's report or by the operator. And refunds by rails that have none.
 */

vi.setConfig({ maxConcurrency: 16, testTimeout: 180_000 });

const rails = new RailsScene('rails-refunds-prompts', { hasRefunds: true });

beforeAll(() => rails.start());

afterAll(() => rails.close());

interface Row {
  readonly cell: Cell;
  /** In the call that asks for a refund. */
  readonly call: string;
  /** In the same call: the payment, by its own amount or reference. */
  readonly payment: (amountText: string, orderId: string) => string;
}

const MPESA: Row = {
  cell: { method: 'M_PESA', kind: 'hosted' },
  call: '"CommandID":"TransactionReversal"',
  payment: (amountText) => `"Amount":"${amountText}"`,
};

const EBIRR: Row = {
  cell: { method: 'E_BIRR', kind: 'express' },
  call: '"serviceName":"API_CANCELPURCHASE"',
  payment: (_amountText, orderId) => `"referenceId":"${orderId}"`,
};

const ROWS = [MPESA, EBIRR] as const;

/** A paid payment, from now on under this plan. */
async function paid({ cell }: Pick<Row, 'cell'>, refund: RefundPlan = {}) {
  const refunded = await RefundedPayment.paid(rails, cell);
  refunded.payment.plan({ refund });
  return refunded;
}

function whole({ payment }: RefundedPayment): string {
  return wireAmount(payment.standIn, payment.chargedMinor);
}

/** How often the gateway asked the rail for a refund of this payment. */
async function callsFor(refunded: RefundedPayment, row: Row): Promise<number> {
  const { payment } = refunded;
  const named = row.payment(whole(refunded), (await payment.order()).orderId);
  return payment.standIn.calls.filter(({ body }) => body.includes(row.call) && body.includes(named))
    .length;
}

/** Returned or reserved: another refund is refused. */
async function expectNothingLeft(refunded: RefundedPayment): Promise<void> {
  expect((await refunded.ask(newId())).body).toMatchObject({ code: 'refund_too_large' });
}

async function expectReturnedOnce(refunded: RefundedPayment, row: Row): Promise<void> {
  expect((await refunded.returned()).map(Number)).toEqual([Number(whole(refunded))]);
  expect(await callsFor(refunded, row)).toBe(1);
  await expectNoMore(refunded.payment);
}

/** Waits until the rail got the refund. */
function untilAtProvider(refunded: RefundedPayment): Promise<void> {
  return vi.waitFor(async () => expect(await refunded.atProvider()).toHaveLength(1), {
    timeout: 60_000,
  });
}

/** M-PESA reports the refund; returns its answers. */
async function report(refunded: RefundedPayment): Promise<void> {
  for (const refund of await refunded.atProvider()) {
    expectAccepted(refunded.payment, (await refund.report?.()) ?? null);
  }
}

/** Longer than the gateway needs to find that the caller of a refund has died. */
const UNRESOLVED_WITHIN_MS = 120_000;

/** The operator records what the provider's portal shows, once the refund is unresolved. */
async function record(
  { payment }: RefundedPayment,
  id: string,
  ...found: readonly string[]
): Promise<void> {
  const { gateway, merchant } = payment.scene;
  const name = ['production', merchant.id, payment.uniqueId, id];
  const note = ['--note', 'As in the portal'];
  await operateOnceAccepted(gateway.baseUrl, UNRESOLVED_WITHIN_MS, [
    'refund',
    'resolve',
    ...name,
    ...found,
    ...note,
  ]);
}

/** Without a query, the outcome comes from the rail's report or from the operator. */
async function endAsReturned(refunded: RefundedPayment, row: Row, id: string): Promise<void> {
  if (row === MPESA) {
    await report(refunded);
  } else {
    await record(refunded, id, '--returned', '--reference', 'RF1001');
  }
  await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
}

describe.concurrent('a refund', () => {
  it.each(ROWS)('$cell.method: returns the whole payment, once', async (row) => {
    const refunded = await paid(row);
    const { payment } = refunded;
    const id = newId();
    const key = { 'idempotency-key': newId() };
    await Promise.all([refunded.ask(id, key), refunded.ask(id, key)]);
    await refunded.expectTold(id, 'REFUND_SUCCESS', {
      status: 'SUCCESS',
      amountMinor: payment.amountMinor,
      returnedMinor: payment.chargedMinor,
    });
    expect((await refunded.ask(id, key)).headers.get('idempotent-replayed')).toBe('true');
    expect((await refunded.ask(id)).status).toBe(409);
    await expectNothingLeft(refunded);
    if (row === MPESA) {
      // A repeated report changes nothing.
      await report(refunded);
    }
    await expectReturnedOnce(refunded, row);
    expect(await payment.status()).toMatchObject({
      refundedAmount: payment.amountMinor,
      anomalies: [],
    });
  });

  it.each(ROWS)('$cell.method: has failed without funds, and another succeeds', async (row) => {
    const refunded = await paid(row, { refuses: 'lacks_funds' });
    const failed = { status: 'FAILED', failureReason: 'insufficient_funds' } as const;
    await refunded.expectTold(await refunded.asked(), 'REFUND_FAILED', failed);
    expect(await refunded.returned()).toEqual([]);

    refunded.payment.plan({});
    await refunded.expectTold(await refunded.asked(), 'REFUND_SUCCESS', { status: 'SUCCESS' });
    expect(await refunded.returned()).toHaveLength(1);
    await expectNoMore(refunded.payment);
  });

  it.each(ROWS)('$cell.method: waits for the operator where it is not enabled', async (row) => {
    const refunded = await paid(row, { refuses: 'not_enabled' });
    const id = await refunded.asked();
    const waiting = { status: 'REQUIRES_ACTION', actionReason: 'not_enabled' } as const;
    await refunded.expectTold(id, 'REFUND_REQUIRES_ACTION', { ...waiting, failureReason: null });
    await expectNothingLeft(refunded);
    await record(refunded, id, '--returned', '--reference', 'RF1001');
    await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
    expect(await refunded.returned()).toEqual([]);
    expect(await callsFor(refunded, row)).toBe(1);
  });

  it.each(ROWS)('$cell.method: of a part waits for the operator, without a call', async (row) => {
    const refunded = await paid(row);
    const answer = await refunded.ask(newId(), { amountMinor: 100 });
    expect(answer.body.content).toMatchObject({
      status: 'REQUIRES_ACTION',
      actionReason: 'part_not_supported',
    });
    expect(await callsFor(refunded, row)).toBe(0);
  });

  const LOST: readonly Fault[] = ['accepted_then_hang', 'accepted_then_reset', 'truncated'];
  const lost = ROWS.flatMap((row) => LOST.map((fault) => ({ row, fault, ...row.cell })));

  it.each(lost)('$method: is held after $fault, and then done', async ({ row, fault }) => {
    const refunded = await paid(row, { fault, report: 'never' });
    const id = await refunded.asked();
    await untilAtProvider(refunded);
    expect(await refunded.untilStatus(id, 'PROCESSING')).toMatchObject({ failureReason: null });
    await expectNothingLeft(refunded);
    await endAsReturned(refunded, row, id);
    await expectReturnedOnce(refunded, row);
  });

  it('M_PESA: counts when it is reported before the answer', async () => {
    const refunded = await paid(MPESA, { report: 'before_answer' });
    const id = await refunded.asked();
    await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
    await expectReturnedOnce(refunded, MPESA);
  });

  it('M_PESA: ignores reports that prove nothing', async () => {
    const refunded = await paid(MPESA, { report: 'never' });
    const id = await refunded.asked();
    await untilAtProvider(refunded);
    const [refund] = await refunded.atProvider();
    for (const variant of ['forged', 'wrong_amount', 'other_order', 'unreadable'] as const) {
      expect(await refund?.report?.(variant)).toMatchObject({ status: 400 });
    }
    expect(await refunded.status(id)).toMatchObject({ status: 'PROCESSING' });
    await endAsReturned(refunded, MPESA, id);
    await expectReturnedOnce(refunded, MPESA);
  });

  it.each(['CBE', 'TELE_BIRR_USSD', 'ETS_SWITCH'] as const)(
    '%s: waits for the operator, without a call',
    async (method) => {
      const refunded = await paid({ cell: { method, kind: 'express' } });
      const { payment } = refunded;
      const { length } = payment.standIn.calls;
      const id = newId();
      expect((await refunded.ask(id)).body.content).toMatchObject({
        status: 'REQUIRES_ACTION',
        actionReason: 'not_supported',
      });
      await refunded.expectTold(id, 'REFUND_REQUIRES_ACTION', { status: 'REQUIRES_ACTION' });
      await record(refunded, id, '--not-returned');
      const failed = { status: 'FAILED', failureReason: 'rejected_by_operator' } as const;
      await refunded.expectTold(id, 'REFUND_FAILED', failed);
      expect(payment.standIn.calls).toHaveLength(length);
      await expectNoMore(payment);
    },
  );
});

it('is asked for once, and none is lost, after SIGKILL during the calls: promises.md#11', async () => {
  const plan: RefundPlan = { fault: 'accepted_then_hang', report: 'never' };
  const refunds = await Promise.all(
    ROWS.map(async (row) => ({ row, refunded: await paid(row, plan) })),
  );
  const ids = await Promise.all(refunds.map(({ refunded }) => refunded.asked()));
  await Promise.all(refunds.map(({ refunded }) => untilAtProvider(refunded)));
  await rails.scene.gateway.kill();
  await rails.scene.gateway.restart();
  for (const [index, { row, refunded }] of refunds.entries()) {
    const id = ids[index] ?? '';
    expect(await refunded.untilStatus(id, 'PROCESSING')).toMatchObject({ failureReason: null });
    await endAsReturned(refunded, row, id);
    await expectReturnedOnce(refunded, row);
  }
}, 240_000);
