import type { ComponentChildren } from 'preact';
import type { KnownPaymentDetails } from '../../../src/control/rpc/operator.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { paidNeedsSecondOperator } from '../../../src/engine/domain/manual-resolution.ts';
import { isSameOperator } from '../../../src/engine/domain/operator-name.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import { refundableMinor } from '../../../src/engine/domain/refund-amounts.ts';
import { needsPersonFromMs } from '../../../src/engine/domain/time.ts';
import { clockText, timeText } from '../../../src/kit/i18n/time-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink, When, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { useDesk } from './call.ts';
import { paymentPath } from './paths.ts';
import { Claims } from './payment-claims.tsx';

interface Props {
  readonly details: KnownPaymentDetails;
  readonly attempt: Attempt;
}

/** Whether the operator records or confirms the attempt's outcome, at the top of the page. */
export function waitsForOperator(attempt: Attempt, nowMs: number): boolean {
  return (
    attempt.proposal !== null ||
    (attempt.status === 'unresolved' && needsPersonFromMs(attempt) <= nowMs)
  );
}

/** Whether the customer left an attempt that they may still pay: there is nothing to do yet. */
export function isLeftToTime(attempt: Attempt, nowMs: number): boolean {
  return attempt.status === 'unresolved' && !waitsForOperator(attempt, nowMs);
}

/** A time of the next hours needs no day. */
const CLOCK_ENOUGH_MS = 6 * 60 * 60 * 1_000;

/** What Kefel will do by itself about an unresolved attempt, and when. */
export function NextQuery({ attempt }: Pick<Props, 'attempt'>) {
  const { nowMs } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  const times = useTexts(CHECKOUT_TEXTS);
  const { status, checkAtMs, deadlineAtMs } = attempt;
  const timeOf = (atMs: number) =>
    atMs - nowMs < CLOCK_ENOUGH_MS ? clockText(atMs) : timeText(atMs, times);
  if (status !== 'unresolved') {
    return null;
  }
  if (isLeftToTime(attempt, nowMs)) {
    return (
      <p>
        {checkAtMs === null
          ? text.customerLeftUntil(timeOf(deadlineAtMs))
          : text.customerLeft(timeOf(checkAtMs))}
      </p>
    );
  }
  return checkAtMs === null ? null : <p class="hint">{text.asksAgain(timeOf(checkAtMs))}</p>;
}

/** Links to the pages that record an outcome, or request a refund, where the payment may accept it. */
export function AttemptActions(props: Props) {
  const { intent } = props.details;
  const { status, reference, deadlineAtMs, proposal } = props.attempt;
  const { nowMs } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  const { refund } = useTexts(DASHBOARD_TEXTS).refunds;
  const mayConfirm = useMayConfirm(proposal);
  const mayRecordPaid = useMayRecordPaid(intent.terms.environment);
  if (status === 'succeeded') {
    return refundableMinor(intent, props.attempt) === 0 ? null : (
      <div class="buttons">
        <ButtonLink to={paymentPath(intent.terms, `/refund/${reference}`)}>{refund}</ButtonLink>
      </div>
    );
  }
  const path = paymentPath(intent.terms, `/attempts/${reference}`);
  const isPending = status === 'processing' || status === 'unresolved';
  const isWindowOpen = isPending && nowMs < deadlineAtMs;
  return (
    <>
      <NextQuery attempt={props.attempt} />
      <Claims {...props} mayRecordPaid={mayRecordPaid} />
      <SecondOperator {...props} />
      {!mayRecordPaid && <p class="hint">{text.paidNeedsName}</p>}
      <div class="buttons">
        {mayRecordPaid && mayConfirm && (
          <ButtonLink to={`${path}/confirm`}>{text.confirmPaid}</ButtonLink>
        )}
        {mayRecordPaid && <ButtonLink to={`${path}/paid`}>{text.recordPaid}</ButtonLink>}
        {status === 'unresolved' && !isWindowOpen && (
          <ButtonLink to={`${path}/unpaid`}>{text.recordUnpaid}</ButtonLink>
        )}
        {isWindowOpen && (
          <p class="hint">
            {text.unpaidFrom} <WhenExactly atMs={deadlineAtMs} />
          </p>
        )}
      </div>
    </>
  );
}

/** Recording a production payment as paid needs a proved name. */
export function useMayRecordPaid(environment: string): boolean {
  const { actor } = useDesk();
  return environment === 'sandbox' || actor.isProved === true;
}

type Proposal = NonNullable<Attempt['proposal'] | Refund['proposal']>;

/** Whether another operator has proposed it. */
export function useMayConfirm(proposal: Proposal | null): boolean {
  const { actor } = useDesk();
  return proposal !== null && !isSameOperator(proposal.operator, actor.name);
}

/** Who recorded the attempt as paid, and who must confirm it; nothing where one operator decides. */
function SecondOperator({ details, attempt }: Props) {
  const { intent, secondOperatorAboveMinor } = details;
  const text = useTexts(DESK_TEXTS).pages;
  const { proposal } = attempt;
  if (!paidNeedsSecondOperator(intent, attempt, secondOperatorAboveMinor)) {
    return null;
  }
  return proposal === null ? (
    <p class="hint">{text.paidNeedsTwo}</p>
  ) : (
    <Proposed proposal={proposal}>
      {text.endings.succeeded}, <bdi>{shownText(proposal.receipt)}</bdi>
    </Proposed>
  );
}

/** Who proposed what, and who must confirm it. */
export function Proposed(props: {
  readonly proposal: Proposal;
  readonly children: ComponentChildren;
}) {
  const { operator, provedBy, atMs, note } = props.proposal;
  const text = useTexts(DESK_TEXTS).refunds;
  return (
    <div class="notice notice-warning">
      <p>
        {/* Only proved names propose. */}
        <bdi>{useOperatorText(operator, true, provedBy)}</bdi>, <When atMs={atMs} />:{' '}
        {props.children}
      </p>
      <p>
        <bdi>{shownText(note)}</bdi>
      </p>
      <p>{useMayConfirm(props.proposal) ? text.youMayConfirm : text.otherMustConfirm}</p>
    </div>
  );
}
