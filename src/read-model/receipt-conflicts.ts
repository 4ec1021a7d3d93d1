import type { Command, Intent, OtherPayment } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import { attemptsWithReceiptOf, isReceiptOf, receiptsOf } from '../domain/receipt.ts';
import { intentByUniqueId } from '../intent/client.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { receiptKeys } from '../intent/receipt-keys.ts';
import { batch, readInTime } from '../platform/database.ts';
import {
  insertReceiptsStatement,
  type OthersRow,
  othersStatement,
  type SharedReceipt,
  sharedReceipts,
} from './receipts.ts';

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
  for (const { row } of payments) {
    const own = shared.filter(({ uuid }) => uuid === row.uuid);
    const others = new Map(own.map((other) => [`${other.merchantId}/${other.uniqueId}`, other]));
    if (others.size > 0) {
      await reportConflictsOf(env, row, [...others.values()]);
    }
  }
}

/**
 * Records the conflicts of one payment: on the others first, so that what is recorded on the payment
 * itself needs no further call. A provider may repeat a receipt, and a payment may have many messages.
 */
export async function reportConflictsOf(
  env: Env,
  row: Compared['row'],
  others: readonly OtherPayment[],
): Promise<void> {
  const client = intentByUniqueId(env, row, row.uniqueId);
  const read = await client.read();
  if (read.type === 'not_found') {
    return;
  }
  const { intent } = read;
  const found = await Promise.all(
    others
      .filter((other) => !isConflictKnown(intent, other))
      .map((other) => reportOnOther(env, intent, other)),
  );
  const commands = found.flatMap((other) => (other === null ? [] : conflictsWith(intent, other)));
  if (commands.length > 0) {
    await client.execute(commands);
  }
}

function isConflictKnown({ anomalies }: Intent, { merchantId, uniqueId }: OtherPayment): boolean {
  return anomalies.some(
    ({ other }) => other?.merchantId === merchantId && other.uniqueId === uniqueId,
  );
}

/** The other payment, if it has a receipt of this one: a row may be older than its payment. */
async function reportOnOther(
  env: Env,
  intent: Intent,
  { merchantId, uniqueId }: OtherPayment,
): Promise<Intent | null> {
  const { environment } = intent.terms;
  const client = intentByUniqueId(env, { environment, merchantId }, uniqueId);
  const read = await client.read();
  const commands = read.type === 'found' ? conflictsWith(read.intent, intent) : [];
  if (read.type === 'not_found' || commands.length === 0) {
    return null;
  }
  await client.execute(commands);
  return read.intent;
}

/** The commands that record on `intent` which of its attempts share a receipt with another payment. */
function conflictsWith(intent: Intent, foreign: Intent): readonly Command[] {
  const { merchantId, uniqueId } = foreign.terms;
  return attemptsWithReceiptOf(intent, foreign).map(({ id: attemptId }) => ({
    type: 'report_receipt_conflict',
    attemptId,
    other: { merchantId, uniqueId },
  }));
}

/**
 * Another payment that has this receipt, of any merchant of the environment, or null. Throws
 * Unavailable when D1 or a payment's object does not answer.
 */
export async function otherPaymentWithReceipt(
  env: Env,
  environment: Environment,
  receipt: string,
  uuid: string,
): Promise<OtherPayment | null> {
  const keys = await receiptKeys(env, environment, receipt);
  const statement = othersStatement(keys.map((key) => ({ environment, key, uuid })));
  const results = await readInTime(() => batch<OthersRow>(env.DB, [statement]));
  const others = results.flatMap((result) => sharedReceipts(result.results));
  const payments = await Promise.all(
    others.map(({ merchantId, uniqueId }) =>
      intentByUniqueId(env, { environment, merchantId }, uniqueId).read(),
    ),
  );
  // A row may be older than its payment: the provider may have named another receipt since.
  const index = payments.findIndex(
    (read) =>
      read.type === 'found' &&
      read.intent.attempts.some((attempt) => isReceiptOf(receipt, attempt)),
  );
  const other = others[index];
  return other === undefined ? null : { merchantId: other.merchantId, uniqueId: other.uniqueId };
}
