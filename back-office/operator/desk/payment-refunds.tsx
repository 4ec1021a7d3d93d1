import type { PaymentDetails } from '../../../src/control/rpc/operator.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import { needsSecondOperator } from '../../../src/engine/domain/refund-amounts.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { RefundBadge } from '../../elements/payment-refunds.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  ButtonLink,
  copyFact,
  type FactRow,
  Facts,
  Section,
  untrustedRow,
  WhenExactly,
} from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { waitsForPerson } from '../payment-content.ts';
import { useDesk } from './call.ts';
import { refundPath } from './paths.ts';
import { Proposed, useMayConfirm } from './payment-attempts.tsx';

interface Props {
  readonly details: PaymentDetails;
  readonly refund: Refund;
}

type WaitingStatus = 'requires_action' | 'unresolved';

/** The refunds that wait for a person: why, what to do step by step, and the record of it. */
export function WaitingRefunds(details: PaymentDetails) {
  const { attention, refunds: text } = useTexts(DESK_TEXTS);
  const { terms, refunds } = details.intent;
  return (
    <>
      {refunds.filter(waitsForPerson).map((refund) => (
        <section class="notice notice-warning attention" aria-labelledby={`do-${refund.reference}`}>
          <h2 id={`do-${refund.reference}`}>
            {attention[`refund_${refund.status as WaitingStatus}`].title}:{' '}
            <Money minor={refund.returnedMinor} currency={terms.currency} />
          </h2>
          <Instructions details={details} refund={refund} />
          <Decision details={details} refund={refund} />
          <p class="small">
            <a href={`#${refund.reference}`}>
              {text.numbersOf} <bdi>{shownText(refund.id)}</bdi>
            </a>
          </p>
        </section>
      ))}
    </>
  );
}

/** The refunds with the numbers by which the provider knows them; nothing without refunds. */
export function Refunds({ intent }: PaymentDetails) {
  const newestFirst = [...intent.refunds].reverse();
  const refunds = [
    ...newestFirst.filter(waitsForPerson),
    ...newestFirst.filter((refund) => !waitsForPerson(refund)),
  ];
  const text = useTexts(DESK_TEXTS).refunds;
  return refunds.length === 0 ? null : (
    <Section id="refunds" title={text.title} class="part">
      <div class="cards">
        {refunds.map((refund) => (
          <article class="card" id={refund.reference}>
            <div class="card-head">
              <h3>
                {text.refundOf} <bdi>{shownText(refund.id)}</bdi>
              </h3>
              <RefundBadge status={refund.status} />
            </div>
            <Facts rows={useRefundFacts(intent, refund)} />
          </article>
        ))}
      </div>
    </Section>
  );
}

