import type { Intent } from '../domain/intent.ts';
import { reportedAttempt } from '../domain/intent.ts';
import { errorText, log } from '../log.ts';
import type { DeliveryMessage, LedgerMessage, LedgerRow } from './protocol.ts';

/** Something that a commit wants sent. The row behind it holds the lease that repeats it. */
export type Message =
  | { readonly queue: 'webhooks' | 'retries'; readonly sequence: number }
  | { readonly queue: 'ledger' };

/**
 * Puts the messages of one commit into their queues. Never throws: what could not be sent is sent
 * again by the alarm when its lease has passed.
 */
export async function sendMessages(
  env: Env,
  objectId: string,
  intent: Intent,
  messages: readonly Message[],
): Promise<void> {
  const sends = messages.map((message) => {
    if (message.queue === 'ledger') {
      const change: LedgerMessage = { objectId, version: intent.version, row: ledgerRow(intent) };
      return env.LEDGER.send(change);
    }
    const { merchantId } = intent.terms;
    const delivery: DeliveryMessage = { objectId, sequence: message.sequence, merchantId };
    const queue = message.queue === 'webhooks' ? env.WEBHOOKS : env.WEBHOOK_RETRIES;
    return queue.send(delivery);
  });
  for (const result of await Promise.allSettled(sends)) {
    if (result.status === 'rejected') {
      log('warn', 'queue_send_failed', { objectId, error: errorText(result.reason) });
    }
  }
}

function ledgerRow(intent: Intent): LedgerRow {
  const { terms } = intent;
  return {
    environment: terms.environment,
    merchantId: terms.merchantId,
    uuid: terms.uuid,
    number: terms.number,
    uniqueId: terms.uniqueId,
    kind: terms.kind,
    status: intent.status,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    method: reportedAttempt(intent)?.method ?? null,
    unresolvedAttempts: intent.attempts.filter(({ status }) => status === 'unresolved').length,
    anomalies: intent.anomalies.length,
    createdAtMs: terms.createdAtMs,
    updatedAtMs: intent.updatedAtMs,
  };
}
