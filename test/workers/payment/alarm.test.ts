import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import {
  CLAIM_LEASE_MS,
  OPEN_PROJECTION_AGAIN_MS,
  PROGRESS_SHOWN_AFTER_MS,
  QUEUED_LEASE_MS,
} from '../../../src/engine/domain/schedule.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { requestRefund } from '../../support/intents.ts';
import { breakBook } from '../support/book.ts';
import {
  advance,
  alarmOf,
  allRows,
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
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  loseAlarm,
  MINUTE_MS,
  merchantServer,
  objectSql,
  payHosted,
  postExpress,
  postHosted,
  report,
  reportsAreSent,
  resolveAttempt,
  SECOND_MS,
  SIMULATED_FAILURE,
  startRedirect,
  statusPath,
  storedPayment,
  stubOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/promises.md#5 and the alarm of docs/architecture.md: overdue work is done even when
 * the alarm is late, lost or repeated, and an alarm never throws and never disarms itself. Method:
 * fire the alarm early, late, twice and over broken storage, or delete it, with a fake clock.
 */

const caught = useGateway();

const ALARM_SAFETY_MS = 30 * SECOND_MS;

/** A payment whose book is up to date, so that only its expiry is still due. */
async function createProjected(): Promise<void> {
  await createHosted();
  await consumeAll(caught);
}

test('promises.md#5: an alarm that fires too early does nothing and is set again for the right time', async () => {
  await createProjected();
  const { terms } = await intentOf();
  const before = await allRows();
  for (const earlyMs of [EXPIRE_IN_MS, EXPIRE_IN_MS - 1]) {
    vi.setSystemTime(terms.expiresAtMs - earlyMs);
    expect(await fireAlarm()).toBe(true);
    expect(await alarmOf()).toBe(terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS);
  }
  expect(await allRows()).toEqual(before);
  expect(caught.projections).toEqual([]);
  vi.setSystemTime(terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS);
  expect(await fireAlarm()).toBe(true);
  expect(await booksAreFed(caught)).toHaveLength(1);
  for (const earlyMs of [EXPIRE_IN_MS / 2, 1]) {
    vi.setSystemTime(terms.expiresAtMs - earlyMs);
    expect(await fireAlarm()).toBe(true);
    expect(await alarmOf()).toBe(terms.expiresAtMs);
  }
  expect(caught.webhooks).toEqual([]);
  expect(caught.projections).toEqual([]);
});

test('promises.md#6: a payment that stays open is sent until the book confirms it', async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  const { terms } = await intentOf();
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  expect(await booksAreFed(caught)).toHaveLength(2);
  const { apply, repair } = breakBook();
  vi.setSystemTime(terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS);
  for (let lost = 1; lost <= 3; lost += 1) {
    await fireAlarm();
    await reportsAreSent();
    expect(apply).toHaveBeenCalledTimes(lost);
    vi.setSystemTime((await alarmOf()) ?? 0);
  }
  expect((await storedPayment()).projectionDueAtMs).not.toBeNull();
  repair();
  await fireAlarm();
  await reportsAreSent();
  expect((await storedPayment()).projectionDueAtMs).toBeNull();
});

test.each([
  ['on time', 0],
  ['a second late', SECOND_MS],
  ['a day late', DAY_MS],
  ['a year late', 365 * DAY_MS],
])('promises.md#5: an alarm %s expires the payment once, with its event', async (_name, lateMs) => {
  await createProjected();
  advance(EXPIRE_IN_MS + lateMs);
  expect(await fireAlarm()).toBe(true);
  expect(await intentOf()).toMatchObject({ status: 'expired', endedAtMs: Date.now() });
  expect(await clientOf().events()).toMatchObject([{ type: 'payment_expired' }]);
  expect(caught.webhooks).toHaveLength(1);
});

