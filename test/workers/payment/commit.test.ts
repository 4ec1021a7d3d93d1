import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import {
  OPEN_PROJECTION_AGAIN_MS,
  PROGRESS_SHOWN_AFTER_MS,
  QUEUED_LEASE_MS,
} from '../../../src/engine/domain/schedule.ts';
import { PLANTED, plantedError } from '../../support/output/planted.ts';
import { breakBook } from '../support/book.ts';
import {
  ALPHA,
  advance,
  alarmOf,
  allRows,
  answerOf,
  booksAreFed,
  call,
  cancelPath,
  chooseMethod,
  clientOf,
  createHosted,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  objectSql,
  pathOf,
  postHosted,
  reportsAreSent,
  resolveAttempt,
  simulate,
  startRedirect,
  storedPayment,
  stubOf,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/promises.md#2, one transition is one commit: state, history, event, outbox and alarm
 * change together or not at all. Method: a trigger in the object's own database (or a broken `setAlarm`) makes one
 * write of the commit fail after others were made; everything must then be as before, and work
 * after the repair.
 */

const caught = useGateway();

interface Sabotage {
  readonly name: string;
  readonly damage: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
}

function trigger(name: string, when: string): Sabotage {
  return {
    name,
    damage: () =>
      objectSql(
        `CREATE TRIGGER sabotage BEFORE ${when} BEGIN SELECT RAISE(ABORT, '${PLANTED}'); END`,
      ),
    mend: () => objectSql('DROP TRIGGER sabotage'),
  };
}

const BROKEN_ALARM: Sabotage = {
  name: 'the alarm',
  damage: () =>
    runInDurableObject(stubOf(), (_instance, { storage }) => {
      vi.spyOn(storage, 'setAlarm').mockImplementation(() => {
        throw plantedError();
      });
    }),
  mend: () =>
    runInDurableObject(stubOf(), (_instance, { storage }) => {
      vi.mocked(storage.setAlarm).mockRestore();
    }),
};

const SABOTAGES: readonly Sabotage[] = [
  // The last row: an event is already written.
  trigger('the state', 'UPDATE ON record'),
  BROKEN_ALARM,
];

/** A command that changes the payment, from the state that `prepare` reaches. */
interface Change {
  readonly name: string;
  readonly prepare: () => Promise<unknown>;
  readonly change: () => Promise<unknown>;
  readonly status: Intent['status'];
  readonly events: number;
}

/** Confirms the book, so that no alarm is near and the next commit has to set one. */
async function needNewAlarm(): Promise<void> {
  await booksAreFed(caught);
  advance(1);
}

/** Waits until lists show the payment's progress, which takes an alarm. */
async function showProgress(): Promise<void> {
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
}

/** Confirms the book first: its overdue lease would make the object repair its alarm. */
async function waitUntilExpiry(): Promise<void> {
  advance(OPEN_PROJECTION_AGAIN_MS);
  await fireAlarm();
  await booksAreFed(caught);
  advance(EXPIRE_IN_MS - OPEN_PROJECTION_AGAIN_MS);
}

const EXECUTE = (...commands: Command[]) => clientOf().execute(commands);

const CHANGES: readonly Change[] = [
  {
    name: 'start_attempt',
    prepare: () => createHosted().then(showProgress),
    change: () => EXECUTE(startRedirect('a0')),
    status: 'processing',
    events: 0,
  },
  {
    name: 'success',
    prepare: () =>
      createHosted()
        .then(() => execute(startRedirect('a0')))
        .then(showProgress),
    change: () => EXECUTE(resolveAttempt('a0', 'succeeded')),
    status: 'succeeded',
    events: 1,
  },
  {
    name: 'give_up',
    prepare: () => createHosted().then(showProgress),
    change: () => EXECUTE({ type: 'abandon_payment' }),
    status: 'failed',
    events: 1,
  },
  {
    name: 'cancel',
    prepare: () => createHosted().then(showProgress),
    change: () => EXECUTE({ type: 'cancel' }),
    status: 'canceled',
    events: 0,
  },
  {
    name: 'expiry by a read',
    prepare: () => createHosted().then(waitUntilExpiry),
    change: () => clientOf().read(),
    status: 'expired',
    events: 1,
  },
  {
    name: 'expiry and a late outcome in one commit',
    prepare: () =>
      createHosted()
        .then(() => execute(startRedirect('a0', Date.now() + EXPIRE_IN_MS)))
        .then(waitUntilExpiry),
    change: () => EXECUTE(resolveAttempt('a0', 'succeeded')),
    status: 'succeeded',
    events: 2,
  },
];

function messagesSent() {
  return { webhooks: caught.webhooks.length, projections: caught.projections.length };
}

test.each(
  SABOTAGES.flatMap((sabotage) =>
    CHANGES.map((change) => ({ sabotage, change, name: change.name })),
  ),
)(
  'promises.md#2: $name changes and sends nothing when $sabotage.name cannot be written, and works after the repair',
  async ({ sabotage, change }) => {
    await change.prepare();
    await needNewAlarm();
    const before = { rows: await allRows(), alarm: await alarmOf(), sent: messagesSent() };
    await sabotage.damage();
    const failure = await change.change().then(() => null, String);
    expect(failure).toContain(PLANTED);
    expect({ rows: await allRows(), alarm: await alarmOf(), sent: messagesSent() }).toEqual(before);

    await sabotage.mend();
    // The object's memory holds nothing that was rolled back.
    expect(await clientOf().events()).toHaveLength(0);
    // A confirmation would set the alarm again.
    breakBook();
    await change.change();
    expect(await intentOf()).toMatchObject({ status: change.status });
    expect(await clientOf().events()).toHaveLength(change.events);
    expect(caught.webhooks).toHaveLength(change.events);
    const versions = (await clientOf().history()).map(({ version }) => version);
    expect(versions).toEqual(versions.map((_version, index) => index + 1));
    // Set again: the alarm of the rolled-back commit is gone, and memory must know that.
    expect(await alarmOf()).toBe(Date.now() + QUEUED_LEASE_MS);
  },
);

test('promises.md#2: a late success is not recorded when its event cannot be written', async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  expect((await intentOf()).status).toBe('expired');
  const sabotage = trigger('the event', 'INSERT ON record');
  const before = { rows: await allRows(), alarm: await alarmOf(), sent: messagesSent() };
  await sabotage.damage();
  expect(await EXECUTE(resolveAttempt('a0', 'succeeded')).then(() => null, String)).toContain(
    PLANTED,
  );
  expect({ rows: await allRows(), alarm: await alarmOf(), sent: messagesSent() }).toEqual(before);
  await sabotage.mend();
  expect((await execute(resolveAttempt('a0', 'succeeded'))).late).toBe(true);
  expect(caught.webhooks.map(({ sequence }) => sequence)).toHaveLength(2);
});

