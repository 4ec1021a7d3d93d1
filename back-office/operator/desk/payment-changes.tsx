import {
  type Attempt,
  chargedMinor,
  FAILURE_REASONS,
  type Intent,
} from '../../../src/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../../src/domain/manual-resolution.ts';
import { oneOf } from '../../../src/http/fields.ts';
import { found, Problem } from '../../../src/http/problem.ts';
import { intentByUniqueId } from '../../../src/intent/client.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { type FactRow, Untrusted, untrustedRow, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { reasonsOf } from '../attention/items.ts';
import {
  NOTE_CHARACTERS_MAX,
  namedPayment,
  needsOf,
  review,
  reviewFields,
} from '../attention/review.ts';
import { attemptOf, knownIntent, resolutionFields, resolve } from '../resolution.ts';
import { body, checked, patternField } from '../schema.ts';
import type { DeskCall } from './call.ts';
import type { Change, ChangeField, Done, Question } from './change.tsx';
import { PAYMENT_ROUTE, type PaymentName, paymentPath } from './paths.ts';

/** What operators change about a payment. */

/** Records the outcome of an attempt: `paid`, `unpaid`, or `confirm` what another operator found. */
export const RESOLVE_ATTEMPT: Change = {
  path: `${PAYMENT_ROUTE}/attempts/:attemptId/:outcome`,
  ask: askOutcome,
  run: recordOutcome,
};

/** Takes a payment off the attention list. */
export const REVIEW_PAYMENT: Change = {
  path: `${PAYMENT_ROUTE}/review`,
  ask: askReview,
  run: recordReview,
};

const FINDINGS = ['paid', 'unpaid', 'confirm'] as const;

function findingIn({ params }: DeskCall): (typeof FINDINGS)[number] {
  return found(FINDINGS.find((finding) => finding === params.outcome));
}

async function askOutcome(call: DeskCall): Promise<Question> {
  const finding = findingIn(call);
  const { intent, name } = await paymentOf(call);
  const attempt = attemptOf(intent, call.params.attemptId);
  const text = DESK_TEXTS[call.view.language].pages;
  const note: ChangeField = {
    name: 'note',
    label: text.note,
    hint: text.noteHint,
    lengthMax: NOTE_LENGTH_MAX,
  };
  const question = {
    active: 'payments',
    facts: [...paymentFacts(call, intent), ...attemptFacts(call, intent, attempt)],
    tone: 'bad',
    back: paymentPath(name),
  } as const;
  // The same form sent twice is one decision.
  const resolutionId = crypto.randomUUID();
  switch (finding) {
    case 'paid':
      return {
        ...question,
        title: text.recordPaid,
        lead: text.paidLead,
        fields: [
          {
            name: 'receipt',
            label: text.receipt,
            hint: text.receiptHint,
            lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
          },
          note,
        ],
        hidden: { resolutionId },
        button: text.recordPaid,
      };
    case 'unpaid':
      return {
        ...question,
        title: text.recordUnpaid,
        lead: text.unpaidLead,
        fields: [
          {
            name: 'reason',
            label: text.why,
            options: FAILURE_REASONS.map((reason) => [reason, text.reasons[reason]] as const),
          },
          note,
        ],
        hidden: { resolutionId },
        button: text.recordUnpaid,
      };
    case 'confirm': {
      // If another proposal has replaced the one that the page shows, the form does not confirm that.
      const { receipt } = found(attempt.proposal);
      return {
        ...question,
        title: text.confirmPaid,
        lead: text.confirmPaidLead,
        facts: [...proposalFacts(call, attempt), ...question.facts],
        fields: [note],
        hidden: { resolutionId, receipt },
        button: text.confirmPaid,
      };
    }
  }
}

function proposalFacts({ view }: DeskCall, { proposal }: Attempt): readonly FactRow[] {
  const { operator, note, receipt } = found(proposal);
  const { pages: text, refunds } = DESK_TEXTS[view.language];
  return [
    [refunds.proposedBy, <bdi>{operatorText(view.language, operator, true)}</bdi>],
    [text.receipt, <code>{shownText(receipt)}</code>],
    [text.note, <bdi>{shownText(note)}</bdi>],
  ];
}

async function recordOutcome(call: DeskCall): Promise<Done> {
  const { form } = call;
  const finding =
    findingIn(call) === 'unpaid'
      ? { outcome: 'failed', reason: form.text('reason') }
      : { outcome: 'succeeded', receipt: form.text('receipt') };
  const fields = { ...finding, ...given(call, 'note', 'resolutionId') };
  const path = paymentPath(nameIn(call));
  try {
    const { type } = await resolve(call, checked(resolutionFields, fields));
    return { path, done: type === 'proposed' ? 'proposed' : 'resolved' };
  } catch (error) {
    const isOver = error instanceof Problem && error.code === 'attempt_not_pending';
    if (isOver && findingIn(call) === 'confirm') {
      // Another operator or the provider was faster, so there is no question to lead back to.
      return { path, done: error.code };
    }
    throw error;
  }
}