test('promises.md#3, #5: an alarm that fires twice announces the expiry once', async () => {
  await createProjected();
  advance(EXPIRE_IN_MS);
  expect(await fireAlarm()).toBe(true);
  const after = await allRows();
  for (let times = 0; times < 3; times += 1) {
    expect(await fireAlarm()).toBe(true);
  }
  expect(await allRows()).toEqual(after);
  expect(caught.webhooks).toHaveLength(1);
});

test('the claim of a delivery leaves an alarm that is early enough, which saves a written row', async () => {
  merchantServer();
  await createProjected();
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await booksAreFed(caught);
  const armedAtMs = await alarmOf();
  advance(SECOND_MS);
  const [event] = await clientOf().events();
  await claim(event?.sequence ?? 0);
  expect(await alarmOf()).toBe(armedAtMs);
});

/** Visits, and what their answers say of an expired payment. */
const VISITS: readonly [string, () => Promise<unknown>, RegExp][] = [
  ['a status call', () => answerOf(call(statusPath('order-1'))), /"status":"EXPIRED"/],
  ['a read by RPC', () => clientOf().read(), /"status":"expired"/],
  [
    'a cancel, which is rejected',
    () => answerOf(call(cancelPath('order-1'), { method: 'POST' })),
    /payment_ended/,
  ],
  ['a new attempt, which is rejected', () => clientOf().execute([startRedirect('a0')]), /not_open/],
];

test.each(VISITS)(
  'promises.md#5: %s finds the payment expired without any alarm',
  async (_name, visit, says) => {
    await createProjected();
    await loseAlarm();
    advance(EXPIRE_IN_MS);
    const shown = JSON.stringify(await visit());
    expect(shown).toMatch(says);
    expect((await intentOf()).status).toBe('expired');
    expect(caught.webhooks).toHaveLength(1);
    expect(await alarmOf()).not.toBeNull();
    // A second alarm announces nothing again.
    await visit();
    expect(await clientOf().events()).toHaveLength(1);
  },
);

test.each(VISITS)(
  'promises.md#5: %s in the last millisecond still finds the payment open',
  async (_name, visit) => {
    await createProjected();
    advance(EXPIRE_IN_MS - 1);
    await visit();
    expect((await intentOf()).status).not.toBe('expired');
  },
);

test.each([
  ['a status call', () => answerOf(call(statusPath('order-1')))],
  ['a repeated cancel', () => answerOf(call(cancelPath('order-1'), { method: 'POST' }))],
])(
  'self-heal: %s sends overdue messages and sets the alarm again when the alarm is lost',
  async (_name, visit) => {
    await createHosted();
    const { repair } = breakBook();
    await call(cancelPath('order-1'), { method: 'POST' });
    await reportsAreSent();
    repair();
    await loseAlarm();
    caught.projections.length = 0;
    advance(2 * MINUTE_MS);
    expect(await alarmOf()).toBeNull();
    await visit();
    await expect.poll(() => caught.projections).toHaveLength(1);
    expect(await alarmOf()).toBeGreaterThan(Date.now());
  },
);

test('self-heal: a visit sends the webhook of a payment whose alarm and queue message were lost', async () => {
  const arrivals = merchantServer();
  await payHosted();
  // An alarm that has run before does not count as running.
  await fireAlarm();
  caught.webhooks.length = 0;
  await loseAlarm();
  advance(10 * MINUTE_MS);
  await call(statusPath('order-1'));
  await expect.poll(() => caught.webhooks).toHaveLength(1);
  await consumeAll(caught);
  expect(arrivals).toHaveLength(1);
});

test('promises.md#5: an attempt in flight delays the expiry until its window closes', async () => {
  await createProjected();
  const { terms } = await intentOf();
  await execute(startRedirect('a0', terms.expiresAtMs + MINUTE_MS));
  await consumeAll(caught);
  advance(EXPIRE_IN_MS + SECOND_MS);
  await fireAlarm();
  expect((await intentOf()).status).toBe('processing');
  expect(await alarmOf()).toBe(terms.expiresAtMs + MINUTE_MS);
  advance(MINUTE_MS);
  await fireAlarm();
  expect(await intentOf()).toMatchObject({
    status: 'expired',
    attempts: [{ status: 'unresolved' }],
  });
});

