import { placementOf } from '../../engine/config.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { type ObjectRpc, objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { IndexedReceipt, OpenIndex, ReceiptHolder } from './open-index.ts';

/** Calls the shards of the index of receipts. Each function throws ObjectUnavailable. */

/**
 * One object takes some hundred payments in a second. With another number of shards, the books must
 * be rebuilt, because most keys belong to another shard.
 */
export const SHARDS = 16;

/** FNV-1a. */
function shardOf(key: string): number {
  const offset = 2_166_136_261;
  const prime = 16_777_619;
  const hash = Array.from(key).reduce(
    (known, sign) => Math.imul(known ^ (sign.codePointAt(0) ?? 0), prime),
    offset,
  );
  return (hash >>> 0) % SHARDS;
}

function shardName(environment: Environment, shard: number): string {
  return `${environment}/${shard}`;
}

/** Puts what is not there yet. */
export async function putReceipts(
  env: Env,
  environment: Environment,
  receipts: readonly IndexedReceipt[],
): Promise<void> {
  await inShards(env, environment, receipts, (shard, own) => shard.put(own));
}

export async function removeReceipts(
  env: Env,
  environment: Environment,
  holders: readonly ReceiptHolder[],
): Promise<void> {
  await inShards(env, environment, holders, (shard, own) => shard.remove(own));
}

/** The payments of all merchants with these keys. Those of one key may be cut off. */
export async function holdersOfReceipts(
  env: Env,
  environment: Environment,
  keys: readonly string[],
): Promise<readonly ReceiptHolder[]> {
  const wanted = [...new Set(keys)].map((key) => ({ key }));
  const found = await inShards(env, environment, wanted, (shard, own) =>
    shard.find(own.map(({ key }) => key)),
  );
  return found.flat();
}

/** Calls each shard once, with what belongs to it. */
function inShards<Item extends Pick<ReceiptHolder, 'key'>, Result>(
  env: Env,
  environment: Environment,
  items: readonly Item[],
  call: (shard: ObjectRpc<OpenIndex>, own: readonly Item[]) => Promise<Result>,
): Promise<readonly Result[]> {
  const shards = objectsIn(env.RECEIPT_INDEX, placementOf(env));
  const byShard = Map.groupBy(items, ({ key }) => shardOf(key));
  return concurrently([...byShard], ([shard, own]) => {
    const id = shards.idFromName(shardName(environment, shard));
    return call(
      objectClient<OpenIndex>(() => shards.get(id)),
      own,
    );
  });
}
