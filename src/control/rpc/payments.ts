import * as acts from '../../engine/api/payment-acts.ts';
import { checkoutUrlOf, receiptUrlOf } from '../../engine/attempts/order.ts';
import { hasEnded, type Intent } from '../../engine/domain/intent.ts';
import { REFUND_REASON_LENGTH_MAX } from '../../engine/domain/refund.ts';
import { isTooOldToRefund } from '../../engine/domain/refund-time.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import {
  type EventSummary,
  type HistoryEntry,
  requestersOf,
} from '../../engine/intent/protocol.ts';
import { banks } from '../../engine/merchants/directory.ts';
import { newRefundLimits } from '../../engine/merchants/refund-limits.ts';
import { refusal } from '../../engine/refunds/refusal.ts';
import {
  attemptToRefund,
  type RefundResult,
  type Rehearsal,
  refundIn,
  rehearseRefund,
  requestRefund,
} from '../../engine/refunds/request.ts';
import { runRecordedAct } from '../../kit/audit/log.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { isPrintable } from '../../kit/text.ts';
import { bookOf } from '../../lists/book/client.ts';
import { readerOf } from '../../lists/book/reader.ts';
import type { PaymentRow, SameOrderPayment } from '../../lists/book/rows.ts';
import { IDS_PER_MS } from '../../lists/book/schema.ts';
import { apiKeyNames } from '../merchants/keys.ts';
import { findPayment, withoutClaims } from '../payments/payments.ts';
import { byMember } from './member.ts';
import type { Plane } from './plane.ts';

/** One payment of a merchant, and what a member may do to it. */

/** A payment as its object has it at this moment. */
export interface FoundPayment {
  readonly type: 'found';
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  readonly events: readonly EventSummary[];
  /** The names of banks by their codes. Those that the payment names must be there. */
  readonly bankNames: ReadonlyMap<string, string>;
  /** The names of the API keys that requested refunds or cancellations, even of revoked ones. */
  readonly keyNames: ReadonlyMap<string, string>;
  /** Null unless it is wanted and the payment can still be paid. */
  readonly checkoutUrl: string | null;
  /** Null unless the payment is paid and its receipt can be opened. Its link can pay nothing. */
  readonly receiptUrl: string | null;
  /** Absent: none, or the merchant's book does not answer. */
  readonly sameOrder?: readonly SameOrderPayment[];
}

export type ReadPayment =
  | FoundPayment
  /** Its object has deleted all but the id; the lists still have a row. */
  | { readonly type: 'deleted'; readonly row: PaymentRow; readonly keptDays: number }
  | { readonly type: 'not_found' };

/** The payment with this id of the merchant. */
export async function read(
  plane: Plane,
  tenant: Tenant,
  uniqueId: string,
  wantsCheckoutUrl: boolean,
): Promise<ReadPayment> {
  const found = await findPayment(plane.env, tenant, uniqueId);
  if (found === null) {
    return remaining(plane, tenant, uniqueId);
  }
  const { client, intent } = found;
  const history = await client.history();
  const [events, bankNames, keyNames, checkoutUrl, receiptUrl, sameOrder] = await Promise.all([
    client.events(),
    namesOfBanks(plane, intent),
    namesOfKeys(plane, intent, history),
    wantsCheckoutUrl && !hasEnded(intent.status) ? checkoutUrlOf(plane.env, intent) : null,
    receiptUrlOf(plane.env, intent, plane.nowMs),
    sameOrderAs(plane, intent),
  ]);
  return {
    type: 'found',
    intent: withoutClaims(intent),
    history,
    events,
    bankNames,
    keyNames,
    checkoutUrl,
    receiptUrl,
    ...(sameOrder && { sameOrder }),
  };
}

/** The page is complete without the book, so it does not fail with it. */
async function sameOrderAs({ env }: Plane, { status, terms }: Intent) {
  if (status !== 'succeeded') {
    return;
  }
  try {
    const { createdAtMs, uuid } = terms;
    const filter = { createdFromMs: createdAtMs, createdToMs: createdAtMs + 1 };
    const start = { isAscending: true, after: null, includesPlace: false };
    const book = bookOf(env, terms, terms.bookVolume);
    // A millisecond has few payments.
    const found = await book.ask('payments', filter, start, IDS_PER_MS, true);
    return found?.rows.find(({ row }) => row.uuid === uuid)?.row.sameOrder;
  } catch (error) {
    log('warn', 'same_order_unknown', { error: errorText(error) });
    return;
  }
}

export type Cancellation = 'canceled' | 'not_found' | 'attempt_in_flight' | 'ended';

/** Cancels the payment, only while no attempt is in flight (docs/decisions.md#25 and #54). */
export const cancel = byMember(async (by, uniqueId: string): Promise<Cancellation> => {
  const found = await findPayment(by.env, by.tenant, uniqueId);
  if (found === null) {
    return 'not_found';
  }
  if (found.intent.status === 'canceled') {
    return 'canceled';
  }
  const act = { action: 'payment.cancel_requested', target: uniqueId } as const;
  const requester = { type: 'member', memberId: by.actor.id } as const;
  const cancelNow = () => acts.cancelPayment(found.client, requester);
  const { type } = await runRecordedAct(by, act, cancelNow, acts.refusalOf);
  return type === 'not_open' ? 'ended' : type;
});

/** A refund as a member asks for it. */
export interface AskedRefund {
  /** Made by the form's page, so a form that is sent twice makes one refund. */
  readonly refundUniqueId: string;
  /** The reference of the attempt to refund; null: of the one that paid. */
  readonly transactionId: string | null;
  /** Null: all that is left. */
  readonly amountMinor: number | null;
  readonly reason: string | null;
}

