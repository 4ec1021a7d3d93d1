import {
  createExecutionContext,
  createScheduledController,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { insertMember } from '../../../back-office/members/members.ts';
import { continueRequests } from '../../../src/control/customers/actions.ts';
import { configOf } from '../../../src/engine/config.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { LOST_VERSIONS_MAX } from '../../../src/engine/domain/restored.ts';
import { RESTORED_HOLD_MS } from '../../../src/engine/domain/restored-hold.ts';
import { requestRefund as reserveRefund } from '../../../src/engine/refunds/request.ts';
import { auditEntry } from '../../../src/kit/audit/log.ts';
import { uuidV7 } from '../../../src/kit/crypto/uuid-v7.ts';
import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { NO_JURISDICTION } from '../../../src/kit/platform/objects.ts';
import type { BookItem } from '../../../src/lists/book/attention-items.ts';
import { namesAfter, writtenAtMsOf } from '../../../src/recovery/backup/bucket.ts';
import type { Manifest } from '../../../src/recovery/backup/manifest.ts';
import {
  manifestName,
  paymentsPartName,
  registerPartName,
  runTimeMs,
} from '../../../src/recovery/backup/names.ts';
import { openPart } from '../../../src/recovery/backup/part.ts';
import { PAYMENTS_MAX } from '../../../src/recovery/payments/restore.ts';
import { readState } from '../../../src/recovery/restore-state.ts';
import worker from '../../support/gateway.ts';
import { requestRefund } from '../../support/intents.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog, signedIn } from '../dashboard/support.ts';
import { content, operate, operateApi } from '../operator/support.ts';
import { partNames } from '../support/backup.ts';
import { bookSql, bookStub } from '../support/book.ts';
import { abortObjects, reportsAreSent } from '../support/gateway.ts';
import { askLinks, createLink } from '../support/links.ts';
import { registerRows, registerStub } from '../support/register.ts';
import {
  ALPHA,
  advance,
  BETA,
  CREATE_PATHS,
  call,
  chooseMethod,
  clientOf,
  consumeAll,
  createHosted,
  DAY_MS,
  hostedBody,
  MINUTE_MS,
  postForm,
  simulate,
  stubOf,
  useGateway,
} from '../support.ts';
import {
  BACKED_UP_AT_MS,
  type Bucket,
  backUp,
  create,
  GENERATION,
  lineOf,
  loseGateway,
  type PaymentName,
  PRODUCTION,
  paid,
  RUN,
  read,
  restore,
  SANDBOX,
  type Step,
  seal,
  started,
} from './restore-support.ts';

/**
 * Goal: an empty gateway gets everything of a backup once and whole, also when the restore dies at
 * any place. What the backup does not know moves no money twice. Method: backups made by hand in
 * the format of src/recovery/backup, everything lost, steps by the operator's API, with crashes between and
 * in them.
 */

const caught = useGateway();

const TENANTS = [SANDBOX, PRODUCTION];

/** Payments of both merchants in several states, in two parts. */
async function populate(): Promise<readonly (readonly PaymentName[])[]> {
  const first = [
    await create('open'),
    await create('in-flight', [started()]),
    await create('paid', [started({ reference: 'REFPAID' }), paid()]),
    await create('canceled', [{ type: 'cancel' }], PRODUCTION),
  ];
  const second = [
    await create('refunded', [
      started({ reference: 'REFREFUNDED' }),
      paid('R-2'),
      requestRefund('r-1'),
    ]),
    await create('other', [started({ reference: 'REFOTHER' }), paid()], PRODUCTION),
  ];
  await reportsAreSent();
  return [first, second];
}

/** The payment without what a restore adds. */
function original({ version: _, updatedAtMs: __, anomalies, ...intent }: Intent) {
  return { ...intent, anomalies: anomalies.filter(({ kind }) => kind !== 'restored') };
}

const TABLES = ['merchants', 'api_keys', 'merchant_methods', 'webhook_secrets', 'banks'];

async function databaseRows(): Promise<unknown> {
  const all = [
    ...TABLES.map((table) => [env.DB, table] as const),
    ...['members', 'passkeys'].map((table) => [env.BACK_OFFICE_DB, table] as const),
  ];
  return Promise.all(
    all.map(async ([db, table]) => [
      table,
      (await db.prepare(`SELECT * FROM ${table}`).all()).results,
    ]),
  );
}

test('decisions.md#49: an empty gateway gets everything of a backup', async () => {
  const member = await signedIn();
  await env.DB.prepare("UPDATE banks SET name = 'Renamed' WHERE code = 'CBE'").run();
  const parts = await populate();
  const names = parts.flat();
  const before = new Map(
    await Promise.all(names.map(async (name) => [name, await read(name)] as const)),
  );
  const rows = await databaseRows();
  const bucket = await backUp(TENANTS, parts);

  await loseGateway(bucket);
  expect(await clientOf('paid').read()).toBeNull();
  const proof = await restore();

  expect(proof).toMatchObject({ differences: [], linesOfPayments: 6, restored: 6, kept: 0 });
  expect(proof.lines).toContainEqual({ what: 'payments succeeded', inBackup: null, inGateway: 3 });
  expect(proof.lines).toContainEqual({ what: 'refunds', inBackup: 1, inGateway: 1 });
  expect(await databaseRows()).toEqual(rows);
  for (const [name, intent] of before) {
    const after = await read(name);
    expect(original(after)).toMatchObject({ terms: intent.terms, status: intent.status });
    expect(after.attempts.map(({ status }) => status)).toEqual(
      intent.attempts.map(({ status }) => status),
    );
  }
  expect(await registerRows('refunds')).toMatchObject([{ refund_unique_id: 'r-1' }]);
  expect(await bookSql('SELECT unique_id FROM payment ORDER BY id')).toHaveLength(4);
  const sessions = await env.BACK_OFFICE_DB.prepare('SELECT * FROM sessions').all();
  expect([member.memberId, sessions.results]).toEqual([expect.any(String), []]);
  expect(await auditLog()).toContainEqual(
    expect.objectContaining({ action: 'gateway.restored', target: RUN }),
  );
});

test('a repeated id is refused with 409, and the old key works, after a restore', async () => {
  await createHosted();
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[{ tenant: SANDBOX, uniqueId: 'order-1' }]]);
  await loseGateway(bucket);
  await restore();
  const again = await call(CREATE_PATHS.hosted.sandbox, {
    method: 'POST',
    body: hostedBody(),
  });
  expect(again.status).toBe(409);
});

