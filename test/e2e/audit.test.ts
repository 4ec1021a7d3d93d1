import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { databaseIds } from '../../scripts/dev/d1.ts';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { prepareLocalGateway } from '../../scripts/dev/prepare.ts';
import { type LocalDatabase, localDatabase, SQL_SCRIPT } from '../../scripts/dev/sql-worker.ts';
import { writeWorkers } from '../../scripts/dev/workers.ts';
import { builtWorker } from '../../scripts/gateway/built-workers.ts';
import type { Answer } from '../../src/control/rpc/answer.ts';
import { hostedBody, MerchantApi } from '../support/e2e-scene.ts';

/**
 * Goal: docs/decisions.md#54 holds for the payments Worker as it is deployed, whatever the back office
 * does and whenever its database fails. Method: the built Worker alone; a second Worker has the back
 * office's binding and calls what an intruder there could call; a trigger of D1 makes a write fail.
 */

const INTRUDER_SCRIPT = `export default {
  async fetch(request, env) {
    const [path, args] = await request.json();
    try {
      return Response.json(await env.PAYMENTS.call(path, args));
    } catch (error) {
      return Response.json({ type: 'thrown', message: error.message });
    }
  },
}`;

const TENANT = { environment: 'sandbox', merchantId: 'demo' };
const MEMBER = { kind: 'member', id: 'mem_1', name: 'Mallory', address: null };

let directory: string;
let gateway: Miniflare;
let database: LocalDatabase;
let sandbox: MerchantApi;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kefel-audit-'));
  const prepared = await prepareLocalGateway(directory, 'http://localhost');
  const [payments = ''] = await writeWorkers({
    directory: join(directory, 'workers'),
    secrets: prepared.secrets,
    variables: ['LOCAL_CALLBACKS:true'],
    hasBackOffice: false,
  });
  const [databaseId] = await databaseIds();
  const small = { modules: true, compatibilityDate: '2026-11-01' } as const;
  gateway = new Miniflare(
    convertV4MiniflareOptions({
      host: 'localhost',
      port: 0,
      resourcePersistencePath: join(directory, 'v3'),
      cf: false,
      logRequests: false,
      handleStructuredLogs: ({ level, message }) =>
        console[level === 'error' ? 'error' : 'info'](message),
      workers: [
        await builtWorker(payments, inject('sandbox').builtDirectory),
        {
          ...small,
          name: 'intruder',
          script: INTRUDER_SCRIPT,
          serviceBindings: { PAYMENTS: { name: 'kefel', entrypoint: 'Payments' } },
        },
        { ...small, name: 'sql', script: SQL_SCRIPT, d1Databases: [databaseId] },
      ],
    }),
  );
  const sql = await gateway.getWorker('sql');
  database = localDatabase(databaseId, (init) => sql.fetch('http://sql', init));
  sandbox = apiAt((await gateway.ready).origin, prepared.merchant);
});

afterAll(async () => {
  await gateway.dispose();
  await rm(directory, { recursive: true });
});

function apiAt(origin: string, { sandboxApiKey }: DemoMerchant): MerchantApi {
  return new MerchantApi(origin, sandboxApiKey, 'sandbox');
}

type Said = Answer | { readonly type: 'thrown'; readonly message: string };

async function ask(area: string, name: string, ...args: readonly unknown[]): Promise<Said> {
  const intruder = await gateway.getWorker('intruder');
  const body = JSON.stringify([[area, name], args]);
  return (
    await intruder.fetch('http://intruder', { method: 'POST', body })
  ).json() as Promise<Said>;
}

async function rowsOf(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [answer] = await database.batch([{ sql, params: [] }]);
  return answer?.results ?? [];
}

const entriesOf = (action: string) =>
  rowsOf(`SELECT actor_kind, target, detail FROM audit_log WHERE action = '${action}'`);

async function created(): Promise<string> {
  const body = hostedBody();
  await sandbox.hosted(body);
  return String(body.paymentIntentUniqueId);
}