const REFUND_ID = /^rfd_[0-9a-f]{32}$/;

export type RefundPlan =
  | { readonly type: 'not_found' | 'maintenance' | AskedProblem }
  | { readonly type: 'no_transaction'; readonly intent: Intent }
  | (Rehearsal & {
      readonly type: 'rehearsed';
      /** The most days that the payment may be old, if it is older. */
      readonly tooOldDaysMax: number | null;
    });

/** What would become of the refund. Changes nothing. */
export async function rehearse(
  plane: Plane,
  tenant: Tenant,
  uniqueId: string,
  asked: AskedRefund,
): Promise<RefundPlan> {
  const problem = problemOf(asked);
  if (problem !== null) {
    return { type: problem };
  }
  const [found, limits] = await Promise.all([
    findPayment(plane.env, tenant, uniqueId),
    newRefundLimits(plane.env.DB, tenant.merchantId),
  ]);
  if (found === null || limits === null) {
    return { type: 'not_found' };
  }
  if (limits.mode === 'maintenance') {
    return { type: 'maintenance' };
  }
  const { intent } = found;
  const attempt = attemptToRefund(intent, asked.transactionId);
  if (attempt === null) {
    return { type: 'no_transaction', intent };
  }
  const { refundAgeDaysMax: daysMax } = limits;
  const isTooOld = isTooOldToRefund(attempt.updatedAtMs, daysMax, plane.nowMs);
  return {
    type: 'rehearsed',
    ...(await rehearseRefund(plane.env, intent, attempt, asked, plane.nowMs)),
    tooOldDaysMax: isTooOld ? daysMax : null,
  };
}

/** Refunds a part of the payment in the name of a member. */
export const refund = byMember(
  async (by, uniqueId: string, asked: AskedRefund): Promise<RefundResult> => {
    const problem = problemOf(asked);
    if (problem !== null) {
      throw new Error(`the refund was not rehearsed: ${problem}`);
    }
    const found = await findPayment(by.env, by.tenant, uniqueId);
    if (found === null) {
      return { type: 'payment_not_found' };
    }
    const { refundUniqueId: target, transactionId, amountMinor, reason } = asked;
    const { currency } = found.intent.terms;
    const detail = { uniqueId, transactionId, amountMinor, currency };
    const act = { action: 'refund.requested', target, detail } as const;
    const request = {
      paymentUniqueId: uniqueId,
      refundUniqueId: target,
      transactionId,
      amountMinor,
      reason,
      requester: { type: 'member', memberId: by.actor.id },
      idempotency: null,
    } as const;
    return runRecordedAct(
      by,
      act,
      () => requestRefund(by.env, by.tenant, request),
      (result) =>
        result.type === 'accepted' || result.type === 'replayed'
          ? null
          : refusal(result, target, transactionId).code,
    );
  },
);

/** Cancels a refund, only before the provider is called. */
export const cancelRefund = byMember(
  async (by, uniqueId: string, refundId: string): Promise<RefundCancellation> => {
    const found = await findPayment(by.env, by.tenant, uniqueId);
    const known = found && refundIn(found.intent, refundId);
    if (found === null || known === null) {
      return 'not_found';
    }
    if (known.status === 'canceled') {
      return 'canceled';
    }
    const detail = { uniqueId };
    const act = { action: 'refund.cancel_requested', target: refundId, detail } as const;
    const requester = { type: 'member', memberId: by.actor.id } as const;
    const cancelNow = () => acts.cancelRefund(found.client, refundId, requester);
    const { type } = await runRecordedAct(by, act, cancelNow, acts.refusalOf);
    return type === 'refund_not_pending' ? 'not_canceled' : type;
  },
);

type RefundCancellation = 'canceled' | 'not_found' | 'not_canceled';

type AskedProblem = 'bad_id' | 'bad_amount' | 'bad_reason';

function problemOf({ refundUniqueId, amountMinor, reason }: AskedRefund): AskedProblem | null {
  if (!REFUND_ID.test(refundUniqueId)) {
    return 'bad_id';
  }
  if (amountMinor !== null && !(Number.isSafeInteger(amountMinor) && amountMinor > 0)) {
    return 'bad_amount';
  }
  const isFit =
    reason === null || (reason.length <= REFUND_REASON_LENGTH_MAX && isPrintable(reason));
  return isFit ? null : 'bad_reason';
}

async function remaining(
  { env, config }: Plane,
  tenant: Tenant,
  uniqueId: string,
): Promise<ReadPayment> {
  const row = await (await readerOf(env, tenant)).paymentOf(uniqueId);
  const keptDays = config.retention.paymentMs / DAY_MS;
  return row === null ? { type: 'not_found' } : { type: 'deleted', row, keptDays };
}

async function namesOfBanks(plane: Plane, { terms }: Intent): Promise<ReadonlyMap<string, string>> {
  const known =
    terms.splits.length === 0 ? new Map() : await banks({ ...plane, url: terms.baseUrl });
  return new Map([...known.values()].map(({ code, name }) => [code, name]));
}

function namesOfKeys(
  { env }: Plane,
  intent: Intent,
  history: readonly HistoryEntry[],
): Promise<ReadonlyMap<string, string>> {
  const requesters = requestersOf(intent, history);
  const keys = requesters.flatMap((by) => (by.type === 'api' ? [by.keyId] : []));
  return apiKeyNames(env.DB, intent.terms.merchantId, keys);
}
