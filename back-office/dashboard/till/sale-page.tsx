import type { ComponentChildren } from 'preact';
import type { Sale } from '../../../src/control/rpc/till.ts';
import type {
  CheckoutState,
  ChooseState,
  PaidState,
  PushState,
  RedirectState,
} from '../../../src/engine/checkout/view.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import {
  ButtonLink,
  CopyText,
  type FactRow,
  Facts,
  untrustedRow,
  When,
} from '../../ui/elements.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { may, mayChange, useCall } from '../call.ts';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { paymentPath, refundPath, tillPath } from '../paths.ts';
import { Connection } from './till-page.tsx';

/** The page of a sale: the code to pay by, what the customer does, and at the end whether it is paid. */

interface SaleProps {
  readonly sale: Sale;
}

/** Without our script: soon enough for a customer who waits at the counter. */
const REFRESH_SECONDS = 3;

export function SalePage({ sale }: SaleProps) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).till;
  const money = useMoney('ETB');
  const { state } = sale.view;
  // A payment may still arrive after the sale has ended.
  const mayBePaid = 'mayStillSettle' in state && state.mayStillSettle;
  const isWaiting = sale.checkoutUrl !== null || mayBePaid;
  return (
    <Frame
      title={money(sale.amountMinor)}
      active="till"
      notDone={{ attempt_in_flight: text.cancelInFlight, ended: text.cancelEnded }}
      refreshSeconds={isWaiting ? REFRESH_SECONDS : undefined}
    >
      <section class="till till-sale" {...(isWaiting ? liveData(sale, environment) : {})}>
        {isWaiting && <PaidSign sale={sale} isHidden />}
        <Stage sale={sale} state={state} />
        {isWaiting && <Connection />}
        <div class="buttons till-actions">
          <a class={isWaiting ? 'button' : 'button primary'} href={tillPath(environment)}>
            {text.newSale}
          </a>
          <SaleActions sale={sale} />
        </div>
        <Facts rows={[...paidFacts(state), ...factsOf(sale)]} />
      </section>
    </Frame>
  );
}

/** For the script, which asks for the state and plays the sound. */
function liveData({ view, uniqueId }: Sale, environment: 'sandbox' | 'production') {
  const path = tillPath(environment, `/${uniqueId}`);
  return { 'data-till': path, 'data-tag': view.tag };
}

/** The sign across the screen. While the page waits it is hidden, and the script shows it at once. */
function PaidSign({ sale, isHidden }: SaleProps & { readonly isHidden?: boolean }) {
  const text = useTexts(DASHBOARD_TEXTS).till;
  const money = useMoney('ETB');
  return (
    <div class="till-sign till-paid" hidden={isHidden} data-till-paid>
      <svg class="till-mark" viewBox="0 0 24 24" aria-hidden="true">
        <path d="m4 13 5 5L20 6" />
      </svg>
      <strong>{text.paid}</strong>
      <span class="till-amount">{money(sale.amountMinor)}</span>
    </div>
  );
}

function Stage({ sale, state }: SaleProps & { readonly state: CheckoutState }) {
  const { till: text, payment } = useTexts(DASHBOARD_TEXTS);
  const money = useMoney('ETB');
  switch (state.kind) {
    case 'choose':
      return <Waiting sale={sale} state={state} />;
    case 'redirect':
    case 'push':
      return <InFlight state={state} />;
    case 'paid':
      return <Paid sale={sale} state={state} />;
    default:
      return (
        <div class="till-sign till-unpaid">
          <strong>{text.ended[state.kind]}</strong>
          <span class="till-amount">{money(sale.amountMinor)}</span>
          {state.kind === 'failed' && state.reason !== null && (
            <p>{payment.failure[state.reason]}</p>
          )}
          <p>{state.mayStillSettle ? text.mayStillSettle : text.nothingTaken}</p>
        </div>
      );
  }
}

function Waiting({ sale, state }: SaleProps & { readonly state: ChooseState }) {
  const { environment } = useCall();
  const { till: text, payment } = useTexts(DASHBOARD_TEXTS);
  const { checkoutUrl, code } = sale;
  return (
    <>
      {state.lastFailure !== null && (
        <p class="notice notice-warning" role="status">
          {text.failedTry(payment.failure[state.lastFailure])}
        </p>
      )}
      <p class="till-state">{text.scan}</p>
      {code && (
        <img
          class="till-code"
          src={`data:image/svg+xml,${encodeURIComponent(code)}`}
          alt={text.code}
          width="272"
          height="272"
        />
      )}
      <div class="buttons till-actions">
        {state.phone !== null && useMayPrompt() && (
          <ButtonLink to={tillPath(environment, `/${sale.uniqueId}/prompt`)}>
            {text.prompt}
          </ButtonLink>
        )}
        <button type="button" hidden data-share={checkoutUrl}>
          {text.share}
        </button>
        <button type="button" hidden data-chime>
          {text.tryChime}
        </button>
      </div>
      {checkoutUrl && <CopyText id="checkout-url" label={text.address} value={checkoutUrl} />}
    </>
  );
}

