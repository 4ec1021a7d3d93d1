import type { ProjectionMessage } from '../intent/protocol.ts';
import { reportConflictsOf } from '../intent/receipt-conflicts.ts';
import { batch } from '../platform/database.ts';
import { type OthersRow, othersStatement, type SharedReceipt, sharedReceipts } from './receipts.ts';

/**
 * Shows the operator a receipt that two payments have, on both of them. The read model's consumer
 * compares the receipts of each message before it confirms the message. So no conflict gets lost,
 * even if a process dies after its commit.
 */

/** The payment of a message, as far as its receipts matter. */
type Compared = Pick<ProjectionMessage, 'receiptKeys'> & {
  readonly row: Pick<ProjectionMessage['row'], 'environment' | 'merchantId' | 'uniqueId' | 'uuid'>;
};

/** Compares payments whose receipts are stored. Throws when a conflict could not be recorded. */
export async function reportConflicts(env: Env, payments: readonly Compared[]): Promise<void> {
  const keys = payments.flatMap(({ row: { environment, uuid }, receiptKeys: own }) =>
    own.map((key) => ({ environment, key, uuid })),
  );
  const [found] = await batch<OthersRow>(env.DB, [othersStatement(keys)]);
  await report(env, payments, sharedReceipts(found?.results ?? []));
}

async function report(
  env: Env,
  payments: readonly Compared[],
  shared: readonly SharedReceipt[],
): Promise<void> {
  for (const { row } of payments) {
    const own = shared.filter(({ uuid }) => uuid === row.uuid);
    const others = new Map(own.map((other) => [`${other.merchantId}/${other.uniqueId}`, other]));
    if (others.size > 0) {
      await reportConflictsOf(env, row, [...others.values()]);
    }
  }
}
