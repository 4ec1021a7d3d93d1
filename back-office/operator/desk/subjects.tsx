import { type Attempt, chargedMinor, type Intent } from '../../../src/domain/intent.ts';
import { majorText } from '../../../src/domain/money.ts';
import { refundableMinor } from '../../../src/domain/refund-amounts.ts';
import { found } from '../../../src/http/problem.ts';
import { needsOf, reasonsOf } from '../../../src/operations/needs.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { type FactRow, Untrusted, untrustedRow, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { ActionForm, SubjectName, Target } from '../actions/action.ts';
import type { DeskCall, DeskRoute } from './call.ts';
import { letterFacts } from './dead-letters-pages.tsx';
import { type Item, letterPath, merchantPath, PATHS, PAYMENT_ROUTE, paymentPath } from './paths.ts';
import { outcomeText, refundFacts } from './payment-refunds.tsx';

/** What the page of a form shows. */
interface Shown {
  readonly facts: readonly FactRow[];
  /** What fields hold at first, and what hidden fields carry. */
  readonly values: Readonly<Record<string, string>>;
}

interface Subject {
  readonly active: Item;
  /** Forms are below it. */
  readonly path: DeskRoute['path'];
  /** Of the button. */
  readonly tone?: 'bad';
  readonly read: (call: DeskCall, confirms: boolean) => Promise<Shown>;
}

/** What forms are about. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  payment: { active: 'payments', path: PAYMENT_ROUTE, read: readPayment },
  attempt: {
    active: 'payments',
    path: `${PAYMENT_ROUTE}/attempts/:attemptId`,
    tone: 'bad',
    read: readAttempt,
  },
  paid_attempt: {
    active: 'payments',
    path: `${PAYMENT_ROUTE}/refund/:attemptId`,
    tone: 'bad',
    read: readPaidAttempt,
  },
  refund: {
    active: 'payments',
    // By the reference alone: a merchant could choose an id that equals it.
    path: `${PAYMENT_ROUTE}/refunds/:refundReference`,
    tone: 'bad',
    read: readRefund,
  },
  merchant: { active: 'merchants', path: `${PATHS.merchants}/:merchantId`, read: readMerchant },
  letter: { active: 'deadLetters', path: `${PATHS.deadLetters}/:id`, read: readLetter },
};

/** Reads what the form is about. Problem 404 when there is no such thing, or nothing to confirm. */
export function readSubject(call: DeskCall, form: Pick<ActionForm, 'subject' | 'confirms'>) {
  return SUBJECTS[form.subject].read(call, form.confirms === true);
}

/** The page of a subject: where the operator goes `back` without a change, or after it is `done`. */
export function subjectPath(subject: SubjectName, target: Target, to: 'back' | 'done'): string {
  switch (subject) {
    case 'merchant':
      return merchantPath(found(target.merchantId));
    case 'letter':
      return letterPath(found(target.id));
    default: {
      const part = subject === 'refund' && to === 'back' ? '#refunds' : '';
      const [environment, merchantId, uniqueId] = [
        found(target.environment),
        found(target.merchantId),
        found(target.uniqueId),
      ];
      return paymentPath({ environment, merchantId, uniqueId }, part);
    }
  }
}

async function readPayment(call: DeskCall): Promise<Shown> {
  const { intent } = await call.payments.operations.paymentDetails(call.params);
  const { anomalies, unresolvedAttempts, late } = needsOf(intent);
  return {
    facts: [...paymentFacts(call, intent), ...needFacts(call, intent)],
    values: {
      anomalies: String(anomalies),
      unresolvedAttempts: String(unresolvedAttempts),
      late: String(late),
    },
  };
}

async function readAttempt(call: DeskCall, confirms: boolean): Promise<Shown> {
  const { intent, attempt } = await namedAttempt(call);
  return {
    facts: [
      ...(confirms ? paidProposalFacts(call, attempt) : []),
      ...paymentFacts(call, intent),
      ...attemptFacts(call, intent, attempt),
    ],
    values: confirms ? { receipt: found(attempt.proposal).receipt } : {},
  };
}

