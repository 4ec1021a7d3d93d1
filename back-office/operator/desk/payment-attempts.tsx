import type { Attempt } from '../../../src/domain/intent.ts';
import { paidNeedsSecondOperator } from '../../../src/domain/manual-resolution.ts';
import { isSameOperator } from '../../../src/domain/operator-name.ts';
import { refundableMinor } from '../../../src/domain/refund-amounts.ts';
import type { PaymentDetails } from '../../../src/interface/operations.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { When, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';
import { paymentPath } from './paths.ts';

interface Props {
  readonly call: DeskCall;
  readonly details: PaymentDetails;
  readonly attempt: Attempt;
}

/** Links to the pages that record an outcome, or request a refund, where the payment may accept it. */
export function AttemptActions(props: Props) {
  const { call, attempt } = props;
  const { intent } = props.details;
  const { view, nowMs } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { status, reference, deadlineAtMs } = attempt;
  if (status === 'succeeded') {
    return refundableMinor(intent, attempt) === 0 ? null : (
      <div class="buttons">
        <a class="button" href={paymentPath(intent.terms, `/refund/${reference}`)}>
          {DASHBOARD_TEXTS[view.language].refunds.refund}
        </a>
      </div>
    );
  }
  const path = paymentPath(intent.terms, `/attempts/${reference}`);
  const isPending = status === 'processing' || status === 'unresolved';
  const isWindowOpen = isPending && nowMs < deadlineAtMs;
  const mayRecordPaid = intent.terms.environment === 'sandbox' || call.actor.isProved === true;
  return (
    <>
      <SecondOperator {...props} />
      {!mayRecordPaid && <p class="hint">{text.paidNeedsName}</p>}
      <div class="buttons">
        {mayRecordPaid && mayConfirm(props) && (
          <a class="button" href={`${path}/confirm`}>
            {text.confirmPaid}
          </a>
        )}
        {mayRecordPaid && (
          <a class="button" href={`${path}/paid`}>
            {text.recordPaid}
          </a>
        )}
        {status === 'unresolved' && !isWindowOpen && (
          <a class="button" href={`${path}/unpaid`}>
            {text.recordUnpaid}
          </a>
        )}
        {isWindowOpen && (
          <p class="hint">
            {text.unpaidFrom} <WhenExactly call={view} atMs={deadlineAtMs} />
          </p>
        )}
      </div>
    </>
  );
}

function mayConfirm({ call, attempt: { proposal } }: Props): boolean {
  return proposal !== null && !isSameOperator(proposal.operator, call.actor.name);
}

/** Who recorded the attempt as paid, and who must confirm it; nothing where one operator decides. */
function SecondOperator(props: Props) {
  const { call, attempt } = props;
  const { intent, secondOperatorAboveMinor } = props.details;
  const { pages, refunds: text } = DESK_TEXTS[call.view.language];
  const { proposal } = attempt;
  if (!paidNeedsSecondOperator(intent, attempt, secondOperatorAboveMinor)) {
    return null;
  }
  if (proposal === null) {
    return <p class="hint">{pages.paidNeedsTwo}</p>;
  }
  return (
    <div class="message message-warning">
      <p>
        {/* Only proved names propose. */}
        <bdi>{operatorText(call.view.language, proposal.operator, true)}</bdi>,{' '}
        <When call={call.view} atMs={proposal.atMs} />: {pages.endings.succeeded},{' '}
        <bdi>{shownText(proposal.receipt)}</bdi>
      </p>
      <p>
        <bdi>{shownText(proposal.note)}</bdi>
      </p>
      <p>{mayConfirm(props) ? text.youMayConfirm : text.otherMustConfirm}</p>
    </div>
  );
}
