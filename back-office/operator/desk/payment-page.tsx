import { type Intent, reportedAttempt } from '../../../src/domain/intent.ts';
import type { EventSummary } from '../../../src/intent/protocol.ts';
import type { Review } from '../../../src/interface/operations.ts';
import { needsOf, payableMinor, reasonsOf } from '../../../src/operations/needs.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { moneyIn, StatusBadge } from '../../elements/payment-elements.tsx';
import { Attempts, Timeline } from '../../elements/payment-history.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  CopyText,
  DoneMessage,
  Facts,
  Section,
  Table,
  untrustedRow,
  When,
  WhenExactly,
} from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';
import { answerDesk } from './frame.tsx';
import { merchantPath, paymentPath } from './paths.ts';
import { AttemptActions } from './payment-attempts.tsx';
import { Refunds } from './payment-refunds.tsx';

/** GET …/payments/:environment/:merchantId/:uniqueId, read from the payment's own object. */
export async function showPaymentPage(call: DeskCall): Promise<Response> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const details = await call.payments.operations.paymentDetails(call.params);
  const { intent, history, events, review } = details;
  const children = (
    <>
      <DoneMessage call={view} texts={text.done} />
      <DoneMessage call={view} texts={text.notDone} tone="bad" />
      <div class="payment-head">
        <p class="payment-amount number">
          {moneyIn(view, intent.terms.currency)(payableMinor(intent))}
        </p>
        <StatusBadge call={view} status={intent.status} />
      </div>
      <WhatToDo call={call} intent={intent} review={review} />
      <PaymentFacts call={call} intent={intent} />
      <Refunds call={call} details={details} />
      <Attempts
        call={view}
        intent={intent}
        isPhoneShown={false}
        actions={(attempt) => <AttemptActions call={call} details={details} attempt={attempt} />}
      />
      <Timeline call={view} intent={intent} history={history} />
      <Events call={call} events={events} />
    </>
  );
  const title = text.paymentTitle(shownText(intent.terms.uniqueId));
  return answerDesk(call, { active: 'payments', title, children });
}

interface Props {
  readonly call: DeskCall;
  readonly intent: Intent;
}

/** Why the payment needs attention, what to do, and the last review. */
function WhatToDo({ call, intent, review }: Props & { readonly review: Review | null }) {
  const { attention, pages: text } = DESK_TEXTS[call.view.language];
  const reasons = reasonsOf(needsOf(intent));
  return reasons.length === 0 ? null : (
    <section class="message message-warning attention" aria-labelledby="attention">
      <h2 id="attention">{text.nav.attention}</h2>
      {reasons.map((reason) => (
        <div>
          <h3>{attention[reason].title}</h3>
          <p>
            {attention[reason].what} {attention[reason].todo}
          </p>
        </div>
      ))}
      {intent.anomalies.length > 0 && (
        <ul>
          {intent.anomalies.map((anomaly) => (
            <Anomaly call={call} intent={intent} anomaly={anomaly} />
          ))}
        </ul>
      )}
      {review !== null && (
        <p>
          {text.lastReview} <bdi>{review.reviewedBy}</bdi>,{' '}
          <When call={call.view} atMs={review.reviewedAtMs} />: <bdi>{shownText(review.note)}</bdi>
        </p>
      )}
      <p>
        <a class="button" href={paymentPath(nameOf(intent), '/review')}>
          {text.markReviewed}
        </a>
      </p>
    </section>
  );
}

/** What happened, to which attempt, and when. */
function Anomaly(props: Props & { readonly anomaly: Intent['anomalies'][number] }) {
  const { call, intent } = props;
  const { kind, attemptId, excessMinor, other, atMs } = props.anomaly;
  const text = DASHBOARD_TEXTS[call.view.language].payment;
  const { environment } = intent.terms;
  const number = intent.attempts.findIndex(({ id }) => id === attemptId) + 1;
  return (
    <li>
      {text.anomalyTitle[kind]}: {text.aboutAttempt(String(number))},{' '}
      <When call={call.view} atMs={atMs} />
      {excessMinor !== undefined && (
        <>
          .{' '}
          <strong>{text.tooMuchBy(moneyIn(call.view, intent.terms.currency)(excessMinor))}</strong>
        </>
      )}
      {other !== undefined && (
        <>
          {'. '}
          {DESK_TEXTS[call.view.language].pages.sameReceiptAs}{' '}
          <a href={paymentPath({ environment, ...other })}>
            <bdi>{shownText(other.uniqueId)}</bdi>
          </a>{' '}
          (<bdi>{other.merchantId}</bdi>)
        </>
      )}
    </li>
  );
}

function nameOf({ terms: { environment, merchantId, uniqueId } }: Intent) {
  return { environment, merchantId, uniqueId };
}

function PaymentFacts({ call: { view }, intent }: Props) {
  const { terms } = intent;
  const text = DESK_TEXTS[view.language].pages;
  const { methodName } = CHECKOUT_TEXTS[view.language];
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
          [text.created, <When call={view} atMs={terms.createdAtMs} />],
          [text.expires, <When call={view} atMs={terms.expiresAtMs} />],
          intent.endedAtMs === null
            ? null
            : [text.endedAt, <When call={view} atMs={intent.endedAtMs} />],
          ['uuid', terms.uuid],
        ]}
      />
      {attempt !== null && (
        <CopyText
          call={view}
          id="reference"
          label={text.referenceToCopy}
          value={attempt.reference}
        />
      )}
    </Section>
  );
}

/** The events, newest first. The merchant resends them in the dashboard. */
function Events(props: { readonly call: DeskCall; readonly events: readonly EventSummary[] }) {
  const { call, events } = props;
  const text = DESK_TEXTS[call.view.language].pages;
  const { destination } = DASHBOARD_TEXTS[call.view.language].events;
  return (
    <Section id="events" title={text.eventsOfPayment} class="part">
      <Table
        caption={text.eventsOfPayment}
        columns={[text.what, destination, text.state, text.tries, text.lastAnswer, text.created]}
        rows={events
          .map((event) => [
            <code>{wireType(event.type)}</code>,
            <span>{event.origin ?? '—'}</span>,
            <DeliveryBadge call={call.view} status={event.deliveryStatus} />,
            event.tries.length,
            <code lang="en">{lastAnswer(event) ?? '—'}</code>,
            <WhenExactly call={call.view} atMs={event.createdAtMs} />,
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
