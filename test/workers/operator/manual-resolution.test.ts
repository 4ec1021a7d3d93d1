import { evictAllDurableObjects } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  abortObjects,
  advance,
  allRows,
  answerOf,
  booksAreFed,
  call,
  clientOf,
  consumeAll,
  createExpress,
  createHosted,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  objectSql,
  paymentIn,
  resolveAttempt,
  startRedirect,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: a manual resolution reaches the merchant and the book once, as a provider's answer
 * would, and the history names the operator. Method: commands go to the real object; its messages
 * are delivered, lost, or delivered after its memory is gone.
 */

const caught = useGateway();

type ManualResolution = Extract<Command, { type: 'resolve_manually' }>;

function manually(attemptId: string, outcome: ManualResolution['outcome']): ManualResolution {
  return {
    type: 'resolve_manually',
    attemptId,
    resolutionId: `hand-${outcome.type}`,
    outcome,
    operator: 'Hana',
    isVerified: true,
    secondOperatorAboveMinor: null,
    checkAtMs: null,
    note: 'Seen in the statement; the customer called from 0911234567.',
  };
}

const PAID = manually('a0', { type: 'succeeded', receipt: 'HAND-1' });
const UNPAID = manually('a0', { type: 'failed', reason: 'declined' });
const NOTE = 'Seen in the statement; the customer called from ….';

/** In flight after its window, at a provider without a status query. */
async function unresolved(): Promise<void> {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(30 * MINUTE_MS);
  expect((await intentOf()).attempts[0]?.status).toBe('unresolved');
  await consumeAll(caught);
}

test('resolved as paid: one event, one row of the book, one entry of history', async () => {
  const arrivals = merchantServer();
  await unresolved();
  const before = await clientOf().history();
  await execute(PAID);

  expect(await booksAreFed(caught)).toMatchObject([
    { row: { status: 'succeeded', unresolvedAttempts: 0 } },
  ]);
  expect(caught.webhooks).toHaveLength(1);
  await consumeAll(caught);
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_SUCCESS']);

  const rows = await clientOf().history();
  expect(rows).toHaveLength(before.length + 1);
  expect(rows.at(-1)).toMatchObject({
    command: 'resolve_manually',
    fromStatus: 'processing',
    toStatus: 'succeeded',
    detail: {
      actor: 'operator',
      attemptIndex: 0,
      outcome: 'succeeded',
      receipt: 'HAND-1',
      operator: 'Hana',
      operatorProved: true,
      note: NOTE,
    },
  });
});

test('resolved as paid after the end: late, and the earlier event is superseded', async () => {
  const arrivals = merchantServer();
  await unresolved();
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await execute(PAID);
  await consumeAll(caught);
  expect((await clientOf().events()).map(({ deliveryStatus }) => deliveryStatus)).toEqual([
    'superseded',
    'delivered',
  ]);
  expect(arrivals.map((arrival) => paymentIn(arrival))).toMatchObject([
    { status: 'SUCCESS', previousStatus: 'EXPIRED', late: true },
  ]);
});

test('resolved as unpaid: rejected within the window; after it, an express payment fails once', async () => {
  const arrivals = merchantServer();
  await createExpress({ testMode: { testModeType: 'ACTUAL_TEST' } });
  const [attempt] = (await intentOf()).attempts;
  // As an adapter without a status query plans it: the simulator's windows end with the payment.
  const deadlineAtMs = Date.now() + MINUTE_MS;
  const state = `json_set(content, '$.intent.attempts[0].windowIsFinal', json('false'),
    '$.intent.attempts[0].deadlineAtMs', ${deadlineAtMs})`;
  await objectSql(`UPDATE record SET content = ${state} WHERE id = 0`);
  await evictAllDurableObjects();
  const unpaid = { ...UNPAID, attemptId: attempt?.id ?? '' };
  const early = await clientOf().execute([unpaid]);
  expect(early).toMatchObject({ type: 'done', rejection: 'window_open' });
  expect((await intentOf()).status).toBe('processing');

  advance(MINUTE_MS);
  await execute(unpaid);
  await execute(unpaid);
  await consumeAll(caught);
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_FAILED']);
  expect(await intentOf()).toMatchObject({
    status: 'failed',
    failureReason: 'declined',
    attempts: [{ status: 'failed', failureReason: 'declined' }],
  });
});

test('the alarm sends the messages again when the process dies between commit and send', async () => {
  const arrivals = merchantServer();
  await unresolved();
  await execute(PAID);
  await booksAreFed(caught);
  caught.webhooks.splice(0);
  await abortObjects();

  advance(MINUTE_MS);
  await fireAlarm();
  expect(await booksAreFed(caught)).toMatchObject([{ row: { status: 'succeeded' } }]);
  await consumeAll(caught);
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_SUCCESS']);
  expect((await lastEvent()).deliveryStatus).toBe('delivered');
});

test('the same decision again, after its answer was lost: no row, no message', async () => {
  merchantServer();
  await unresolved();
  const first = await execute(PAID);
  await consumeAll(caught);
  const before = await allRows();
  await evictAllDurableObjects();
  expect(await clientOf().execute([PAID])).toMatchObject({
    type: 'done',
    rejection: null,
    intent: { version: first.version },
  });
  expect(await allRows()).toEqual(before);
  expect([caught.webhooks, caught.projections]).toEqual([[], []]);
});

test('a second paid attempt: no event, but on the operator’s list', async () => {
  merchantServer();
  await createHosted();
  await execute(startRedirect('a0'), { type: 'abandon_attempt', attemptId: 'a0' });
  await execute(startRedirect('a1'), resolveAttempt('a1', 'succeeded'));
  await consumeAll(caught);
  await execute(PAID);
  expect(caught.webhooks).toEqual([]);
  expect(await booksAreFed(caught)).toMatchObject([{ row: { status: 'succeeded', anomalies: 1 } }]);
});

test('the provider’s code and the operator’s note stay internal', async () => {
  await unresolved();
  await execute({
    type: 'resolve_attempt',
    attemptId: 'a0',
    outcome: { type: 'unknown', checkAtMs: null, providerCode: 'WAIT_PAY' },
  });
  const queried = await intentOf();
  expect(queried.attempts[0]?.providerCode).toBe('WAIT_PAY');
  await execute(PAID);
  const { text } = await answerOf(call(statusPath('order-1')));
  const [event] = await objectSql<{ body: string }>(
    "SELECT content ->> '$.firstEvent.body' AS body FROM record",
  );
  for (const word of ['WAIT_PAY', 'Hana', 'statement', 'hand-succeeded']) {
    expect(text).not.toContain(word);
    expect(event?.body).not.toContain(word);
  }
});
