import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wireAmount } from '../../lab/harness/wire-amount.ts';
import type { Fault, ReceivedCall, RefundPlan } from '../../scripts/stand-ins/stand-in.ts';
import { operateOnceAccepted } from '../support/e2e-operator.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { expectNoMore } from '../support/e2e-rails-endings.ts';
import type { Cell } from '../support/e2e-rails-table.ts';
import { RefundedPayment } from '../support/e2e-refunds.ts';
import { newId } from '../support/e2e-scene.ts';

/**
 * Refunds of production payments by each rail that has them, also through SIGKILL. telebirr and
 * EthSwitch's cards answer queries about refunds. M-PESA and eBirr do not: a lost answer is followed by
 * M-PESA's report or by the operator. The customer of a hosted payment also gets the commission back.
 * `test/support/rails/refund-contract.ts` has every answer.
 */

vi.setConfig({ maxConcurrency: 24, testTimeout: 180_000 });

const rails = new RailsScene('rails-refunds', { ethswitch: 'cards', hasRefunds: true });

beforeAll(async () => {
  await rails.start();
  // Gets M-PESA's token, which takes too long when all payments start at once on a busy machine.
  await paid(MPESA);
});

afterAll(() => rails.close());

interface Row {
  readonly cell: Cell;
  /** Whether a call asks for a refund of the whole payment, told by its amount or its reference. */
  readonly isCall: (call: ReceivedCall, amountText: string, orderId: string) => boolean;
  /** The provider returns parts, and answers queries about what it has returned. */
  readonly isQueried?: true;
}

const TELEBIRR: Row = {
  cell: { method: 'TELE_BIRR', kind: 'hosted' },
  isCall: ({ url, body }, amountText) =>
    url.endsWith('/merchant/refund') && body.includes(`"actual_amount":"${amountText}"`),
  isQueried: true,
};

const CARDS: Row = {
  cell: { method: 'ETS_SWITCH', kind: 'express' },
  isCall: ({ url, body }, amountText) =>
    url.endsWith('/refund.do') && body.includes(`&amount=${amountText}&`),
  isQueried: true,
};

const MPESA: Row = {
  cell: { method: 'M_PESA', kind: 'hosted' },
  isCall: ({ body }, amountText) =>
    body.includes('"CommandID":"TransactionReversal"') && body.includes(`"Amount":"${amountText}"`),
};

const EBIRR: Row = {
  cell: { method: 'E_BIRR', kind: 'express' },
  isCall: ({ body }, _amountText, orderId) =>
    body.includes('"serviceName":"API_CANCELPURCHASE"') &&
    body.includes(`"referenceId":"${orderId}"`),
};

const QUERIED = [TELEBIRR, CARDS];
const ROWS = [...QUERIED, MPESA, EBIRR];

/** A paid payment, from now on under this plan. */
async function paid({ cell }: Pick<Row, 'cell'>, refund: RefundPlan = {}) {
  const refunded = await RefundedPayment.paid(rails, cell);
  refunded.payment.plan({ refund });
  return refunded;
}

function whole({ payment }: RefundedPayment): string {
  return wireAmount(payment.standIn, payment.chargedMinor);
}

/** How often the gateway asked the rail to return this whole payment. */
async function callsFor(refunded: RefundedPayment, { isCall }: Row): Promise<number> {
  const { orderId } = await refunded.payment.order();
  const { calls } = refunded.payment.standIn;
  return calls.filter((call) => isCall(call, whole(refunded), orderId)).length;
}

/** Returned or reserved: another refund is refused. */
async function expectNothingLeft(refunded: RefundedPayment): Promise<void> {
  const { body } = await refunded.ask(newId());
  expect(body).toMatchObject({ status: 409, code: 'refund_too_large' });
}

async function expectReturnedOnce(refunded: RefundedPayment, row: Row): Promise<void> {
  expect((await refunded.returned()).map(Number)).toEqual([Number(whole(refunded))]);
  expect(await callsFor(refunded, row)).toBe(1);
  await expectNoMore(refunded.payment);
}

/** M-PESA reports the refund. */
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
  const command = ['refund', 'resolve', ...name, ...found, ...note];
  await operateOnceAccepted(gateway.baseUrl, UNRESOLVED_WITHIN_MS, command);
}

/** The outcome comes from the rail's query or report, or from the operator. */
async function endAsReturned(refunded: RefundedPayment, row: Row, id: string): Promise<void> {
  if (row === MPESA) {
    await report(refunded);
  } else if (row === EBIRR) {
    await record(refunded, id, '--returned', '--reference', 'RF1001');
  }
  await refunded.expectTold(id, 'REFUND_SUCCESS', { status: 'SUCCESS' });
}

describe.concurrent('a refund', () => {
  it.each(ROWS)(
    '$cell.method: returns the whole payment once for repeated requests',
    async (row) => {
      const refunded = await paid(row);
      const { payment } = refunded;
      const id = newId();
      const key = { 'idempotency-key': newId() };
      const asked = Array.from({ length: 3 }, () => refunded.ask(id, key));
      const [accepted] = (await Promise.all(asked)).filter(({ status }) => status === 200);
      await refunded.expectTold(id, 'REFUND_SUCCESS', {
        status: 'SUCCESS',
        amountMinor: payment.amountMinor,
        returnedMinor: payment.chargedMinor,
      });
      const replayed = await refunded.ask(id, key);
      expect(replayed.raw).toBe(accepted?.raw);
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      const { body } = await refunded.ask(id);
      expect(body).toMatchObject({ status: 409, code: 'duplicate_refund_id' });
      await expectNothingLeft(refunded);
      if (row === MPESA) {
        // A repeated report changes nothing.
        await report(refunded);
      }
      await expectReturnedOnce(refunded, row);
      expect(await payment.status()).toMatchObject({
        status: 'SUCCESS',
        refundedAmount: payment.amountMinor,
        anomalies: [],
      });
    },
  );
});

it('is requested once and lost never, after SIGKILL during the calls: promises.md#11', async () => {
  const kill = async (row: Row, fault: Fault) => {
    const refunded = await paid(row, { fault, report: 'never' });
    return { row, fault, refunded, id: await refunded.asked() };
  };
  const refunds = await Promise.all([
    ...ROWS.map((row) => kill(row, 'accepted_then_hang')),
    ...QUERIED.map((row) => kill(row, 'hang')),
  ]);
  const calls = () => Promise.all(refunds.map(({ row, refunded }) => callsFor(refunded, row)));
  const once = refunds.map(() => 1);
  await vi.waitFor(async () => expect(await calls()).toEqual(once), { timeout: 60_000 });
  await rails.scene.gateway.kill();
  await rails.scene.gateway.restart();
  for (const { refunded } of refunds) {
    refunded.payment.plan({});
  }

  for (const { row, fault, refunded, id } of refunds) {
    if (fault === 'accepted_then_hang') {
      if (row.isQueried === undefined) {
        expect(await refunded.untilStatus(id, 'PROCESSING')).toMatchObject({ failureReason: null });
      }
      await endAsReturned(refunded, row, id);
      await expectReturnedOnce(refunded, row);
    } else {
      // The provider never got it, which no answer proves: it stays reserved for the operator.
      expect(await refunded.status(id)).toMatchObject({ status: 'PROCESSING' });
      await expectNothingLeft(refunded);
      expect(await refunded.returned()).toEqual([]);
    }
  }
  expect(await calls()).toEqual(once);
}, 240_000);
