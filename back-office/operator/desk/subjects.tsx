import { paymentOf } from '../../../src/control/attention/item.ts';
import { needsOf, reasonsOf } from '../../../src/control/payments/needs.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Proposal } from '../../../src/engine/domain/operator-name.ts';
import { refundableMinor } from '../../../src/engine/domain/refund-amounts.ts';
import { chargedMinor } from '../../../src/engine/domain/terms.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { type FactRow, Untrusted, untrustedRow, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { ActionForm, SubjectName, Target } from '../actions/action.ts';
import { knownMember } from '../members.ts';
import { AboutPaymentLine } from './about-payment.tsx';
import { type DeskCall, type DeskRoute, useDesk } from './call.ts';
import { chosenIn } from './chosen.tsx';
import { useLetterFacts } from './dead-letters-pages.tsx';
import {
  ADD_MERCHANT_PATH,
  CHOSEN_LETTERS_PATH,
  GROUP_ROUTE,
  groupPath,
  type Item,
  letterPath,
  merchantPath,
  PATHS,
  PAYMENT_ROUTE,
  paymentPath,
} from './paths.ts';
import { useOutcomeText, useRefundFacts } from './payment-refunds.tsx';
import { commissionText, useRailText } from './setting-texts.ts';

/** What the page of a form shows. */
export interface Shown {
  /** Called while the page is rendered. */
  readonly useFacts: () => readonly FactRow[];
  /** What fields hold at first, and what hidden fields carry. */
  readonly values: Readonly<Record<string, string>>;
}

interface Subject {
  readonly active: Item;
  /** Forms are below it. */
  readonly path: DeskRoute['path'];
  /** The tone of the button. */
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
    // The reference alone names the refund: a merchant could choose an id that equals it.
    path: `${PAYMENT_ROUTE}/refunds/:refundReference`,
    tone: 'bad',
    read: readRefund,
  },
  merchant: { active: 'merchants', path: `${PATHS.merchants}/:merchantId`, read: readMerchant },
  api_key: {
    active: 'merchants',
    path: `${PATHS.merchants}/:merchantId/:environment/keys/:digest`,
    tone: 'bad',
    read: readKey,
  },
  member: {
    active: 'merchants',
    path: `${PATHS.merchants}/:merchantId/members/:memberId`,
    tone: 'bad',
    read: readMember,
  },
  method: {
    active: 'rails',
    path: `${PATHS.rails}/:environment/:method`,
    tone: 'bad',
    read: readMethod,
  },
  merchant_method: {
    active: 'merchants',
    path: `${PATHS.merchants}/:merchantId/:environment/methods/:method`,
    read: readMerchantMethod,
  },
  new_merchant: {
    active: 'merchants',
    path: ADD_MERCHANT_PATH,
    read: async () => ({ useFacts: () => [], values: {} }),
  },
  gateway: {
    active: 'health',
    path: PATHS.health,
    read: async () => ({ useFacts: () => [], values: {} }),
  },
  letter: { active: 'deadLetters', path: `${PATHS.deadLetters}/:id`, read: readLetter },
  items: { active: 'attention', path: GROUP_ROUTE, read: readItems },
  letters: { active: 'deadLetters', path: CHOSEN_LETTERS_PATH, read: readLetters },
};

/** Reads what the form is about. Problem 404 when there is no such thing, or nothing to confirm. */
export function readSubject(call: DeskCall, form: Pick<ActionForm, 'subject' | 'confirms'>) {
  return SUBJECTS[form.subject].read(call, form.confirms === true);
}

/** The page of a subject, to which the operator returns after a change or without one. */
export function subjectPath(subject: SubjectName, target: Target): string {
  switch (subject) {
    case 'merchant':
    case 'api_key':
    case 'member':
    case 'merchant_method':
      return merchantPath(found(target.merchantId));
    case 'new_merchant':
      return target.merchantId === undefined ? PATHS.merchants : merchantPath(target.merchantId);
    case 'letter':
      return letterPath(found(target.id));
    case 'method':
      return PATHS.rails;
    case 'gateway':
      return PATHS.health;
    case 'letters':
      return PATHS.deadLetters;
    case 'items': {
      const [environment, reason] = [found(target.environment), found(target.reason)];
      return groupPath({ environment, reason, merchantId: found(target.merchantId) });
    }
    default: {
      const [environment, merchantId, uniqueId] = [
        found(target.environment),
        found(target.merchantId),
        found(target.uniqueId),
      ];
      return paymentPath({ environment, merchantId, uniqueId });
    }
  }
}

