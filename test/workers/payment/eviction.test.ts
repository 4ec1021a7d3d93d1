import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import type { DeliveryStatus } from '../../../src/engine/intent/protocol.ts';
import {
  advance,
  alarmOf,
  answerOf,
  booksAreFed,
  call,
  cancelPath,
  chooseMethod,
  claim,
  clientOf,
  consumeAll,
  createExpress,
  createHosted,
  EXPIRE_IN_MS,
  fireAlarm,
  INTERRUPTIONS,
  intentOf,
  MINUTE_MS,
  merchantServer,
  pathOf,
  report,
  SECOND_MS,
  SIMULATED_FAILURE,
  simulate,
  statusPath,
  stubOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: no important state lives only in an object's memory. Method: each scenario runs three
 * times, with nothing, an eviction or an abort of every object between any two steps. The payment,
 * its history, its events and what the merchant received must be the same to the millisecond.
 */

const caught = useGateway();

/** What one run of a scenario carries from step to step. */
interface Run {
  readonly id: string;
  checkoutUrl: string;
  attemptToken: string;
  attempts: number;
  claimId: string;
}

type Step = (run: Run) => Promise<unknown>;

const create: Step = async (run) => {
  run.checkoutUrl = await createHosted({ paymentIntentUniqueId: run.id });
};
const look: Step = async ({ checkoutUrl }) =>
  expect((await call(pathOf(checkoutUrl), { apiKey: null })).status).toBe(200);
const choose: Step = async (run) => {
  run.attemptToken = await chooseMethod(run.checkoutUrl, { attempts: run.attempts });
  run.attempts += 1;
};
const approve: Step = ({ attemptToken }) => simulate(attemptToken, 'approve');
const decline: Step = ({ attemptToken }) => simulate(attemptToken, 'decline');
const giveUp: Step = ({ attemptToken }) => simulate(attemptToken, 'give_up');
const cancel: Step = ({ id }) => answerOf(call(cancelPath(id), { method: 'POST' }));
const status: Step = ({ id }) => answerOf(call(statusPath(id)));
const deliver: Step = () => consumeAll(caught);
const alarm: Step = ({ id }) => fireAlarm(id);
const wait =
  (byMs: number): Step =>
  async () =>
    advance(byMs);
const express =
  (changes: Record<string, unknown>): Step =>
  ({ id }) =>
    createExpress({ paymentIntentUniqueId: id, ...changes });
const claimLast: Step = async (run) => {
  const sequence = await lastSequence(run.id);
  run.claimId = (await claim(sequence, run.id)).claimId;
};
const reportLast =
  (type: 'delivered' | 'gone'): Step =>
  async ({ id, claimId }) =>
    report(await lastSequence(id), claimId, { type }, id);
const loseMessages: Step = async () => {
  caught.webhooks.length = 0;
  caught.projections.length = 0;
};

async function lastSequence(id: string): Promise<number> {
  return (await clientOf(id).events()).at(-1)?.sequence ?? 0;
}

/** What happens, how the payment ends, and its deliveries; then what the merchant's server answers. */
type Scenario = readonly [
  name: string,
  steps: readonly Step[],
  status: string,
  /** One that arrives, unless given. */
  deliveries?: readonly DeliveryStatus[],
  /** HTTP statuses, one per try; then 200. */
  answers?: readonly number[],
];

const SCENARIOS: readonly Scenario[] = [
  ['hosted success', [create, look, choose, look, approve, look, deliver, status], 'succeeded'],
  [
    'hosted failure and another try',
    [create, choose, decline, look, choose, decline, choose, approve, deliver],
    'succeeded',
  ],
  ['hosted, abandoned', [create, choose, giveUp, deliver, status], 'failed'],
  ['canceled', [create, look, cancel, deliver, cancel, status], 'canceled', []],
  [
    'express, simulated success',
    [express({}), wait(SECOND_MS), alarm, deliver, status],
    'succeeded',
  ],
  [
    'express, simulated failure',
    [express(SIMULATED_FAILURE), wait(SECOND_MS), alarm, deliver, status],
    'failed',
  ],
  [
    'expiry by the alarm',
    [create, deliver, look, wait(EXPIRE_IN_MS), alarm, deliver, status],
    'expired',
  ],
  [
    'expiry by a read, an attempt in flight',
    [create, choose, deliver, wait(EXPIRE_IN_MS), status, deliver],
    'expired',
  ],
  [
    'webhook that fails twice',
    [
      create,
      choose,
      approve,
      deliver,
      wait(5 * SECOND_MS),
      alarm,
      deliver,
      wait(5 * MINUTE_MS),
      alarm,
      deliver,
      status,
    ],
    'succeeded',
    ['delivered'],
    [500, 503],
  ],
  [
    'webhook rejected for good',
    [create, choose, approve, deliver, wait(5 * SECOND_MS), alarm, deliver],
    'succeeded',
    ['dead'],
    [410],
  ],
  [
    'claim, then report',
    [create, choose, approve, claimLast, reportLast('delivered'), deliver],
    'succeeded',
  ],
  [
    'messages lost, then sent again',
    [create, choose, approve, loseMessages, wait(30 * SECOND_MS), alarm, deliver],
    'succeeded',
  ],
  [
    'claim lost, then sent again',
    [create, choose, approve, claimLast, wait(30 * SECOND_MS), alarm, deliver],
    'succeeded',
  ],
];

/** The outcome, with times counted from the creation and without random values. */
async function outcomeOf(id: string, arrivals: ReturnType<typeof merchantServer>) {
  const client = clientOf(id);
  const { terms, attempts, paidAttemptId, ...intent } = await intentOf(id);
  const since = (atMs: number | null) => (atMs === null ? null : atMs - terms.createdAtMs);
  const events = await client.events();
  const own = arrivals.filter(({ event }) => event.paymentIntentUniqueId === id);
  return {
    ...intent,
    updatedAtMs: since(intent.updatedAtMs),
    endedAtMs: since(intent.endedAtMs),
    paidAttempt: attempts.findIndex((attempt) => attempt.id === paidAttemptId),
    attempts: attempts.map((attempt) => [
      attempt.status,
      attempt.failureReason,
      attempt.checks,
      since(attempt.startedAtMs),
      since(attempt.updatedAtMs),
      attempt.redirectUrl === null,
    ]),
    history: (await client.history()).map((entry) => ({ ...entry, atMs: since(entry.atMs) })),
    events: events.map((event) => [
      event.sequence,
      event.type,
      event.deliveryStatus,
      since(event.createdAtMs),
      since(event.dueAtMs),
      event.tries.map((entry) => [since(entry.atMs), entry.httpStatus, entry.error]),
    ]),
    arrivals: own.map(({ event }) => [event.webHookEvent, event.status]),
    distinctBodies: new Set(own.map(({ text }) => text)).size,
    distinctIds: new Set(own.map(({ headers }) => headers.get('webhook-id'))).size,
  };
}

test.each(SCENARIOS.map(([name, ...scenario]) => ({ name, scenario })))(
  'promises.md#2, #6: "$name" ends the same with an eviction or an abort between any two steps',
  async ({ scenario: [steps, ending, deliveries = ['delivered'], statuses = []] }) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const outcomes = new Map<string, unknown>();
    for (const [name, interrupt] of Object.entries(INTERRUPTIONS)) {
      const run: Run = {
        id: name,
        checkoutUrl: '',
        attemptToken: '',
        attempts: 0,
        claimId: '',
      };
      const answers = [...statuses];
      vi.mocked(globalThis.fetch).mockRestore?.();
      const arrivals = merchantServer(
        () => new Response('answer', { status: answers.shift() ?? 200 }),
      );
      for (const step of steps) {
        await step(run);
        await interrupt();
      }
      const outcome = await outcomeOf(run.id, arrivals);
      expect(outcome.status).toBe(ending);
      expect(outcome.events.map(([, , deliveryStatus]) => deliveryStatus)).toEqual(deliveries);
      expect(outcome.distinctBodies).toBe(Math.min(outcome.arrivals.length, 1));
      expect(outcome.distinctIds).toBe(outcome.distinctBodies);
      // An alarm is set early enough for the next due time.
      const due = [...(await clientOf(run.id).events()).map(({ dueAtMs }) => dueAtMs)];
      const armedAtMs = (await alarmOf(run.id)) ?? Number.POSITIVE_INFINITY;
      for (const dueAtMs of due.filter((time) => time !== null)) {
        expect(armedAtMs).toBeLessThanOrEqual(dueAtMs);
      }
      expect(Number.isFinite(armedAtMs)).toBe(true);
      outcomes.set(name, outcome);
      await booksAreFed(caught);
    }
    const undisturbed = outcomes.get('no interruption');
    expect(outcomes.get('eviction')).toEqual(undisturbed);
    expect(outcomes.get('abort')).toEqual(undisturbed);
  },
);

test.each(Object.entries(INTERRUPTIONS))(
  'the interruption is real: %s',
  async (name, interrupt) => {
    await createHosted();
    const mark = (value: string | null) =>
      runInDurableObject(stubOf(), (instance) => {
        const memory = instance as unknown as { mark?: string };
        memory.mark = value ?? memory.mark ?? 'gone';
        return memory.mark;
      });
    await mark('kept');
    await interrupt();
    expect(await mark(null)).toBe(name === 'no interruption' ? 'kept' : 'gone');
  },
);