test('promises.md#2: a create whose alarm cannot be set leaves no table, no message and a free id', async () => {
  await BROKEN_ALARM.damage();
  const { envelope } = await answerOf(postHosted());
  expect(envelope).toMatchObject({ status: 500, message: 'Internal server error' });
  expect(await allRows()).toEqual({});
  expect(messagesSent()).toEqual({ webhooks: 0, projections: 0 });
  await BROKEN_ALARM.mend();
  expect((await postHosted()).status).toBe(200);
});

test.each(SABOTAGES)(
  'promises.md#10: the merchant gets no internal text when $name cannot be written',
  async ({ damage }) => {
    await createHosted();
    await needNewAlarm();
    await damage();
    // `answerOf` checks that nothing else is in the answer.
    const { envelope } = await answerOf(call(cancelPath('order-1'), { method: 'POST' }));
    expect(envelope).toMatchObject({ status: 500, message: 'Internal server error' });
  },
);

test('promises.md#2: one commit is one version, and messages carry the stored state', async () => {
  await createHosted();
  const token = await chooseMethod(pathOf(await checkoutUrlOf()));
  await simulate(token, 'approve');
  const intent = await intentOf();
  await reportsAreSent();
  expect(caught.projections.at(-1)?.intentVersion).toBe(intent.version);
  expect(caught.projections.at(-1)?.row.status).toBe('succeeded');
  expect((await storedPayment()).intent).toEqual(intent);
});

/** The stored answer of a hosted payment holds its checkout URL. */
async function checkoutUrlOf(): Promise<string> {
  return JSON.parse((await storedPayment()).answer ?? '').content;
}

test('promises.md#7: amount, currency, merchant and id stay the same after every step of a payment', async () => {
  await createHosted();
  const { terms } = await intentOf();
  expect(terms).toMatchObject({
    ...tenantOf(ALPHA),
    uniqueId: 'order-1',
    amountMinor: 10_050,
    currency: 'ETB',
  });
  const steps: (() => Promise<unknown>)[] = [
    () => EXECUTE(startRedirect('a0')),
    () => EXECUTE(resolveAttempt('a0', 'failed')),
    () => postHosted({ amount: 999, currency: 'USD' }),
    () => EXECUTE(startRedirect('a1')),
    () => EXECUTE({ type: 'abandon_attempt', attemptId: 'a1' }),
    async () => advance(EXPIRE_IN_MS),
    () => fireAlarm(),
    () => EXECUTE(resolveAttempt('a1', 'succeeded')),
    () => EXECUTE(resolveAttempt('a0', 'succeeded')),
  ];
  for (const step of steps) {
    await step();
    expect((await intentOf()).terms).toEqual(terms);
  }
  expect((await intentOf()).anomalies).toHaveLength(1);
  const rows = caught.projections.map(({ row }) => row);
  expect(
    new Set(rows.map((row) => JSON.stringify([row.amountMinor, row.currency, row.uuid]))).size,
  ).toBe(1);
});
