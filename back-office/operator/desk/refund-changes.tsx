import type { Intent } from '../../../src/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../../src/domain/manual-resolution.ts';
import { majorText } from '../../../src/domain/money.ts';
import type { Refund } from '../../../src/domain/refund.ts';
import { refundableMinor } from '../../../src/domain/refund-amounts.ts';
import { found, Problem } from '../../../src/http/problem.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import type { FactRow } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { refundRepeatFields, repeatRefund } from '../refund-repeat.ts';
import {
  REFUND_REASON_LENGTH_MAX,
  refundRequestFields,
  requestForMerchant,
} from '../refund-request.ts';
import { refundResolutionFields, resolveRefund } from '../refund-resolution.ts';
import { attemptOf } from '../resolution.ts';
import { checked } from '../schema.ts';
import type { DeskCall } from './call.ts';
import type { Change, ChangeField, Done, Question } from './change.tsx';
import { PAYMENT_ROUTE, paymentPath } from './paths.ts';
import { attemptFacts, given, nameIn, paymentFacts, paymentOf } from './payment-changes.tsx';
import { outcomeText, refundFacts } from './payment-refunds.tsx';

/** What operators request and decide about refunds. */

/** Records what became of a refund by hand: `returned`, `not-returned`, or `confirm`. */
export const RESOLVE_REFUND: Change = {
  path: `${PAYMENT_ROUTE}/refunds/:refundId/:decision`,
  ask: askDecision,
  run: recordDecision,
};

/** Sends an unresolved refund to the provider again. */
export const REPEAT_REFUND: Change = {
  path: `${PAYMENT_ROUTE}/refunds/:refundId/send-again`,
  ask: askRepeat,
  run: recordRepeat,
};

/** Asks for a refund of one attempt in the merchant's name. */
export const REQUEST_REFUND: Change = {
  path: `${PAYMENT_ROUTE}/refund/:attemptId`,
  ask: askRefund,
  run: recordRefund,
};

async function askRefund(call: DeskCall): Promise<Question> {
  const { intent, name } = await paymentOf(call);
  const attempt = attemptOf(intent, call.params.attemptId);
  const { pages, refunds: text } = DESK_TEXTS[call.view.language];
  const { refunds: shared } = DASHBOARD_TEXTS[call.view.language];
  const leftMinor = refundableMinor(intent, attempt);
  return {
    active: 'payments',
    title: shared.refund,
    lead: text.requestLead,
    facts: [
      ...paymentFacts(call, intent),
      ...attemptFacts(call, intent, attempt),
      [shared.left, moneyIn(call.view, intent.terms.currency)(leftMinor)],
    ],
    fields: [
      { name: 'amountMinor', label: shared.amount, value: majorText(leftMinor) },
      {
        name: 'reason',
        label: pages.why,
        hint: pages.reasonHint,
        lengthMax: REFUND_REASON_LENGTH_MAX,
      },
    ],
    // The same form sent twice is one refund.
    hidden: { refundUniqueId: `op_${crypto.randomUUID()}` },
    button: shared.refund,
    tone: 'bad',
    back: paymentPath(name),
  };
}

async function recordRefund(call: DeskCall): Promise<Done> {
  const { intent } = await paymentOf(call);
  const { reference: transactionId } = attemptOf(intent, call.params.attemptId);
  const typed = call.form.text('amountMinor').trim();
  // The schema rejects what is no amount.
  const amountMinor = amountMinorFrom(typed) ?? typed;
  const fields = { transactionId, amountMinor, ...given(call, 'reason', 'refundUniqueId') };
  await requestForMerchant(call, checked(refundRequestFields, fields));
  return { path: paymentPath(nameIn(call)), done: 'refund_requested' };
}

async function askRepeat(call: DeskCall): Promise<Question> {
  const { intent, name } = await paymentOf(call);
  const refund = refundAt(call, intent);
  const { pages, refunds: text } = DESK_TEXTS[call.view.language];
  return {
    active: 'payments',
    title: text.sendAgain,
    lead: text.sendAgainLead,
    facts: [...paymentFacts(call, intent), ...refundFacts(call, intent, refund)],
    fields: [noteField(pages)],
    // The same form sent twice is one repeat.
    hidden: { repeatId: crypto.randomUUID() },
    button: text.sendAgain,
    tone: 'bad',
    back: paymentPath(name, '#refunds'),
  };
}

