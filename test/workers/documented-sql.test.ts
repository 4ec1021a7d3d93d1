import { createExecutionContext, createMessageBatch } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import worker from '../support/gateway.ts';
import { content } from './operator-support.ts';
import { deliver, projectedEvent, projectionMessage } from './read-model-fixture.ts';
import { ALPHA, answerOf, BETA, call, tenantOf, useGateway } from './support.ts';

/**
 * Goal: an operator can paste every SQL statement of the documents into D1. Method: run them on the
 * gateway's own schema, where each of them finds something.
 */

useGateway();

/** The documents name dates of the years in which they were written. */
const OLD_MS = Date.UTC(2020, 0, 1);
const NEW_MS = Date.UTC(2090, 0, 1);

const [OLD, NEW, OPEN] = [1, 2, 3];
const TENANTS = [tenantOf(ALPHA), tenantOf(BETA, 'production')];

beforeEach(async () => {
  await deliver(
    TENANTS.flatMap((tenant) => [
      projectionMessage(
        tenant,
        OLD,
        { createdAtMs: OLD_MS, status: 'succeeded' },
        { events: [projectedEvent(tenant, OLD, { createdAtMs: OLD_MS })] },
      ),
      projectionMessage(
        tenant,
        NEW,
        { createdAtMs: NEW_MS, status: 'succeeded' },
        { events: [projectedEvent(tenant, NEW, { createdAtMs: NEW_MS })] },
      ),
      projectionMessage(tenant, OPEN, { createdAtMs: OLD_MS + 1 }),
    ]),
  );
  const body = { objectId: 'a'.repeat(64), sequence: 2 };
  const letter = { id: 'dead-1', timestamp: new Date(), attempts: 1, body };
  const batch = createMessageBatch('kefel-webhooks-dead', [letter]);
  await worker.queue(batch, env, createExecutionContext());
});

test('the documents have SQL', () => {
  expect(env.TEST_DOCUMENTED_SQL.length).toBeGreaterThan(3);
});

test.each(env.TEST_DOCUMENTED_SQL)('$place finds rows, by an index', async ({ sql }) => {
  const { results: plan } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  const { results, meta } = await env.DB.prepare(sql).all();
  expect(results.length + meta.changes).toBeGreaterThan(0);
  // Millions of rows are in these tables.
  const scans = plan.filter(({ detail }) =>
    /^SCAN (?:payment|webhook_event|event)/.test(`${detail}`),
  );
  expect(scans).toEqual([]);
});

describe('docs/operations.md#when-d1-fills-up', () => {
  const deletions = env.TEST_DOCUMENTED_SQL.filter(({ sql }) => sql.startsWith('DELETE'));

  interface Listed {
    readonly uniqueId?: string;
    readonly paymentIntentUniqueId?: string;
  }

  async function listed(path: string): Promise<readonly unknown[]> {
    const { data } = await content<{ data: readonly Listed[] }>(
      answerOf(call(`/api/v1/payment/sandbox/${path}`)),
    );
    return data.map(({ uniqueId, paymentIntentUniqueId }) => uniqueId ?? paymentIntentUniqueId);
  }

  test('deletes what is old, and neither newer nor open payments', async () => {
    expect(await listed('intents')).toEqual(['order-2', 'order-3', 'order-1']);
    for (const { sql } of deletions) {
      await env.DB.prepare(sql).run();
      expect((await env.DB.prepare(sql).run()).meta.changes).toBe(0);
    }
    expect(await listed('intents')).toEqual(['order-2', 'order-3']);
    expect(await listed('events')).toEqual(['order-2']);
  });
});
