import { base64FromBytes } from '../../kit/crypto/encoding.ts';
import type { TryFault } from '../domain/webhook-fault.ts';
import type { IntentClient } from '../intent/client.ts';
import type { DeliveryId, DeliveryReport } from '../intent/protocol.ts';
import { webhookSecretFrom } from './secret-store.ts';
import { type OutgoingWebhook, sendSigned, unsentTry } from './send.ts';

/**
 * The faults that a merchant orders for a sandbox payment (docs/sandbox.md#webhooks). Each is what
 * the real path does with a lost, late or repeated message: a failed try with its retry, or a
 * second delivery of the event. Production never gets here: `faultOfTry`.
 */

const DELAY_MS = 20_000;
/**
 * An overtaken event waits this long, unless the overtaking one releases it. A payment of 100.13 is
 * paid late before that, even if the first query comes just too early.
 */
const OVERTAKEN_MS = 60_000;
/** The length of a signature by a 2048-bit key. */
const RSA_SIGNATURE_BYTES = 256;

type FaultyTry = Pick<DeliveryReport, 'outcome' | 'log'>;

/** The try in place of an ordinary one; null when only `afterFault` has something to do. */
export async function tryWithFault(
  env: Env,
  fault: TryFault,
  webhook: OutgoingWebhook,
): Promise<FaultyTry | null> {
  switch (fault) {
    case 'drop':
      return notSent(fault, null);
    case 'delay':
      return notSent(fault, DELAY_MS);
    case 'overtaken':
      return notSent(fault, OVERTAKEN_MS);
    case 'wrong_signature': {
      const { log } = await sendSigned(env, forged(webhook));
      // Kefel sends the event again also after a 2xx, which may come from code that verifies
      // nothing.
      const error = log.error === null ? textOf(fault) : `${textOf(fault)}: ${log.error}`;
      return { outcome: failed(null), log: { ...log, error } };
    }
    case 'duplicate':
    case 'overtakes':
      return null;
  }
}

/** What follows a try that delivered the event. */
export async function afterFault(
  owner: IntentClient,
  fault: TryFault,
  { sequence, position }: DeliveryId,
): Promise<void> {
  if (fault === 'duplicate') {
    await owner.resendEvent(sequence, ['delivered'], position);
  } else if (fault === 'overtakes') {
    // It goes to the same address: each endpoint has its own deliveries.
    const deliveries = await owner.events();
    const here = deliveries.find((one) => one.sequence === sequence && one.position === position);
    const earlier = deliveries.findLast(
      (one) => one.sequence < sequence && one.endpointId === here?.endpointId,
    );
    if (earlier !== undefined) {
      await owner.resendEvent(earlier.sequence, ['superseded'], earlier.position);
    }
  }
}

function notSent(fault: TryFault, retryAfterMs: number | null): FaultyTry {
  const log = unsentTry(`not sent: ${textOf(fault)}`, Date.now());
  return { outcome: failed(retryAfterMs), log };
}

function failed(retryAfterMs: number | null): DeliveryReport['outcome'] {
  return { type: 'failed', retryAfterMs, isEndpointPaused: false };
}

/** The merchant sees this text in the delivery log. */
function textOf(fault: TryFault): string {
  return `sandbox fault ${fault}`;
}

/** The same event, with every signature made by random keys. */
function forged(webhook: OutgoingWebhook): OutgoingWebhook {
  const signature = base64FromBytes(crypto.getRandomValues(new Uint8Array(RSA_SIGNATURE_BYTES)));
  return {
    ...webhook,
    requestBody: JSON.stringify({ ...JSON.parse(webhook.requestBody), signature }),
    secrets: webhook.secrets.map(() => webhookSecretFrom()),
  };
}
