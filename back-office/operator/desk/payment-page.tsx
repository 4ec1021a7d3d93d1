import { needsOf, payableMinor, reasonsOf } from '../../../src/control/payments/needs.ts';
import type { KnownPaymentDetails } from '../../../src/control/rpc/operator.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { type Intent, reportedAttempt } from '../../../src/engine/domain/intent.ts';
import { isHeld } from '../../../src/engine/domain/retention.ts';
import type { EventSummary } from '../../../src/engine/intent/protocol.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { StatusBadge, useMoney } from '../../elements/payment-elements.tsx';
import { Attempts, Timeline } from '../../elements/payment-history.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  Badge,
  ButtonLink,
  copyFact,
  Facts,
  Message,
  Section,
  Table,
  untrustedRow,
  When,
  WhenExactly,
} from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { SideBySide } from '../../ui/layout.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { merchantPath, paymentPath } from './paths.ts';
import { AttemptActions, isLeftToTime, NextQuery, waitsForOperator } from './payment-attempts.tsx';
import { Refunds, WaitingRefunds } from './payment-refunds.tsx';

/** GET …/payments/:environment/:merchantId/:uniqueId, read from the payment's own object. */
export async function showPaymentPage(call: DeskCall): Promise<Response> {
  const details = await call.payments.operator.paymentDetails(call.params);
  return answerDesk(call, <PaymentPage {...details} />);
}

function PaymentPage(details: KnownPaymentDetails) {
  const { intent, history, events } = details;
  const text = useTexts(DESK_TEXTS).pages;
  const { nowMs } = useDesk();
  const { uniqueId, environment, currency } = intent.terms;
  return (
    <Frame
      active="payments"
      title={text.paymentTitle(shownText(uniqueId))}
      head={{
        status: (
          <>
            <StatusBadge status={intent.status} />
            {environment === 'sandbox' && <Badge tone="plain">{text.environment.sandbox}</Badge>}
          </>
        ),
        lead: (
          <p class="payment-amount">
            <Money minor={payableMinor(intent)} currency={currency} />
          </p>
        ),
      }}
    >
      <WhatToDo {...details} />
      <LeftAttempts intent={intent} />
      <WaitingRefunds {...details} />
      <SideBySide
        main={
          <>
            <Refunds {...details} />
            <Attempts
              intent={intent}
              isPhoneShown={false}
              actions={(attempt) =>
                !waitsForOperator(attempt, nowMs) && (
                  <AttemptActions details={details} attempt={attempt} />
                )
              }
            />
          </>
        }
        aside={
          <>
            <PaymentFacts intent={intent} />
            <Keeping {...details} />
          </>
        }
      />
      <Timeline intent={intent} history={history} />
      <Events events={events} />
    </Frame>
  );
}

interface Props {
  readonly intent: Intent;
}

/** What is not a problem yet, which the operator need not look up at the provider. */
function LeftAttempts({ intent }: Props) {
  const { nowMs } = useDesk();
  const left = intent.attempts.filter((attempt) => isLeftToTime(attempt, nowMs));
  return left.length === 0 ? null : (
    <Message tone="good">
      {left.map((attempt) => (
        <NextQuery attempt={attempt} />
      ))}
    </Message>
  );
}

/** Why the payment needs attention, with what the operator can do about it, and the last review. */
function WhatToDo(details: KnownPaymentDetails) {
  const { intent, review } = details;
  const { attention, pages: text } = useTexts(DESK_TEXTS);
  const { nowMs } = useDesk();
  const reasons = reasonsOf(needsOf(intent, nowMs));
  const waiting = intent.attempts.filter((attempt) => waitsForOperator(attempt, nowMs));
  const reviewPath = paymentPath(intent.terms, '/review');
  return reasons.length === 0 ? null : (
    <section class="notice notice-warning attention" aria-labelledby="attention">
      <h2 id="attention">{reasons.map((reason) => attention[reason].title).join(', ')}</h2>
      {reasons.map(
        (reason) =>
          reason !== 'anomaly' && (
            <p>
              {attention[reason].what} {attention[reason].todo}
            </p>
          ),
      )}
      {waiting.map((attempt) => (
        <WaitingAttempt details={details} attempt={attempt} />
      ))}
      {intent.anomalies.length > 0 && (
        <ul>
          {intent.anomalies.map((anomaly) => (
            <Anomaly intent={intent} anomaly={anomaly} />
          ))}
        </ul>
      )}
      {review !== null && (
        <p>
          {text.lastReview} <bdi>{review.reviewedBy}</bdi>, <When atMs={review.reviewedAtMs} />:{' '}
          <bdi>{shownText(review.note)}</bdi>
        </p>
      )}
      {waiting.length === 0 ? (
        <p>
          <ButtonLink to={reviewPath}>{text.markReviewed}</ButtonLink>
        </p>
      ) : (
        <p class="small">
          {text.nothingToRecord} <a href={reviewPath}>{text.markReviewed}</a>
        </p>
      )}
    </section>
  );
}