async function readPaidAttempt(call: DeskCall): Promise<Shown> {
  const { intent, attempt } = await namedAttempt(call);
  const { left } = DASHBOARD_TEXTS[call.view.language].refunds;
  const leftMinor = refundableMinor(intent, attempt);
  return {
    facts: [
      ...paymentFacts(call, intent),
      ...attemptFacts(call, intent, attempt),
      [left, moneyIn(call.view, intent.terms.currency)(leftMinor)],
    ],
    values: { amountMinor: majorText(leftMinor) },
  };
}

async function namedAttempt({ payments, params }: DeskCall) {
  const { intent } = await payments.operations.paymentDetails(params);
  const named = params.attemptId;
  const attempt = intent.attempts.find(({ id, reference }) => id === named || reference === named);
  return { intent, attempt: found(attempt) };
}

async function readRefund(call: DeskCall, confirms: boolean): Promise<Shown> {
  const { intent } = await call.payments.operations.paymentDetails(call.params);
  const refund = found(
    intent.refunds.find(({ reference }) => reference === call.params.refundReference),
  );
  return {
    facts: [
      ...(confirms ? refundProposalFacts(call, refund) : []),
      ...paymentFacts(call, intent),
      ...refundFacts(call, intent, refund),
    ],
    values: confirms ? proposedFields(found(refund.proposal).outcome) : {},
  };
}

type RefundProposal = NonNullable<Intent['refunds'][number]['proposal']>;

function proposedFields(outcome: RefundProposal['outcome']): Shown['values'] {
  return outcome.type === 'succeeded'
    ? { outcome: 'returned', reference: outcome.railReference }
    : { outcome: 'not_returned' };
}

async function readMerchant(call: DeskCall): Promise<Shown> {
  const merchant = await call.payments.operations.merchantContent(call.params);
  const text = DESK_TEXTS[call.view.language].pages;
  const { refundAgeDaysMax, refundDailyMaxMinor } = merchant;
  return {
    facts: [
      [text.merchant, <bdi>{shownText(merchant.name)}</bdi>],
      [text.id, <code>{merchant.id}</code>],
      [text.state, text.status[merchant.status]],
    ],
    values: {
      refundAgeDaysMax: String(refundAgeDaysMax),
      refundDailyMaxMinor: refundDailyMaxMinor === null ? '' : majorText(refundDailyMaxMinor),
    },
  };
}

async function readLetter(call: DeskCall): Promise<Shown> {
  const details = await call.payments.operations.readDeadLetter(call.params);
  return { facts: letterFacts(call, details), values: {} };
}

function paidProposalFacts(call: DeskCall, { proposal }: Attempt): readonly FactRow[] {
  const { operator, note, receipt } = found(proposal);
  const text = DESK_TEXTS[call.view.language].pages;
  const finding = [text.receipt, <code>{shownText(receipt)}</code>] as const;
  return proposalFacts(call, { operator, note }, finding);
}

function refundProposalFacts(
  call: DeskCall,
  { proposal }: Intent['refunds'][number],
): readonly FactRow[] {
  const { operator, note, outcome } = found(proposal);
  const text = DESK_TEXTS[call.view.language].refunds;
  return proposalFacts(call, { operator, note }, [text.proposal, outcomeText(call, outcome)]);
}

/** Who proposed it, what they found, and their note. */
function proposalFacts(
  { view }: DeskCall,
  { operator, note }: { readonly operator: string; readonly note: string },
  finding: FactRow,
): readonly FactRow[] {
  const { pages, refunds } = DESK_TEXTS[view.language];
  return [
    [refunds.proposedBy, <bdi>{operatorText(view.language, operator, true)}</bdi>],
    finding,
    [pages.note, <bdi>{shownText(note)}</bdi>],
  ];
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

function paymentFacts({ view }: DeskCall, { terms, status }: Intent): readonly FactRow[] {
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
function attemptFacts({ view }: DeskCall, { terms }: Intent, attempt: Attempt): readonly FactRow[] {
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
