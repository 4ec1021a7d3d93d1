import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wireAmount } from '../../lab/harness/wire-amount.ts';
import type { RefundPlan } from '../../scripts/stand-ins/stand-in.ts';
import type { Method } from '../../src/domain/method.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectNoMore } from '../support/e2e-rails-endings.ts';
import type { Cell } from '../support/e2e-rails-table.ts';
import { RefundedPayment } from '../support/e2e-refunds.ts';
import { newId } from '../support/e2e-scene.ts';

/**
 * Refunds of production payments by the rails that have them: one row for each, against stand-ins
 * as strict as the rails. The customer of a hosted payment also gets the commission back.
 */

vi.setConfig({ maxConcurrency: 16 });

// `callTimeoutMs` determines how long a refund without an answer takes.
const rails = new RailsScene('rails-refunds', {
  ethswitch: 'cards',
  moreSettings: { TELE_BIRR: { callTimeoutMs: 2_000 } },
});

beforeAll(() => rails.start());

afterAll(() => rails.close());

interface Row {
  readonly cell: Cell;
  /** The end of the URL of the call that asks for a refund. */
  readonly call: string;
  /** How that call has its amount, by which a test recognizes its payment. */
  readonly amount: (amountText: string) => string;
}

const ROWS: readonly Row[] = [
  {
    cell: { method: 'TELE_BIRR', kind: 'hosted' },
    call: '/merchant/refund',
    amount: (amountText) => `"actual_amount":"${amountText}"`,
  },
  {
    cell: { method: 'ETS_SWITCH', kind: 'express' },
    call: '/refund.do',
    amount: (amountText) => `&amount=${amountText}&`,
  },
];

/** A paid payment, from now on under this plan. */
async function paid({ cell }: Row, refund: RefundPlan = {}): Promise<RefundedPayment> {
  const paidOne = await RefundedPayment.paid(rails, cell);
  paidOne.payment.plan({ refund });
  return paidOne;
}

function whole({ payment }: RefundedPayment): string {
  return wireAmount(payment.standIn, payment.chargedMinor);
}

/** Everything was returned, or is reserved. */
async function expectNothingLeft(refunded: RefundedPayment): Promise<void> {
  const { body } = await refunded.ask(newId());
  expect(body).toMatchObject({ status: 409, code: 'refund_too_large' });
}

/** How often the gateway asked the rail to return the whole payment. */
function callsFor(refunded: RefundedPayment, { call, amount }: Row): number {
  const { calls } = refunded.payment.standIn;
  const field = amount(whole(refunded));
  return calls.filter(({ url, body }) => url.endsWith(call) && body.includes(field)).length;
}

