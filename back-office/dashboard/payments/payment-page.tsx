import type { ComponentChildren } from 'preact';
import type { PaymentRow } from '../../../src/book/rows.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { RETENTION_MS } from '../../../src/domain/schedule.ts';
import type { FoundPayment } from '../../../src/interface/payments.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { StatusBadge, useMoney } from '../../elements/payment-elements.tsx';
import { Attempts, Timeline } from '../../elements/payment-history.tsx';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Facts, Message, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { mayChange, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { listIn, paymentPath, paymentsPath, withList } from '../paths.ts';
import { OwnRefunds, RefundButton } from '../refunds/payment-refunds.tsx';
import { eventState, isOnItsWay } from '../webhooks/event.ts';
import { Events } from './events.tsx';
import {
  CustomerFacts,
  IdFacts,
  Items,
  MetadataFacts,
  PaymentFacts,
  Splits,
} from './payment-facts.tsx';
import { ReceiptLink } from './receipt-link.tsx';

const DAY_MS = 86_400_000;

export type CancelRefusal = keyof DashboardMessages['payment']['cancelRefused'];

export interface PaymentView extends FoundPayment {
  /** Of those who asked for refunds, by the ids of members and keys. */
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
  const { intent, history, events, bankNames, checkoutUrl } = view;
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  return (
    <Frame
      title={text.title(shownText(intent.terms.uniqueId))}
      active="payments"
      done={{ ...text.done, ...refunds.done }}
      notDone={refunds.notDone}
    >
      <Live view={view} />
      <BackLink />
      {refusal !== null && <Message tone="bad">{text.cancelRefused[refusal]}</Message>}
      <Head intent={intent} />
      <Attention intent={intent} />
      <OwnRefunds intent={intent} names={view.requesterNames} />
      <div class="cards">
        <PaymentFacts intent={intent} checkoutUrl={checkoutUrl} />
        <div class="part">
          <IdFacts intent={intent} />
          <CustomerFacts intent={intent} />
          <MetadataFacts intent={intent} />
          <ReceiptLink url={view.receiptUrl} />
        </div>
      </div>
      <Items intent={intent} />
      <Splits intent={intent} bankNames={bankNames} />
      <Attempts intent={intent} />
      <Timeline intent={intent} history={history} />
      <Events intent={intent} events={events} />
    </Frame>
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
export function DeletedPaymentPage(props: { readonly row: PaymentRow }) {
  const { row } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return (
    <Frame title={text.title(shownText(row.uniqueId))} active="payments">
      <BackLink />
      <p>{text.gone(String(RETENTION_MS / DAY_MS))}</p>
      <section class="card">
        <Facts
          rows={[
            [text.amount, useMoney(row.currency)(row.amountMinor)],
            [text.status, <StatusBadge status={row.status} />],
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

function BackLink() {
  const call = useCall();
  return (
    <p>
      <a href={paymentsPath(call.environment, listIn(call.url))}>
        {useTexts(DASHBOARD_TEXTS).payment.back}
      </a>
    </p>
  );
}

/** Amount and status, with the buttons that cancel or refund the payment. */
function Head({ intent }: IntentProps) {
  const call = useCall();
  const { terms, status } = intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <div class="payment-head">
      <p class="payment-amount number">{useMoney(terms.currency)(terms.amountMinor)}</p>
      <StatusBadge status={status} />
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
    </div>
  );
}

/** What needs the merchant's review, and what to do. Nothing if there is nothing to review. */
function Attention({ intent }: IntentProps) {
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const hasUnresolved = intent.attempts.some(({ status }) => status === 'unresolved');
  const numberOf = (attemptId: string) =>
    String(intent.attempts.findIndex(({ id }) => id === attemptId) + 1);
  if (!hasUnresolved && !intent.late && intent.anomalies.length === 0) {
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
      {intent.anomalies.map(({ kind, attemptId, excessMinor, atMs }) => (
        <Point title={text.anomalyTitle[kind]}>
          {text.anomaly[kind]}{' '}
          {excessMinor !== undefined && (
            <strong>{text.tooMuchBy(useMoney(intent.terms.currency)(excessMinor))}</strong>
          )}{' '}
          <span class="small">
            {text.aboutAttempt(numberOf(attemptId))}, <When atMs={atMs} />
          </span>{' '}
          {kind === 'duplicate_payment' && (
            <RefundButton intent={intent} attemptId={attemptId} label={refunds.refundSecond} />
          )}
        </Point>
      ))}
    </section>
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