test('decisions.md#30: an attempt on the simulator ends with the payment', async () => {
  await chooseMethod(await createHosted());
  const { terms, attempts } = await intentOf();
  expect(attempts[0]?.deadlineAtMs).toBe(terms.expiresAtMs);
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  expect(await intentOf()).toMatchObject({ status: 'expired', attempts: [{ status: 'expired' }] });
});

test('arm first: the alarm does not throw and stays set when the state cannot be read', async () => {
  await createProjected();
  const [row] = await objectSql<{ content: string }>('SELECT content FROM record WHERE id = 0');
  await objectSql(`UPDATE record SET content = json_set(content, '$.intent.version', 'x')`);
  await runInDurableObject(stubOf(), (_instance, state) => state.abort()).catch(() => undefined);
  advance(EXPIRE_IN_MS);
  expect(await fireAlarm().then(() => null, String)).toBeNull();
  expect(await alarmOf()).toBe(Date.now() + ALARM_SAFETY_MS);
  await runInDurableObject(stubOf(), (_instance, { storage }) => {
    storage.sql.exec('UPDATE record SET content = ?', row?.content ?? '');
  });
  await fireAlarm();
  expect((await intentOf()).status).toBe('expired');
});

test('arm first: the alarm stays set and the charge pending when an adapter throws in a provider query', async () => {
  await createExpress();
  const query = vi.spyOn(simulator, 'query').mockRejectedValue(new Error('bug in an adapter'));
  advance(SECOND_MS);
  expect(await fireAlarm().then(() => null, String)).toBeNull();
  expect(await alarmOf()).toBeGreaterThan(Date.now());
  expect(await alarmOf()).toBeLessThanOrEqual(Date.now() + ALARM_SAFETY_MS);
  expect((await intentOf()).status).toBe('processing');
  query.mockRestore();
  advance(ALARM_SAFETY_MS);
  await fireAlarm();
  expect((await intentOf()).status).toBe('succeeded');
});

test('an adapter that throws in a provider query delays the next one as an answer without an outcome does', async () => {
  await createExpress();
  vi.spyOn(simulator, 'query').mockRejectedValue(new Error('bug in an adapter'));
  for (const [checks, waitMs] of [
    [1, 5 * SECOND_MS],
    [2, 10 * SECOND_MS],
    [3, 20 * SECOND_MS],
  ] as const) {
    const { attempts } = await intentOf();
    vi.setSystemTime(attempts[0]?.checkAtMs ?? 0);
    await fireAlarm();
    const checkAtMs = Date.now() + waitMs;
    expect((await intentOf()).attempts).toMatchObject([{ checks, checkAtMs }]);
    expect(await alarmOf()).toBeLessThanOrEqual(checkAtMs);
  }
});

test('arm first: a queue that rejects messages loses none: they are sent again when the lease ends', async () => {
  await payHosted();
  caught.webhooks.length = 0;
  const send = vi.mocked(env.WEBHOOKS.send);
  send.mockRejectedValue(new Error('Too Many Requests'));
  advance(30 * SECOND_MS);
  expect(await fireAlarm().then(() => null, String)).toBeNull();
  expect(caught.webhooks).toEqual([]);
  send.mockRestore();
  const dueAtMs = await alarmOf();
  vi.setSystemTime(dueAtMs ?? 0);
  await fireAlarm();
  expect(caught.webhooks).toHaveLength(1);
});

