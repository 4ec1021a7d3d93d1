import { applyD1Migrations, type D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { listPayments } from '../../src/read-model/payments-list.ts';
import { findUniqueId } from '../../src/read-model/queries.ts';
import { businessDay, dailyTotals } from '../../src/read-model/totals.ts';
import { deliver, projectionMessage, TENANTS } from './read-model-fixture.ts';

/**
 * Goal: a read model of the release before keeps its payments, and counts them. Method: the migrations
 * up to that release, rows as its consumer wrote them, then the others.
 */

const migrations: D1Migration[] = (env as unknown as { TEST_MIGRATIONS: D1Migration[] })
  .TEST_MIGRATIONS;

/** The statement of the release before, which goes on writing until the new one is everywhere. */
const OLD_UPSERT = `
  INSERT INTO payment (uuid, environment, merchant_id, number, unique_id, version, kind, status,
    amount_minor, currency, method, unresolved_attempts, anomalies, created_at_ms, updated_at_ms)
  SELECT value ->> 'uuid', value ->> 'environment', value ->> 'merchantId', value ->> 'number',
    value ->> 'uniqueId', value ->> 'version', value ->> 'kind', value ->> 'status',
    value ->> 'amountMinor', value ->> 'currency', value ->> 'method',
    value ->> 'unresolvedAttempts', value ->> 'anomalies', value ->> 'createdAtMs',
    value ->> 'updatedAtMs'
  FROM json_each(?1) WHERE true
  ON CONFLICT (uuid) DO UPDATE SET version = excluded.version, status = excluded.status,
    method = excluded.method, unresolved_attempts = excluded.unresolved_attempts,
    anomalies = excluded.anomalies, updated_at_ms = excluded.updated_at_ms
  WHERE excluded.version > payment.version`;

function writeAsBefore(
  messages: readonly ReturnType<typeof projectionMessage>[],
): Promise<unknown> {
  const rows = messages.map(({ row, version }) => ({ ...row, version }));
  return env.DB.prepare(OLD_UPSERT).bind(JSON.stringify(rows)).run();
}

test('payments of before are listed, found and counted, and the old release still writes', async () => {
  await applyD1Migrations(
    env.DB,
    migrations.filter(({ name }) => name < '0006'),
  );
  const old = TENANTS.flatMap((tenant) => [
    projectionMessage(tenant, 2, { status: 'succeeded', method: 'CBE', amountMinor: 700 }),
    projectionMessage(tenant, 1),
  ]);
  await writeAsBefore(old);
  await applyD1Migrations(env.DB, migrations);

  const day = businessDay(1_000);
  for (const tenant of TENANTS) {
    const { rows } = await listPayments(env.DB, tenant, {}, null, 10);
    expect(rows).toMatchObject([
      { number: 2, status: 'succeeded', amountMinor: 700, chargedMinor: 700, late: false },
      { number: 1, status: 'open' },
    ]);
    expect(await findUniqueId(env, tenant, '2')).toBe('order-2');
    expect(await dailyTotals(env.DB, tenant, { fromDay: day, toDay: day })).toMatchObject([
      { method: null, status: 'open', payments: 1, amountMinor: 100 },
      { method: 'CBE', status: 'succeeded', payments: 1, amountMinor: 700 },
    ]);
  }

  const [tenant] = TENANTS;
  if (tenant === undefined) {
    throw new Error('no tenant');
  }
  await writeAsBefore([projectionMessage(tenant, 1, { status: 'expired' }, { version: 2 })]);
  await deliver([projectionMessage(tenant, 2, { status: 'succeeded', method: 'CBE', late: true })]);
  const { rows } = await listPayments(env.DB, tenant, {}, null, 10);
  expect(rows).toMatchObject([
    { number: 2, late: true },
    { number: 1, status: 'expired' },
  ]);
  expect(await dailyTotals(env.DB, tenant, { fromDay: day, toDay: day })).toMatchObject([
    { status: 'expired', payments: 1 },
    { status: 'succeeded', payments: 1 },
  ]);
});
