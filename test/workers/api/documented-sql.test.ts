import { createExecutionContext, createMessageBatch } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import worker from '../../support/gateway.ts';
import { useGateway } from '../support.ts';

/**
 * Goal: an operator can paste every SQL statement of the documents into D1. Method: run them on the
 * gateway's own schema, where each of them finds something.
 */

useGateway();

beforeEach(async () => {
  const body = { objectName: 'a'.repeat(64), sequence: 2 };
  const letters = ['dead-1', 'dead-2'].map((id) => ({
    id,
    timestamp: new Date(),
    attempts: 1,
    body,
  }));
  const batch = createMessageBatch('kefel-webhooks-dead', letters);
  await worker.queue(batch, env, createExecutionContext());
  const sql = `UPDATE dead_letters SET status = 'discarded'
    WHERE id = (SELECT id FROM dead_letters ORDER BY id DESC LIMIT 1)`;
  await env.DB.prepare(sql).run();
});

test('the documents have SQL', () => {
  expect(env.TEST_DOCUMENTED_SQL.length).toBeGreaterThan(2);
});

test.each(env.TEST_DOCUMENTED_SQL)('$place finds rows', async ({ sql }) => {
  const { results, meta } = await env.DB.prepare(sql).all();
  expect(results.length + meta.changes).toBeGreaterThan(0);
});