async function readPayment(call: DeskCall): Promise<Shown> {
  const { intent } = await call.payments.operations.paymentDetails(call.params);
  const { anomalies, unresolvedAttempts, late } = needsOf(intent, call.nowMs);
  return {
    useFacts: () => [...usePaymentFacts(intent), ...useNeedFacts(intent)],
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
    useFacts: () => [
      ...(confirms ? usePaidProposalFacts(attempt) : []),
      ...usePaymentFacts(intent),
      ...useAttemptFacts(intent, attempt),
    ],
    values: confirms ? { receipt: found(attempt.proposal).receipt } : {},
  };
}

async function readPaidAttempt(call: DeskCall): Promise<Shown> {
  const { intent, attempt } = await namedAttempt(call);
  const leftMinor = refundableMinor(intent, attempt);
  return {
    useFacts: () => [
      ...usePaymentFacts(intent),
      ...useAttemptFacts(intent, attempt),
      [useTexts(DASHBOARD_TEXTS).refunds.left, useMoney(intent.terms.currency)(leftMinor)],
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
    useFacts: () => [
      ...(confirms ? useRefundProposalFacts(refund) : []),
      ...usePaymentFacts(intent),
      ...useRefundFacts(intent, refund),
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
  const { id, name, status, refundAgeDaysMax, refundDailyMaxMinor } = merchant;
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        [text.merchant, <bdi>{shownText(name)}</bdi>],
        [text.id, <code>{id}</code>],
        [text.state, text.status[status]],
      ];
    },
    values: {
      refundAgeDaysMax: String(refundAgeDaysMax),
      refundDailyMaxMinor: refundDailyMaxMinor === null ? '' : majorText(refundDailyMaxMinor),
    },
  };
}

async function readKey(call: DeskCall): Promise<Shown> {
  const [merchant, keys] = await Promise.all([
    readMerchant(call),
    call.payments.operations.merchantKeys(call.params),
  ]);
  const { environment, digest } = call.params;
  const key = found(keys.find((one) => one.environment === environment && one.digest === digest));
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        [text.apiKey, <code>{key.label}</code>],
        [text.name, <bdi>{shownText(key.name)}</bdi>],
        [text.environmentLabel, text.environment[key.environment]],
      ];
    },
    values: {},
  };
}

async function readMember(call: DeskCall): Promise<Shown> {
  const { merchantId, memberId } = call.params;
  const merchant = await readMerchant(call);
  const { name, role } = await knownMember(call, found(merchantId), memberId);
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        [text.name, <bdi>{shownText(name)}</bdi>],
        [text.role, useTexts(DASHBOARD_TEXTS).frame.role[role]],
      ];
    },
    values: {},
  };
}

async function readMethod({ payments, params }: DeskCall): Promise<Shown> {
  const { environment, method } = params;
  const rails = await payments.operations.rails();
  const rail = found(rails.find((one) => one.environment === environment && one.method === method));
  const switches = await payments.operations.readSwitchedOff();
  const off = switches.find((one) => one.environment === environment && one.method === method);
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        [text.method, useTexts(CHECKOUT_TEXTS).methodName[rail.method]],
        [text.environmentLabel, text.environment[rail.environment]],
        [text.secret, useRailText(rail)],
      ];
    },
    values: { text: off?.text ?? '' },
  };
}

/** The rail's state shows whether a method that is offered can take a payment. */
async function readMerchantMethod(call: DeskCall): Promise<Shown> {
  const [method, merchant, { sandbox, production }] = await Promise.all([
    readMethod(call),
    readMerchant(call),
    call.payments.operations.merchantContent(call.params),
  ]);
  const { methods } = call.params.environment === 'sandbox' ? sandbox : production;
  const settings = found(methods.find((one) => one.method === call.params.method));
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        ...method.useFacts(),
        [text.offered, settings.offered ? text.yes : text.no],
        [text.commission, commissionText(settings)],
      ];
    },
    values: {
      basisPoints: majorText(settings.basisPoints),
      fixedMinor: settings.fixedMinor === 0 ? '' : majorText(settings.fixedMinor),
    },
  };
}

async function readLetter(call: DeskCall): Promise<Shown> {
  const details = await call.payments.operations.readDeadLetter(call.params);
  return { useFacts: () => useLetterFacts(details), values: {} };
}

