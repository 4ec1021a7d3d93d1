import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { RESTORED_HOLD_MS } from '../../../src/engine/domain/restored-hold.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import type { Manifest } from '../../../src/recovery/backup/manifest.ts';
import { manifestName, paymentsPartName } from '../../../src/recovery/backup/names.ts';
import { openPart } from '../../../src/recovery/backup/part.ts';
import { fail, requestRefund } from '../../support/intents.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog, signedIn } from '../dashboard/support.ts';
import { content, operateApi } from '../operator/support.ts';
import { bookSql } from '../support/book.ts';
import { abortObjects, reportsAreSent } from '../support/gateway.ts';
import { registerRows } from '../support/register.ts';
import { ALPHA, advance, clientOf, DAY_MS, MINUTE_MS, stubOf, useGateway } from '../support.ts';
import {
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
  seal,
  started,
} from './restore-support.ts';

/**
 * Goal: a restore takes what comes until an operator closes it, and never says that nothing differs
 * while something does. Method: parts that are missing or damaged at first, and come back later.
 */

const caught = useGateway();

/** The parts whose names match, taken out of the bucket for now. */
function takeOut(bucket: Bucket, pattern: RegExp): Bucket {
  const taken: Bucket = new Map([...bucket].filter(([name]) => pattern.test(name)));
  for (const name of taken.keys()) {
    bucket.delete(name);
  }
  expect(taken.size).toBeGreaterThan(0);
  return taken;
}

async function putBack(parts: Bucket): Promise<void> {
  await Promise.all([...parts].map(([name, bytes]) => env.BACKUPS.put(name, bytes)));
}

const close = (without: string | null) => operateApi('/restore/close', { run: RUN, without });
const endMaintenance = () => operateApi('/maintenance/end', {});

/** The process ends before or after what the next step writes, in either Worker. */
async function crash(index: number): Promise<void> {
  const failing = plantedError('the process ended');
  const db = index % 2 === 0 ? env.DB : env.BACK_OFFICE_DB;
  const spy = vi.spyOn(db, 'batch').mockRejectedValueOnce(failing);
  await operateApi('/restore', { run: RUN });
  spy.mockRestore();
  await abortObjects();
}