async function recordRepeat(call: DeskCall): Promise<Done> {
  const { id: refundId } = refundAt(call, (await paymentOf(call)).intent);
  const named = { ...call, params: { ...call.params, refundId } };
  const fields = checked(refundRepeatFields, given(call, 'note', 'repeatId'));
  const path = paymentPath(nameIn(call));
  try {
    await repeatRefund(named, fields);
    return { path, done: 'sent_again' };
  } catch (error) {
    // Another operator or the provider was faster, so there is no question to lead back to.
    if (error instanceof Problem && error.code === 'refund_not_repeatable') {
      return { path, done: 'refund_not_resolvable' };
    }
    throw error;
  }
}

function noteField(pages: { readonly note: string; readonly noteHint: string }): ChangeField {
  return { name: 'note', label: pages.note, hint: pages.noteHint, lengthMax: NOTE_LENGTH_MAX };
}

const DECISIONS = ['returned', 'not-returned', 'confirm'] as const;

function decisionIn({ params }: DeskCall): (typeof DECISIONS)[number] {
  return found(DECISIONS.find((decision) => decision === params.decision));
}

/** By the reference alone: a merchant could choose an id that equals it. */
function refundAt({ params }: DeskCall, { refunds }: Intent): Refund {
  return found(refunds.find(({ reference }) => reference === params.refundId));
}

async function askDecision(call: DeskCall): Promise<Question> {
  const decision = decisionIn(call);
  const { intent, name } = await paymentOf(call);
  const refund = refundAt(call, intent);
  const { pages, refunds: text } = DESK_TEXTS[call.view.language];
  const note = noteField(pages);
  const question = {
    active: 'payments',
    facts: [...paymentFacts(call, intent), ...refundFacts(call, intent, refund)],
    tone: 'bad',
    back: paymentPath(name, '#refunds'),
  } as const;
  // The same form sent twice is one decision.
  const resolutionId = crypto.randomUUID();
  switch (decision) {
    case 'returned':
      return {
        ...question,
        title: text.recordReturned,
        lead: text.returnedLead,
        fields: [
          {
            name: 'reference',
            label: text.railReference,
            hint: text.railReferenceHint,
            lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
          },
          note,
        ],
        hidden: { resolutionId, outcome: 'returned' },
        button: text.recordReturned,
      };
    case 'not-returned':
      return {
        ...question,
        title: text.recordNotReturned,
        lead: text.notReturnedLead,
        fields: [note],
        hidden: { resolutionId, outcome: 'not_returned' },
        button: text.recordNotReturned,
      };
    case 'confirm':
      return {
        ...question,
        title: text.confirm,
        lead: text.confirmLead,
        facts: [...proposalFacts(call, refund), ...question.facts],
        fields: [note],
        hidden: { resolutionId, ...proposed(refund) },
        button: text.confirm,
      };
  }
}

/** The proposal that the page shows: if another has replaced it, the form does not confirm that. */
function proposed({ proposal }: Refund): Readonly<Record<string, string>> {
  const { outcome } = found(proposal);
  return outcome.type === 'succeeded'
    ? { outcome: 'returned', reference: outcome.railReference }
    : { outcome: 'not_returned' };
}

function proposalFacts(call: DeskCall, { proposal }: Refund): readonly FactRow[] {
  const { operator, note, outcome } = found(proposal);
  const text = DESK_TEXTS[call.view.language].refunds;
  return [
    [text.proposedBy, <bdi>{operatorText(call.view.language, operator, true)}</bdi>],
    [text.proposal, outcomeText(call, outcome)],
    [DESK_TEXTS[call.view.language].pages.note, <bdi>{shownText(note)}</bdi>],
  ];
}

async function recordDecision(call: DeskCall): Promise<Done> {
  decisionIn(call);
  const { form } = call;
  const { id: refundId } = refundAt(call, (await paymentOf(call)).intent);
  const outcome = form.text('outcome');
  const fields = {
    outcome,
    ...(outcome === 'returned' && { reference: form.text('reference') }),
    ...given(call, 'note', 'resolutionId'),
  };
  const path = paymentPath(nameIn(call));
  try {
    const named = { ...call, params: { ...call.params, refundId } };
    const { intent } = await resolveRefund(named, checked(refundResolutionFields, fields));
    const { proposal } = refundAt(call, intent);
    const isProposed = proposal?.resolutionId === form.text('resolutionId');
    return { path, done: isProposed ? 'proposed' : 'decided' };
  } catch (error) {
    // Another operator or the provider was faster, so there is no question to lead back to.
    if (error instanceof Problem && error.code === 'refund_not_resolvable') {
      return { path, done: error.code };
    }
    throw error;
  }
}
