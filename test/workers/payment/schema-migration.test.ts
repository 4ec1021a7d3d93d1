import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { type Migration, migrate, SCHEMA_VERSION } from '../../../src/engine/intent/schema.ts';
import {
  abortObjects,
  advance,
  allRows,
  createHosted,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  objectSql,
  resolveAttempt,
  startRedirect,
  storedPayment,
  stubOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: the first change of the object's tables can rely on the migration mechanism. Method: a
 * migration that exists only here upgrades a stored payment from version 1 to version 2.
 */

useGateway();

const TO_VERSION_2: Migration = (sql) => {
  sql.exec("ALTER TABLE record ADD COLUMN note TEXT NOT NULL DEFAULT 'none'");
};

/** Loads the payment with TO_VERSION_2 in the list of migrations. */
function upgrade(): Promise<void> {
  return runInDurableObject(stubOf(), (_instance, { storage }) => {
    storage.transactionSync(() => {
      const { version } = storage.sql
        .exec<{ version: number }>(
          "SELECT content ->> '$.schemaVersion' AS version FROM record WHERE id = 0",
        )
        .one();
      migrate(storage.sql, version, [TO_VERSION_2]);
    });
  });
}

test('migration: a payment of version 1 is upgraded once, keeps its rows and continues', async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await execute(resolveAttempt('a0', 'succeeded'));
  const before = await allRows();
  await upgrade();
  // The column exists now, so a second run would throw.
  await upgrade();
  await abortObjects();

  expect((await intentOf()).status).toBe('succeeded');
  const after = await allRows();
  expect(after.record).toHaveLength(2);
  expect(after.record).toEqual(
    before.record?.map((row) => ({
      ...Object(row),
      content: Object(row).content.replace('"schemaVersion":1', '"schemaVersion":2'),
      note: 'none',
    })),
  );
});

test('migration: a payment of an earlier version is upgraded when it is next read', async () => {
  await createHosted();
  const { intent } = await storedPayment();
  await objectSql(
    `UPDATE record SET content = json_set(content, '$.schemaVersion', ${SCHEMA_VERSION - 1})`,
  );
  await abortObjects();
  expect(await intentOf()).toEqual(intent);
  expect(await storedPayment()).toMatchObject({ schemaVersion: SCHEMA_VERSION });
});
