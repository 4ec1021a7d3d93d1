import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { StoredRecord } from '../../engine/intent/protocol.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';
import { IDS_PER_MS } from '../../lists/book/schema.ts';
import { allNames, hasBucket, readPart, rewritePart } from '../backup/bucket.ts';
import type { PaymentLine } from '../backup/manifest.ts';
import { type PaymentsPart, parsePaymentsPart, paymentsPrefix } from '../backup/names.ts';

/** A payment as its book has it. */
export interface BackedUpPayment {
  readonly volume: number;
  /** The row's id in the book's table `payment`. */
  readonly id: number;
  readonly uniqueId: string;
}

/**
 * Call it after the payment's object has erased data. Every line of the payment in the bucket gets
 * what the object stores now, or goes if only the tombstone is left. Returns the number of parts that
 * it has rewritten: 0 when it is called again. Throws when the bucket or an object fails: then call it
 * again. Throws also when the object does not have the payment and the bucket does: a restore may
 * still bring it back, or the object is lost, and its lines are the only copy.
 */
export async function eraseFromBackup(
  env: Env,
  tenant: Tenant,
  { volume, id, uniqueId }: BackedUpPayment,
): Promise<number> {
  if (!hasBucket(env)) {
    return 0;
  }
  // A part in progress may hold what the object had before.
  await bookOf(env, tenant, volume).settleBackup();
  const records = await (await intentByUniqueId(env, tenant, uniqueId)).exportRecords();
  let rewritten = 0;
  for await (const { key } of allNames(env, paymentsPrefix({ ...tenant, volume }))) {
    const part = parsePaymentsPart(key);
    if (part !== null && mayHave(part, id)) {
      rewritten += Number(await eraseFromPart(env, key, uniqueId, records));
    }
  }
  return rewritten;
}

/** Compares milliseconds: a rebuilt book may have given the payment another place within one. */
function mayHave({ fromId, toId }: PaymentsPart, id: number): boolean {
  const [from = 0, at = 0, to = 0] = [fromId, id, toId].map((one) => Math.floor(one / IDS_PER_MS));
  return from <= at && at <= to;
}

async function eraseFromPart(
  env: Env,
  name: string,
  uniqueId: string,
  records: readonly StoredRecord[] | null,
): Promise<boolean> {
  for (;;) {
    const part = await readPart<PaymentLine>(env, name);
    const known = part?.lines.find((line) => line.uniqueId === uniqueId);
    if (!part || !known || JSON.stringify(known.records) === JSON.stringify(records)) {
      return false;
    }
    if (records?.length === 0) {
      throw new Error('the backup has the only copy of the payment');
    }
    const lines = part.lines.flatMap((line) =>
      line !== known ? [line] : records === null ? [] : [{ ...line, records }],
    );
    // Another erasure may have rewritten the part meanwhile: then its lines are read again.
    if (await rewritePart(env, name, lines, part)) {
      return true;
    }
  }
}
