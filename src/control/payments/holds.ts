import * as v from 'valibot';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { runRecorded } from '../../kit/audit/log.ts';
import { timeMsOf } from '../../kit/ethiopian-time.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { parsed } from '../../kit/http/list-request.ts';
import { found, validationProblem } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { type ActionCall, action, entryBy } from '../operator/call.ts';
import { lineField, REASON_CHARACTERS_MAX } from '../operator/fields.ts';
import { detailsOf, type KnownPayment, knownPayment } from './payments.ts';

/**
 * Legal holds: neither retention nor a customer's request deletes a held payment (docs/retention.md).
 * The audit log shows them to operators alone, because an authority may forbid to tell the merchant.
 */

/** Through that day, in UTC. */
const dayField = parsed(
  (text) => {
    const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? timeMsOf(text) : null;
    return atMs && atMs + DAY_MS;
  },
  fieldError('invalid_format', 'Must be a day such as 2027-12-31.'),
);

/** Holds the payment that the path names until a day, or until it is released. */
export const holdPayment = action(
  body({ reason: lineField(REASON_CHARACTERS_MAX), until: v.optional(dayField) }),
  async (call, target, { reason: given, until: untilMs = null }) => {
    if (untilMs !== null && untilMs <= call.nowMs) {
      throw validationProblem({ until: fieldError('too_small', 'Must not be in the past.') });
    }
    const payment = await knownPayment(call, target);
    const reason = withoutPhoneNumbers(given);
    const hold = { reason, operator: call.actor.name, heldAtMs: call.nowMs, untilMs };
    await recorded(call, payment, 'payment.held', { reason, untilAtMs: untilMs }, () =>
      payment.client.setHold({ ...hold, changedAtMs: call.nowMs }),
    );
    return detailsOf(call, payment.client, payment.intent);
  },
);

/** Ends the hold. A payment that is past its retention is then deleted at once. */
export const releasePayment = action(
  body({ reason: lineField(REASON_CHARACTERS_MAX) }),
  async (call, target, { reason }) => {
    const payment = await knownPayment(call, target);
    const details = { reason: withoutPhoneNumbers(reason) };
    await recorded(call, payment, 'payment.hold_released', details, () =>
      payment.client.setHold('released'),
    );
    return detailsOf(call, payment.client, payment.intent);
  },
);

/** Problem 404 for a payment that was deleted meanwhile. */
async function recorded(
  call: ActionCall,
  { tenant, uniqueId }: KnownPayment,
  name: 'payment.held' | 'payment.hold_released',
  detail: Readonly<Record<string, string | number | null>>,
  change: () => Promise<boolean>,
): Promise<void> {
  const target = `${tenant.environment}/${tenant.merchantId}/${uniqueId}`;
  const entry = { merchantId: null, environment: null, action: name, target, detail } as const;
  await runRecorded(call.env.DB, entryBy(call, entry), async () => found((await change()) || null));
}
