import type { ProjectionMessage } from '../../engine/intent/book-message.ts';
import { reportConflictsOf } from '../../engine/intent/receipt-conflicts.ts';
import { bookOf } from './client.ts';

/**
 * Stores a payment's message in the merchant's book, and shows the operator each receipt that it
 * shares with another payment of the book. True when all of this is done. Throws ObjectUnavailable.
 */
export async function feedBook(env: Env, message: ProjectionMessage): Promise<boolean> {
  const { row, bookVolume } = message;
  const { confirmed, othersWithReceipt } = await bookOf(env, row, bookVolume).apply(message);
  if (othersWithReceipt.length > 0) {
    const { merchantId } = row;
    const others = othersWithReceipt.map((uniqueId) => ({ merchantId, uniqueId }));
    await reportConflictsOf(env, row, others);
  }
  return confirmed;
}
