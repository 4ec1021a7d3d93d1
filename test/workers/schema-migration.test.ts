import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { type Migration, migrate } from '../../src/intent/schema.ts';
import {
  createHosted,
  execute,
  intentOf,
  resolveAttempt,
  startRedirect,
  storedRecords,
  stubOf,
  useGateway,
} from './support.ts';

/**
 * Goal: the first change of the stored records can rely on the migration mechanism. Method: a
 * migration that exists only here upgrades a stored payment from version 1 to version 2.
 */

useGateway();

let runs = 0;

/** Adds a note to every record. */
const TO_VERSION_2: Migration = (records) => {
  runs += 1;
  for (const [key, text] of [...records.list<string>()]) {
    records.put(key, JSON.stringify({ ...JSON.parse(text), note: 'none' }));
  }
};

/** Loads the payment with TO_VERSION_2 in the list of migrations. */
function upgrade(): Promise<void> {
  return runInDurableObject(stubOf(), (_instance, { storage }) => {
    storage.transactionSync(() => {
      const { schemaVersion } = JSON.parse(storage.kv.get<string>('payment') ?? '');
      migrate(storage.kv, schemaVersion, [TO_VERSION_2]);
    });
  });
}

test('migration: a payment of version 1 is upgraded once, keeps its records and continues', async () => {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  const before = await parsedRecords();
  expect(Object.keys(before)).toEqual(['event/000003', 'payment']);
  await upgrade();
  await upgrade();
  expect(runs).toBe(1);
  await abortAllDurableObjects();

  expect((await intentOf()).status).toBe('succeeded');
  expect(await parsedRecords()).toEqual({
    'event/000003': { ...before['event/000003'], note: 'none' },
    payment: { ...before.payment, note: 'none', schemaVersion: 2 },
  });
});

async function parsedRecords(): Promise<Record<string, Record<string, unknown>>> {
  const entries = Object.entries(await storedRecords());
  return Object.fromEntries(entries.map(([key, text]) => [key, JSON.parse(text)]));
}
