import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { selfCheck as amharic } from '../../../back-office/i18n/am/self-check.ts';
import { selfCheck as english } from '../../../back-office/i18n/en/self-check.ts';
import type { CheckReport } from '../../../back-office/operator/check.ts';
import { BACK_OFFICE_MIGRATIONS } from '../../../back-office/operator/migrations.generated.ts';
import { PAYMENTS_MIGRATIONS } from '../../../src/control/self-check/migrations.generated.ts';
import { SELF_CHECK_TENANT } from '../../../src/control/self-check/payment.ts';
import { finishDailyRun } from '../../../src/kit/platform/daily-runs.ts';
import worker from '../../support/gateway.ts';
import { booksReport } from '../support/book.ts';
import {
  advance,
  booksAreFed,
  consume,
  consumeAll,
  fateOf,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  stubOf,
  useGateway,
} from '../support.ts';
import { content, deskOf, operate, operateApi, sendTo } from './support.ts';

/**
 * Goal: the self-check says of each part whether it works, even if other parts fail
 * (docs/decisions.md#48). Method: a run whose messages, alarm and webhook the test delivers or
 * withholds, and one part broken at a time.
 */

const caught = useGateway();

// The pool has no binding of the back office's files.
Object.assign(env, { ASSETS: { fetch: () => new Response(null, { status: 404 }) } });