/** An attempt whose outcome the operator records, with the number to look it up. */
function WaitingAttempt(props: {
  readonly details: KnownPaymentDetails;
  readonly attempt: Attempt;
}) {
  const { details, attempt } = props;
  const { attempts } = details.intent;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const number = String(attempts.indexOf(attempt) + 1);
  return (
    <div class="attention">
      <h3>{text.attempt(number, methodName[attempt.method])}</h3>
      <Facts
        rows={[
          copyFact(`look-up-${number}`, text.reference, attempt.reference),
          copyFact(`look-up-rail-${number}`, text.railReference, attempt.railReference),
        ]}
      />
      <AttemptActions details={details} attempt={attempt} />
    </div>
  );
}

/** What happened, to which attempt, when, and what to do about it. */
function Anomaly(props: Props & { readonly anomaly: Intent['anomalies'][number] }) {
  const { intent } = props;
  const { kind, attemptId, receipt, excessMinor, other, backedUpAtMs, atMs } = props.anomaly;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { anomalyTodo, pages } = useTexts(DESK_TEXTS);
  const { environment, currency } = intent.terms;
  const number = intent.attempts.findIndex(({ id }) => id === attemptId) + 1;
  return (
    <li>
      {text.anomalyTitle[kind]}: {attemptId !== null && `${text.aboutAttempt(String(number))}, `}
      <When atMs={atMs} />
      {receipt !== undefined && (
        <>
          . {text.receipt}: <bdi>{shownText(receipt)}</bdi>
        </>
      )}
      {backedUpAtMs !== undefined && (
        <>
          . {text.backupOf} <When atMs={backedUpAtMs} />
        </>
      )}
      {excessMinor !== undefined && (
        <>
          . <strong>{text.tooMuchBy(useMoney(currency)(excessMinor))}</strong>
        </>
      )}
      {other !== undefined && (
        <>
          {`. ${pages.sameReceiptAs} `}
          <a href={paymentPath({ environment, ...other })}>
            <bdi>{shownText(other.uniqueId)}</bdi>
          </a>{' '}
          (<bdi>{other.merchantId}</bdi>)
        </>
      )}
      {`. ${anomalyTodo[kind]}`}
    </li>
  );
}

function PaymentFacts({ intent }: Props) {
  const { terms } = intent;
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const attempt = reportedAttempt(intent);
  return (
    <Section id="facts" title={text.payment}>
      <Facts
        rows={[
          [
            text.merchant,
            <a href={merchantPath(terms.merchantId)}>
              <bdi>{shownText(terms.merchantName)}</bdi>
            </a>,
          ],
          [text.environmentLabel, text.environment[terms.environment]],
          attempt === null ? null : [text.method, methodName[attempt.method]],
          intent.failureReason === null ? null : [text.why, text.reasons[intent.failureReason]],
          untrustedRow(text.description, terms.description),
          [text.created, <When atMs={terms.createdAtMs} />],
          [text.expires, <When atMs={terms.expiresAtMs} />],
          intent.endedAtMs === null ? null : [text.endedAt, <When atMs={intent.endedAtMs} />],
          ['uuid', terms.uuid],
        ]}
      />
    </Section>
  );
}

/** How long the payment is kept, and an operator's hold. */
function Keeping({ intent: { terms }, retention }: KnownPaymentDetails) {
  const text = useTexts(DESK_TEXTS).pages;
  const { hold = null, endsAtMs = null } = retention ?? {};
  const held = isHeld(hold, useDesk().nowMs) ? hold : null;
  return (
    <Section id="keeping" title={text.keeping}>
      <Facts
        rows={[
          held === null ? null : [text.heldBy, <bdi>{held.operator}</bdi>],
          held === null ? null : [text.why, <bdi>{shownText(held.reason)}</bdi>],
          held === null
            ? null
            : [
                text.heldUntil,
                held.untilMs === null ? text.holdOpen : <When atMs={held.untilMs} />,
              ],
          endsAtMs === null ? null : [text.deletedAt, <When atMs={endsAtMs} />],
        ]}
      />
      <p class="small">
        {held === null ? (
          <a href={paymentPath(terms, '/hold')}>{text.holdPayment}</a>
        ) : (
          <a href={paymentPath(terms, '/release')}>{text.releasePayment}</a>
        )}
      </p>
    </Section>
  );
}

/** The events, newest first. The merchant resends them in the dashboard. */
function Events({ events }: Pick<KnownPaymentDetails, 'events'>) {
  const text = useTexts(DESK_TEXTS).pages;
  const { destination } = useTexts(DASHBOARD_TEXTS).events;
  return (
    <Section id="events" title={text.eventsOfPayment} class="part">
      <Table
        caption={text.eventsOfPayment}
        columns={[text.what, destination, text.state, text.tries, text.lastAnswer, text.created]}
        rows={events
          .map((event) => [
            <code>{wireType(event.type)}</code>,
            <span>{event.origin ?? '—'}</span>,
            <DeliveryBadge status={event.deliveryStatus} />,
            event.tries.length,
            <code lang="en">{lastAnswer(event) ?? '—'}</code>,
            <WhenExactly atMs={event.createdAtMs} />,
          ])
          .reverse()}
        empty={text.none}
      />
    </Section>
  );
}

function lastAnswer({ tries }: EventSummary): string | null {
  const last = tries.at(-1);
  return last === undefined ? null : (last.error ?? `HTTP ${last.httpStatus}`);
}