function useMayPrompt(): boolean {
  return mayChange(useCall(), 'sell');
}

function InFlight({ state }: { readonly state: PushState | RedirectState }) {
  const text = useTexts(DASHBOARD_TEXTS).till;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const method = methodName[state.method];
  const phone = state.kind === 'push' ? state.phone : null;
  const page = state.kind === 'push' ? state.simulatorUrl : null;
  return (
    <>
      <p class="till-state till-busy" role="status">
        {phone === null ? text.paying(method) : text.prompted(method, phone)}
      </p>
      {state.isUnresolved && <p class="notice notice-warning">{text.unresolved(method)}</p>}
      {page !== null && (
        <div class="buttons">
          <ButtonLink to={page}>{text.simulatedPhone}</ButtonLink>
        </div>
      )}
    </>
  );
}

function Paid({ sale, state }: SaleProps & { readonly state: PaidState }) {
  const text = useTexts(DASHBOARD_TEXTS).till;
  const money = useMoney('ETB');
  const { paidMinor, netMinor, hasPaidTwice } = state.receipt;
  return (
    <>
      <PaidSign sale={sale} />
      {hasPaidTwice && <p class="notice notice-warning">{text.paidTwice}</p>}
      {netMinor < paidMinor && (
        <p class="notice notice-warning">{text.returnedOf(money(paidMinor - netMinor))}</p>
      )}
    </>
  );
}

/** How the customer has paid; nothing before. */
function paidFacts(state: CheckoutState): readonly FactRow[] {
  const text = useTexts(DASHBOARD_TEXTS).till;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const payments = state.kind === 'paid' ? state.receipt.payments : [];
  return payments.flatMap(({ method, phone, paidAtMs, receipt }) => [
    [text.paidAt, <When atMs={paidAtMs} />] as const,
    [text.method, methodName[method]] as const,
    untrustedRow(text.phone, phone),
    untrustedRow(text.receipt, receipt),
  ]);
}

function factsOf(sale: Sale): readonly FactRow[] {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).till;
  return [
    untrustedRow(text.noteTitle, sale.note),
    may(call, 'view') ? untrustedRow(text.till, sale.tillName) : null,
    [text.begun, <When atMs={sale.createdAtMs} />],
    sale.checkoutUrl === null ? null : [text.validUntil, <When atMs={sale.expiresAtMs} />],
    untrustedRow(text.id, sale.uniqueId),
  ];
}

/** What else this member may do: cancel, look at the payment, return the money. */
function SaleActions({ sale }: SaleProps) {
  const call = useCall();
  const { till: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const { uniqueId, view, receiptUrl } = sale;
  const links: ComponentChildren[] = [
    receiptUrl && <ButtonLink to={receiptUrl}>{text.receiptLink}</ButtonLink>,
    may(call, 'view') && (
      <ButtonLink to={paymentPath(call.environment, uniqueId)}>{text.payment}</ButtonLink>
    ),
    view.state.kind === 'paid' && mayChange(call, 'refunds') && (
      <ButtonLink to={refundPath(call, uniqueId)}>{refunds.refund}</ButtonLink>
    ),
  ];
  return (
    <>
      {links}
      {view.state.kind === 'choose' && mayChange(call, 'sell') && (
        <ButtonForm
          action={tillPath(call.environment, `/${uniqueId}/cancel`)}
          label={text.cancel}
          tone="bad"
          confirm={text.cancelQuestion}
        />
      )}
    </>
  );
}

/** The form that sends a prompt to the customer's phone. */
export function PromptPage(
  props: SaleProps & {
    readonly state: ChooseState;
    readonly typed: { readonly method: string; readonly phone: string };
  },
) {
  const { sale, state, typed } = props;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).till;
  const { methodName, phoneLabel } = useTexts(CHECKOUT_TEXTS);
  const path = tillPath(environment, `/${sale.uniqueId}`);
  const methods = state.methods.filter(({ off, phoneStarts }) => off === null && phoneStarts);
  const selected = typed.method || (methods.length === 1 ? methods[0]?.method : state.selected);
  return (
    <Frame title={text.prompt} active="till" head={{ back: { to: path, text: text.back } }}>
      <section class="card till" data-till={path} data-tag={sale.view.tag}>
        <p class="till-amount">{useMoney('ETB')(sale.amountMinor)}</p>
        <PostForm
          action={`${path}/prompt`}
          class="stack"
          fields={{ attempts: String(state.attemptsMade) }}
          once
          novalidate
        >
          <TextField
            id="phone"
            label={phoneLabel}
            inputmode="tel"
            value={typed.phone || (state.phone?.value ?? '')}
          />
          <fieldset>
            <legend>{text.method}</legend>
            {methods.map(({ method, isDown }) => (
              <Choice type="radio" name="method" value={method} checked={method === selected}>
                {isDown ? text.notWorking(methodName[method]) : methodName[method]}
              </Choice>
            ))}
          </fieldset>
          <Submit label={text.send} />
          <Connection />
        </PostForm>
      </section>
    </Frame>
  );
}
