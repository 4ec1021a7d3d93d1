import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Environment } from '../../../src/kit/tenant.ts';
import { putReceipts } from '../../../src/lists/receipt-index/client.ts';
import { reachedShardStubs } from './gateway.ts';

export interface IndexedRow {
  /** The table of its month. */
  readonly month: string;
  readonly key: string;
  readonly merchant_id: string;
  readonly unique_id: string;
}

/** The rows of all shards of the index of receipts that the test has reached. */
export async function indexedRows(): Promise<readonly IndexedRow[]> {
  const shards = reachedShardStubs().map((shard) =>
    runInDurableObject(shard, (_index, { storage: { sql } }) =>
      sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'paid_*'")
        .toArray()
        .flatMap(({ name }) =>
          sql
            .exec(`SELECT * FROM ${name}`)
            .toArray()
            .map((row) => ({ ...row, month: name }) as unknown as IndexedRow),
        ),
    ),
  );
  return (await Promise.all(shards)).flat().sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** All shards of the environment, each with the table of the current month. */
export async function openedShards(environment: Environment) {
  // Enough that each shard gets some.
  const receipts = Array.from({ length: 200 }, (_, index) => ({
    ...{ key: `receipt:OTHER${index}`, merchantId: 'mer_other', uniqueId: 'other' },
    atMs: Date.now(),
  }));
  await putReceipts(env, environment, receipts);
  return reachedShardStubs();
}

/** Fires the alarms of the shards that have one. */
export async function fireIndexAlarms(): Promise<void> {
  for (const shard of reachedShardStubs()) {
    await runDurableObjectAlarm(shard);
  }
}