test('decisions.md#22: a simulated SUCCESS is resolved once, by an alarm within 1.5 s', async () => {
  await createExpress();
  expect((await intentOf()).status).toBe('processing');
  const armedAtMs = (await alarmOf()) ?? 0;
  expect(armedAtMs - Date.now()).toBeLessThanOrEqual(1_500);
  // Too early for a provider query.
  await fireAlarm();
  expect((await intentOf()).status).toBe('processing');
  expect(await alarmOf()).toBe(armedAtMs);

  vi.setSystemTime(armedAtMs);
  await fireAlarm();
  expect((await intentOf()).status).toBe('succeeded');
  await fireAlarm();
  expect(await clientOf().events()).toMatchObject([{ type: 'payment_succeeded' }]);
});

test('decisions.md#22: a simulated FAILED has failed when its answer arrives', async () => {
  expect(await createExpress(SIMULATED_FAILURE)).toMatchObject({
    status: 'FAILURE',
    paymentUrl: null,
  });
  expect((await intentOf()).status).toBe('failed');
  await fireAlarm();
  expect(await clientOf().events()).toMatchObject([{ type: 'payment_failed' }]);
});

test('decisions.md#22: an interactive test waits for a person, not for the alarm', async () => {
  await createExpress({ testMode: { testModeType: 'ACTUAL_TEST' } });
  await consumeAll(caught);
  const { terms } = await intentOf();
  expect(await alarmOf()).toBe(terms.createdAtMs + PROGRESS_SHOWN_AFTER_MS);
  advance(MINUTE_MS);
  await fireAlarm();
  expect(await alarmOf()).toBe(terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS);
  expect((await intentOf()).status).toBe('processing');
});

test.each([
  ['paid', async () => payHosted()],
  ['canceled', async () => createHosted().then(() => execute({ type: 'cancel' }))],
  [
    'expired',
    async () =>
      createHosted()
        .then(() => advance(EXPIRE_IN_MS))
        .then(() => intentOf()),
  ],
  [
    // With a second event, in a record of its own.
    'paid after its expiry',
    async () => {
      await createHosted();
      await execute(startRedirect('a0'));
      advance(EXPIRE_IN_MS);
      await fireAlarm();
      await execute(resolveAttempt('a0', 'succeeded'));
      expect(await clientOf().events()).toHaveLength(2);
    },
  ],
])(
  'decisions.md#24: 400 days after a payment was %s only its taken id is left',
  async (_name, prepare) => {
    merchantServer();
    await prepare();
    await consumeAll(caught);
    const endedAtMs = (await intentOf()).endedAtMs ?? 0;
    const retentionEndsAtMs = endedAtMs + 400 * DAY_MS;
    expect(await alarmOf()).toBe(retentionEndsAtMs);

    vi.setSystemTime(retentionEndsAtMs - 1);
    await fireAlarm();
    expect(await clientOf().read()).not.toBeNull();

    vi.setSystemTime(retentionEndsAtMs);
    await fireAlarm();
    expect(await alarmOf()).toBeNull();
    const rows = await allRows();
    expect(rows).toEqual({ record: [expect.objectContaining({ id: 0 })] });
    // No data about the payment: only numbers and nulls.
    expect(JSON.stringify(rows)).not.toMatch(/mer_|order|ETB|TELE|http/);

    expect((await postHosted()).status).toBe(409);
    expect((await postExpress()).status).toBe(409);
    expect((await call(statusPath('order-1'))).status).toBe(404);
    expect((await call(cancelPath('order-1'), { method: 'POST' })).status).toBe(404);
    expect(await clientOf().events()).toEqual([]);
    expect(await clientOf().history()).toEqual([]);
    expect(await clientOf().resendEvent(1)).toBe(false);
    // The tombstone has no alarm and stays.
    expect(await fireAlarm()).toBe(false);
    expect(await allRows()).toEqual(rows);
  },
);

