import type { Tenant } from '../../kit/tenant.ts';
import type { Command } from '../domain/command.ts';
import type { Intent, OtherPayment } from '../domain/intent.ts';
import { attemptsWithReceiptOf } from '../domain/receipt.ts';
import { intentByUniqueId } from './client.ts';

/** Shows the operator a receipt that two payments have, on both of them (docs/decisions.md#44). */

interface NamedPayment extends Tenant {
  readonly uniqueId: string;
}

/**
 * Records the conflicts of one payment: on the others first, so that what is recorded on the payment
 * itself needs no further call. A provider may repeat a receipt, and a payment may have many messages.
 */
export async function reportConflictsOf(
  env: Env,
  { uniqueId, ...tenant }: NamedPayment,
  others: readonly OtherPayment[],
): Promise<void> {
  const client = await intentByUniqueId(env, tenant, uniqueId);
  const intent = await client.read();
  if (intent === null) {
    return;
  }
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
  const client = await intentByUniqueId(env, { environment, merchantId }, uniqueId);
  const other = await client.read();
  const commands = other === null ? [] : conflictsWith(other, intent);
  if (commands.length === 0) {
    return null;
  }
  await client.execute(commands);
  return other;
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
