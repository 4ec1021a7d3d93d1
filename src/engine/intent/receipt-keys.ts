import type { NamedKey } from '../../kit/crypto/key-ring.ts';
import { keyedDigest } from '../../kit/crypto/keyed-digest.ts';
import type { Environment } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import { normalizedReceipt } from '../domain/receipt.ts';
import { hashedReceiptSearchKey, isFoundByDigest, receiptSearchKey } from '../domain/search-key.ts';

/**
 * The keys of a receipt in the book; new rows have the first one. A receipt that may contain
 * a phone number is stored as a digest, and older rows have digests by older keys of the ring. The
 * keys are the same for all merchants of an environment, so that a receipt counts for one payment.
 */
export async function receiptKeys(
  env: Env,
  environment: Environment,
  receipt: string,
): Promise<readonly [string, ...string[]]> {
  const text = normalizedReceipt(receipt);
  if (!isFoundByDigest(text)) {
    return [receiptSearchKey(text)];
  }
  const hashed = async (key: NamedKey) =>
    hashedReceiptSearchKey(await keyedDigest(key, environment, 'id', text));
  const [newest, ...older] = configOf(env).dataEncryptionKeys;
  return [await hashed(newest), ...(await Promise.all(older.map(hashed)))];
}
