import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { prepare } from '../../src/database.ts';
import type { Intent, Rejection } from '../../src/domain/intent.ts';
import { NOTE_LENGTH_MAX } from '../../src/domain/manual-resolution.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import type { Refund } from '../../src/domain/refund.ts';
import { REFUND_WINDOW_MS } from '../../src/domain/schedule.ts';
import { type Problem, problem } from '../../src/http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import { isRepeatable } from '../../src/refunds/ask-rail.ts';
import { namedPayment } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { refundOf } from './refund-resolution.ts';
import { knownIntent } from './resolution.ts';
import { body, lineField, patternField } from './schema.ts';

/** Sending an unresolved refund again: the one implementation behind API, command line and desk. */

export const refundRepeatFields = body({
  note: lineField(NOTE_LENGTH_MAX),
  /** Identifies one repeat: the same request again has no further effect. */
  repeatId: v.optional(patternField(/^[A-Za-z0-9-]{8,64}$/, 'Must be a UUID.')),
});

interface Repeated {
  /** The same repeat had been requested before, so nothing changed. */
  readonly isRepeated: boolean;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * Has the alarm send the refund that the path names again, with the same number. As for other
 * decisions, the audit entry is written before the commit. Problems: 403 in production for an
 * operator without a proved name, 404 for an unknown payment or refund, 409 when the provider does
 * not recognize the refund, or the payment rejects the repeat.
 */
export async function repeatRefund(
  call: OperatorCall,
  { note, repeatId = crypto.randomUUID() }: v.InferOutput<typeof refundRepeatFields>,
): Promise<Repeated> {
  const { env, actor, isVerified, nowMs } = call;
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(env, tenant, uniqueId);
  const known = await knownIntent(client);
  const refund = refundOf(known, call.params.refundId);
  if (refund.repeat?.repeatId === repeatId) {
    return { isRepeated: true, client, intent: known };
  }
  if (!(await isRepeatable(env, client.objectId, known, refund))) {
    throw operatorProblem('refund_repeat_not_offered');
  }
  const record = (detail: Readonly<Record<string, string>>) =>
    prepare(
      env.DB,
      auditEntry({
        actor,
        ...tenant,
        action: 'refund.repeated',
        target: uniqueId,
        detail: { refund: withoutPhoneNumbers(refund.id), repeatId, ...detail },
        atMs: nowMs,
      }),
    ).run();
  await record({ note: withoutPhoneNumbers(note) });
  const result = await client.execute([
    {
      type: 'repeat_refund',
      refundId: refund.id,
      repeatId,
      operator: actor.name,
      note,
      isVerified,
      deadlineAtMs: nowMs + REFUND_WINDOW_MS,
    },
  ]);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  if (result.rejection !== null) {
    await record({ refused: result.rejection });
    throw rejected(result.rejection, refundOf(result.intent, refund.id));
  }
  return { isRepeated: false, client, intent: result.intent };
}

function rejected(rejection: Rejection, { status }: Refund): Problem {
  switch (rejection) {
    case 'refund_not_repeatable':
      return operatorProblem('refund_not_repeatable', { status });
    case 'operator_not_verified':
      return operatorProblem('operator_not_verified');
    case 'malformed_resolution':
      return operatorProblem('resolution_invalid');
    default:
      return operatorProblem('resolution_rejected', { rejection });
  }
}
