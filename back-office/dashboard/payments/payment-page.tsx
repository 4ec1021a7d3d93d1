import type { ComponentChildren } from 'preact';
import type { FoundPayment } from '../../../src/control/rpc/payments.ts';
import {
  hasEnded,
  type Intent,
  paidAtMs,
  reportedAttempt,
} from '../../../src/engine/domain/intent.ts';
import { refundedOf } from '../../../src/engine/domain/refund-amounts.ts';
import type { EventSummary } from '../../../src/engine/intent/protocol.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { PaymentRow, SameOrderPayment } from '../../../src/lists/book/rows.ts';
import { DeliveryBadge } from '../../elements/delivery-elements.tsx';
import { isRefunded, StatusBadge, useMoney } from '../../elements/payment-elements.tsx';
import { Attempts, Timeline } from '../../elements/payment-history.tsx';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Badge, Facts, Message, Untrusted, When } from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { SideBySide } from '../../ui/layout.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { mayChange, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { listIn, paymentPath, paymentsPath, withList } from '../paths.ts';
import { OwnRefunds, RefundButton } from '../refunds/payment-refunds.tsx';
import { Outcome } from '../webhooks/elements.tsx';
import { eventState, isOnItsWay } from '../webhooks/event.ts';
import { cardId, EVENT_PARAMETER, Events } from './events.tsx';
import { CustomerFacts, IdFacts, Items, PaymentFacts, Splits } from './payment-facts.tsx';
import { ReceiptLink } from './receipt-link.tsx';

export type CancelRefusal = keyof DashboardMessages['payment']['cancelRefused'];

export interface PaymentView extends FoundPayment {
  /** The names of those who requested refunds, by the ids of members and keys. */
  readonly requesterNames: ReadonlyMap<string, string>;
}

interface IntentProps {
  readonly intent: Intent;
}

/** A payment, and why it was not canceled where the member has just tried that. */
export function PaymentPage(props: {
  readonly view: PaymentView;
  readonly refusal: CancelRefusal | null;
}) {
  const { view, refusal } = props;
  const { intent, events, bankNames, checkoutUrl } = view;
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const { payment_canceled } = text.done;
  return (
    <Frame
      title={text.title(shownText(intent.terms.uniqueId))}
      active="payments"
      head={{
        back: useBack(),
        status: <Statuses intent={intent} events={events} />,
        lead: <Lead intent={intent} />,
        actions: <Actions intent={intent} />,
      }}
      done={{ payment_canceled, ...refunds.done }}
      notDone={refunds.notDone}
    >
      <Live view={view} />
      {refusal !== null && <Message tone="bad">{text.cancelRefused[refusal]}</Message>}
      <Attention intent={intent} sameOrder={view.sameOrder ?? []} />
      <SideBySide
        main={
          <>
            <CustomerFacts intent={intent} />
            <ReceiptLink url={view.receiptUrl} />
            <OwnRefunds intent={intent} names={view.requesterNames} />
          </>
        }
        aside={
          <PaymentFacts
            intent={intent}
            checkoutUrl={hasEnded(intent.status) ? null : checkoutUrl}
          />
        }
      />
      <Items intent={intent} />
      <Splits intent={intent} bankNames={bankNames} />
      <ForDevelopers view={view} />
    </Frame>
  );
}

/** How the payment went step by step, and what the merchant's server was told. */
function ForDevelopers({ view }: { readonly view: PaymentView }) {
  const { intent, history, events, checkoutUrl, requesterNames } = view;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <details
      class="developers"
      id="developers"
      open={useCall().url.searchParams.has(EVENT_PARAMETER)}
      data-kept
    >
      <summary>
        <h2>{text.forDevelopers}</h2>
      </summary>
      <Events intent={intent} events={events} />
      <Attempts intent={intent} isFolded={true} />
      <Timeline intent={intent} history={history} names={requesterNames} />
      <IdFacts intent={intent} checkoutUrl={hasEnded(intent.status) ? checkoutUrl : null} />
    </details>
  );
}

/** While something is on its way, the script watches for its result. */
function Live({ view }: { readonly view: PaymentView }) {
  const call = useCall();
  const { intent, events } = view;
  const isMoving =
    intent.status === 'processing' ||
    intent.refunds.some(({ status }) => status === 'pending' || status === 'processing') ||
    events.some(isOnItsWay(call.nowMs));
  const state = [intent.version, ...events.map(eventState)].join();
  return isMoving && call.request.method === 'GET' ? <div hidden data-live={state} /> : null;
}

/** What the book still has of a payment that its object has deleted. */
export function DeletedPaymentPage(props: { readonly row: PaymentRow; readonly keptDays: number }) {
  const { row, keptDays } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return (
    <Frame
      title={text.title(shownText(row.uniqueId))}
      active="payments"
      head={{ back: useBack(), status: <StatusBadge {...row} /> }}
    >
      <p>{text.gone(String(keptDays))}</p>
      <section class="card">
        <Facts
          rows={[
            [text.amount, useMoney(row.currency)(row.amountMinor)],
            [text.method, row.method === null ? '—' : methodName[row.method]],
            [text.uuid, row.uuid],
            [text.createdAt, <When atMs={row.createdAtMs} />],
            [text.updatedAt, <When atMs={row.updatedAtMs} />],
          ]}
        />
      </section>
    </Frame>
  );
}

/** The link back to the list. */
function useBack() {
  const call = useCall();
  const to = paymentsPath(call.environment, listIn(call.url));
  return { to, text: useTexts(DASHBOARD_TEXTS).payment.back };
}