test.each<[string, RegExp, string]>([
  ['a part of payments', /^payments.*\/00000002-/, 'part 2'],
  ['the newest part of payments', /^payments.*\/00000003-/, 'part 3'],
  ['the first part of payments', /^payments.*\/00000001-/, 'part 1'],
  ['all merchants', /\/merchants-/, 'merchants-1 is missing'],
  ['all members', /\/members-/, 'members-1 is missing'],
  ['an audit log', /databases\/payments\/.*\/audit_log-/, 'audit_log-1 is missing'],
  ['the refunds of a register', /^registers\//, 'refunds-1 is missing'],
])(
  'a restore that dies anywhere takes %s once it is back, and then nothing differs',
  async (_name, pattern, difference) => {
    await signedIn();
    await content(operateApi(`/merchants/${ALPHA.id}/suspend`, { reason: 'Test' }));
    await content(operateApi(`/merchants/${ALPHA.id}/reactivate`, { reason: 'Test' }));
    await env.DB.prepare(
      "INSERT INTO merchant_limits VALUES (?, 'sandbox', 'ETB', 100000), (?, 'sandbox', 'ETB', 1)",
    )
      .bind(ALPHA.id, PRODUCTION.merchantId)
      .run();
    const names = [
      await create('one'),
      await create('two', [started({ reference: 'REFTWO' }), paid(), requestRefund('r-1')]),
      await create('three', [started()]),
    ];
    await reportsAreSent();
    const rowsOf = async () =>
      Promise.all(
        (
          [
            [env.DB, 'merchants'],
            [env.DB, 'merchant_limits'],
            [env.DB, 'api_keys'],
            [env.BACK_OFFICE_DB, 'members'],
            [env.BACK_OFFICE_DB, 'passkeys'],
          ] as const
        ).map(async ([db, table]) => (await db.prepare(`SELECT * FROM ${table}`).all()).results),
      );
    const rows = await rowsOf();
    const bucket = await backUp(
      [SANDBOX],
      names.map((name) => [name]),
    );
    const missing = takeOut(bucket, pattern);
    await loseGateway(bucket);

    let steps = 0;
    const crashing = async ({ proof }: { readonly proof: unknown }) => {
      steps += 1;
      if (proof === null) {
        await crash(steps);
      }
    };
    const first = await restore(RUN, crashing);
    expect(first.differences.join('; ')).toContain(difference);
    expect(first.closedAtMs).toBeNull();
    expect(await endMaintenance()).toMatchObject({
      status: 409,
      envelope: { code: 'restore_under_way' },
    });

    // Another round without the part finds the same.
    expect((await restore(RUN, crashing)).differences).toEqual(first.differences);

    await putBack(missing);
    const second = await restore(RUN, crashing);
    expect(second).toMatchObject({ differences: [], missing: null, linesOfPayments: 3 });
    expect(second.closedAtMs).not.toBeNull();
    expect(await rowsOf()).toEqual(rows);
    for (const name of names) {
      await read(name);
    }
    expect(await registerRows('refunds')).toMatchObject([{ refund_unique_id: 'r-1' }]);
    expect(await registerRows('unconfirmed_refunds')).toEqual([]);
    const entries = (await auditLog()).filter(({ action }) => action === 'gateway.restored');
    expect(entries).toHaveLength(1);
    expect((await endMaintenance()).status).toBe(200);
  },
);

test('the proof names rows that the gateway has with other values than a part that came later', async () => {
  await signedIn();
  const limit = (amount: number) =>
    env.DB.prepare("INSERT INTO merchant_limits VALUES (?, 'sandbox', 'ETB', ?)")
      .bind(ALPHA.id, amount)
      .run();
  await limit(100_000);
  const member = await env.BACK_OFFICE_DB.prepare('SELECT id FROM members').first('id');
  const bucket = await backUp([], []);
  const missing = takeOut(bucket, /\/(?:merchant_limits|members)-/);
  await loseGateway(bucket);
  await restore();
  // An operator has not waited for the parts.
  await limit(5);
  const other = `INSERT INTO members (id, merchant_id, name, role, created_at_ms)
    SELECT ?1, ?2, 'Other', 'owner', 0`;
  await env.BACK_OFFICE_DB.prepare(other).bind(member, ALPHA.id).run();
  await putBack(missing);
  const { differences, closedAtMs } = await restore();
  expect(differences.map((text) => text.replace(/^.*\//, ''))).toEqual([
    'merchant_limits-1: the gateway has other values in 1 rows of merchant_limits',
    'members-1: the gateway has other values in 1 rows of members',
  ]);
  expect(closedAtMs).toBeNull();
});

test('a part that was damaged is taken once a whole one is uploaded', async () => {
  const names = [await create('one'), await create('two')];
  await reportsAreSent();
  const bucket = await backUp(
    [SANDBOX],
    names.map((name) => [name]),
  );
  const [[name, whole]] = [...takeOut(bucket, /^payments.*\/00000001-/)] as [
    [string, Uint8Array<ArrayBuffer>],
  ];
  bucket.set(name, whole.slice(0, -20));
  await loseGateway(bucket);
  const { differences } = await restore();
  expect(differences.join('; ')).toContain(`${name} was damaged`);
  expect(await read({ tenant: SANDBOX, uniqueId: 'two' })).toMatchObject({ status: 'open' });
  const part = { name, base64: btoa(String.fromCharCode(...whole)) };
  expect(await content(operateApi('/restore/parts', part))).toMatchObject({ isNew: true });
  expect(await restore()).toMatchObject({ differences: [] });
  expect(await read({ tenant: SANDBOX, uniqueId: 'one' })).toMatchObject({ status: 'open' });
});

test('a passkey that its member removes while the restore is open does not come back', async () => {
  const { memberId } = await signedIn();
  await env.BACK_OFFICE_DB.prepare(
    `INSERT INTO passkeys (credential_id, member_id, public_key, counter, transports, name, backed_up,
      created_at_ms) VALUES ('c', ?, 'k', 0, '[]', 'Phone', 0, 1)`,
  )
    .bind(memberId)
    .run();
  const names = [await create('one'), await create('two')];
  await reportsAreSent();
  const bucket = await backUp(
    [SANDBOX],
    names.map((name) => [name]),
  );
  const missing = takeOut(bucket, /^payments.*\/00000001-/);
  await loseGateway(bucket);
  await restore();
  await env.BACK_OFFICE_DB.exec('DELETE FROM passkeys');
  await putBack(missing);
  const { differences } = await restore();
  expect(differences).toEqual(['back office: passkeys: 0 of 1']);
  expect(await read({ tenant: SANDBOX, uniqueId: 'one' })).toMatchObject({ status: 'open' });
});

/** Two copies of one payment: the newer one is in part 2. */
async function twoCopies(
  before: readonly Command[],
  after: readonly Command[],
  tenant: Tenant = SANDBOX,
): Promise<{ readonly name: PaymentName; readonly bucket: Bucket; readonly newer: Bucket }> {
  const name = await create('order-9', before, tenant);
  await reportsAreSent();
  const older = await lineOf(name);
  expect(await clientOf('order-9', tenant).execute(after)).toMatchObject({ rejection: null });
  await reportsAreSent();
  const bucket = await backUp([tenant], [[name], [name]]);
  const part = { ...tenant, volume: 0, generation: GENERATION, sequence: 1, fromId: 1, toId: 2 };
  await seal(bucket, paymentsPartName(part), [older]);
  const newer = takeOut(bucket, /^payments.*\/00000002-/);
  return { name, bucket, newer };
}

test.each<[string, readonly Command[], readonly Command[], object]>([
  ['open', [], [started({ reference: 'REF9' }), paid('R-9')], { status: 'succeeded' }],
  ['in flight', [started({ reference: 'REF9' })], [paid('R-9')], { status: 'succeeded' }],
  [
    'paid',
    [started({ reference: 'REF9' }), paid('R-9')],
    [requestRefund('r-1')],
    { status: 'succeeded', refunds: [{ id: 'r-1', status: 'unresolved' }] },
  ],
])(
  'a payment that came back as it was earlier, %s, gets its newer copy',
  async (_name, before, after, expected) => {
    const { name, bucket, newer } = await twoCopies(before, after);
    await loseGateway(bucket);
    expect((await restore()).differences.join('; ')).toContain('part 2');
    const earlier = await read(name);
    // Only time goes on: the window of an attempt closes.
    advance(30 * MINUTE_MS);
    await runInDurableObject(stubOf('order-9'), (payment) => payment.alarm());
    const { version } = await read(name);
    await reportsAreSent();

    await putBack(newer);
    const proof = await restore();
    expect(proof).toMatchObject({ differences: [], linesOfPayments: 2, restored: 1, kept: 1 });
    const later = await read(name);
    expect(earlier).not.toMatchObject(expected);
    expect(later).toMatchObject(expected);
    expect(later.version).toBeGreaterThan(version);
    const [row] = await bookSql<{ status: string }>('SELECT status FROM payment');
    expect(row).toEqual({ status: later.status });
    // Another call of the same step changes nothing.
    expect(await restore()).toMatchObject({ differences: [] });
    expect((await read(name)).version).toBe(later.version);
  },
);

test('what a provider has reported since stays, and the proof names the newer copy', async () => {
  const { name, bucket, newer } = await twoCopies(
    [started({ reference: 'REF9' })],
    [fail('second'), started({ id: 'third', reference: 'REF10' })],
  );
  await loseGateway(bucket);
  await restore();
  await clientOf('order-9').execute([paid('R-9')]);
  await reportsAreSent();
  await putBack(newer);
  const { differences, closedAtMs } = await restore();
  expect(closedAtMs).toBeNull();
  expect(differences).toEqual([
    expect.stringMatching(
      /order-9 has gone on from an older copy; payments\/.*00000002.* has it as processing$/,
    ),
  ]);
  expect(await read(name)).toMatchObject({ status: 'succeeded', paidAttemptId: 'second' });
});

test('a payment that has expired since takes the proof of its newer copy, and announces it', async () => {
  const { name, bucket, newer } = await twoCopies([started({ reference: 'REF9' })], [paid('R-9')]);
  await loseGateway(bucket);
  await restore();
  advance(RESTORED_HOLD_MS + DAY_MS);
  expect((await read(name)).status).toBe('expired');
  await reportsAreSent();
  await putBack(newer);
  const { differences } = await restore();
  expect(differences).toEqual([expect.stringContaining('with the receipts R-9')]);
  expect(await read(name)).toMatchObject({ status: 'succeeded', late: true });
  const events = (await clientOf('order-9').events()).map(({ type }) => type);
  expect(events).toEqual(['payment_expired', 'payment_succeeded']);
});

test('a copy of a payment that went on after its restore does not set it back', async () => {
  const name = await create('order-9', [started({ reference: 'REF9' })]);
  await reportsAreSent();
  const bucket = await backUp([SANDBOX], [[name]]);
  await loseGateway(bucket);
  await restore();
  // The databases are lost alone; the objects of the restored gateway stay.
  const { records } = await lineOf(name);
  await clientOf('order-9').execute([paid('R-9')]);
  const place = { part: 'payments/later', backedUpAtMs: Date.now() };
  expect(await clientOf('order-9').restore(records, place)).toBe('kept');
  expect((await read(name)).status).toBe('succeeded');
});

test('closing a restore takes the code of all that is missing, and names it in the audit log', async () => {
  const names = [await create('one'), await create('two')];
  await reportsAreSent();
  const bucket = await backUp(
    [SANDBOX],
    names.map((name) => [name]),
  );
  const missing = takeOut(bucket, /^payments.*\/00000001-/);
  await loseGateway(bucket);
  expect((await close('00000000')).status).not.toBe(200);
  const { missing: code, differences } = await restore();
  const refused = { status: 409, envelope: { code: 'restore_missing_changed' } };
  expect(await close('00000000')).toMatchObject(refused);
  expect((await endMaintenance()).status).toBe(409);
  // The operator decides about what the proof named, and about nothing else.
  await env.DB.exec('DELETE FROM api_keys');
  expect(await close(code)).toMatchObject(refused);
  const again = await restore();
  expect(again.differences).toHaveLength(differences.length + 1);
  const closed = await content<typeof again>(close(again.missing));
  expect(closed).toMatchObject({ differences: again.differences });
  expect(closed.closedAtMs).toBe(Date.now());
  expect(await auditLog()).toContainEqual(
    expect.objectContaining({
      action: 'gateway.restored',
      detail: expect.stringContaining('part 1 of'),
    }),
  );
  expect((await endMaintenance()).status).toBe(200);

  await putBack(missing);
  expect(await restore()).toMatchObject({
    differences: again.differences,
    closedAtMs: closed.closedAtMs,
  });
  expect(await clientOf('one').read()).toBeNull();
  expect(caught.webhooks).toEqual([]);
});

test('a part of the copy that does not open keeps the restore open, even if the manifest names it not', async () => {
  const bucket = await backUp([SANDBOX], [[await create('one')]]);
  await loseGateway(bucket);
  const book = { ...PRODUCTION, volume: 0, generation: GENERATION, sequence: 1 };
  const name = paymentsPartName({ ...book, fromId: 1, toId: 2 });
  const unread = { run: RUN, again: true, unread: [name] };
  await content(operateApi('/restore', unread));
  const { differences, closedAtMs } = await restore();
  expect([differences, closedAtMs]).toEqual([[`${name} is missing`], null]);
  await env.BACKUPS.put(name, (await seal(new Map(), name, [])) && new Uint8Array());
  expect((await restore()).differences.join('; ')).toContain(`${name} is not a part of a backup`);
});

test('the proof compares the secrets that the manifest has, by name', async () => {
  const own = env as unknown as Record<string, string>;
  const ring = own.LINK_SIGNING_KEYS ?? '';
  const secrets = {
    LINK_SIGNING_KEYS: `${ring},gone:${btoa('x'.repeat(32))}`,
    DATA_ENCRYPTION_KEYS: own.DATA_ENCRYPTION_KEYS ?? '',
    RAIL_M_PESA_PRODUCTION: '{"consumerKey":"SECRETVALUE"}',
  };
  const bucket = await backUp([SANDBOX], [[await create('one')]], { secrets });
  await loseGateway(bucket);
  const { differences, closedAtMs } = await restore();
  expect(differences).toEqual([
    'the secret LINK_SIGNING_KEYS lacks the key gone',
    'the secret RAIL_M_PESA_PRODUCTION is missing',
  ]);
  expect(closedAtMs).toBeNull();
  const [manifest] = await openPart(
    configOf(env).backupKeys,
    manifestName(RUN),
    bucket.get(manifestName(RUN)) ?? new Uint8Array(),
  );
  expect((manifest as Manifest).secrets).toEqual(secrets);
});