test('decisions.md#49: payment links come back with their addresses and the answers to their creation', async () => {
  const headers = { 'idempotency-key': 'k' };
  const { content: link } = await createLink({}, { headers });
  const bucket = await backUp([SANDBOX], []);
  await loseGateway(bucket);
  const proof = await restore();
  expect(proof.differences).toEqual([]);
  expect(proof.lines).toContainEqual({ what: 'payment links', inBackup: 1, inGateway: 1 });
  expect((await askLinks('/link-honey')).content).toEqual(link);
  expect((await createLink({}, { headers })).content).toEqual(link);
  const page = await call(new URL(link.url).pathname, { apiKey: null });
  expect(await page.text()).toContain('Honey, 1 kg');
});

test('promises.md#12: a link keeps its count, of payments whose retention is over and of later ones', async () => {
  const { content } = await createLink({ paymentsMax: 2 });
  const path = new URL(content.url).pathname;
  const pay = async () => {
    const html = await (await call(path, { apiKey: null })).text();
    const form = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const { headers } = await postForm(path, { form });
    await simulate(await chooseMethod(headers.get('location') ?? ''), 'approve');
    await reportsAreSent();
  };
  await pay();
  const ids = async () =>
    (await registerRows('link_places')).map((row) => Object(row).payment_unique_id as string);
  const first = await ids();
  await pay();
  const [uniqueId = ''] = (await ids()).filter((id) => !first.includes(id));
  // The register was copied before this payment was paid, and the object of the first one is gone.
  await runInDurableObject(registerStub(SANDBOX), (_instance, { storage }) =>
    storage.sql.exec('DELETE FROM link_places WHERE payment_unique_id = ?', uniqueId),
  );
  const bucket = await backUp([SANDBOX], [[{ tenant: SANDBOX, uniqueId }]]);
  await loseGateway(bucket);
  await restore();
  expect((await askLinks('/link-honey')).content).toMatchObject({ paymentsCount: 2 });
  expect((await clientOf(uniqueId, SANDBOX).read())?.anomalies).toEqual([]);
  expect((await call(path, { apiKey: null })).status).toBe(410);
});

