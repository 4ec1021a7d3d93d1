import { batch } from '../database.ts';
import type { Intent, OtherPayment } from '../domain/intent.ts';
import { attemptsWithReceiptOf, receiptsOf } from '../domain/receipt.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { receiptKeys } from '../intent/receipt-keys.ts';
import {
  insertReceiptsStatement,
  type OthersRow,
  othersStatement,
  type SharedReceipt,
  sharedReceipts,
} from './receipts.ts';

/**
 * Shows a receipt that counts for two payments to the operator, on both. The read model's consumer
 * compares each message that has receipts, and a message is not confirmed before. So no conflict
 * gets lost, whoever reported the receipts, even if a process dies after its commit.
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

/** Stores the receipts of one payment now, without waiting for its message, and compares them. */
export async function storeAndCompareReceipts(env: Env, { attempts, terms }: Intent) {
  const { environment } = terms;
  const receipts = attempts.flatMap(receiptsOf);
  const keys = await Promise.all(receipts.map((receipt) => receiptKeys(env, environment, receipt)));
  const rows = keys.map(([key]) => ({ ...terms, key }));
  const compared = keys.flat().map((key) => ({ environment, key, uuid: terms.uuid }));
  // In this order and one batch: of two payments at the same moment, the later one sees the other.
  const [, found] = await batch<OthersRow>(env.DB, [
    insertReceiptsStatement(rows),
    othersStatement(compared),
  ]);
  await report(
    env,
    [{ row: terms, receiptKeys: keys.flat() }],
    sharedReceipts(found?.results ?? []),
  );
}

async function report(
  env: Env,
  payments: readonly Compared[],
  shared: readonly SharedReceipt[],
): Promise<void> {
  for (const { uuid, merchantId, uniqueId } of shared) {
    const row = payments.find((payment) => payment.row.uuid === uuid)?.row;
    if (row !== undefined) {
      const { environment } = row;
      const one = intentByUniqueId(env, row, row.uniqueId);
      const other = intentByUniqueId(env, { environment, merchantId }, uniqueId);
      await reportOnBoth(one, other);
    }
  }
}

/** The payments decide: a row may be older than they are. */
async function reportOnBoth(one: IntentClient, other: IntentClient): Promise<void> {
  const [own, foreign] = await Promise.all([one.read(), other.read()]);
  if (own.type === 'found' && foreign.type === 'found') {
    await Promise.all([
      reportOn(one, own.intent, foreign.intent),
      reportOn(other, foreign.intent, own.intent),
    ]);
  }
}

async function reportOn(client: IntentClient, intent: Intent, foreign: Intent): Promise<void> {
  const { merchantId, uniqueId } = foreign.terms;
  const other: OtherPayment = { merchantId, uniqueId };
  await client.execute(
    attemptsWithReceiptOf(intent, foreign).map(({ id }) => ({
      type: 'report_receipt_conflict',
      attemptId: id,
      other,
    })),
  );
}