/** How the payment ended, what was returned of it, and how its last webhook fared. */
function Statuses(props: IntentProps & { readonly events: readonly EventSummary[] }) {
  const { intent, events } = props;
  const { payment: text, payments } = useTexts(DASHBOARD_TEXTS);
  const refundedMinor = refundedOf(intent).amountMinor;
  // One event may go to several endpoints. An endpoint that has not received it matters most.
  const last = events.filter(({ sequence }) => sequence === events.at(-1)?.sequence);
  const missing = last.find(({ deliveryStatus }) => deliveryStatus !== 'delivered');
  const delivery = missing ?? last[0];
  const failure = missing?.tries.at(-1);
  return (
    <>
      <StatusBadge status={intent.status} failureReason={intent.failureReason} />
      {refundedMinor > 0 && (
        <Badge tone="plain">
          {refundedMinor < intent.terms.amountMinor ? payments.refundedPart : payments.refundedAll}
        </Badge>
      )}
      {delivery && (
        <a class="webhook-status" href={`#${cardId(delivery)}`}>
          <span>{text.webhook}</span> <DeliveryBadge status={delivery.deliveryStatus} />
          {failure && <Outcome {...failure} />}
        </a>
      )}
    </>
  );
}

/** The amount, how and when it was paid, and why it was not. */
function Lead({ intent }: IntentProps) {
  const { terms, failureReason } = intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const attempt = reportedAttempt(intent);
  return (
    <>
      <p class="payment-amount">
        <Money minor={terms.amountMinor} currency={terms.currency} />
      </p>
      <p>
        {attempt && `${methodName[attempt.method]} · `}
        <When atMs={paidAtMs(intent) ?? intent.endedAtMs ?? terms.createdAtMs} />
      </p>
      {failureReason !== null && <p class="quiet">{text.failure[failureReason]}</p>}
    </>
  );
}

/** The buttons that cancel or refund the payment. */
function Actions({ intent }: IntentProps) {
  const call = useCall();
  const { terms, status } = intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <>
      {status === 'open' && mayChange(call, 'develop') && (
        <ButtonForm
          action={withList(
            paymentPath(call.environment, terms.uniqueId, '/cancel'),
            listIn(call.url),
          )}
          label={text.cancel}
          tone="bad"
          confirm={text.cancelQuestion}
        />
      )}
      <RefundButton intent={intent} attemptId={intent.paidAttemptId} />
    </>
  );
}

/** What needs the merchant's review, and what to do. Nothing if there is nothing to review. */
function Attention(props: IntentProps & { readonly sameOrder: readonly SameOrderPayment[] }) {
  const { intent, sameOrder } = props;
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const hasUnresolved = intent.attempts.some(({ status }) => status === 'unresolved');
  const numberOf = (attemptId: string) =>
    String(intent.attempts.findIndex(({ id }) => id === attemptId) + 1);
  if (!hasUnresolved && !intent.late && intent.anomalies.length + sameOrder.length === 0) {
    return null;
  }
  return (
    <section class="notice notice-warning attention" aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {hasUnresolved && <Point title={text.unresolvedTitle}>{text.unresolved}</Point>}
      {intent.late && (
        <Point title={text.lateTitle}>
          {text.late}{' '}
          <RefundButton
            intent={intent}
            attemptId={intent.paidAttemptId}
            label={refunds.refundAll}
          />
        </Point>
      )}
      {intent.anomalies.map(({ kind, attemptId, receipt, excessMinor, backedUpAtMs, atMs }) => (
        <Point title={text.anomalyTitle[kind]}>
          {text.anomaly[kind]}{' '}
          {receipt !== undefined && (
            <>
              {text.receipt}: <bdi>{shownText(receipt)}</bdi>
            </>
          )}{' '}
          {excessMinor !== undefined && (
            <strong>{text.tooMuchBy(useMoney(intent.terms.currency)(excessMinor))}</strong>
          )}{' '}
          <span class="small">
            {backedUpAtMs === undefined ? null : (
              <>
                {text.backupOf} <When atMs={backedUpAtMs} />,{' '}
              </>
            )}
            {attemptId !== null && `${text.aboutAttempt(numberOf(attemptId))}, `}
            <When atMs={atMs} />
          </span>{' '}
          {kind === 'duplicate_payment' && (
            <RefundButton intent={intent} attemptId={attemptId} label={refunds.refundSecond} />
          )}
          {kind === 'surplus_payment' && (
            <RefundButton intent={intent} attemptId={attemptId} label={refunds.refundAll} />
          )}
        </Point>
      ))}
      {sameOrder.length > 0 && <SameOrder intent={intent} others={sameOrder} />}
    </section>
  );
}

/** Other payments of what may be one order. Offers no refund where one of them has one. */
function SameOrder(props: IntentProps & { readonly others: readonly SameOrderPayment[] }) {
  const call = useCall();
  const { intent, others } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const hasRefund =
    others.some(isRefunded) ||
    intent.refunds.some(({ status }) => status !== 'failed' && status !== 'canceled');
  return (
    <Point title={text.sameOrderTitle}>
      {text.sameOrder}{' '}
      {others.map((other) => (
        <>
          <a href={withList(paymentPath(call.environment, other.uniqueId), listIn(call.url))}>
            <Untrusted text={other.uniqueId} />
          </a>{' '}
          <span class="small">
            <When atMs={other.paidAtMs} />
          </span>{' '}
        </>
      ))}
      {hasRefund ? (
        text.sameOrderRefunded
      ) : (
        <RefundButton intent={intent} attemptId={intent.paidAttemptId} />
      )}
    </Point>
  );
}

function Point(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <h3>{props.title}</h3>
      <p>{props.children}</p>
    </div>
  );
}
