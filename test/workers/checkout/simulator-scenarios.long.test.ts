import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { SCENARIOS, type ScenarioName } from '../../../src/engine/rails/simulator/scenarios.ts';
import {
  alarmsUntil,
  choose,
  clientIn,
  configureRails,
  EBIRR,
  intentNow,
  openHosted,
  payExpress,
} from '../rails/support.ts';
import { postForm, SECOND_MS, useGateway } from '../support.ts';

/**
 * Goal: every amount of the sandbox's table plays what the table says at the millisecond it says,
 * and means nothing in production. Method: one payment for each row, whose alarms the test fires one
 * after the other.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
useGateway();

const EXPIRE_IN = 60;
const payment = () => clientIn('sandbox');
const amountOf = (name: ScenarioName) => SCENARIOS[name].amountMinor / 100;
const eventsOf = async () => (await payment().events()).map(({ type }) => type);

/** The payment so long after its creation. */
async function paymentAfter(ms: number): Promise<Intent> {
  const { createdAtMs } = (await intentNow(payment())).terms;
  await alarmsUntil(createdAtMs + ms, payment());
  return intentNow(payment());
}

/** Plays the steps of a row to its end. */
async function expectSteps({ steps, events }: Row): Promise<void> {
  for (const [atMs, before, then] of steps) {
    expect(await paymentAfter(atMs - 1)).toMatchObject(before);
    expect(await paymentAfter(atMs)).toMatchObject(then);
  }
  expect(await eventsOf()).toEqual(events);
}

interface Row {
  readonly answered: 'SUCCESS' | 'FAILURE';
  /** What the payment is shortly before the time, and at it. */
  readonly steps: readonly (readonly [atMs: number, before: object, then: object])[];
  readonly events: readonly string[];
}

const IN_PROGRESS = { status: 'processing', attempts: [{ status: 'processing' }] };

function failed(reason: string, atMs: number, status = 'failed'): Row {
  const attempts = [{ status, failureReason: reason }];
  const then = { status: 'failed', failureReason: reason, attempts };
  return ends(atMs, then, 'payment_failed');
}

function refused(failureReason: string): Row {
  const ended = { status: 'failed', failureReason };
  return { answered: 'FAILURE', steps: [[1, ended, ended]], events: ['payment_failed'] };
}

function paid(atMs: number): Row {
  return ends(atMs, { status: 'succeeded', late: false, anomalies: [] }, 'payment_succeeded');
}

/** The payment is in progress until `atMs`. */
function ends(atMs: number, then: object, event: string): Row {
  return { answered: 'SUCCESS', steps: [[atMs, IN_PROGRESS, then]], events: [event] };
}

const UNRESOLVED = { attempts: [{ status: 'unresolved' }] };
const EXPIRES_AT_MS = EXPIRE_IN * SECOND_MS;

const EXPRESS: Readonly<Record<ScenarioName, Row>> = {
  declined: failed('declined', 500),
  insufficient_funds: failed('insufficient_funds', 500),
  canceled_by_customer: failed('canceled_by_customer', 500),
  wrong_pin: failed('wrong_pin', 500),
  abandoned: failed('abandoned', 500),
  timed_out: failed('timed_out', 5 * SECOND_MS, 'expired'),
  rail_unavailable: refused('rail_unavailable'),
  misconfigured: refused('misconfigured'),
  paid_slowly: paid(20 * SECOND_MS),
  unknown_then_paid: {
    answered: 'SUCCESS',
    steps: [
      [10 * SECOND_MS, IN_PROGRESS, { status: 'processing', ...UNRESOLVED }],
      [
        20 * SECOND_MS,
        { status: 'processing', ...UNRESOLVED },
        { status: 'succeeded', late: false },
      ],
    ],
    events: ['payment_succeeded'],
  },
  paid_late: {
    answered: 'SUCCESS',
    steps: [
      [EXPIRE_IN * SECOND_MS, IN_PROGRESS, { status: 'expired', ...UNRESOLVED }],
      [
        (EXPIRE_IN + 10) * SECOND_MS,
        { status: 'expired', ...UNRESOLVED },
        { status: 'succeeded', late: true },
      ],
    ],
    events: ['payment_expired', 'payment_succeeded'],
  },
  // One attempt cannot be paid twice.
  paid_twice: paid(30 * SECOND_MS),
  expired: ends(EXPIRES_AT_MS, { status: 'expired' }, 'payment_expired'),
  expired_held: ends(EXPIRES_AT_MS + 30_000, { status: 'expired' }, 'payment_expired'),
  paid_held: ends(EXPIRES_AT_MS + 10_000, { status: 'succeeded', late: true }, 'payment_succeeded'),
};

