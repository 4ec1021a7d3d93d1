import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  runDurableObjectAlarm,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test, vi } from 'vitest';
import { alertsOf } from '../../../src/control/alerts/ask.ts';
import { readSelfCheck } from '../../../src/control/self-check/run.ts';
import { recordResults } from '../../../src/control/self-check/store.ts';
import { lookAround } from '../../../src/control/watch/look-around.ts';
import type { SubjectId } from '../../../src/engine/alerts/subjects.ts';
import { DATABASE_BYTES_MAX } from '../../../src/kit/platform/database.ts';
import { forgetUntold } from '../../../src/kit/platform/minutely.ts';
import worker from '../../support/gateway.ts';
import {
  alarmsUntil,
  attemptNow,
  configureRails,
  dyingBeforeClaims,
  EBIRR,
  noRail,
  payExpress,
} from '../rails/support.ts';
import {
  advance,
  createHosted,
  DAY_MS,
  execute,
  HOUR_MS,
  reportsAreSent,
  SECOND_MS,
  startRedirect,
  useGateway,
} from '../support.ts';
import { operateApi, SECRET } from './support.ts';

/**
 * Goal: each part of the gateway tells the operator's alerts when it needs a person, and when that is
 * over (docs/night.md#subjects); test/workers/book/alerts.test.ts has the books. Method: real faults,
 * and what the object of the alerts then has open.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
useGateway();

afterEach(forgetUntold);

const alerts = () => env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));

/** What is open, with its details. */
async function open(): Promise<Readonly<Partial<Record<SubjectId, readonly string[]>>>> {
  await reportsAreSent();
  const { open: subjects } = await alertsOf(env).state();
  return Object.fromEntries(subjects.map(({ subject, details }) => [subject, details]));
}

/** The object wakes after so long, and looks around. */
async function wake(afterMs: number): Promise<void> {
  advance(afterMs);
  await alertsOf(env).look();
  await runDurableObjectAlarm(alerts());
}

test('a queue that takes no message, and an hour without it', async () => {
  const fails = vi.spyOn(env.WEBHOOKS, 'send').mockRejectedValue(new Error('the queue is away'));
  await createHosted();
  await execute(startRedirect('a1'), {
    type: 'resolve_attempt',
    attemptId: 'a1',
    outcome: { type: 'succeeded', receipt: null },
  });
  await expect.poll(open).toEqual({ messages_waiting: ['kefel-webhooks'] });
  fails.mockRestore();
  await wake(HOUR_MS);
  await wake(HOUR_MS);
  expect(await open()).toEqual({});
});

test('a start that no object claims within half a minute, and an hour without one', async () => {
  noRail();
  const { startedAtMs } = await dyingBeforeClaims(async () => {
    await payExpress({ method: 'E_BIRR', expireIn: 3_600 });
    return attemptNow();
  });
  const claimsNothingUntil = (afterMs: number) =>
    dyingBeforeClaims(() => alarmsUntil(startedAtMs + afterMs));
  await claimsNothingUntil(30 * SECOND_MS);
  expect(await open()).toEqual({});
  await claimsNothingUntil(60 * SECOND_MS);
  await expect.poll(open).toEqual({ starts_waiting: ['E_BIRR'] });
  await wake(HOUR_MS);
  await wake(HOUR_MS);
  expect((await open()).starts_waiting).toBeUndefined();
});

test('a message that a queue gave up, until an operator has handled it', async () => {
  const body = { type: 'unknown' };
  const messages = [{ id: 'dead-1', timestamp: new Date(1_000), attempts: 1, body }];
  const batch = createMessageBatch('kefel-webhooks-dead', messages);
  await worker.queue(batch, env, createExecutionContext());
  expect(await open()).toEqual({ dead_letters: ['kefel-webhooks'] });
  const discard = { ids: ['dead-1'], reason: 'seen' };
  expect((await operateApi('/dead-letters/discard', discard)).status).toBe(200);
  await wake(10 * 60_000);
  expect(await open()).toEqual({});
});

test('D1 that does not answer, and the dead letter of the time before still stands', async () => {
  const messages = [{ id: 'dead-1', timestamp: new Date(1_000), attempts: 1, body: {} }];
  await worker.queue(
    createMessageBatch('kefel-webhooks-dead', messages),
    env,
    createExecutionContext(),
  );
  const away = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  await wake(10 * 60_000);
  const dead = { dead_letters: ['kefel-webhooks'] };
  expect(await open()).toEqual({ ...dead, database_failing: ['no_answer'] });
  away.mockRestore();
  await wake(10 * 60_000);
  expect(await open()).toEqual(dead);
});

