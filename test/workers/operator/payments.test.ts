import { env } from 'cloudflare:workers';
import { describe, expect, it, test, vi } from 'vitest';
import { findPayments } from '../../../src/control/payments/search.ts';
import { ID_CHARACTERS_MAX } from '../../../src/engine/domain/identifiers.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { PaymentRow } from '../../../src/lists/book/rows.ts';
import { auditLog } from '../dashboard/support.ts';
import { bookSql } from '../support/book.ts';
import {
  ALPHA,
  advance,
  clientOf,
  consume,
  createHosted,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  HOUR_MS,
  intentOf,
  MINUTE_MS,
  merchantServer,
  resolveAttempt,
  startRedirect,
  stubOf,
  useGateway,
} from '../support.ts';
import { content, operate, operateApi, project, unresolved } from './support.ts';

/**
 * Goal: the operator sees what needs attention, marks it as reviewed, resolves an attempt manually
 * and reads a payment. Each resolution is in the audit log. Method: payments brought into each
 * state, the book fed by its own code, then requests to the API.
 */

const caught = useGateway();

const PAYMENT = `/payments/sandbox/${ALPHA.id}/order-1`;

interface Item {
  readonly type: string;
  readonly reasons: readonly { reason: string; what: string; todo: string }[];
  readonly payment?: { uniqueId: string };
  readonly event?: { uniqueId: string };
}

async function attention(query = ''): Promise<readonly Item[]> {
  return (await content<{ items: Item[] }>(operateApi(`/attention${query}`))).items;
}

function reasonsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap(({ reasons }) => reasons.map(({ reason }) => reason));
}

test('finds a payment by the longest id that creation takes, and none by a longer one', async () => {
  const character = '😀';
  const uniqueId = character.repeat(ID_CHARACTERS_MAX);
  await createHosted({ paymentIntentUniqueId: uniqueId });
  await project(caught);
  const members = await readerOf(env, { environment: 'sandbox', merchantId: ALPHA.id });
  for (const [id, found] of [
    [uniqueId, [uniqueId]],
    [uniqueId + character, []],
  ] as const) {
    const idsOf = (rows: readonly PaymentRow[]) => rows.map((row) => row.uniqueId);
    expect(idsOf(await members.search(id))).toEqual(found);
    expect(idsOf((await findPayments({ env }, id, null)).rows)).toEqual(found);
    const path = `/payments/sandbox/${ALPHA.id}/${encodeURIComponent(id)}`;
    expect((await operateApi(path)).status).toBe(found.length === 0 ? 404 : 200);
  }
});