test('an export is recorded by its first page, and no other page is given without it', async () => {
  const filter = { status: 'open' };
  const first = (after: string | null) =>
    ask('lists', 'exported', TENANT, MEMBER, filter, 'masked', after);
  for (const after of ['', 'by4xLjE', '1.AAAA']) {
    expect(await first(after)).toMatchObject({ type: 'problem', code: 'validation_failed' });
  }
  expect(await entriesOf('payments.exported')).toEqual([]);
  expect(await first(null)).toMatchObject({ type: 'value', value: { nextCursor: null } });
  const statement = ask('lists', 'statement', TENANT, MEMBER, { fromDay: 0, toDay: 1 }, null);
  expect(await statement).toMatchObject({ type: 'value' });
  expect(await entriesOf('payments.exported')).toEqual([
    { actor_kind: 'member', target: null, detail: JSON.stringify(filter) },
    {
      actor_kind: 'member',
      target: null,
      detail: JSON.stringify({ file: 'statement', since: '1970-01-01', until: '1970-01-02' }),
    },
  ]);
});

test('a cancellation whose entry fails changes nothing, and its repeat leaves an entry', async () => {
  const uniqueId = await created();
  const cancel = () => ask('payments', 'cancel', TENANT, MEMBER, uniqueId);
  await rowsOf(`CREATE TRIGGER down BEFORE INSERT ON audit_log
    BEGIN SELECT RAISE(ABORT, 'down'); END`);
  expect(await cancel()).not.toMatchObject({ type: 'value' });
  expect((await sandbox.status(uniqueId)).body.content.status).toBe('OPEN');
  await rowsOf('DROP TRIGGER down');
  expect(await cancel()).toEqual({ type: 'value', value: 'canceled' });
  expect((await sandbox.status(uniqueId)).body.content.status).toBe('CANCELED');
  expect(await cancel()).toEqual({ type: 'value', value: 'canceled' });
  expect(await entriesOf('payment.cancel_requested')).toEqual([
    { actor_kind: 'member', target: uniqueId, detail: '{}' },
  ]);
});

test('a program cancels while the audit log takes no entry, and the payment names its key', async () => {
  const uniqueId = await created();
  await rowsOf(`CREATE TRIGGER down BEFORE INSERT ON audit_log
    BEGIN SELECT RAISE(ABORT, 'down'); END`);
  expect((await sandbox.cancel(uniqueId)).status).toBe(200);
  await rowsOf('DROP TRIGGER down');
  const read = await ask('payments', 'read', TENANT, uniqueId, false);
  expect(JSON.stringify(read)).toMatch(/"requester":\{"type":"api","keyId":"[0-9a-f]{64}"\}/);
});

test('the backed-up audit log is not written again, by a lower or endless end or by an earlier page', async () => {
  const facts = { migrations: [], tables: ['members', 'audit_log'], auditToId: 2 };
  const taken = (await ask('backups', 'takeRun', facts, true)) as {
    readonly value: { readonly progress: { readonly run: string; readonly lease: number } };
  };
  const { run, lease } = taken.value.progress;
  const log = { table: 'audit_log', part: 1, rows: [{ id: 1 }, { id: 2 }], next: null };
  const members = { table: 'members', part: 1, rows: [], next: { ...log, after: null } };
  const next = { table: 'audit_log', part: 1, after: null };
  expect(await ask('backups', 'storePage', { run, lease }, log)).toMatchObject({
    message: expect.stringContaining('not the next page'),
  });
  const stored = (await ask('backups', 'storePage', { run, lease }, { ...members, next })) as {
    readonly value: number;
  };
  const held = { run, lease: stored.value };
  expect(await ask('backups', 'storePage', held, log)).toMatchObject({ type: 'value' });
  for (const [auditToId, message] of [
    [0, 'is backed up until 2'],
    [Number.MAX_SAFE_INTEGER, 'cannot end at'],
  ] as const) {
    expect(await ask('backups', 'takeRun', { ...facts, auditToId }, true)).toMatchObject({
      message: expect.stringContaining(message),
    });
  }
});