async function askReview(call: DeskCall): Promise<Question> {
  const { intent, name } = await paymentOf(call);
  const text = DESK_TEXTS[call.view.language].pages;
  return {
    active: 'payments',
    title: text.markReviewed,
    lead: text.reviewLead,
    facts: [...paymentFacts(call, intent), ...needFacts(call, intent)],
    fields: [
      { name: 'note', label: text.note, hint: text.noteHint, lengthMax: NOTE_CHARACTERS_MAX },
    ],
    hidden: seenIn(intent),
    button: text.markReviewed,
    back: paymentPath(name),
  };
}

async function recordReview(call: DeskCall): Promise<Done> {
  const seen = checked(seenFields, given(call, 'anomalies', 'unresolvedAttempts', 'late'));
  await review(call, checked(reviewFields, given(call, 'note')), {
    anomalies: Number(seen.anomalies),
    unresolvedAttempts: Number(seen.unresolvedAttempts),
    late: seen.late === 'true',
  });
  return { path: paymentPath(nameIn(call)), done: 'reviewed' };
}

const countField = patternField(/^\d{1,4}$/, 'Must be a count.');
const seenFields = body({
  anomalies: countField,
  unresolvedAttempts: countField,
  late: oneOf(['true', 'false']),
});

/** The form may stay open for hours: it reviews only what its page showed. */
function seenIn(intent: Intent): Readonly<Record<string, string>> {
  const { anomalies, unresolvedAttempts, late } = needsOf(intent);
  return {
    anomalies: String(anomalies),
    unresolvedAttempts: String(unresolvedAttempts),
    late: String(late),
  };
}

/** Why the payment needs attention, as its own page says in more words. */
function needFacts({ view }: DeskCall, intent: Intent): readonly FactRow[] {
  const { attention, pages: text } = DESK_TEXTS[view.language];
  const { anomalyTitle, tooMuchBy } = DASHBOARD_TEXTS[view.language].payment;
  const titles = [
    ...reasonsOf(needsOf(intent))
      .filter((reason) => reason !== 'anomaly')
      .map((reason) => attention[reason].title),
    ...intent.anomalies.map(({ kind }) => anomalyTitle[kind]),
  ];
  const excesses = intent.anomalies.flatMap(({ excessMinor }) => excessMinor ?? []);
  const excess = excesses.map(moneyIn(view, intent.terms.currency)).map(tooMuchBy).join(', ');
  return [
    titles.length === 0 ? null : [text.nav.attention, titles.join(', ')],
    excess === '' ? null : [anomalyTitle.excess_refund, excess],
  ];
}

/** The fields of a form, as the API would get them in a body. */
export function given(
  { form }: DeskCall,
  ...names: readonly string[]
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, form.text(name)]));
}

export function nameIn(call: DeskCall): PaymentName {
  const { tenant, uniqueId } = namedPayment(call);
  return { ...tenant, uniqueId };
}

export async function paymentOf(call: DeskCall): Promise<{ intent: Intent; name: PaymentName }> {
  const { tenant, uniqueId } = namedPayment(call);
  const intent = await knownIntent(intentByUniqueId(call.env, tenant, uniqueId));
  return { intent, name: { ...tenant, uniqueId } };
}

export function paymentFacts({ view }: DeskCall, { terms, status }: Intent): readonly FactRow[] {
  const text = DESK_TEXTS[view.language].pages;
  return [
    [text.payment, <Untrusted text={terms.uniqueId} />],
    [text.merchant, <bdi>{shownText(terms.merchantName)}</bdi>],
    [text.environmentLabel, text.environment[terms.environment]],
    [text.state, DASHBOARD_TEXTS[view.language].statuses[status]],
    [text.amount, moneyIn(view, terms.currency)(terms.amountMinor)],
  ];
}

/** What the operator compares with the provider's records. */
export function attemptFacts(
  { view }: DeskCall,
  { terms }: Intent,
  attempt: Attempt,
): readonly FactRow[] {
  const text = DESK_TEXTS[view.language].pages;
  const shared = DASHBOARD_TEXTS[view.language].payment;
  const { method, reference, railReference, providerCode, status, startedAtMs } = attempt;
  return [
    [text.method, CHECKOUT_TEXTS[view.language].methodName[method]],
    [text.charged, moneyIn(view, terms.currency)(chargedMinor(terms, method))],
    [text.reference, <code>{reference}</code>],
    untrustedRow(shared.railReference, railReference),
    untrustedRow(shared.providerCode, providerCode),
    [text.attemptState, shared.attemptStatus[status]],
    [shared.startedAt, <WhenExactly call={view} atMs={startedAtMs} />],
    [shared.windowEndsAt, <WhenExactly call={view} atMs={attempt.deadlineAtMs} />],
  ];
}