test('decisions.md#49: what was unfinished is marked, held, and on the attention list', async () => {
  const parts = await populate();
  const bucket = await backUp(TENANTS, parts);
  await loseGateway(bucket);
  advance(61 * MINUTE_MS);
  await restore();

  const { anomalies, status } = await read({ tenant: SANDBOX, uniqueId: 'open' });
  expect(status).toBe('open');
  expect(anomalies).toMatchObject([{ kind: 'restored', backedUpAtMs: BACKED_UP_AT_MS }]);
  const history = await clientOf('open').history();
  expect(history.at(-1)).toMatchObject({
    command: 'restore',
    detail: { actor: 'operator', anomaly: 'restored' },
  });
  const paid = await read({ tenant: SANDBOX, uniqueId: 'paid' });
  expect(paid.anomalies).toEqual([]);
  const refunded = await read({ tenant: SANDBOX, uniqueId: 'refunded' });
  expect(refunded.refunds).toMatchObject([{ status: 'unresolved' }]);
  const needing = await bookSql('SELECT unique_id FROM payment WHERE anomalies > 0 ORDER BY 1');
  expect(needing).toEqual([
    { unique_id: 'in-flight' },
    { unique_id: 'open' },
    { unique_id: 'refunded' },
  ]);
  const listed = await bookSql<{ items: string }>('SELECT items FROM attention');
  const items: readonly BookItem[] = listed.flatMap((row) => JSON.parse(row.items));
  expect(items.flatMap((item) => (item.type === 'payment' ? [item.anomalyKinds] : []))).toEqual(
    Array(3).fill(['restored']),
  );
  expect(caught.webhooks.filter(({ eventType }) => eventType === 'payment_expired')).toEqual([]);

  const path = `/payments/sandbox/${ALPHA.id}/open/review`;
  expect((await operateApi(path, { note: 'Not in the statement' })).status).toBe(200);
  expect((await read({ tenant: SANDBOX, uniqueId: 'open' })).status).toBe('expired');
  advance(RESTORED_HOLD_MS);
  expect((await read({ tenant: SANDBOX, uniqueId: 'in-flight' })).status).toBe('expired');
});

test('an event that was not delivered is delivered with the same id and bytes', async () => {
  const name = await create('paid', [started({ reference: 'REFPAID' }), paid()]);
  const client = clientOf('paid');
  const [event] = await client.events();
  const body = await client.eventRequestBody(event?.sequence ?? 0);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  await loseGateway(bucket);
  caught.webhooks.length = 0;
  await restore();

  advance(MINUTE_MS);
  await runInDurableObject(stubOf('paid'), (payment) => payment.alarm());
  expect(caught.webhooks).toMatchObject([{ sequence: event?.sequence, position: 0 }]);
  const [again] = await client.events();
  expect(again?.eventId).toBe(event?.eventId);
  expect(await client.eventRequestBody(event?.sequence ?? 0)).toBe(body);
});

