import { createExecutionContext, createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { lastDailyRunMs } from '../../../src/kit/platform/daily-runs.ts';
import worker from '../../support/gateway.ts';
import { DAY_MS, logged, useGateway } from '../support.ts';

/**
 * Goal: a step of the daily run that fails day after day keeps no other from its work, and the operator
 * learns of it. Method: the cron, while D1 refuses one statement.
 */

useGateway();

const daily = () => worker.scheduled(createScheduledController(), env, createExecutionContext());

/** Work of the second kind of rows that the run purges, and of its last step. */
async function prepareWork(): Promise<void> {
  const nowMs = Date.now();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO audit_log (at_ms, actor_kind, actor_id, actor_name, address, action, detail)
        VALUES (?, 'operator', 'Hana', 'Hana', '192.0.2.1', 'merchant.created', '{}')`,
    ).bind(nowMs - 1_000 * DAY_MS),
    env.DB.prepare(
      `INSERT INTO customer_requests (id, digest, kind, refundable_too, reason, requested_by,
          requested_by_proved, requested_at_ms, searched_at_ms)
        VALUES ('request', 'digest', 'phone', 0, 'x', 'Hana', 1, ?1, ?1)`,
    ).bind(nowMs),
  ]);
}

/** Whether the address was purged, whether the request has ended, and when the run did. */
async function done() {
  const first = (sql: string, column: string) => env.DB.prepare(sql).first(column);
  return {
    address: await first('SELECT address FROM audit_log ORDER BY at_ms', 'address'),
    requestEndedAtMs: await first('SELECT * FROM customer_requests', 'finished_at_ms'),
    runEndedAtMs: await lastDailyRunMs(env.DB, 'purge'),
  };
}

test.each([
  ['receipts', 'DELETE FROM manual_receipts'],
  ['letters/result', "kind = 'result'"],
  ['receipts/production', 'SELECT recorded_at_ms AS recordedAtMs'],
])(
  'a failure of %s keeps no other step from its work, and the run has not ended',
  async (step, refused) => {
    await prepareWork();
    const nowMs = Date.now();
    const prepare = env.DB.prepare.bind(env.DB);
    const database = vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
      if (sql.includes(refused)) {
        throw new Error('refused');
      }
      return prepare(sql);
    });
    await expect(daily()).rejects.toThrow('failed');
    database.mockRestore();
    const work = { address: null, requestEndedAtMs: nowMs };
    expect(await done()).toEqual({ ...work, runEndedAtMs: null });
    const failures = logged.filter((line) => line.includes('daily_step_failed'));
    expect(failures.map((line) => JSON.parse(line).step)).toContain(step);
    await daily();
    expect(await done()).toEqual({ ...work, runEndedAtMs: nowMs });
  },
);
