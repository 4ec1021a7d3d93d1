import type { Outcome } from '../../domain/intent.ts';
import { jsonObject } from '../call-rail.ts';
import type { CallbackSuspicion } from '../callback.ts';
import type { RailOrder } from '../rail.ts';
import { isAbsent, isAbsentOr } from './nbg-order.ts';
import { codeOf, integerOf, minorOf, textOf } from './wire.ts';

type Members = Readonly<Record<string, unknown>>;

export type NbgNotice =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'suspicious'; readonly suspicion: CallbackSuspicion };

/**
 * What NBG's payment completion callback says about `order`. It is not signed: that it came to an
 * address which only NBG was told is what makes it authentic, and everything in it that we know
 * must be as we know it. The outer `status` decides; `bill_info.status` may still say QUERIED.
 *
 * Some deliveries carry only the outer members, and NBG cannot be asked. A PAID one is believed
 * when it names its transaction: the address leads to one order, whose amount only we have set. A
 * FAILED one without our order number proves nothing; the order stays open, as it does at NBG.
 */
export function readNbgCallback(text: string, order: RailOrder, billerBin: string): NbgNotice {
  const body = jsonObject(text);
  const status = textOf(body?.status);
  const inner = membersOf(body?.data);
  if (body === null || status === null || inner === null) {
    return suspicious('unreadable');
  }
  const references = [body, inner].flatMap((members) => [
    ...sent(members, 'request_id'),
    ...sent(members, 'merchant_order_number'),
  ]);
  if (!isAboutOrder([body, inner], references, order, billerBin)) {
    return suspicious('other_order');
  }
  if (!hasOrderAmount(body, inner, order)) {
    return suspicious('wrong_amount');
  }
  if (!isUnambiguous([body, inner], status)) {
    return suspicious('unknown_state');
  }
  const receipt = textOf(body.transaction_id);
  if (status === 'PAID') {
    return references.length === 0 && receipt === null
      ? suspicious('unreadable')
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

/** The states in a callback, and HTTP's if NBG names one, for the log. */
export function nbgCode(text: string): string | null {
  const body = jsonObject(text);
  return codeOf(body?.status, body?.current_status, body?.http_status);
}

function suspicious(suspicion: CallbackSuspicion): NbgNotice {
  return { type: 'suspicious', suspicion };
}

function isAboutOrder(
  levels: readonly Members[],
  references: readonly unknown[],
  { attempt }: RailOrder,
  billerBin: string,
): boolean {
  // `bill_payment_request_id` is no help: NBG does not name it when the page is ordered.
  const billers = levels.flatMap((members) =>
    sent(membersOf(members.biller) ?? {}, 'biller_identification_number'),
  );
  const orders = levels.flatMap((members) => sent(members, 'order_reference'));
  return (
    references.every((reference) => reference === attempt.reference) &&
    billers.every((biller) => biller === billerBin) &&
    (attempt.railReference === null || orders.every((known) => known === attempt.railReference))
  );
}

/** All amounts and currencies that were sent. What was due counts where no total was sent. */
function hasOrderAmount(body: Members, inner: Members, order: RailOrder): boolean {
  const bill = membersOf(inner.bill_info ?? inner.billInfo) ?? {};
  const levels = [body, inner, bill];
  const totals = levels.flatMap((members) => [
    ...sent(members, 'total_amount'),
    ...sent(members, 'amount'),
  ]);
  const amounts = totals.length > 0 ? totals : sent(bill, 'amount_due');
  return (
    amounts.every((amount) => minorOf(amount) === order.chargedMinor) &&
    levels.every((members) => isAbsentOr(members.currency, order.terms.currency))
  );
}

/** One of the two published states, of a payment, and nothing beside it that says otherwise. */
function isUnambiguous(levels: readonly Members[], status: string): boolean {
  const isKnown = (state: unknown) => state === 'PAID' || state === 'FAILED';
  return (
    isKnown(status) &&
    levels.every((members) => {
      const states = sent(members, 'current_status');
      const types = sent(members, 'transaction_type');
      return (
        states.every((state) => !isKnown(state) || state === status) &&
        types.every((type) => type === 'PAYMENT') &&
        (status !== 'PAID' || !namesFailure(members))
      );
    })
  );
}

/** An HTTP status that is no success, or errors: nothing that goes with a payment. */
function namesFailure(members: Members): boolean {
  return (
    sent(members, 'http_status').some((status) => integerOf(status) !== 200) ||
    sent(members, 'errors').some((errors) => !isEmpty(errors))
  );
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

/** What was sent by this name: NBG spells its members in snake case, and in places in camel case. */
function sent(members: Members, name: string): readonly unknown[] {
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const values = name === camel ? [members[name]] : [members[name], members[camel]];
  return values.filter((value) => !isAbsent(value));
}

/** The members of an object; none for what was not sent; null for what is no object. */
function membersOf(value: unknown): Members | null {
  if (isAbsent(value)) {
    return {};
  }
  return typeof value === 'object' && !Array.isArray(value) ? (value as Members) : null;
}