/** Why a person must act, and what to do step by step. */
function Instructions({ details: { intent }, refund }: Props) {
  const text = useTexts(DESK_TEXTS).refunds;
  const { action } = useTexts(DASHBOARD_TEXTS).refunds;
  const why = refund.actionReason === null ? text.unresolvedWhy : action[refund.actionReason];
  if (intent.terms.environment === 'sandbox') {
    return (
      <>
        <p>{why}</p>
        <p>{text.sandbox}</p>
      </>
    );
  }
  const amount = useMoney(intent.terms.currency)(refund.returnedMinor);
  const { steps, unresolvedSteps } = text;
  const byHand = [steps.find, steps.check, steps.give(amount), steps.record, steps.otherwise];
  const { find, done, ask, wait } = unresolvedSteps;
  const undecided = refund.status === 'requires_action' ? byHand : [find, done(amount), ask, wait];
  // The first operator has returned the money, so the second one must not.
  const toDo = refund.proposal === null ? undecided : [steps.find, steps.confirm];
  return (
    <>
      <p>{why}</p>
      <ol>
        {toDo.map((step, index) => (
          <li>
            {step}
            {index === 0 && <Facts rows={useNumbers(intent, refund, 'find')} />}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The numbers by which the provider knows the payment, as ids that begin with `prefix`. */
function useNumbers(intent: Intent, refund: Refund, prefix: string): readonly FactRow[] {
  const { pages, refunds: text } = useTexts(DESK_TEXTS);
  const { payment } = useTexts(DASHBOARD_TEXTS);
  const { receipt, issuerReceipt, railReference, reference } = attemptOf(intent, refund);
  const id = (part: string) => `${prefix}-${part}-${refund.reference.toLowerCase()}`;
  return [
    copyFact(id('receipt'), text.receipt, receipt),
    copyFact(id('issuer'), payment.issuerReceipt, issuerReceipt),
    copyFact(id('rail'), payment.railReference, railReference),
    copyFact(id('transaction'), pages.reference, reference),
  ];
}

/** What the customer must get, and by which numbers the provider knows payment and refund. */
export function useRefundFacts(intent: Intent, refund: Refund): readonly FactRow[] {
  const { pages, refunds: text } = useTexts(DESK_TEXTS);
  const { payment, refunds: shared } = useTexts(DASHBOARD_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const money = useMoney(intent.terms.currency);
  const { amountMinor, commissionReturnedMinor, returnedMinor, reference, failureReason } = refund;
  const attempt = attemptOf(intent, refund);
  const id = refund.reference.toLowerCase();
  return [
    [shared.customerGets, <strong class="number">{money(returnedMinor)}</strong>],
    returnedMinor === amountMinor ? null : [text.ofPayment, money(amountMinor)],
    commissionReturnedMinor === 0 ? null : [shared.commissionBack, money(commissionReturnedMinor)],
    [pages.method, methodName[attempt.method]],
    ...useNumbers(intent, refund, 'refund'),
    copyFact(`refund-reference-${id}`, shared.reference, reference),
    untrustedRow(text.railReference, refund.railReference),
    untrustedRow(payment.providerCode, refund.providerCode),
    failureReason === null ? null : [pages.why, shared.failure[failureReason]],
    untrustedRow(text.merchantReason, refund.reason),
    [shared.requestedBy, useRequesterText(refund)],
    [shared.requestedAt, <WhenExactly atMs={refund.createdAtMs} />],
    refund.updatedAtMs === refund.createdAtMs
      ? null
      : [payment.updatedAt, <WhenExactly atMs={refund.updatedAtMs} />],
  ];
}

function attemptOf({ attempts }: Intent, { attemptId }: Refund): Attempt {
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) {
    throw new Error('A refund without its attempt');
  }
  return attempt;
}

function useRequesterText({ requester }: Refund): string {
  const text = useTexts(DASHBOARD_TEXTS).refunds.requester;
  return requester.type === 'operator'
    ? `${text.operator}: ${useOperatorText(requester.operator, requester.isProved)}`
    : text[requester.type];
}

/** The open proposal, and what this operator can do. */
function Decision({ details, refund }: Props) {
  const { intent, secondOperatorAboveMinor, repeatableRefunds } = details;
  const { proposal } = refund;
  const isProved = useDesk().actor.isProved === true;
  const mayConfirm = useMayConfirm(proposal);
  const outcomeText = useOutcomeText();
  const secondOperator = needsSecondOperator(intent, refund, secondOperatorAboveMinor);
  const text = useTexts(DESK_TEXTS).refunds;
  const path = refundPath(intent.terms, refund.reference);
  const mayDecide = !secondOperator || isProved;
  const mayRepeat =
    refund.status === 'unresolved' &&
    repeatableRefunds.includes(refund.id) &&
    (intent.terms.environment === 'sandbox' || isProved);
  return (
    <>
      {proposal !== null && secondOperator && (
        <Proposed proposal={proposal}>{outcomeText(proposal.outcome)}</Proposed>
      )}
      {proposal === null && secondOperator && <p>{text.secondOperator}</p>}
      {!mayDecide && <p>{text.notVerified}</p>}
      {mayDecide && (
        <div class="buttons">
          {secondOperator && mayConfirm && (
            <ButtonLink to={`${path}/confirm`}>{text.confirm}</ButtonLink>
          )}
          <ButtonLink to={`${path}/returned`}>{text.recordReturned}</ButtonLink>
          <ButtonLink to={`${path}/not-returned`}>{text.recordNotReturned}</ButtonLink>
        </div>
      )}
      {mayRepeat && (
        <>
          <p>{text.sendAgainWhy}</p>
          <p>
            <ButtonLink to={`${path}/send-again`}>{text.sendAgain}</ButtonLink>
          </p>
        </>
      )}
    </>
  );
}

type Outcome = NonNullable<Refund['proposal']>['outcome'];

/** A decision in words, with the provider's reference. */
export function useOutcomeText(): (outcome: Outcome) => string {
  const text = useTexts(DESK_TEXTS).refunds;
  return (outcome) =>
    outcome.type === 'succeeded' ? `${text.returned}, ${outcome.railReference}` : text.notReturned;
}