describe.concurrent('a refund', () => {
  it.each(ROWS)('$cell.method: returns the whole payment', async (row) => {
    const refunded = await paid(row);
    const { payment } = refunded;
    const id = await refunded.asked();
    await refunded.expectTold(id, 'REFUND_SUCCESS', {
      status: 'SUCCESS',
      amountMinor: payment.amountMinor,
      returnedMinor: payment.chargedMinor,
    });
    expect(await refunded.returned()).toEqual([whole(refunded)]);
    expect(callsFor(refunded, row)).toBe(1);
    expect(await payment.status()).toMatchObject({
      status: 'SUCCESS',
      refundedAmount: payment.amountMinor,
      anomalies: [],
    });
    await expectNothingLeft(refunded);
    await expectNoMore(payment);
  });

  it.each(ROWS)('$cell.method: returns parts, one after the other', async (row) => {
    const refunded = await paid(row);
    const { payment } = refunded;
    const ids = [await refunded.asked(4_000), await refunded.asked(2_000), await refunded.asked()];
    for (const id of ids) {
      await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
    }
    const returned = await refunded.returned();
    expect(returned).toHaveLength(3);
    const sum = returned.reduce((total, amountText) => total + Number(amountText), 0);
    expect(sum).toBeCloseTo(Number(whole(refunded)), 5);
    expect(await payment.status()).toMatchObject({ refundedAmount: payment.amountMinor });
    await expectNoMore(payment);
  });

  it.each(ROWS)('$cell.method: that is refused has failed, and another succeeds', async (row) => {
    const refunded = await paid(row, { refuses: 'declines' });
    const refused = await refunded.asked();
    const failed = { status: 'FAILED', failureReason: 'declined' } as const;
    await refunded.expectTold(refused, 'REFUND_FAILED', failed);
    expect(await refunded.returned()).toEqual([]);

    refunded.payment.plan({});
    const second = await refunded.asked();
    await refunded.expectTold(second, 'REFUND_SUCCESS', { status: 'SUCCESS' });
    expect(await refunded.returned()).toEqual([whole(refunded)]);
    await expectNoMore(refunded.payment);
  });

  it.each(ROWS)('$cell.method: waits for the operator where it is not enabled', async (row) => {
    const refunded = await paid(row, { refuses: 'not_enabled' });
    const id = await refunded.asked();
    const waiting = { status: 'REQUIRES_ACTION', actionReason: 'not_enabled' } as const;
    await refunded.expectTold(id, 'REFUND_REQUIRES_ACTION', { ...waiting, failureReason: null });
    // The amount is held.
    await expectNothingLeft(refunded);
    expect(await refunded.returned()).toEqual([]);
    expect(callsFor(refunded, row)).toBe(1);
    await expectNoMore(refunded.payment);
  });

  it.each(ROWS)('$cell.method: is found after a call without an answer', async (row) => {
    const refunded = await paid(row, { fault: 'accepted_then_hang' });
    const id = await refunded.asked();
    await refunded.untilStatus(id, 'PROCESSING');
    await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
    expect(await refunded.returned()).toEqual([whole(refunded)]);
    expect(callsFor(refunded, row)).toBe(1);
    await expectNoMore(refunded.payment);
  });

  it.each(ROWS)('$cell.method: asked for repeatedly is made once', async (row) => {
    const refunded = await paid(row);
    const id = newId();
    const key = { 'idempotency-key': newId() };
    const answers = await Promise.all([
      refunded.ask(id, key),
      refunded.ask(id, key),
      refunded.ask(id, key),
    ]);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });

    const replayed = await refunded.ask(id, key);
    expect(replayed.raw).toBe(accepted[0]?.raw);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    const { body } = await refunded.ask(id);
    expect(body).toMatchObject({ status: 409, code: 'duplicate_refund_id' });
    expect(await refunded.returned()).toEqual([whole(refunded)]);
    expect(callsFor(refunded, row)).toBe(1);
    await expectNoMore(refunded.payment);
  });
});

it('telebirr: a refund that telebirr carries out later succeeds when it has', async () => {
  const refunded = await paid(rowOf('TELE_BIRR'), { isSlow: true });
  const id = await refunded.asked();
  await refunded.untilStatus(id, 'PROCESSING');
  await vi.waitFor(async () => expect(await refunded.atProvider()).toHaveLength(1));
  (await refunded.atProvider())[0]?.end?.();
  await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
  expect(await refunded.returned()).toEqual([whole(refunded)]);
  await expectNoMore(refunded.payment);
});

it('is asked for once, and none is lost, after SIGKILL during the calls: promises.md#11', async () => {
  const done = await Promise.all(ROWS.map((row) => paid(row, { fault: 'accepted_then_hang' })));
  const lost = await Promise.all(ROWS.map((row) => paid(row, { fault: 'hang' })));
  const all = [...done, ...lost];
  const ids = await Promise.all(all.map((refunded) => refunded.asked()));
  const calls = () => all.map((refunded, index) => callsFor(refunded, rowAt(index)));
  await vi.waitFor(() => expect(calls()).toEqual(all.map(() => 1)), { timeout: 60_000 });
  await rails.scene.gateway.kill();
  await rails.scene.gateway.restart();
  for (const { payment } of all) {
    payment.plan({});
  }

  for (const [index, refunded] of done.entries()) {
    await refunded.expectTold(ids[index] ?? '', 'REFUND_SUCCESS', { status: 'SUCCESS' });
    expect(await refunded.returned()).toEqual([whole(refunded)]);
  }
  // The provider never got these, which no answer proves: they stay reserved for the operator.
  for (const [index, refunded] of lost.entries()) {
    const id = ids[done.length + index] ?? '';
    expect(await refunded.status(id)).toMatchObject({ status: 'PROCESSING' });
    await expectNothingLeft(refunded);
    expect(await refunded.returned()).toEqual([]);
  }
  expect(calls()).toEqual(all.map(() => 1));
}, 240_000);

function rowAt(index: number): Row {
  const row = ROWS[index % ROWS.length];
  if (row === undefined) {
    throw new Error('there are no rows');
  }
  return row;
}

function rowOf(method: Method): Row {
  return ROWS.find(({ cell }) => cell.method === method) ?? rowAt(0);
}