/** A customer's request whose search has found one payment. */
async function insertErasure(uniqueId: string): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO customer_requests (id, digest, kind, refundable_too, reason, requested_by,
        requested_by_proved, requested_at_ms, searched_at_ms)
        VALUES ('r', 'd', 'phone', 1, 'Request 12', 'Hana', 1, 1, 1)`,
    ),
    env.DB.prepare(
      `INSERT INTO customer_request_payments (request_id, environment, merchant_id, volume,
        payment_id, unique_id, uuid, due_at_ms) VALUES ('r', 'sandbox', ?, 0, 1, ?, 'u', 1)`,
    ).bind(ALPHA.id, uniqueId),
  ]);
}

test('a request to erase a payment waits until the restore has ended', async () => {
  const name = await create('order-9', [started(), paid()]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  await loseGateway(bucket);
  const daily = () => worker.scheduled(createScheduledController(), env, createExecutionContext());
  const due = () => env.DB.prepare('SELECT due_at_ms FROM customer_request_payments').first();
  let days = 0;
  const proof = await restore(RUN, async ({ phase }) => {
    if (phase !== 'registers' || days > 0) {
      return;
    }
    days += 1;
    await insertErasure('order-9');
    await daily();
    expect(await due()).toEqual({ due_at_ms: 1 });
    // A command of an operator meets the same payment.
    await continueRequests(env, Date.now());
    expect(await due()).toEqual({ due_at_ms: Date.now() + DAY_MS });
  });
  expect(days).toBe(1);
  expect(proof).toMatchObject({ differences: [], restored: 1 });
  expect((await read(name)).status).toBe('succeeded');
});

test('a customer cannot be searched during a restore, which would miss payments that come later', async () => {
  const bucket = await backUp([SANDBOX], []);
  await loseGateway(bucket);
  const request = { phone: '0911223344', reason: 'Request 12' };
  const paths = ['/customers/erase', '/customers/export'];
  await restore(RUN, async ({ proof }) => {
    for (const path of proof === null ? paths : []) {
      expect(await operateApi(path, request)).toMatchObject({
        status: 409,
        envelope: { code: 'restore_under_way' },
      });
    }
  });
  for (const path of paths) {
    expect((await operateApi(path, request)).status).toBe(200);
  }
});

test('a request to erase a payment that neither the gateway nor the backup has ends', async () => {
  const bucket = await backUp([SANDBOX], [[await create('order-9')]]);
  await loseGateway(bucket);
  await restore();
  // The payment was erased after the rows of the request had been copied.
  await insertErasure('order-8');
  await continueRequests(env, Date.now());
  const sql = 'SELECT digest, erased, finished_at_ms AS atMs FROM customer_requests';
  expect(await env.DB.prepare(sql).first()).toEqual({ digest: null, erased: 1, atMs: Date.now() });
});

test('of several lines of a payment the newest wins, and an equal one changes nothing', async () => {
  const name = await create('order-9', [started()]);
  const unchanged = await create('order-8', [{ type: 'cancel' }]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name], [name]]);
  const first = await lineOf(name);
  const same = await lineOf(unchanged);
  await clientOf('order-9').execute([paid()]);
  await reportsAreSent();
  const part = { ...SANDBOX, volume: 0, generation: GENERATION, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName({ ...part, sequence: 1 }), [first, same]);
  await seal(bucket, paymentsPartName({ ...part, sequence: 2 }), [await lineOf(name), same]);
  await loseGateway(bucket);
  expect(await restore()).toMatchObject({ linesOfPayments: 4, restored: 2, kept: 2 });
  expect((await read(name)).status).toBe('succeeded');
});

test('all payments of a part, of later parts and of the generation before come back', async () => {
  const names: PaymentName[] = [];
  for (let count = 0; count <= PAYMENTS_MAX; count += 1) {
    names.push(await create(`order-${count}`));
  }
  const later = await create('later');
  const before = await create('before');
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [names]);
  const part = { ...SANDBOX, volume: 0, fromId: 1, toId: 2 };
  const others = [
    [{ generation: GENERATION, sequence: 2 }, later],
    [{ generation: uuidV7(1), sequence: 1 }, before],
  ] as const;
  for (const [place, name] of others) {
    await seal(bucket, paymentsPartName({ ...part, ...place }), [await lineOf(name)]);
  }
  await loseGateway(bucket);
  expect(await restore()).toMatchObject({ restored: PAYMENTS_MAX + 3, differences: [] });
  expect([await read(later), await read(before)]).toMatchObject(Array(2).fill({ status: 'open' }));
});

test('decisions.md#49: after a second loss, the events come after those of both lost gateways', async () => {
  const name = await create('order-9', [started()]);
  await reportsAreSent();
  const { version } = await read(name);
  const bucket = await backUp([SANDBOX], [[name]]);
  await loseGateway(bucket);
  await restore();
  await reportsAreSent();
  expect(await bookStub(SANDBOX).backUp()).toBe(true);
  const copied: Bucket = new Map();
  for (const part of await partNames()) {
    const object = await env.BACKUPS.get(part);
    copied.set(part, new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer()));
  }
  await loseGateway(copied);
  expect(await restore()).toMatchObject({ differences: [], restored: 1, kept: 1 });
  expect((await read(name)).version).toBe(version + 2 * LOST_VERSIONS_MAX);
});

test('an object with the same or a newer state refuses the backup', async () => {
  const name = await create('order-9', [started()]);
  const { records } = await lineOf(name);
  const client = clientOf('order-9');
  const same = await client.read();
  expect(await client.restore(records, { part: 'a', backedUpAtMs: BACKED_UP_AT_MS })).toBe('kept');
  expect(await client.read()).toEqual(same);
  await client.execute([paid()]);
  expect(await client.restore(records, { part: 'a', backedUpAtMs: BACKED_UP_AT_MS })).toBe('kept');
  expect((await read(name)).status).toBe('succeeded');
  // A delivery makes a newer state of the same version.
  await consumeAll(caught);
  const delivered = await lineOf(name);
  const { version } = await read(name);
  const place = { part: 'a', backedUpAtMs: BACKED_UP_AT_MS };
  expect(await client.restore(delivered.records, place)).toBe('kept');
  expect((await read(name)).version).toBe(version);
});

test('an object that has erased its payment refuses the backup', async () => {
  const { records } = await lineOf(await create('order-9', [{ type: 'cancel' }]));
  await reportsAreSent();
  const client = clientOf('order-9');
  expect(await client.erase({ refundAgeDaysMax: null })).toEqual({ type: 'deleted' });
  expect(await client.restore(records, { part: 'a', backedUpAtMs: BACKED_UP_AT_MS })).toBe('kept');
  expect(await client.read()).toBeNull();
});

test('payments of books that the manifest does not name are restored and reported', async () => {
  const parts = await populate();
  const bucket = await backUp(TENANTS, parts);
  const [line] = await openPart(
    configOf(env).backupKeys,
    manifestName(RUN),
    bucket.get(manifestName(RUN)) ?? new Uint8Array(),
  );
  const manifest = line as Manifest;
  const books = manifest.books.filter(({ environment }) => environment !== 'production');
  await seal(bucket, manifestName(RUN), [{ ...manifest, books }]);
  await loseGateway(bucket);
  expect(await restore()).toMatchObject({
    differences: [`production/${BETA.id}/0: the manifest does not name this book`],
    restored: 6,
  });
  expect((await read({ tenant: PRODUCTION, uniqueId: 'other' })).status).toBe('succeeded');
});

test('the audit logs keep every entry once, when the new gateway writes its own meanwhile', async () => {
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await operateApi(`/merchants/${ALPHA.id}/suspend`, { reason: 'Test' });
    await operateApi(`/merchants/${ALPHA.id}/reactivate`, { reason: 'Test' });
    await operateApi(`/merchants/${ALPHA.id}/invitations`, { name: 'Almaz', role: 'owner' });
    advance(1);
  }
  const entriesOf = async (db: D1Database) =>
    (await db.prepare('SELECT * FROM audit_log ORDER BY id').all<{ id: number; action: string }>())
      .results;
  const logs = { tables: env.DB, members: env.BACK_OFFICE_DB };
  const before = { tables: await entriesOf(env.DB), members: await entriesOf(logs.members) };
  const bucket = await backUp([SANDBOX], []);
  await loseGateway(bucket);
  const write = async (db: D1Database) => {
    const actor = { kind: 'operator', id: 'Hana', name: 'Hana', isProved: true } as const;
    const about = { merchantId: null, environment: null, target: null } as const;
    const entry = { ...about, action: 'backup.begun', atMs: Date.now() } as const;
    await runBatch(db, [auditEntry({ actor: { ...actor, address: null }, ...entry })]);
  };
  await write(logs.tables);
  await write(logs.members);
  const steps = { tables: 0, members: 0 };
  const { differences } = await restore(RUN, async ({ phase }) => {
    if (phase === 'tables' || phase === 'members') {
      steps[phase] += 1;
      // Between the first part of the log and the second.
      if (steps[phase] === 2) {
        await write(logs[phase]);
      }
    }
  });
  expect(differences).toEqual([]);
  for (const name of ['tables', 'members'] as const) {
    const after = (await entriesOf(logs[name])).map(({ id: _, ...entry }) => entry);
    const texts = after.map((entry) => JSON.stringify(entry));
    expect(before[name].length).toBeGreaterThanOrEqual(4);
    for (const { id: _, ...entry } of before[name]) {
      expect(texts.filter((text) => text === JSON.stringify(entry))).toHaveLength(1);
    }
    expect(after.filter(({ action }) => action === 'backup.begun')).toHaveLength(2);
  }
});

test('decisions.md#49: another payment with the id stays, and the restore reports it and goes on', async () => {
  const names = [await create('order-9', [started()]), await create('order-8')];
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [names]);
  await loseGateway(bucket);
  await create('order-9');
  const { terms } = await read({ tenant: SANDBOX, uniqueId: 'order-9' });
  const proof = await restore();
  expect(proof).toMatchObject({ linesOfPayments: 2, restored: 1, kept: 0 });
  expect(proof.differences).toEqual([
    expect.stringContaining('another payment has the id order-9'),
  ]);
  const after = await read({ tenant: SANDBOX, uniqueId: 'order-9' });
  expect(after).toMatchObject({ terms: { uuid: terms.uuid }, attempts: [] });
});

test('decisions.md#49: a refund that only the register knows is not made again, and the proof names it', async () => {
  const name = await create('order-9', [started({ reference: 'REF9' }), paid()]);
  const older = await lineOf(name);
  await clientOf('order-9').execute([requestRefund('r-1')]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  const part = { ...SANDBOX, volume: 0, generation: GENERATION, sequence: 1, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName(part), [older]);
  await loseGateway(bucket);
  const { differences, missing } = await restore();
  expect(differences).toEqual([
    expect.stringContaining('refund r-1 is known to the register, not to its payment order-9'),
  ]);
  await content(operateApi('/restore/close', { run: RUN, without: missing }));
  await content(operateApi('/maintenance/end', {}));
  const request = {
    ...{ paymentUniqueId: 'order-9', refundUniqueId: 'r-1', amountMinor: 100 },
    ...{ transactionId: null, reason: null, idempotency: null },
    requester: { type: 'operator', operator: 'abebe', isProved: false },
  } as const;
  expect(await reserveRefund(env, SANDBOX, request)).toEqual({
    type: 'taken',
    reason: 'duplicate',
  });
  expect((await read(name)).refunds).toEqual([]);
  const other = await reserveRefund(env, SANDBOX, { ...request, refundUniqueId: 'r-2' });
  expect(other).toMatchObject({ type: 'accepted' });
});

test('a register whose copy had only the claim of a refund gets the refund, with its day, before its payment', async () => {
  const day = businessDay(Date.now());
  const name = await create('order-9', [
    ...[started({ reference: 'REF9' }), paid()],
    requestRefund('r-1'),
  ]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  await seal(bucket, registerPartName(SANDBOX, RUN, 'refunds', 1), []);
  await loseGateway(bucket);
  advance(7 * DAY_MS);
  const errors = vi.spyOn(console, 'error').mockClear();
  await restore();
  expect(errors).not.toHaveBeenCalled();
  expect(await registerRows('refunds')).toMatchObject([{ refund_unique_id: 'r-1', day }]);
  expect(await registerRows('refund_days')).toMatchObject([{ day }]);
  expect(await registerRows('unconfirmed_refunds')).toEqual([]);
});

test('the proof names a refund that only the register knows also when its payment is back already', async () => {
  const name = await create('order-9', [started({ reference: 'REF9' }), paid()]);
  const older = await lineOf(name);
  await clientOf('order-9').execute([requestRefund('r-1')]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  const part = { ...SANDBOX, volume: 0, generation: GENERATION, sequence: 1, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName(part), [older]);
  await loseGateway(bucket);
  const place = { part: 'of an earlier restore', backedUpAtMs: BACKED_UP_AT_MS };
  expect(await clientOf('order-9').restore(older.records, place)).toBe('restored');
  const { differences, kept } = await restore();
  expect([kept, differences]).toEqual([
    1,
    [expect.stringContaining('refund r-1 is known to the register')],
  ]);
});

test('the proof misses no payment that was erased before, and no refund of it', async () => {
  const erased = await create('order-9', [
    ...[started({ reference: 'REF9' }), paid()],
    requestRefund('r-1'),
  ]);
  const other = await create('order-8');
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[erased, other]]);
  const part = { ...SANDBOX, volume: 0, generation: GENERATION, sequence: 1, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName(part), [await lineOf(other)]);
  await loseGateway(bucket);
  expect(await restore()).toMatchObject({ linesOfPayments: 1, restored: 1, differences: [] });
});

test('the maintenance cannot end before the restore has ended', async () => {
  const bucket = await backUp([SANDBOX], []);
  await loseGateway(bucket);
  await restore(RUN, async ({ proof }) => {
    if (proof === null) {
      expect(await operateApi('/maintenance/end', {})).toMatchObject({
        status: 409,
        envelope: { code: 'restore_under_way' },
      });
    }
  });
  expect((await operateApi('/maintenance/end', {})).status).toBe(200);
});

test('a restored gateway knows its jurisdiction, and that members may change nothing', async () => {
  expect((await operateApi('/members/pause-changes', {})).status).toBe(200);
  const sql = `SELECT object_jurisdiction, members_read_only, members_read_only_by, mode
    FROM gateway_settings`;
  const bucket = await backUp([SANDBOX], []);
  await loseGateway(bucket);
  await restore();
  expect(await env.DB.prepare(sql).first()).toEqual({
    object_jurisdiction: NO_JURISDICTION,
    members_read_only: 1,
    members_read_only_by: 'operator',
    mode: 'maintenance',
  });
});

test('rows of a newer release are reported, and nothing of them is stored', async () => {
  const name = await create('order-9');
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  const { records, ...line } = await lineOf(name);
  const newer = records.map(({ id, content: text }) => ({
    ...{ id, content: JSON.stringify({ ...JSON.parse(text), schemaVersion: 99 }) },
  }));
  const part = { ...SANDBOX, volume: 0, generation: GENERATION, sequence: 1, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName(part), [{ ...line, records: newer }]);
  await loseGateway(bucket);
  const { differences } = await restore();
  expect(differences).toEqual([
    expect.stringContaining('1 payments are of a newer release'),
    expect.stringContaining('0 of 1'),
  ]);
  expect(await clientOf('order-9').read()).toBeNull();
});

test.each<[string, (bucket: Bucket) => unknown, string]>([
  [
    'a part of a table has other lines',
    (bucket) => {
      const name = [...bucket.keys()].find((key) => key.includes('webhook_secrets-1'));
      return seal(bucket, name ?? '', []);
    },
    'webhook_secrets-1 has other lines',
  ],
  [
    'a part of payments is missing',
    (bucket) => {
      const name = [...bucket.keys()].find((key) => /^payments.*\/00000002-/.test(key));
      bucket.delete(name ?? '');
    },
    'part 2',
  ],
  [
    'a part of a table is missing',
    (bucket) => {
      const name = [...bucket.keys()].find((key) => key.includes('webhook_secrets-1'));
      bucket.delete(name ?? '');
    },
    'webhook_secrets-1 is missing',
  ],
  [
    'a part of payments is damaged',
    (bucket) => {
      const name = [...bucket.keys()].find((key) => /^payments.*\/00000002-/.test(key));
      bucket.get(name ?? '')?.fill(0, -20);
    },
    '/00000002-',
  ],
  [
    'a part of a table is damaged',
    (bucket) => {
      const name = [...bucket.keys()].find((key) => key.includes('webhook_secrets-1'));
      bucket.get(name ?? '')?.fill(0, -20);
    },
    'webhook_secrets-1',
  ],
  [
    'all parts of the newest generation are missing, and an older one is there',
    (bucket) => {
      for (const name of [...bucket.keys()].filter((key) => /^payments/.test(key))) {
        const bytes = bucket.get(name);
        bucket.delete(name);
        bucket.set(name.replace('/01900000-', '/01800000-'), bytes ?? new Uint8Array());
      }
    },
    `the parts of ${GENERATION} are missing`,
  ],
])('the proof names the difference when %s', async (_name, lose, difference) => {
  const names = [await create('one'), await create('two'), await create('three')];
  await reportsAreSent();
  const bucket = await backUp(
    [SANDBOX],
    names.map((name) => [name]),
  );
  await lose(bucket);
  await loseGateway(bucket);
  const { differences } = await restore();
  expect(differences.join('; ')).toContain(difference);
});

test('a gateway that is not empty is refused, and so is another run meanwhile', async () => {
  const bucket = await backUp([SANDBOX], []);
  await Promise.all([...bucket].map(([name, bytes]) => env.BACKUPS.put(name, bytes)));
  const refused = await operateApi('/restore', { run: RUN });
  expect(refused).toMatchObject({ status: 409, envelope: { code: 'gateway_not_empty' } });

  await loseGateway(bucket);
  const member = { id: 'mem_1', merchantId: ALPHA.id, name: 'Sara', role: 'owner' } as const;
  await runBatch(env.BACK_OFFICE_DB, [insertMember({ ...member, createdAtMs: 1 })]);
  expect((await operateApi('/restore', { run: RUN })).status).toBe(409);
  await env.BACK_OFFICE_DB.exec('DELETE FROM members');
  const [manifest] = await openPart(
    configOf(env).backupKeys,
    manifestName(RUN),
    bucket.get(manifestName(RUN)) ?? new Uint8Array(),
  );
  const other = '20900302T011700Z';
  await seal(bucket, manifestName(other), [{ ...(manifest as Manifest), run: other }]);
  await env.BACKUPS.put(manifestName(other), bucket.get(manifestName(other)) ?? '');
  expect((await operateApi('/restore', { run: RUN })).status).toBe(200);
  expect(await operateApi('/restore', { run: other })).toMatchObject({
    status: 409,
    envelope: { code: 'restore_under_way' },
  });
  expect(await operateApi('/restore', { run: '20900303T011700Z' })).toMatchObject({ status: 404 });
});

test('parts of a fetched copy are uploaded once, and only whole ones', async () => {
  const bucket = await backUp([SANDBOX], [[await create('order-9')]]);
  await loseGateway(new Map());
  const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  for (const [name, bytes] of bucket) {
    const part = { name, base64: base64(bytes) };
    expect(await content(operateApi('/restore/parts', part))).toMatchObject({ isNew: true });
    expect(await content(operateApi('/restore/parts', part))).toMatchObject({ isNew: false });
  }
  const written = async (prefix: string) =>
    (await namesAfter(env, prefix)).map((object) => writtenAtMsOf(object));
  // The name of a part of payments does not say when it was written, so an old one might be
  // deleted.
  expect(await written('payments/')).toEqual([Date.now()]);
  expect(await written('runs/')).toEqual([runTimeMs(RUN)]);
  const [[name = '', bytes = new Uint8Array()] = []] = bucket;
  await env.BACKUPS.put(name, 'damaged');
  const whole = { name, base64: base64(bytes) };
  expect(await content(operateApi('/restore/parts', whole))).toMatchObject({ isNew: true });
  expect(
    await operateApi('/restore/parts', { name: 'runs/20900305T011700Z', base64: base64(bytes) }),
  ).toMatchObject({ status: 409, envelope: { code: 'backup_unreadable' } });
  expect(await restore()).toMatchObject({ differences: [] });
});

test('a restore that dies at any step or within one ends like one that did not', async () => {
  await signedIn();
  const parts = await populate();
  const rows = await databaseRows();
  const bucket = await backUp(TENANTS, parts);
  await loseGateway(bucket);
  let crashes = 0;
  /** The process ends before, within or after what the next step writes. */
  const crash = async (index: number) => {
    const failing = plantedError('the process ended');
    const spies = [
      () => vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(failing),
      () => vi.spyOn(env.BACK_OFFICE_DB, 'batch').mockRejectedValueOnce(failing),
    ];
    const spy = spies[index % 2]?.();
    const answer = await operateApi('/restore', { run: RUN });
    crashes += Number(answer.status >= 500);
    spy?.mockRestore();
    await abortObjects();
  };
  let steps = 0;
  const proof = await restore(RUN, async (step: Step) => {
    steps += 1;
    if (step.proof === null) {
      await crash(steps);
    }
  });
  expect(crashes).toBeGreaterThan(5);
  expect(proof.differences).toEqual([]);
  expect(await databaseRows()).toEqual(rows);
  const entries = (await auditLog()).filter(({ action }) => action === 'gateway.restored');
  expect(entries).toHaveLength(1);
  const { anomalies } = await read({ tenant: SANDBOX, uniqueId: 'open' });
  expect(anomalies).toHaveLength(1);
  expect(await restore()).toMatchObject({ differences: [] });
});

test('a request that confirms its rows late skips none of the next ones', async () => {
  await signedIn('owner');
  await signedIn('viewer');
  const rows = await databaseRows();
  const bucket = await backUp(TENANTS, []);
  await loseGateway(bucket);
  let late = 0;
  const { batch } = env.BACK_OFFICE_DB;
  const spy = vi.spyOn(env.BACK_OFFICE_DB, 'batch').mockImplementation(async (statements) => {
    const state = await readState(env.DB);
    if (late === 0 && state?.place.phase === 'members') {
      late += 1;
      expect((await operateApi('/restore', { run: RUN })).status).toBe(200);
    }
    return batch.call(env.BACK_OFFICE_DB, statements) as never;
  });
  const proof = await restore();
  spy.mockRestore();
  expect(late).toBe(1);
  expect(proof.differences).toEqual([]);
  expect(await databaseRows()).toEqual(rows);
});

test('a payment whose object dies within its restore is restored by the next try', async () => {
  const parts = await populate();
  const bucket = await backUp(TENANTS, parts);
  await loseGateway(bucket);
  let died = 0;
  const proof = await restore(RUN, async (step) => {
    // The next part has three payments.
    if (step.payments === 1 && died === 0) {
      died += 1;
      await runInDurableObject(stubOf('paid'), (_payment, { storage }) => {
        storage.transactionSync = () => {
          throw plantedError('the object died');
        };
      });
      expect((await operateApi('/restore', { run: RUN })).status).toBeGreaterThanOrEqual(500);
      await abortObjects();
    }
  });
  expect(died).toBe(1);
  expect(proof).toMatchObject({ differences: [], linesOfPayments: 6, restored: 6, kept: 0 });
  const what = `payments of sandbox/${ALPHA.id}/0`;
  expect(proof.lines).toContainEqual({ what, inBackup: 4, inGateway: 4 });
  expect((await read({ tenant: SANDBOX, uniqueId: 'paid' })).status).toBe('succeeded');
});

test('of two operators who take the same step, one is told to repeat the call, and nothing is doubled', async () => {
  await signedIn();
  const parts = await populate();
  const rows = await databaseRows();
  const bucket = await backUp(TENANTS, parts);
  await loseGateway(bucket);
  const { batch, prepare } = env.DB;
  let lost = 0;
  let isOther = false;
  let isStep = false;
  /** Another operator takes the step of `take` before that writes. */
  const overtaken = async () => {
    // Books report to the same database meanwhile.
    const prepared = vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
      isStep ||= /(UPDATE|INTO) restore/.test(sql);
      return prepare.call(env.DB, sql);
    });
    const spy = vi.spyOn(env.DB, 'batch').mockImplementation(async (statements) => {
      const isTaken = isStep && !isOther;
      isStep = false;
      if (isTaken) {
        isOther = true;
        expect((await operateApi('/restore', { run: RUN })).status).toBe(200);
      }
      return batch.call(env.DB, statements) as never;
    });
    const response = await operate('/operator/v1/restore', { run: RUN });
    spy.mockRestore();
    prepared.mockRestore();
    isOther = false;
    if (response.status !== 200) {
      lost += 1;
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toMatchObject({
        code: 'restore_step_taken',
        message: expect.stringContaining(RUN),
      });
    }
  };
  await overtaken();
  expect(lost).toBe(1);
  const proof = await restore(RUN, async (step) => (step.proof === null ? overtaken() : undefined));
  expect(lost).toBeGreaterThan(5);
  expect(proof).toMatchObject({ differences: [], linesOfPayments: 6, restored: 6, kept: 0 });
  expect(await databaseRows()).toEqual(rows);
});