test.each<[string, () => Promise<unknown>, 'webhooks' | 'projections']>([
  [
    'it has not ended',
    async () => {
      await createProjected();
      advance(OPEN_PROJECTION_AGAIN_MS);
      await fireAlarm();
      await consumeAll(caught);
    },
    'webhooks',
  ],
  [
    'its event has not arrived',
    async () => {
      await payHosted();
      await booksAreFed(caught);
    },
    'webhooks',
  ],
  [
    'its book has not confirmed its end',
    async () => {
      await createHosted();
      const { repair } = breakBook();
      await execute({ type: 'cancel' });
      await reportsAreSent();
      repair();
    },
    'projections',
  ],
])(
  'decisions.md#24: keeps a payment while %s, however late the alarm',
  async (_name, prepare, queue) => {
    await prepare();
    caught[queue].length = 0;
    advance(730 * DAY_MS);
    await fireAlarm();
    await reportsAreSent();
    expect(caught[queue]).toHaveLength(1);
    expect(await clientOf().read()).not.toBeNull();
  },
);

test('decisions.md#24: keeps no digest of key or body in the tombstone', async () => {
  merchantServer();
  await postHosted({}, { headers: { 'idempotency-key': 'key-1' } });
  expect(await storedPayment()).toMatchObject({ bodyDigest: expect.any(String) });
  await execute({ type: 'cancel' });
  await consumeAll(caught);
  advance(400 * DAY_MS);
  await fireAlarm();
  expect(await storedPayment()).toMatchObject({
    ...{ intent: null, idempotencyKeyDigest: null, bodyDigest: null, answer: null },
  });
});

test.each<[string, () => Promise<unknown>]>([
  [
    'the claim of a delivery',
    async () => {
      const { sequence } = await lastEvent();
      expect((await clientOf().claimDelivery({ sequence, position: 0 })).type).toBe('claimed');
    },
  ],
  ['a command without effect', () => execute({ type: 'customer_returned' })],
])('promises.md#6: %s sets the alarm again when the remembered time has passed', async (_, act) => {
  await payHosted();
  await booksAreFed(caught);
  await loseAlarm();
  advance(QUEUED_LEASE_MS + 1);
  await act();
  expect(await alarmOf()).not.toBeNull();
});

test('promises.md#6: a failed try sets the alarm earlier than the lease of its claim', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const { claimId } = await claim(sequence);
  const outcome = { type: 'failed', retryAfterMs: null, isEndpointPaused: false } as const;
  await report(sequence, claimId, outcome);
  const { dueAtMs } = await lastEvent();
  expect(dueAtMs).toBeLessThan(Date.now() + CLAIM_LEASE_MS);
  expect(await alarmOf()).toBe(dueAtMs);
});

test('promises.md#6: readers see an attempt that starts after they have confirmed the open payment', async () => {
  await createProjected();
  advance(OPEN_PROJECTION_AGAIN_MS);
  await fireAlarm();
  await consumeAll(caught);
  await execute(startRedirect('a0'));
  expect(await alarmOf()).toBe(Date.now() + PROGRESS_SHOWN_AFTER_MS);
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  expect(await booksAreFed(caught)).toMatchObject([{ row: { status: 'processing' } }]);
});

test('decisions.md#24: answers not_found to an outcome that arrives after retention', async () => {
  merchantServer();
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await consumeAll(caught);
  advance(401 * DAY_MS);
  await fireAlarm();
  expect(await clientOf().execute([resolveAttempt('a0', 'succeeded')])).toEqual({
    type: 'not_found',
  });
});

test('stays silent while a refund waits for a person', async () => {
  merchantServer();
  await payHosted();
  await consumeAll(caught);
  const { attempts } = await intentOf();
  // The provider returns no money by API.
  await execute(
    requestRefund('refund-1', { attemptId: attempts[0]?.id ?? '' }, { capability: null }),
  );
  await consumeAll(caught);
  advance(QUEUED_LEASE_MS + 1);
  await fireAlarm();
  expect(await alarmOf()).toBeNull();
});

test('stores nothing when the alarm fires for an object that was never created', async () => {
  await runInDurableObject(stubOf('unknown'), (instance) => instance.alarm());
  expect(await alarmOf('unknown')).toBeNull();
  expect(await allRows('unknown')).toEqual({});
});