describe('attention', () => {
  test('is empty for payments without a problem', async () => {
    await createHosted();
    await project(caught);
    expect(await attention()).toEqual([]);
  });

  test('lists an unresolved attempt, with an explanation and advice', async () => {
    await unresolved(caught);
    const [item] = await attention();
    expect(item).toMatchObject({ type: 'payment', payment: { uniqueId: 'order-1' } });
    expect(item?.reasons).toEqual([
      {
        reason: 'unresolved_attempt',
        title: 'Outcome unknown',
        what: expect.stringContaining('it is unknown whether'),
        todo: expect.stringContaining('record its outcome'),
      },
    ]);
  });

  test('lists a late payment and one that was paid twice', async () => {
    await unresolved(caught);
    advance(EXPIRE_IN_MS);
    await fireAlarm();
    await execute(resolveAttempt('a1', 'succeeded'));
    await project(caught);
    expect(reasonsOf(await attention())).toEqual(['late_payment']);
    await execute(resolveAttempt('a1', 'failed'));
    await project(caught);
    const [item] = await attention();
    expect(item?.reasons).toMatchObject([
      {
        reason: 'anomaly',
        anomaly: 'contradicting_failure',
        what: 'Anomaly: The provider contradicted itself.',
        todo: expect.stringContaining('Ask the provider whether the money arrived'),
      },
      { reason: 'late_payment' },
    ]);
    for (const path of ['?environment=sandbox', `/payments/sandbox/${ALPHA.id}/order-1`]) {
      const desk = await (await operate(`/operator${path}`)).text();
      expect(desk, path).toContain('Ask the provider whether the money arrived');
    }
  });

  test('lists a dead delivery', async () => {
    merchantServer(() => new Response('no', { status: 410 }));
    await createHosted();
    await execute({ type: 'abandon_payment' });
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    await project(caught);
    expect(reasonsOf(await attention())).toEqual(['delivery_dead']);
  });

  test('can be read for one environment, page by page', async () => {
    merchantServer(() => new Response('no', { status: 410 }));
    await unresolved(caught);
    await createHosted({ paymentIntentUniqueId: 'order-2' });
    await clientOf('order-2').execute([{ type: 'abandon_payment' }]);
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    await project(caught);
    expect(await attention('?environment=production')).toEqual([]);
    const seen: string[] = [];
    let query = '?limit=1';
    for (let pages = 0; pages < 10 && query !== ''; pages += 1) {
      const page: { items: Item[]; nextCursor: string | null } = await content(
        operateApi(`/attention${query}`),
      );
      seen.push(...reasonsOf(page.items));
      query = page.nextCursor === null ? '' : `?limit=1&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(['unresolved_attempt', 'delivery_dead']);
  });
});

describe('a review', () => {
  test('takes a payment off the list until something new happens', async () => {
    await unresolved(caught);
    const note = 'Asked telebirr, they look (0911234567)';
    const headers = { 'x-operator': 'Abebe' };
    await content(operateApi(`${PAYMENT}/review`, { note }, { headers }));
    expect(await attention()).toEqual([]);
    expect(await auditLog()).toEqual([
      {
        merchant_id: ALPHA.id,
        environment: 'sandbox',
        actor_kind: 'operator',
        actor_id: 'Abebe',
        action: 'payment.reviewed',
        target: 'order-1',
        detail: JSON.stringify({ note: 'Asked telebirr, they look (…)' }),
      },
    ]);
    const { review } = await content<{ review: unknown }>(operateApi(PAYMENT));
    expect(review).toMatchObject({ note: 'Asked telebirr, they look (…)', reviewedBy: 'Abebe' });

    advance(EXPIRE_IN_MS);
    await execute(resolveAttempt('a1', 'succeeded'));
    await project(caught);
    expect(reasonsOf(await attention())).toEqual(['late_payment']);
    await content(operateApi(`${PAYMENT}/review`, { note: 'Shipped' }));
    expect(await attention()).toEqual([]);
  });

  test('does not cover a later attempt that stays unresolved', async () => {
    await unresolved(caught);
    await content(operateApi(`${PAYMENT}/review`, { note: 'Asked telebirr' }));
    await execute(resolveAttempt('a1', 'failed'));
    await project(caught);
    expect(await attention()).toEqual([]);
    await execute(startRedirect('a2', Date.now() + MINUTE_MS));
    advance(2 * MINUTE_MS);
    await fireAlarm();
    await project(caught);
    expect(reasonsOf(await attention())).toEqual(['unresolved_attempt']);
  });
});

describe('manual resolution', () => {
  const SUCCEEDED = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen at telebirr' };
  const FAILED = { outcome: 'failed', reason: 'declined', note: 'Not at telebirr' };
  const path = `${PAYMENT}/attempts/a1/resolve`;

  it.each([
    ['paid', SUCCEEDED, 'succeeded', 'succeeded'],
    ['not paid', FAILED, 'failed', 'open'],
  ])(
    '%s: the payment, its history and the audit log show it',
    async (_name, body, attempt, status) => {
      await unresolved(caught);
      const headers = { 'x-operator': 'Abebe' };
      const payment = await content<Record<string, unknown>>(operateApi(path, body, { headers }));
      expect(payment).toMatchObject({ status, attempts: [{ id: 'a1', status: attempt }] });
      expect((payment.history as unknown[]).at(-1)).toMatchObject({
        command: 'resolve_manually',
        detail: { actor: 'operator', operator: 'Abebe', note: body.note, outcome: attempt },
      });
      const [entry] = await auditLog();
      expect(entry).toMatchObject({
        action: 'attempt.resolved',
        target: 'order-1',
        actor_id: 'Abebe',
      });
      expect(JSON.parse(entry?.detail ?? '')).toMatchObject({
        reference: 'REFA1',
        outcome: attempt,
        note: body.note,
      });
      await project(caught);
      expect(await attention()).toEqual([]);
    },
  );

  test('accepts the reference for the attempt, and records one decision once', async () => {
    await unresolved(caught);
    const decision = { ...SUCCEEDED, resolutionId: crypto.randomUUID() };
    const byReference = `${PAYMENT}/attempts/REFA1/resolve`;
    const first = await content(operateApi(byReference, decision));
    expect(await content(operateApi(byReference, decision))).toEqual(first);
    expect(await auditLog()).toHaveLength(1);
    const other = await operateApi(byReference, SUCCEEDED);
    expect([other.status, other.envelope.message]).toEqual([
      409,
      'The attempt is already succeeded. Nothing was changed',
    ]);
  });

  test('"failed" is rejected while the provider may still take money, and the log records the refusal', async () => {
    await createHosted();
    await execute(startRedirect('a1'));
    const { status, envelope } = await operateApi(path, FAILED);
    expect(status).toBe(409);
    expect(envelope.message).toContain('The provider may still accept the payment until 20');
    expect((await intentOf()).status).toBe('processing');
    const details = (await auditLog()).map(({ detail }) => JSON.parse(detail));
    expect(details).toMatchObject([{ outcome: 'failed' }, { refused: 'window_open' }]);
  });
});

test('a decision about a payment that its object has just deleted is recorded as refused', async () => {
  await unresolved(caught);
  vi.spyOn(IntentClient.prototype, 'execute').mockResolvedValueOnce({ type: 'not_found' });
  const decision = { outcome: 'failed', reason: 'declined', note: 'Not in the portal' };
  expect((await operateApi(`${PAYMENT}/attempts/a1/resolve`, decision)).status).toBe(404);
  const details = (await auditLog()).map(({ detail }) => JSON.parse(detail));
  expect(details).toMatchObject([{ outcome: 'failed' }, { refused: 'not_found' }]);
});

describe('a payment', () => {
  test('is read with attempts, history and events, and without the phone', async () => {
    const server = merchantServer();
    await createHosted({ paymentIntentUniqueId: 'a/b ü' });
    await clientOf('a/b ü').execute([{ type: 'abandon_payment' }]);
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    expect(server).toHaveLength(1);
    const path = `/payments/sandbox/${ALPHA.id}/${encodeURIComponent('a/b ü')}`;
    const payment = await content<Record<string, unknown[]>>(operateApi(path));
    expect(payment).toMatchObject({
      uniqueId: 'a/b ü',
      status: 'failed',
      failureReason: 'abandoned',
      objectName: expect.stringMatching(/^[0-9a-f]{64}$/),
      events: [
        { type: 'payment_failed', deliveryStatus: 'delivered', tries: [{ httpStatus: 200 }] },
      ],
      review: null,
    });
    expect(payment.history?.map((entry) => (entry as { command: string }).command)).toEqual([
      'create',
      'abandon_payment',
    ]);
    await createHosted();
    await execute(startRedirect('a1'));
    const { attempts } = await content<{ attempts: object[] }>(operateApi(PAYMENT));
    expect(attempts).toMatchObject([{ reference: 'REFA1', method: 'TELE_BIRR', paid: false }]);
    expect(Object.keys(attempts[0] ?? {})).not.toContain('phone');
  });
});

describe('a book', () => {
  test('is rebuilt by page or by object, and the audit log records it', async () => {
    for (const id of ['p1', 'p2', 'p3']) {
      await createHosted({ paymentIntentUniqueId: id });
    }
    await project(caught);
    const numbers = () => bookSql('SELECT unique_id, number, status FROM payment ORDER BY id');
    const before = await numbers();
    await bookSql("UPDATE payment SET number = 0, status = 'failed'");
    const path = `/books/sandbox/${ALPHA.id}/rebuild`;
    const first = await content<{ next: string }>(operateApi(path, { limit: 2 }));
    expect(first).toEqual({ rebuilt: 2, missing: 0, failed: 0, next: expect.any(String) });
    const rest = await content(operateApi(path, { limit: 2, after: first.next }));
    expect(rest).toEqual({ rebuilt: 1, missing: 0, failed: 0, next: null });
    expect(await numbers()).toEqual(before);

    await bookSql("DELETE FROM payment WHERE unique_id = 'p1'");
    const objectIds = [stubOf('p1'), stubOf('never-made')].map(({ id }) => String(id));
    const byObject = await content(operateApi('/books/rebuild', { objectIds }));
    expect(byObject).toEqual({ rebuilt: 1, missing: 1, failed: 0, next: null });
    expect(await numbers()).toEqual(before);
    expect((await auditLog()).map(({ action }) => action)).toEqual(Array(3).fill('book.rebuilt'));
  });
});

describe('health', () => {
  interface Health {
    readonly queues: readonly { queue: string; backlog: number | null; unknown: string | null }[];
    readonly environments: readonly {
      environment: string;
      eventsByStatus: Record<string, number>;
      oldestUndelivered: { uniqueId: string } | null;
      endsSinceYesterday: readonly object[];
      endsSinceWeek: readonly object[];
    }[];
  }

  test('reports undelivered events and how payments ended', async () => {
    await createHosted();
    await execute({ type: 'abandon_payment' });
    // The book leaves a young event out, until it is tried.
    advance(MINUTE_MS);
    await project(caught);
    const health = await content<Health>(operateApi('/health'));
    expect(health.environments).toMatchObject([
      { environment: 'production', eventsByStatus: {}, oldestUndelivered: null },
      {
        environment: 'sandbox',
        eventsByStatus: { queued: 1 },
        oldestUndelivered: { uniqueId: 'order-1' },
        endsSinceYesterday: [{ status: 'failed', failureReason: 'abandoned', payments: 1 }],
      },
    ]);
    advance(50 * HOUR_MS);
    const later = await content<Health>(operateApi('/health'));
    expect(later.environments[1]?.endsSinceYesterday).toEqual([]);
    expect(later.environments[1]?.endsSinceWeek).toHaveLength(1);
  });

  test.each([
    [0.1, false],
    [0.8, true],
  ])(
    'reports the size of D1, and whether a database full to %d is nearly full: %s',
    async (share, isFull) => {
      const prepare = env.DB.prepare.bind(env.DB);
      vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
        const statement = prepare(sql);
        const bind = statement.bind.bind(statement);
        statement.bind = (...params) => {
          const bound = bind(...params);
          const run = bound.run.bind(bound);
          bound.run = async <T>() => {
            const result = await run<T>();
            return { ...result, meta: { ...result.meta, size_after: share * 10e9 } };
          };
          return bound;
        };
        return statement;
      });
      expect(await content(operateApi('/health'))).toMatchObject({
        d1SizeBytes: share * 10e9,
        d1SizeBytesMax: 10e9,
        d1IsNearlyFull: isFull,
      });
      const page = await (await operate('/operator/health')).text();
      expect(page).toContain(`>${share * 100} %</p>`);
      expect(page).toContain(`${(share * 10).toFixed(2)} GB of 10 GB`);
      expect(page.includes('Nearly full')).toBe(isFull);
    },
  );

  test('reports the size of the queues, and says when Cloudflare does not report it', async () => {
    vi.spyOn(env.WEBHOOKS, 'metrics').mockResolvedValue({
      backlogCount: 3,
      backlogBytes: 300,
      oldestMessageTimestamp: new Date(5_000),
    });
    vi.spyOn(env.PROVIDER_REPORTS, 'metrics').mockRejectedValue(new Error('not implemented'));
    const { queues } = await content<Health>(operateApi('/health'));
    expect(queues).toContainEqual({
      queue: 'kefel-webhooks',
      backlog: 3,
      backlogBytes: 300,
      oldestAtMs: 5_000,
      unknown: null,
    });
    expect(queues).toContainEqual({
      queue: 'kefel-provider-reports',
      backlog: null,
      backlogBytes: null,
      oldestAtMs: null,
      unknown: 'Cloudflare reported no metrics',
    });
  });
});