test('D1 that is nearly full, until there is room', async () => {
  const prepare = env.DB.prepare.bind(env.DB);
  const full = vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
    const statement = prepare(sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...params) => {
      const bound = bind(...params);
      const run = bound.run.bind(bound);
      bound.run = async <T>() => {
        const result = await run<T>();
        return { ...result, meta: { ...result.meta, size_after: 0.8 * DATABASE_BYTES_MAX } };
      };
      return bound;
    };
    return statement;
  });
  await wake(10 * 60_000);
  expect(await open()).toEqual({ database_failing: ['nearly_full'] });
  full.mockRestore();
  await wake(10 * 60_000);
  expect(await open()).toEqual({});
});

test('a daily run that is late, until it has ended', async () => {
  const ended = (atMs: number) =>
    env.DB.prepare(
      `INSERT INTO daily_runs (name, finished_at_ms, detail) VALUES ('purge', ?1, '{}'), ('backup', ?1, '{}')
        ON CONFLICT DO UPDATE SET finished_at_ms = ?1`,
    )
      .bind(atMs)
      .run();
  await ended(Date.now() - 2 * DAY_MS);
  await wake(0);
  expect(await open()).toEqual({ daily_run_late: ['backup', 'purge'] });
  await ended(Date.now());
  await wake(10 * 60_000);
  expect(await open()).toEqual({});
});

test('a self-check that found something wrong', async () => {
  const result = (state: string) =>
    env.DB.batch([
      env.DB.prepare(
        `INSERT INTO self_check (id, run_id, started_at_ms, started_by) VALUES (1, 'run', ?, 'hana')
          ON CONFLICT DO NOTHING`,
      ).bind(Date.now()),
      env.DB.prepare(
        `INSERT INTO self_check_results (name, run_id, state, finding, details, finished_at_ms)
          VALUES ('rails', 'run', ?, 'rails', '{}', ?) ON CONFLICT DO UPDATE SET state = excluded.state`,
      ).bind(state, Date.now()),
    ]);
  await result('wrong');
  await wake(0);
  expect(await open()).toMatchObject({ self_check_failed: ['rails'] });
});

test('the daily cron starts a self-check that tells what it finds, until a run finds nothing', async () => {
  // The tests' database lacks wrangler's list of migrations.
  await worker.scheduled(
    createScheduledController({ cron: '17 1 * * *' }),
    env,
    createExecutionContext(),
  );
  const run = await env.DB.prepare(
    'SELECT run_id AS id, started_by AS startedBy FROM self_check',
  ).first<{ readonly id: string; readonly startedBy: string }>();
  expect(run?.startedBy).toBe('cron');
  expect((await open()).self_check_failed).toContain('database');
  const { checks } = await readSelfCheck({ env, nowMs: Date.now() });
  const passed = checks.map(({ name }) => ({ name, state: 'ok', finding: 'answered' }) as const);
  await recordResults(env.DB, run?.id ?? '', passed, Date.now());
  await wake(10 * 60_000);
  expect((await open()).self_check_failed).toBeUndefined();
});

test.each([
  ['ends in a month', 29 * DAY_MS, ['RAIL_M_PESA_PRODUCTION']],
  ['ends later', 40 * DAY_MS, []],
  ['has ended', -DAY_MS, ['RAIL_M_PESA_PRODUCTION']],
])('a secret that %s', async (_, endsInMs, details) => {
  const day = new Date(Date.now() + endsInMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const bindings: Env = { ...env, SECRET_ENDS: `RAIL_M_PESA_PRODUCTION=${day}` };
  const looks = await lookAround(bindings, Date.now());
  const keys = looks.find(({ source }) => source === 'look/keys')?.standings;
  expect(keys?.map(({ detail }) => detail)).toEqual(details);
});

test('a burst of refused sign-ins, far more than usual, until two hours without', async () => {
  for (let tries = 0; tries < 30; tries += 1) {
    const authorization = `Bearer ${SECRET.slice(0, -1)}x`;
    expect((await operateApi('/check', undefined, { authorization })).status).toBe(401);
  }
  expect(await open()).toEqual({ sign_ins_refused: ['operators'] });
  await wake(HOUR_MS);
  await wake(HOUR_MS);
  expect(await open()).toEqual({});
});
