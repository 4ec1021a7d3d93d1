import type { Attempt, Intent } from '../../../src/domain/intent.ts';
import { isSameOperator } from '../../../src/domain/operator-name.ts';
import type { Refund } from '../../../src/domain/refund.ts';
import { needsSecondOperator } from '../../../src/domain/refund-amounts.ts';
import type { PaymentDetails } from '../../../src/interface/operations.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { RefundBadge } from '../../elements/payment-refunds.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  copyRow,
  type FactRow,
  Facts,
  Section,
  untrustedRow,
  When,
  WhenExactly,
} from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';
import { refundPath } from './paths.ts';

interface Props {
  readonly call: DeskCall;
  readonly details: PaymentDetails;
  readonly refund: Refund;
}

function waitsForPerson({ status }: Refund): boolean {
  return status === 'requires_action' || status === 'unresolved';
}

/**
 * The refunds with all that an operator needs to return money by hand; nothing without any. Those
 * that wait for a person come first.
 */
export function Refunds({ call, details }: Omit<Props, 'refund'>) {
  const { intent } = details;
  const newestFirst = [...intent.refunds].reverse();
  const refunds = [
    ...newestFirst.filter(waitsForPerson),
    ...newestFirst.filter((refund) => !waitsForPerson(refund)),
  ];
  const text = DESK_TEXTS[call.view.language].refunds;
  return refunds.length === 0 ? null : (
    <Section id="refunds" title={text.title} class="part">
      <div class="cards">
        {refunds.map((refund) => (
          <article class="card">
            <div class="card-head">
              <h3>
                {text.refundOf} <bdi>{shownText(refund.id)}</bdi>
              </h3>
              <RefundBadge call={call.view} status={refund.status} />
            </div>
            <Instructions call={call} details={details} refund={refund} />
            <Facts rows={refundFacts(call, intent, refund)} />
            {waitsForPerson(refund) && <Decision call={call} details={details} refund={refund} />}
          </article>
        ))}
      </div>
    </Section>
  );
}

/** Why a person must act, and what to do step by step. */
function Instructions({ call, details: { intent }, refund }: Props) {
  const text = DESK_TEXTS[call.view.language].refunds;
  if (!waitsForPerson(refund)) {
    return null;
  }
  const { action } = DASHBOARD_TEXTS[call.view.language].refunds;
  const why = refund.actionReason === null ? text.unresolvedWhy : action[refund.actionReason];
  if (intent.terms.environment === 'sandbox') {
    return (
      <>
        <p>{why}</p>
        <p>{text.sandbox}</p>
      </>
    );
  }
  const amount = moneyIn(call.view, intent.terms.currency)(refund.returnedMinor);
  const { steps, unresolvedSteps } = text;
  const toDo =
    refund.status === 'requires_action'
      ? [steps.find, steps.check, steps.give(amount), steps.record, steps.otherwise]
      : [
          unresolvedSteps.find,
          unresolvedSteps.done(amount),
          unresolvedSteps.ask,
          unresolvedSteps.wait,
        ];
  return (
    <>
      <p>{why}</p>
      <ol>
        {toDo.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </>
  );
}

/** What the customer must get, and by which numbers the provider knows payment and refund. */
export function refundFacts(
  { view }: DeskCall,
  intent: Intent,
  refund: Refund,
): readonly FactRow[] {
  const { pages, refunds: text } = DESK_TEXTS[view.language];
  const { payment, refunds: shared } = DASHBOARD_TEXTS[view.language];
  const money = moneyIn(view, intent.terms.currency);
  const { amountMinor, commissionReturnedMinor, returnedMinor, reference, failureReason } = refund;
  const attempt = attemptOf(intent, refund);
  const id = refund.reference.toLowerCase();
  return [
    [shared.customerGets, <strong class="number">{money(returnedMinor)}</strong>],
    returnedMinor === amountMinor ? null : [text.ofPayment, money(amountMinor)],
    commissionReturnedMinor === 0 ? null : [shared.commissionBack, money(commissionReturnedMinor)],
    [pages.method, CHECKOUT_TEXTS[view.language].methodName[attempt.method]],
    copyRow(view, `refund-receipt-${id}`, text.receipt, attempt.receipt),
    copyRow(view, `refund-issuer-${id}`, payment.issuerReceipt, attempt.issuerReceipt),
    copyRow(view, `refund-rail-${id}`, payment.railReference, attempt.railReference),
    copyRow(view, `refund-transaction-${id}`, pages.reference, attempt.reference),
    copyRow(view, `refund-reference-${id}`, shared.reference, reference),
    untrustedRow(text.railReference, refund.railReference),
    untrustedRow(payment.providerCode, refund.providerCode),
    failureReason === null ? null : [pages.why, shared.failure[failureReason]],
    untrustedRow(text.merchantReason, refund.reason),
    [shared.requestedBy, requesterText(view.language, refund)],
    [shared.requestedAt, <WhenExactly call={view} atMs={refund.createdAtMs} />],
    refund.updatedAtMs === refund.createdAtMs
      ? null
      : [payment.updatedAt, <WhenExactly call={view} atMs={refund.updatedAtMs} />],
  ];
}

function attemptOf({ attempts }: Intent, { attemptId }: Refund): Attempt {
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) {
    throw new Error('A refund without its attempt');
  }
  return attempt;
}