const ROWS = Object.entries(EXPRESS) as [ScenarioName, Row][];

describe.each(['SIMULATED_TEST', 'ACTUAL_TEST'])('express %s in the simulator', (testModeType) => {
  test.each(ROWS)('%s', async (name, row) => {
    const testMode = { testModeType, simulationStatus: 'SUCCESS' };
    const changes = { amount: amountOf(name), expireIn: EXPIRE_IN, testMode };
    const answer = await payExpress(changes, 'sandbox');
    const failureReason = row.answered === 'FAILURE' ? name : null;
    expect(answer).toMatchObject({ status: row.answered, failureReason });
    expect(answer.paymentUrl === null).toBe(row.answered === 'FAILURE');
    await expectSteps(row);
  });
});

test('a SIMULATED_TEST that must fail is declined at once, with every amount', async () => {
  const testMode = { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' };
  const answer = await payExpress({ amount: amountOf('paid_slowly'), testMode }, 'sandbox');
  const failed = { failureReason: 'declined' };
  expect(answer).toMatchObject({ status: 'FAILURE', paymentUrl: null, ...failed });
  expect(await paymentAfter(0)).toMatchObject({ status: 'failed', ...failed });
});

test('the commission does not change which row it is', async () => {
  const amount = amountOf('insufficient_funds');
  await payExpress({ amount, currency: 'USD', commissionPaidByCustomer: true }, 'sandbox');
  expect(await paymentAfter(500)).toMatchObject({ failureReason: 'insufficient_funds' });
});

describe.each(['TELE_BIRR', 'M_PESA'] as const)('hosted by %s', (method) => {
  const open = (name: ScenarioName) =>
    openHosted({ amount: amountOf(name), expireIn: EXPIRE_IN }, 'sandbox');

  const reasons = ROWS.filter(([, { events }]) => events.includes('payment_failed'));
  test.each(reasons)('%s reopens the payment for another try', async (name, { steps }) => {
    const path = await open(name);
    await choose(path, method);
    for (const [atMs] of steps) {
      const attempts = [{ failureReason: name }];
      expect(await paymentAfter(atMs)).toMatchObject({ status: 'open', attempts });
    }
    await choose(path, method, 1);
    const { attempts } = await paymentAfter(20 * SECOND_MS);
    expect(attempts).toMatchObject([{ failureReason: name }, { failureReason: name }]);
    expect(await eventsOf()).toEqual([]);
  });

  const others = ROWS.filter(([, { events }]) => !events.includes('payment_failed'));
  test.each(others)('%s is as by express', async (name, row) => {
    const chosen = await choose(await open(name), method);
    expect(chosen.location).not.toContain('/simulator/');
    await expectSteps(row);
  });

  test('paid_twice: both attempts are paid by a customer who takes another one', async () => {
    const path = await open('paid_twice');
    await choose(path, method);
    const [first] = (await intentNow(payment())).attempts;
    const left = await postForm(`${path}/abandon`, { attempt: first?.id ?? '' });
    await left.body?.cancel();
    await choose(path, method, 1);
    expect(await paymentAfter(30 * SECOND_MS)).toMatchObject({
      status: 'succeeded',
      attempts: [{ status: 'succeeded' }, { status: 'succeeded' }],
      anomalies: [{ kind: 'duplicate_payment' }],
    });
    expect(await eventsOf()).toEqual(['payment_succeeded']);
  });
});

test.each(ROWS)('%s: production takes the amount to the provider as any other', async (name) => {
  const answer = await payExpress({
    amount: amountOf(name),
    method: 'E_BIRR',
    expireIn: 3_600,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  });
  expect(answer).toMatchObject({ status: 'SUCCESS', failureReason: null });
  const { attempts, terms } = await intentNow();
  expect(attempts).toMatchObject([{ railId: 'ebirr', startClaim: 'taken' }]);
  expect(terms.amountMinor).toBe(SCENARIOS[name].amountMinor);
});
