import { paymentOf } from '../../../src/control/attention/item.ts';
import { needsOf, reasonsOf } from '../../../src/control/payments/needs.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Proposal } from '../../../src/engine/domain/operator-name.ts';
import { refundableMinor } from '../../../src/engine/domain/refund-amounts.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { type FactRow, Untrusted } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { ActionForm, SubjectName } from '../actions/action.ts';
import type { PathParts } from '../call.ts';
import { AboutPaymentLine } from './about-payment.tsx';
import { type DeskCall, type DeskRoute, type Shown, useDesk } from './call.ts';
import { chosenIn } from './chosen.tsx';
import { useLetterFacts } from './dead-letters-pages.tsx';
import {
  ADD_BANK_PATH,
  ADD_MERCHANT_PATH,
  BANKS_PATH,
  CHOSEN_LETTERS_PATH,
  GROUP_ROUTE,
  groupPath,
  type Item,
  letterPath,
  merchantPath,
  PATHS,
  PAYMENT_ROUTE,
  PROVIDER_LINE_ROUTE,
  PROVIDER_ROUTE,
  paymentPath,
  providerLinePath,
  providerPath,
} from './paths.ts';
import { CLAIM_PARAMETER } from './payment-claims.tsx';
import { useAttemptFacts, usePaymentFacts } from './payment-facts.tsx';
import { useOutcomeText, useRefundFacts } from './payment-refunds.tsx';
import { LINE_PARAMETER, readLine, receiptOfLine } from './provider-line-page.tsx';
import { readNewProfile, readProviderProfile } from './provider-profile-subject.ts';
import {
  readBank,
  readInvitation,
  readKey,
  readMember,
  readMerchant,
  readMerchantMethod,
  readMethod,
} from './setting-subjects.tsx';

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
  invitation: {
    active: 'merchants',
    path: `${PATHS.merchants}/:merchantId/invitations/:invitationId`,
    tone: 'bad',
    read: readInvitation,
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
  bank: { active: 'rails', path: `${BANKS_PATH}/:code`, read: readBank },
  new_bank: {
    active: 'rails',
    path: ADD_BANK_PATH,
    read: async () => ({ useFacts: () => [], values: {} }),
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
  provider_profile: {
    active: 'providerFiles',
    path: `${PROVIDER_ROUTE}/profiles/:profile`,
    read: readProviderProfile,
  },
  // Not below the profiles, because one may have any name.
  new_provider_profile: {
    active: 'providerFiles',
    path: `${PROVIDER_ROUTE}/new-profile`,
    read: readNewProfile,
  },
  letter: { active: 'deadLetters', path: `${PATHS.deadLetters}/:id`, read: readLetter },
  items: { active: 'attention', path: GROUP_ROUTE, read: readItems },
  provider_line: { active: 'providerFiles', path: PROVIDER_LINE_ROUTE, read: readLine },
  letters: { active: 'deadLetters', path: CHOSEN_LETTERS_PATH, read: readLetters },
};

/** Reads what the form is about. Problem 404 when there is no such thing, or nothing to confirm. */
export function readSubject(call: DeskCall, form: Pick<ActionForm, 'subject' | 'confirms'>) {
  return SUBJECTS[form.subject].read(call, form.confirms === true);
}

/** The page of a subject, to which the operator returns after a change or without one. */
export function subjectPath(subject: SubjectName, target: PathParts): string {
  switch (subject) {
    case 'merchant':
    case 'api_key':
    case 'member':
    case 'invitation':
    case 'merchant_method':
      return merchantPath(found(target.merchantId));
    case 'new_merchant':
      return target.merchantId === undefined ? PATHS.merchants : merchantPath(target.merchantId);
    case 'letter':
      return letterPath(found(target.id));
    case 'method':
    case 'bank':
    case 'new_bank':
      return PATHS.rails;
    case 'gateway':
      return PATHS.health;
    case 'letters':
      return PATHS.deadLetters;
    case 'provider_profile':
    case 'new_provider_profile':
      return `${providerPath(found(target.environment), found(target.method))}/profiles`;
    case 'provider_line':
      return providerLinePath(found(target.environment), found(target.method), found(target.key));
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
  const { intent } = await call.payments.operator.paymentDetails(call.params);
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
    values: confirms
      ? { receipt: found(attempt.proposal).receipt }
      : await givenReceipt(call, attempt),
  };
}

/** Of a provider's line, or that the customer claims: the one that the address names. */
async function givenReceipt(call: DeskCall, attempt: Attempt): Promise<Shown['values']> {
  const { searchParams } = call.url;
  const key = searchParams.get(LINE_PARAMETER);
  const { claimedReceipts = [] } = attempt;
  const receipt =
    key === null
      ? claimedReceipts[Number(searchParams.get(CLAIM_PARAMETER) ?? Number.NaN)]
      : await receiptOfLine(call, attempt.method, key);
  return receipt === undefined ? {} : { receipt };
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
  const { intent } = await payments.operator.paymentDetails(params);
  const named = params.attemptId;
  const attempt = intent.attempts.find(({ id, reference }) => id === named || reference === named);
  return { intent, attempt: found(attempt) };
}

async function readRefund(call: DeskCall, confirms: boolean): Promise<Shown> {
  const { intent } = await call.payments.operator.paymentDetails(call.params);
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

async function readLetter(call: DeskCall): Promise<Shown> {
  const details = await call.payments.operator.readDeadLetter(call.params);
  return { useFacts: () => useLetterFacts(details), values: {} };
}

/** The chosen items that are still listed. */
async function readItems(call: DeskCall): Promise<Shown> {
  const items = await call.payments.operator.chosenItems({ ids: chosenIn(call).join() });
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
