import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RefundPlan } from '../../scripts/stand-ins/stand-in.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { type ApiAnswer, eventually } from '../support/e2e-scene.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';

/**
 * Goal: docs/promises.md#11 holds through SIGKILL: refunds stay within what was paid, and Kefel
 * loses no refund and requests none twice. Method: telebirr's stand-in keeps the book while the
 * gateway is killed in the middle of refunds, again and again; then both books are compared.
 * `KEFEL_REFUND_KILLS=20` makes the long run, of five minutes.
 */

const KILLS = Number(process.env.KEFEL_REFUND_KILLS ?? 2);
/** The longest wait between the first request and the kill: longer than a refund takes. */
const KILL_WITHIN_MS = 400;
const PAYMENTS = 4;
const CALL = '/payment/v1/merchant/refund';

// `callTimeoutMs` determines how long a call that hangs holds its refund.
const rails = new RailsScene('refunds-crash', {
  moreSettings: { TELE_BIRR: { callTimeoutMs: 5_000 } },
});

beforeAll(() => rails.start());

afterAll(() => rails.close());

interface Refund {
  readonly refundUniqueId: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly returnedMinor: number;
}

/** One request of the merchant, which is repeated until there is an answer. */
class Request {
  readonly payment: RailPayment;
  readonly refundUniqueId: string;
  readonly #amountMinor: number;
  answer: ApiAnswer<Refund> | null = null;

  constructor(payment: RailPayment, name: string, amountMinor: number) {
    this.payment = payment;
    this.refundUniqueId = `${payment.uniqueId}-${name}`;
    this.#amountMinor = amountMinor;
  }

  async send(): Promise<void> {
    const { production } = this.payment.scene;
    const answer = await production
      .call<Refund>('POST', 'refund', {
        body: {
          paymentIntentUniqueId: this.payment.uniqueId,
          refundUniqueId: this.refundUniqueId,
          amountMinor: this.#amountMinor,
        },
        headers: { 'idempotency-key': this.refundUniqueId },
      })
      .catch(() => null);
    if (answer === null || answer.status >= 500) {
      return;
    }
    if (this.isAccepted) {
      // A first answer that reached the merchant stays the answer, byte for byte.
      expect([answer.status, answer.raw]).toEqual([200, this.answer?.raw]);
    }
    this.answer = answer;
  }

  get isAccepted(): boolean {
    return this.answer?.status === 200;
  }
}

const PLANS: readonly RefundPlan[] = [
  {},
  { fault: 'accepted_then_reset' },
  { fault: 'accepted_then_hang' },
  { isSlow: true, endsAfterMs: 2_000 },
  { refuses: 'declines' },
];

test(`promises.md#11: returns each refund once through ${KILLS} times SIGKILL`, async () => {
  const payments: RailPayment[] = [];
  const requests: Request[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const paid = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, index) => pay(PLANS[(kill + index) % PLANS.length])),
    );
    // The first two refunds of each payment exceed it together, and the third may wait for the
    // others.
    const round = paid.flatMap((payment) => [
      new Request(payment, 'a', 6_000),
      new Request(payment, 'b', 7_000),
      new Request(payment, 'c', 2_000),
    ]);
    payments.push(...paid);
    requests.push(...round);
    const sent = Promise.all(round.map((request) => request.send()));
    await Promise.race([sent, wait(randomInt(KILL_WITHIN_MS))]);
    await rails.scene.gateway.kill();
    await sent;
    await rails.scene.gateway.restart();
  }

  for (const request of requests) {
    await eventually(
      () => request.send(),
      () => request.answer !== null,
    );
    if (request.isAccepted) {
      await request.send();
    }
  }
  for (const payment of payments) {
    const own = requests.filter((request) => request.payment === payment);
    // The last refunds and their events are still under way.
    await vi.waitFor(() => expectBooksToAgree(payment, own), { timeout: 200_000, interval: 500 });
  }
}, 900_000);

async function pay(refund: RefundPlan | undefined): Promise<RailPayment> {
  const cell = { method: 'TELE_BIRR', kind: 'express' } as const;
  const payment = await rails.pay(cell, { plan: refund === undefined ? {} : { refund } });
  await payment.act('pays');
  await payment.hook.request(0);
  return payment;
}

async function expectBooksToAgree(
  payment: RailPayment,
  requests: readonly Request[],
): Promise<void> {
  const refunds = await refundsOf(payment);
  // Each acknowledged refund exists, and no refused one does.
  const accepted = requests.filter(({ isAccepted }) => isAccepted);
  expect(refunds.map(({ refundUniqueId }) => refundUniqueId).toSorted()).toEqual(
    accepted.map(({ refundUniqueId }) => refundUniqueId).toSorted(),
  );
  for (const { answer, isAccepted } of requests) {
    expect(isAccepted || answer?.status === 409).toBe(true);
  }

  // The provider was asked once for each.
  const order = await payment.order();
  const calls = payment.standIn.calls.filter(
    ({ url, body }) => url.includes(CALL) && body.includes(order.orderId),
  );
  const numbers = calls.map(({ body }) => /"refund_request_no":"(\w+)"/.exec(body)?.[1]);
  expect(numbers).not.toContain(undefined);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.length).toBeLessThanOrEqual(refunds.length);

  // telebirr tells what became of the first refund that it got. Another unknown one stays reserved.
  if (numbers.length > 0) {
    expect(refunds[0]?.status).toBeOneOf(['SUCCESS', 'FAILED']);
  } else {
    expect(refunds[0]?.status ?? 'PROCESSING').toBe('PROCESSING');
  }

  // What is known to be returned was returned, and what was returned is known or reserved.
  const returned = sum((order.refunds ?? []).filter(({ isReturned }) => isReturned).map(minorOf));
  const known = sum(returnedBy(refunds, ['SUCCESS']));
  const reserved = sum(returnedBy(refunds, ['PENDING', 'PROCESSING', 'REQUIRES_ACTION']));
  expect(known).toBeLessThanOrEqual(returned);
  expect(returned).toBeLessThanOrEqual(known + reserved);
  expect(known + reserved).toBeLessThanOrEqual(payment.chargedMinor);

  // An event announced each outcome, and nothing else.
  const outcomes = refunds.filter(
    ({ status }) => status === 'SUCCESS' || status === 'FAILED' || status === 'REQUIRES_ACTION',
  );
  expect([...eventsOf(payment)].toSorted()).toEqual(
    outcomes.map((refund) => `${refund.refundUniqueId} ${refund.status}`).toSorted(),
  );
}

async function refundsOf(payment: RailPayment): Promise<readonly Refund[]> {
  const status = await payment.status();
  return (status as unknown as { readonly refunds: readonly Refund[] }).refunds;
}

function eventsOf(payment: RailPayment): ReadonlySet<string> {
  const events = payment.hook.requests
    .map((request) => verifiedWebhook(request, payment.keys))
    .filter(({ webHookEvent }) => webHookEvent.startsWith('REFUND_'));
  return new Set(
    events.map((event) => {
      const { refund } = event.payment as unknown as { readonly refund: Refund };
      expect(event.webHookEvent).toBe(`REFUND_${refund.status}`);
      return `${refund.refundUniqueId} ${refund.status}`;
    }),
  );
}

function returnedBy(refunds: readonly Refund[], statuses: readonly string[]): readonly number[] {
  return refunds
    .filter(({ status }) => statuses.includes(status))
    .map(({ returnedMinor }) => returnedMinor);
}

function minorOf({ amountText }: { readonly amountText: string }): number {
  return Math.round(Number(amountText) * 100);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
