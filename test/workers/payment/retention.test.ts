import { createExecutionContext, createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import type { RefundOutcome } from '../../../src/engine/domain/refund.ts';
import { auditEntry } from '../../../src/kit/audit/log.ts';
import { DATABASE_BYTES_MAX } from '../../../src/kit/platform/database.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { databaseRows } from '../../security/storage.ts';
import worker from '../../support/gateway.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { auditLog, signedIn } from '../dashboard/support.ts';
import { content, operateApi } from '../operator/support.ts';
import { bookSql, booksReport } from '../support/book.ts';
import {
  ALPHA,
  advance,
  booksAreFed,
  call,
  cancelPath,
  consumeAll,
  createExpress,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  logged,
  MINUTE_MS,
  payHosted,
  postRefund,
  resolveAttempt,
  runSql,
  SECOND_MS,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/decisions.md#24: D1 keeps personal data no longer than a payment's object. Method: the
 * daily run, with the clock before and after the end of retention.
 */

const caught = useGateway();

/** Books look at a payment an hour later, because it ends after its creation. */
const RETENTION_MS = 400 * DAY_MS + 61 * MINUTE_MS;

async function purge(): Promise<void> {
  await worker.scheduled(createScheduledController(), env, createExecutionContext());
  await booksReport();
}

const withKeys = async () =>
  (await bookSql("SELECT id FROM payment WHERE search_keys <> '[]'")).length;

async function found(text: string): Promise<string[]> {
  const reader = await readerOf(env, tenantOf(ALPHA));
  return (await reader.search(text)).map(({ uniqueId }) => uniqueId);
}

/** What a file says of each payment's customer. */
async function names(): Promise<Record<string, string | undefined>> {
  const reader = await readerOf(env, tenantOf(ALPHA));
  const { rows } = await reader.exported({}, null);
  return Object.fromEntries(rows.map(({ uniqueId, details }) => [uniqueId, details.customerName]));
}

async function closeMerchant(): Promise<void> {
  const merchant = `/merchants/${ALPHA.id}`;
  const reason = { reason: 'Contract ended' };
  await content(operateApi(`${merchant}/suspend`, reason));
  await content(operateApi(`${merchant}/production/export`, {}));
  await content(operateApi(`${merchant}/close`, reason));
}

async function created(uniqueId: string, ends: boolean): Promise<void> {
  await createHosted({ paymentIntentUniqueId: uniqueId, customerInfo: { phone: '911234567' } });
  if (ends) {
    expect((await call(cancelPath(uniqueId), { method: 'POST' })).status).toBe(200);
  }
  await booksAreFed(caught);
}

describe('after 400 days', () => {
  test('a payment that has ended is not found by phone anymore, but still listed', async () => {
    await created('ended', true);
    advance(400 * DAY_MS - SECOND_MS);
    await created('newer', true);
    await purge();
    expect((await found('0911234567')).sort()).toEqual(['ended', 'newer']);
    advance(62 * MINUTE_MS);
    await purge();
    expect(await found('0911234567')).toEqual(['newer']);
    expect(await found('ended')).toEqual(['ended']);
  });

  test.each([
    ['Almaz Kebede', 'active'],
    ['A', 'active'],
    ['Almaz Kebede', 'closed'],
  ])(
    'a file no longer names the customer %s of a payment that has ended, of a merchant that is %s',
    async (name, status) => {
      await createHosted({ paymentIntentUniqueId: 'ended', customerInfo: { name } });
      await call(cancelPath('ended'), { method: 'POST' });
      await createHosted({ paymentIntentUniqueId: 'open', customerInfo: { name } });
      await booksAreFed(caught);
      if (status === 'closed') {
        await closeMerchant();
      }
      expect(await names()).toEqual({ ended: name, open: name });
      advance(RETENTION_MS);
      await purge();
      expect(await names()).toEqual({ ended: undefined, open: name });
      expect(await bookSql('SELECT id FROM payment')).toHaveLength(2);
    },
  );

  test('a payment that changed yesterday keeps its data until 400 days after the change', async () => {
    await createHosted({ customerInfo: { name: 'Almaz Kebede' } });
    await execute(startRedirect('a0'));
    advance(EXPIRE_IN_MS);
    await fireAlarm();
    advance(RETENTION_MS);
    // The provider reports late.
    await execute(resolveAttempt('a0', 'succeeded'));
    await booksAreFed(caught);
    advance(DAY_MS);
    await purge();
    expect(await names()).toEqual({ 'order-1': 'Almaz Kebede' });
    advance(RETENTION_MS - DAY_MS);
    await purge();
    expect(await names()).toEqual({ 'order-1': undefined });
  });

  test('keys go even if the reported attempt has nothing personal', async () => {
    const [first, second] = ['a0', 'a1'].map((id) => startRedirect(id));
    if (first?.type !== 'start_attempt' || second === undefined) {
      throw new Error('no attempt');
    }
    const byPhone = { ...first, attempt: { ...first.attempt, phone: '251722334455' } };
    await createHosted();
    await execute(byPhone, resolveAttempt('a0', 'failed'), second);
    await execute(resolveAttempt('a1', 'succeeded'));
    await booksAreFed(caught);
    expect(await found('0722334455')).toEqual(['order-1']);
    advance(RETENTION_MS);
    await purge();
    expect(await found('0722334455')).toEqual([]);
    expect(await withKeys()).toBe(0);
  });

  test('ids of a refund go, with those that the provider has replaced', async () => {
    // M-PESA accepts a refund under one id, and names another one with the result.
    const outcomes = [
      { type: 'unknown', checkAtMs: null, railReference: 'AG_20260831_0001' },
      { type: 'succeeded', railReference: 'REV7XK2' },
    ] as const satisfies readonly RefundOutcome[];
    await payHosted({ amount: 200 });
    // The simulator leaves the outcome of this amount unknown.
    expect((await postRefund({ amountMinor: 10_024 })).status).toBe(200);
    await fireAlarm();
    for (const outcome of outcomes) {
      await execute({ type: 'resolve_refund', refundId: 'refund-1', outcome });
      await consumeAll(caught);
      expect(await found(outcome.railReference)).toEqual(['order-1']);
    }
    const listed = 'SELECT rail_reference FROM refund';
    expect(await bookSql(listed)).toEqual([{ rail_reference: 'REV7XK2' }]);
    advance(RETENTION_MS);
    await purge();
    expect(await withKeys()).toBe(0);
    expect(await bookSql(listed)).toEqual([{ rail_reference: null }]);
  });

  test.each([
    ['', ['old', 'new']],
    [', even if its message is late', ['new', 'old']],
  ])('digests go that an earlier data key made%s', async (_, arriving) => {
    for (const key of arriving) {
      const searchKeys = [`phone:${key}`, `receipt:#${key}`];
      const changes = { intentVersion: key === 'old' ? 1 : 2, searchKeys };
      const ended = { status: 'canceled', endedAtMs: Date.now() } as const;
      await applyAll([projectionMessage(tenantOf(ALPHA), 1, ended, changes)]);
    }
    expect(await withKeys()).toBeGreaterThan(0);
    advance(RETENTION_MS);
    await purge();
    expect(await withKeys()).toBe(0);
  });

  test('a receipt that an operator recorded goes, even after the provider has replaced it', async () => {
    await createHosted();
    await execute(startRedirect('a0'));
    const path = `/payments/sandbox/${ALPHA.id}/order-1/attempts/a0/resolve`;
    const body = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen in the portal' };
    expect((await operateApi(path, body)).status).toBe(200);
    const outcome = { type: 'succeeded', receipt: 'T-88' } as const;
    await execute({ type: 'resolve_attempt', attemptId: 'a0', outcome });
    await booksAreFed(caught);
    const keys = await bookSql<{ search_keys: string }>('SELECT search_keys FROM payment');
    expect(JSON.parse(keys[0]?.search_keys ?? '')).toEqual(
      expect.arrayContaining(['receipt:R77', 'receipt:T88']),
    );
    advance(RETENTION_MS);
    await purge();
    expect(await withKeys()).toBe(0);
  });

  test('the transactionId that merchants know still finds the payment', async () => {
    // Its outcome waits for the customer, so that the book shows it at once.
    await createExpress({ testMode: { testModeType: 'ACTUAL_TEST' } });
    await consumeAll(caught);
    const { attempts } = await intentOf();
    advance(RETENTION_MS);
    await purge();
    expect(await found(attempts[0]?.reference ?? '')).toEqual(['order-1']);
  });

  test('a payment that is still open keeps its search keys', async () => {
    await created('open', false);
    advance(2 * RETENTION_MS);
    await purge();
    expect(await found('0911234567')).toEqual(['open']);
  });

  test('sessions that ended are deleted, with address and browser', async () => {
    await signedIn();
    advance(RETENTION_MS);
    await purge();
    expect(await rows('sessions')).toBe(1);
    advance(RETENTION_MS);
    await purge();
    expect(await rows('sessions')).toBe(0);
  });

  test.each(['DB', 'BACK_OFFICE_DB'] as const)(
    'the audit log in %s keeps its entries without their addresses',
    async (name) => {
      const actor = { kind: 'operator', id: 'abebe', name: 'Abebe' } as const;
      const write = (address: string) =>
        runSql(
          [
            auditEntry({
              actor: { ...actor, address },
              merchantId: ALPHA.id,
              environment: null,
              action: 'merchant.created',
              target: ALPHA.id,
              atMs: Date.now(),
            }),
          ],
          env[name],
        );
      await write('192.0.2.1');
      advance(RETENTION_MS);
      await write('192.0.2.2');
      await purge();
      const { results } = await env[name]
        .prepare('SELECT address FROM audit_log ORDER BY id')
        .all();
      expect(results).toEqual([{ address: null }, { address: '192.0.2.2' }]);
      expect(await auditLog()).toHaveLength(2);
    },
  );

  test.each(['retried', 'discarded'])('a dead letter that was %s is deleted', async (status) => {
    await env.DB.prepare(
      `INSERT INTO dead_letters (id, subject, message_id, queue, kind, sealed_body, sent_at_ms,
         stored_at_ms, given_up_at_ms, status, handled_at_ms)
       VALUES ('m', 'm', 'm', 'kefel-provider-reports', 'result', 'x', 1, 1, 1, ?1, ?2)`,
    )
      .bind(status, Date.now())
      .run();
    await purge();
    expect(await rows('dead_letters')).toBe(1);
    advance(RETENTION_MS);
    await purge();
    expect(await rows('dead_letters')).toBe(0);
  });
});

test.each([
  ['DB', 0.79, false],
  ['DB', 0.8, true],
  ['BACK_OFFICE_DB', 0.79, false],
  ['BACK_OFFICE_DB', 0.8, true],
] as const)('the daily run warns when %s is full to %d: %s', async (name, share, warns) => {
  const batch = env[name].batch.bind(env[name]);
  vi.spyOn(env[name], 'batch').mockImplementation(async <T>(statements: D1PreparedStatement[]) =>
    (await batch<T>(statements)).map((result) => ({
      ...result,
      meta: { ...result.meta, size_after: share * DATABASE_BYTES_MAX },
    })),
  );
  await purge();
  expect(logged.some((line) => line.includes('database_nearly_full'))).toBe(warns);
});

async function rows(table: string): Promise<number> {
  return (await databaseRows())[table]?.length ?? 0;
}