function requesterText(language: DeskCall['view']['language'], { requester }: Refund): string {
  const text = DASHBOARD_TEXTS[language].refunds.requester;
  return requester.type === 'operator'
    ? `${text.operator}: ${operatorText(language, requester.operator, requester.isProved)}`
    : text[requester.type];
}

/** The open proposal, and what this operator can do. */
function Decision(props: Props) {
  const { call, details, refund } = props;
  const { intent, secondOperatorAboveMinor, repeatableRefunds } = details;
  const isProved = call.actor.isProved === true;
  const secondOperator = needsSecondOperator(intent, refund, secondOperatorAboveMinor);
  const text = DESK_TEXTS[call.view.language].refunds;
  const { proposal } = refund;
  const path = refundPath(intent.terms, refund.reference);
  const isOwn = proposal !== null && isSameOperator(proposal.operator, call.actor.name);
  const mayDecide = !secondOperator || isProved;
  const mayRepeat =
    refund.status === 'unresolved' &&
    repeatableRefunds.includes(refund.id) &&
    (intent.terms.environment === 'sandbox' || isProved);
  return (
    <>
      {proposal !== null && secondOperator && <Proposal {...props} />}
      {proposal === null && secondOperator && <p>{text.secondOperator}</p>}
      {!mayDecide && <p>{text.notVerified}</p>}
      {mayDecide && (
        <div class="buttons">
          {proposal !== null && secondOperator && !isOwn && (
            <a class="button" href={`${path}/confirm`}>
              {text.confirm}
            </a>
          )}
          <a class="button" href={`${path}/returned`}>
            {text.recordReturned}
          </a>
          <a class="button" href={`${path}/not-returned`}>
            {text.recordNotReturned}
          </a>
        </div>
      )}
      {mayRepeat && (
        <>
          <p>{text.sendAgainWhy}</p>
          <p>
            <a class="button" href={`${path}/send-again`}>
              {text.sendAgain}
            </a>
          </p>
        </>
      )}
    </>
  );
}

/** Who proposed what, and who must confirm it. */
function Proposal({ call, refund }: Props) {
  const text = DESK_TEXTS[call.view.language].refunds;
  const { proposal } = refund;
  return proposal === null ? null : (
    <div class="message message-warning">
      <p>
        {/* Only proved names propose. */}
        <bdi>{operatorText(call.view.language, proposal.operator, true)}</bdi>,{' '}
        <When call={call.view} atMs={proposal.atMs} />: {outcomeText(call, proposal.outcome)}
      </p>
      <p>
        <bdi>{shownText(proposal.note)}</bdi>
      </p>
      <p>
        {isSameOperator(proposal.operator, call.actor.name)
          ? text.otherMustConfirm
          : text.youMayConfirm}
      </p>
    </div>
  );
}

/** A decision in words, with the provider's reference. */
export function outcomeText(
  { view }: Pick<DeskCall, 'view'>,
  outcome: NonNullable<Refund['proposal']>['outcome'],
): string {
  const text = DESK_TEXTS[view.language].refunds;
  return outcome.type === 'succeeded'
    ? `${text.returned}, ${outcome.railReference}`
    : text.notReturned;
}
