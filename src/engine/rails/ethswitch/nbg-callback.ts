import type { CallbackProof, CallbackSuspicion } from '../callback.ts';
import {
  codesOf,
  integerOf,
  isAbsent,
  isAbsentOr,
  jsonObject,
  type Members,
  membersOf,
  minorOf,
  textOf,
} from '../members.ts';
import type { RailOrder } from '../rail-order.ts';
import { upperCased } from './wire.ts';

/**
 * Where a report may state the fee that the customer paid to the provider on top. NBG publishes no
 * such member; these are the usual names.
 */
const FEES = ['fee', 'fee_amount', 'service_fee', 'service_charge', 'transaction_fee'];

type NbgProof = Exclude<CallbackProof, { readonly type: 'inconclusive' }>;

/**
 * What NBG's payment completion callback says about `order`. It is unsigned: it counts as authentic
 * because only NBG knows the URL, and every value that we can compare must match. The outer `status`
 * decides, in upper or lower case; the bill's own may still say QUERIED.
 *
 * Some callbacks contain only the outer members, and NBG has no status query. We believe a PAID one
 * that names its transaction: the URL identifies one order, whose amount only we have set. A FAILED
 * one without our order number proves nothing; the order stays open, as it does at NBG.
 */
export function readNbgCallback(text: string, order: RailOrder, billerBin: string): NbgProof {
  const body = jsonObject(text);
  const status = upperCased(textOf(body?.status));
  const inner = sentMembers(body?.data);
  if (body === null || status === null || inner === null) {
    return refused('unreadable');
  }
  const references = sent([body, inner], 'request_id', 'merchant_order_number');
  if (!isAboutOrder([body, inner], references, order, billerBin)) {
    return refused('other_order');
  }
  if (!hasOrderAmount(body, inner, order)) {
    return refused('wrong_amount');
  }
  if (!isUnambiguous(body, inner, status)) {
    return refused('unknown_state');
  }
  const receipt = textOf(body.transaction_id);
  if (status === 'PAID') {
    return references.length === 0 && receipt === null
      ? refused('unreadable')
      : { type: 'outcome', outcome: { type: 'succeeded', receipt } };
  }
  return {
    type: 'outcome',
    outcome:
      references.length === 0
        ? { type: 'unknown', checkAtMs: null }
        : { type: 'failed', reason: 'declined' },
  };
}

/** The states in a callback, and the HTTP status if NBG names one, for the log. */
export function nbgCode(text: string): string | null {
  const body = jsonObject(text);
  return codesOf(body?.status, body?.current_status, body?.http_status);
}

function refused(suspicion: CallbackSuspicion): NbgProof {
  return { type: 'refused', suspicion };
}

function isAboutOrder(
  levels: readonly Members[],
  references: readonly unknown[],
  { attempt }: RailOrder,
  billerBin: string,
): boolean {
  // `bill_payment_request_id` does not help: NBG's answer to the order does not contain it.
  const billers = levels.map(({ biller }) => membersOf(biller) ?? {});
  return (
    references.every((reference) => reference === attempt.reference) &&
    sent(billers, 'biller_identification_number').every((biller) => biller === billerBin) &&
    (attempt.railReference === null ||
      sent(levels, 'order_reference').every((known) => known === attempt.railReference))
  );
}

/**
 * Compares all amounts and currencies. The amount due counts only when NBG sends no total. A total
 * may exceed ours by exactly the fee that the report states (docs/decisions.md#33).
 */
function hasOrderAmount(body: Members, inner: Members, order: RailOrder): boolean {
  const bill = billIn(inner);
  const levels = [body, inner, bill];
  const totals = sent(levels, 'total_amount', 'amount');
  const amounts = totals.length > 0 ? totals : sent([bill], 'amount_due');
  const known = [order.chargedMinor, order.chargedMinor + (feeIn(sent(levels, ...FEES)) ?? 0)];
  return (
    amounts.every((amount) => known.includes(minorOf(amount) ?? 0)) &&
    levels.every(({ currency }) => isAbsentOr(upperCased(currency), order.terms.currency))
  );
}

/** The one fee, in minor units; null when there is none, or it is not plain which one it is. */
function feeIn(stated: readonly unknown[]): number | null {
  const [fee, ...others] = new Set(stated.map(minorOf));
  return fee != null && fee > 0 && others.length === 0 ? fee : null;
}

function billIn(inner: Members): Members {
  return membersOf(inner.bill_info ?? inner.billInfo) ?? {};
}

/**
 * The two published states, each with the states that may stand beside it: other words for the same,
 * and that of the bill when the customer looked it up. NBG publishes no list, and any other word may
 * contradict the state: REVERSED, CANCELLED, EXPIRED, PENDING.
 */
const FITTING_STATES: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['PAID', ['PAID', 'SUCCESS', 'SUCCESSFUL', 'COMPLETED', 'QUERIED']],
  ['FAILED', ['FAILED', 'DECLINED', 'REJECTED', 'CANCELLED', 'CANCELED', 'EXPIRED', 'QUERIED']],
]);

/** One of the two published states, of a payment, without any contradicting member. */
function isUnambiguous(body: Members, inner: Members, status: string): boolean {
  const levels = [body, inner];
  const fitting = FITTING_STATES.get(status);
  const states = [...sent(levels, 'current_status'), ...sent([inner, billIn(inner)], 'status')];
  const types = sent(levels, 'transaction_type').map(upperCased);
  return (
    fitting !== undefined &&
    states.every((state) => fitting.includes(upperCased(state))) &&
    types.every((type) => type === 'PAYMENT') &&
    (status !== 'PAID' || !namesFailure(levels))
  );
}

/** An HTTP status other than 200, or errors: these contradict a payment. */
function namesFailure(levels: readonly Members[]): boolean {
  return (
    sent(levels, 'http_status').some((status) => integerOf(status) !== 200) ||
    sent(levels, 'errors').some((errors) => !isEmpty(errors))
  );
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

/** The values of members that NBG spells in snake case, or sometimes in camel case. */
function sent(levels: readonly Members[], ...names: readonly string[]): readonly unknown[] {
  const camel = names.map((name) =>
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  const spelled = [...new Set([...names, ...camel])];
  return levels
    .flatMap((members) => spelled.map((name) => members[name]))
    .filter((value) => !isAbsent(value));
}

/** Empty when it is absent, null when it is not an object. */
function sentMembers(value: unknown): Members | null {
  return isAbsent(value) ? {} : membersOf(value);
}
