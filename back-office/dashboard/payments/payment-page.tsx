import type { ComponentChildren } from 'preact';
import type { Intent } from '../../../src/domain/intent.ts';
import { RETENTION_MS } from '../../../src/domain/schedule.ts';
import type { FoundPayment } from '../../../src/interface/payments.ts';
import type { PaymentRow } from '../../../src/read-model/payment-row.ts';
import { moneyIn, StatusBadge } from '../../elements/payment-elements.tsx';
import { Attempts, Timeline } from '../../elements/payment-history.tsx';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { DoneMessage, Facts, Message, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DashboardCall, mayChange } from '../call.ts';
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

const DAY_MS = 86_400_000;

export type CancelRefusal = keyof DashboardMessages['payment']['cancelRefused'];

export interface PaymentView extends FoundPayment {
  /** Of those who asked for refunds, by the ids of members and keys. */
  readonly requesterNames: ReadonlyMap<string, string>;
}

interface IntentProps {
  readonly call: DashboardCall;
  readonly intent: Intent;
}

/** A payment, and why it was not canceled where the member has just tried that. */
export function PaymentPage(props: {
  readonly call: DashboardCall;
  readonly view: PaymentView;
  readonly refusal: CancelRefusal | null;
}) {
  const { call, view, refusal } = props;
  const { intent, history, events, bankNames, checkoutUrl } = view;
  const { payment: text, refunds } = DASHBOARD_TEXTS[call.language];
  return (
    <Frame call={call} title={text.title(shownText(intent.terms.uniqueId))} active="payments">
      <Live call={call} view={view} />
      <BackLink call={call} />
      {refusal !== null && <Message tone="bad">{text.cancelRefused[refusal]}</Message>}
      <DoneMessage call={call} texts={{ ...text.done, ...refunds.done }} />
      <DoneMessage call={call} texts={refunds.notDone} tone="bad" />
      <Head call={call} intent={intent} />
      <Attention call={call} intent={intent} />
      <OwnRefunds call={call} intent={intent} names={view.requesterNames} />
      <div class="cards">
        <PaymentFacts call={call} intent={intent} checkoutUrl={checkoutUrl} />
        <div class="part">
          <IdFacts call={call} intent={intent} />
          <CustomerFacts call={call} intent={intent} />
          <MetadataFacts call={call} intent={intent} />
        </div>
      </div>
      <Items call={call} intent={intent} />
      <Splits call={call} intent={intent} bankNames={bankNames} />
      <Attempts call={call} intent={intent} />
      <Timeline call={call} intent={intent} history={history} />
      <Events call={call} intent={intent} events={events} />
    </Frame>
  );
}

/** While something is on its way, the script watches for its result. */
function Live({ call, view }: { readonly call: DashboardCall; readonly view: PaymentView }) {
  const { intent, events } = view;
  const isMoving =
    intent.status === 'processing' ||
    intent.refunds.some(({ status }) => status === 'pending' || status === 'processing') ||
    events.some(isOnItsWay(call.nowMs));
  const state = [intent.version, ...events.map(eventState)].join();
  return isMoving && call.request.method === 'GET' ? <div hidden data-live={state} /> : null;
}

/** What the read model still has of a payment that its object has deleted. */
export function DeletedPaymentPage(props: {
  readonly call: DashboardCall;
  readonly row: PaymentRow;
}) {
  const { call, row } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return (
    <Frame call={call} title={text.title(shownText(row.uniqueId))} active="payments">
      <BackLink call={call} />
      <p>{text.gone(String(RETENTION_MS / DAY_MS))}</p>
      <section class="card">
        <Facts
          rows={[
            [text.amount, moneyIn(call, row.currency)(row.amountMinor)],
            [text.status, <StatusBadge call={call} status={row.status} />],
            [text.method, row.method === null ? '—' : methodName[row.method]],
            [text.uuid, row.uuid],
            [text.createdAt, <When call={call} atMs={row.createdAtMs} />],
            [text.updatedAt, <When call={call} atMs={row.updatedAtMs} />],
          ]}
        />
      </section>
    </Frame>
  );
}

function BackLink({ call }: { readonly call: DashboardCall }) {
  return (
    <p>
      <a href={paymentsPath(call.environment, listIn(call.url))}>
        {DASHBOARD_TEXTS[call.language].payment.back}
      </a>
    </p>
  );
}

/** Amount and status, with the buttons that cancel or refund the payment. */
function Head({ call, intent }: IntentProps) {
  const { terms, status } = intent;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <div class="payment-head">
      <p class="payment-amount number">{moneyIn(call, terms.currency)(terms.amountMinor)}</p>
      <StatusBadge call={call} status={status} />
      {status === 'open' && mayChange(call, 'develop') && (
        <ButtonForm
          call={call}
          action={withList(
            paymentPath(call.environment, terms.uniqueId, '/cancel'),
            listIn(call.url),
          )}
          label={text.cancel}
          tone="bad"
          confirm={text.cancelQuestion}
        />
      )}
      <RefundButton call={call} intent={intent} attemptId={intent.paidAttemptId} />
    </div>
  );
}

/** What needs the merchant's review, and what to do. Nothing if there is nothing to review. */
function Attention({ call, intent }: IntentProps) {
  const { payment: text, refunds } = DASHBOARD_TEXTS[call.language];
  const hasUnresolved = intent.attempts.some(({ status }) => status === 'unresolved');
  const numberOf = (attemptId: string) =>
    String(intent.attempts.findIndex(({ id }) => id === attemptId) + 1);
  if (!hasUnresolved && !intent.late && intent.anomalies.length === 0) {
    return null;
  }
  return (
    <section class="message message-warning attention" aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {hasUnresolved && <Point title={text.unresolvedTitle}>{text.unresolved}</Point>}
      {intent.late && (
        <Point title={text.lateTitle}>
          {text.late}{' '}
          <RefundButton
            call={call}
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
            <strong>{text.tooMuchBy(moneyIn(call, intent.terms.currency)(excessMinor))}</strong>
          )}{' '}
          <span class="small">
            {text.aboutAttempt(numberOf(attemptId))}, <When call={call} atMs={atMs} />
          </span>{' '}
          {kind === 'duplicate_payment' && (
            <RefundButton
              call={call}
              intent={intent}
              attemptId={attemptId}
              label={refunds.refundSecond}
            />
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