/** The pool creates the tables without wrangler's list. */
async function migrated(database: D1Database, names: readonly string[]): Promise<void> {
  const table = `CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;
  const insert = 'INSERT INTO d1_migrations (name, applied_at) VALUES (?1, ?2)';
  const appliedAt = new Date(Date.now()).toISOString().slice(0, 19).replace('T', ' ');
  await database.batch([
    database.prepare(table),
    ...names.map((name) => database.prepare(insert).bind(name, appliedAt)),
  ]);
}

beforeEach(async () => {
  await migrated(env.DB, PAYMENTS_MIGRATIONS);
  await migrated(env.BACK_OFFICE_DB, BACK_OFFICE_MIGRATIONS);
});

const start = () => content<CheckReport>(operateApi('/check', {}));
const read = () => content<CheckReport>(operateApi('/check'));

function statesOf({ checks }: CheckReport): Readonly<Record<string, string>> {
  return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
}

function wrongIn({ checks }: CheckReport) {
  return checks.flatMap(({ name, state, detail }) => (state === 'wrong' ? [[name, detail]] : []));
}

/** What the check leaves to alarm, queues and consumers. */
async function deliverAll(): Promise<void> {
  await consume('kefel-provider-reports', caught.reports.splice(0));
  await consumeAll(caught);
  const runId = await env.DB.prepare('SELECT run_id FROM self_check').first<string>('run_id');
  advance(SECOND_MS);
  await runDurableObjectAlarm(stubOf(String(runId), SELF_CHECK_TENANT));
  await booksAreFed(caught);
  await consumeAll(caught);
}

describe('decisions.md#48: the self-check', () => {
  test('waits for queues, alarm and webhook, and then says that everything works', async () => {
    const first = await start();
    expect(first).toEqual({
      checks: expect.any(Array),
      startedAt: new Date(Date.now()).toISOString(),
      finishedAt: null,
    });
    const late = ['kefel-provider-reports', 'kefel-webhooks', 'kefel-webhook-retries', 'payment'];
    const waiting = [...late, 'event', 'book'];
    const states = statesOf(first);
    expect(Object.keys(states).filter((name) => states[name] === 'waiting')).toEqual(waiting);
    expect(wrongIn(first)).toEqual([]);
    await deliverAll();
    const last = await read();
    expect(new Set(Object.values(statesOf(last)))).toEqual(new Set(['ok']));
    expect(last.finishedAt).toBe(new Date(Date.now()).toISOString());
    // Reloading shows the same.
    advance(HOUR_MS);
    expect(await read()).toEqual(last);
  });

  test('pays a sandbox payment of no merchant, which no list of the operator shows', async () => {
    await start();
    await deliverAll();
    expect(statesOf(await read())).toMatchObject({ payment: 'ok', event: 'ok', book: 'ok' });
    await booksReport();
    const merchants = await content<{ items: { id: string }[] }>(operateApi('/merchants'));
    expect(merchants.items.map(({ id }) => id)).not.toContain(SELF_CHECK_TENANT.merchantId);
    expect(await content(operateApi('/attention'))).toMatchObject({ items: [] });
    const taken = await operateApi('/merchants', { id: SELF_CHECK_TENANT.merchantId, name: 'X' });
    expect(taken).toMatchObject({ status: 409, envelope: { code: 'merchant_exists' } });
  });

  test('names each part that does not answer within a minute, and no other', async () => {
    await start();
    caught.retries.length = 0;
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    advance(59 * SECOND_MS);
    expect((await read()).finishedAt).toBeNull();
    advance(SECOND_MS);
    const report = await read();
    const silent = 'Did not answer within 60 s.';
    expect(wrongIn(report)).toEqual([
      ['kefel-provider-reports', silent],
      ['kefel-webhook-retries', silent],
      ['payment', silent],
      ['event', silent],
      ['book', silent],
    ]);
    expect(report.finishedAt).not.toBeNull();
    expect(report.checks.find(({ name }) => name === 'payment')?.remedy).toContain('alarm_failed');
  });

  test('starts at most one run a minute, also for many requests', async () => {
    const [one, two] = await Promise.all([operateApi('/check', {}), operateApi('/check', {})]);
    const refused = one?.status === 200 ? two : one;
    expect(refused).toMatchObject({ status: 429, envelope: { code: 'too_many_requests' } });
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(caught.webhooks).toHaveLength(1);
    advance(MINUTE_MS);
    expect((await operateApi('/check', {})).status).toBe(200);
  });

  test('does not start without the operator’s secret', async () => {
    for (const options of [{ authorization: null }, { authorization: 'Bearer kfl_op_wrong' }]) {
      expect((await operate('/operator/v1/check', {}, options)).status).toBe(401);
    }
    const page = await sendTo(env, '/operator/check', { method: 'POST', body: 'csrf=x' });
    expect(page.status).toBe(401);
    expect(caught.webhooks).toEqual([]);
  });

  test('drops a probe of an earlier run, and one that D1 does not take, without a retry', async () => {
    await start();
    const probes = caught.webhooks.splice(0);
    advance(MINUTE_MS);
    await start();
    expect(fateOf(await consume('kefel-webhooks', probes), 1)).toBe('acked');
    expect(statesOf(await read())['kefel-webhooks']).toBe('waiting');
    vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is away'));
    expect(fateOf(await consume('kefel-webhooks', caught.webhooks.splice(0)), 1)).toBe('acked');
  });
});

describe('decisions.md#48: a broken part hides no other', () => {
  /** The checks that are wrong in a gateway with these bindings. */
  async function wrongWith(bindings: Record<string, unknown>) {
    const answer = operateApi('/check', {}, { bindings: { ...env, ...bindings } as never });
    return wrongIn(await content<CheckReport>(answer));
  }

  test('a binding that is missing', async () => {
    expect(await wrongWith({ RESEND_RATE_LIMIT: undefined })).toEqual([
      ['bindings', 'Missing: RESEND_RATE_LIMIT'],
    ]);
  });

  test('a secret that is malformed, whose value it never shows', async () => {
    const wrong = await wrongWith({ BACKUP_KEYS: 'not-a-key' });
    const problem = 'BACKUP_KEYS must be a list of keyId:base64, separated by commas';
    expect(wrong).toContainEqual(['configuration', problem]);
    expect(JSON.stringify(wrong)).not.toContain('not-a-key');
  });

  test('a secret of a rail', async () => {
    expect(await wrongWith({ RAIL_M_PESA_PRODUCTION: '{}' })).toEqual([
      ['rails', 'Malformed: RAIL_M_PESA_PRODUCTION'],
    ]);
  });

  test('migrations that are missing in both databases', async () => {
    for (const database of [env.DB, env.BACK_OFFICE_DB]) {
      await database.prepare('DELETE FROM d1_migrations WHERE id > 1').run();
    }
    const wrong = Object.fromEntries(wrongIn(await start()));
    expect(wrong.database).toBe(`Not applied: ${PAYMENTS_MIGRATIONS.slice(1).join(', ')}`);
    const missing = BACK_OFFICE_MIGRATIONS.slice(1).join(', ');
    expect(wrong['back-office-database']).toBe(`Not applied: ${missing}`);
  });

  test('the tables of the check itself', async () => {
    await env.DB.prepare('DROP TABLE self_check').run();
    await env.DB.prepare("DELETE FROM d1_migrations WHERE name LIKE '0003%'").run();
    for (const report of [await start(), await read()]) {
      const wrong = Object.fromEntries(wrongIn(report));
      expect(wrong.database).toBe('Not applied: 0003_gateway_settings.sql');
      expect(wrong.payment).toBe(english.findings.not_stored);
      expect(statesOf(report)).toMatchObject({ bindings: 'ok', 'back-office-database': 'ok' });
    }
  });

  test('a queue that takes no message, and an object that does not answer', async () => {
    vi.spyOn(env.PROVIDER_REPORTS, 'send').mockRejectedValue(new Error('no such queue'));
    vi.spyOn(env.MERCHANT_REGISTER, 'get').mockImplementation(() => {
      throw new Error('no such object');
    });
    expect(wrongIn(await start())).toEqual([
      ['register', 'Error: no such object'],
      ['kefel-provider-reports', 'Error: no such queue'],
    ]);
  });

  test('the payments plane as a whole', async () => {
    const PAYMENTS = { call: () => Promise.reject(new Error('no such service')) };
    const { default: backOffice } = await import('../../../back-office/index.ts');
    const request = new Request('https://pay.kefel.test/operator/v1/check', {
      headers: { authorization: `Bearer kfl_op_${'n'.repeat(43)}` },
    });
    const ctx = { waitUntil: () => undefined } as never;
    const response = await backOffice.fetch(request as never, { ...env, PAYMENTS } as never, ctx);
    const { content: report } = (await response.json()) as { content: CheckReport };
    expect(wrongIn(report)).toEqual([['payments-worker', 'Error: no such service']]);
    expect(statesOf(report)['back-office-database']).toBe('ok');
  });

  test('a deployment without a bucket, which has no backup, is right', async () => {
    expect(await wrongWith({ BACKUPS: undefined })).toEqual([]);
  });

  test('a daily run or a backup that has not ended for a day', async () => {
    for (const database of [env.DB, env.BACK_OFFICE_DB]) {
      await finishDailyRun(database, 'purge', {}, Date.now());
    }
    await finishDailyRun(env.DB, 'backup', {}, Date.now());
    expect(wrongIn(await start())).toEqual([]);
    advance(27 * HOUR_MS);
    expect(wrongIn(await start()).map(([name]) => name)).toEqual([
      'daily-run',
      'backup',
      'back-office-daily-run',
    ]);
  });
});

test('the daily runs record their end and what they did', async () => {
  const ctx = { waitUntil: () => undefined } as never;
  await worker.scheduled?.({} as never, env as never, ctx);
  for (const database of [env.DB, env.BACK_OFFICE_DB]) {
    const run = await database.prepare('SELECT * FROM daily_runs').first();
    expect(run).toMatchObject({ name: 'purge', finished_at_ms: Date.now() });
    expect(JSON.parse(String(run?.detail))).toMatchObject({ auditAddresses: 0 });
  }
});

test('the desk starts a check, reloads itself while it waits, and then stops', async () => {
  const desk = deskOf('Sara');
  const refresh = '<meta http-equiv="refresh" content="2"';
  expect(await desk.pageOf('/operator/check')).toContain(english.none);
  const page = await desk.pageOf('/operator/check');
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  expect(await desk.send('/operator/check', { csrf })).toBe('/operator/check');
  const waiting = await desk.pageOf('/operator/check');
  expect(waiting).toContain(refresh);
  expect(waiting).toContain(english.checks.payment.title);
  expect(await desk.pageOf(await desk.send('/operator/check', { csrf }))).toContain(
    english.tooSoon,
  );
  await deliverAll();
  const done = await desk.pageOf('/operator/check?lang=am');
  expect(done).not.toContain(refresh);
  expect(done).toContain(amharic.summary.ok);
});