/** The chosen items that are still listed. */
async function readItems(call: DeskCall): Promise<Shown> {
  const items = await call.payments.operations.chosenItems({ ids: chosenIn(call).join() });
  return {
    useFacts: () =>
      items.flatMap((item) =>
        item.type === 'dead_letter' || item.type === 'book'
          ? []
          : [
              [
                useMoney(item.about.currency)(item.about.amountMinor),
                <>
                  <span class="clipped">
                    <Untrusted text={paymentOf(item).uniqueId} />
                  </span>{' '}
                  <AboutPaymentLine {...item.about} />
                </>,
              ] as const,
            ],
      ),
    values: {},
  };
}

async function readLetters(call: DeskCall): Promise<Shown> {
  const ids = chosenIn(call);
  return {
    useFacts: () => [
      [
        useTexts(DESK_TEXTS).pages.chosen,
        <ul>
          {ids.map((id) => (
            <li>
              <Untrusted text={id} />
            </li>
          ))}
        </ul>,
      ],
    ],
    values: {},
  };
}

function usePaidProposalFacts({ proposal }: Attempt): readonly FactRow[] {
  const { receipt } = found(proposal);
  const { receipt: label } = useTexts(DESK_TEXTS).pages;
  return useProposalFacts(found(proposal), [label, <code>{shownText(receipt)}</code>]);
}

function useRefundProposalFacts({ proposal }: Intent['refunds'][number]): readonly FactRow[] {
  const { outcome } = found(proposal);
  const { proposal: label } = useTexts(DESK_TEXTS).refunds;
  return useProposalFacts(found(proposal), [label, useOutcomeText()(outcome)]);
}

/** Who proposed it, what they found, and their note. */
function useProposalFacts(
  { operator, provedBy, note }: Proposal,
  finding: FactRow,
): readonly FactRow[] {
  const { pages, refunds } = useTexts(DESK_TEXTS);
  return [
    [refunds.proposedBy, <bdi>{useOperatorText(operator, true, provedBy)}</bdi>],
    finding,
    [pages.note, <bdi>{shownText(note)}</bdi>],
  ];
}

/** Why the payment needs attention, as its own page says in more words. */
function useNeedFacts(intent: Intent): readonly FactRow[] {
  const { attention, pages: text } = useTexts(DESK_TEXTS);
  const { anomalyTitle, tooMuchBy } = useTexts(DASHBOARD_TEXTS).payment;
  const titles = [
    ...reasonsOf(needsOf(intent, useDesk().nowMs))
      .filter((reason) => reason !== 'anomaly')
      .map((reason) => attention[reason].title),
    ...intent.anomalies.map(({ kind }) => anomalyTitle[kind]),
  ];
  const excesses = intent.anomalies.flatMap(({ excessMinor }) => excessMinor ?? []);
  const excess = excesses.map(useMoney(intent.terms.currency)).map(tooMuchBy).join(', ');
  return [
    titles.length === 0 ? null : [text.nav.attention, titles.join(', ')],
    excess === '' ? null : [anomalyTitle.excess_refund, excess],
  ];
}

function usePaymentFacts({ terms, status }: Intent): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  return [
    [text.payment, <Untrusted text={terms.uniqueId} />],
    [text.merchant, <bdi>{shownText(terms.merchantName)}</bdi>],
    [text.environmentLabel, text.environment[terms.environment]],
    [text.state, useTexts(DASHBOARD_TEXTS).statuses[status]],
    [text.amount, useMoney(terms.currency)(terms.amountMinor)],
  ];
}

/** What the operator compares with the provider's records. */
function useAttemptFacts({ terms }: Intent, attempt: Attempt): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  const shared = useTexts(DASHBOARD_TEXTS).payment;
  const { method, reference, railReference, providerCode, status, startedAtMs } = attempt;
  return [
    [text.method, useTexts(CHECKOUT_TEXTS).methodName[method]],
    [text.charged, useMoney(terms.currency)(chargedMinor(terms, method))],
    [text.reference, <code>{reference}</code>],
    untrustedRow(shared.railReference, railReference),
    untrustedRow(shared.providerCode, providerCode),
    [text.attemptState, shared.attemptStatus[status]],
    [shared.startedAt, <WhenExactly atMs={startedAtMs} />],
    [shared.windowEndsAt, <WhenExactly atMs={attempt.deadlineAtMs} />],
  ];
}
