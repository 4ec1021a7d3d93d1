import { Document } from '../../pages/document.tsx';
import type { Messages } from '../../pages/messages.ts';
import { moneyText, timeText } from '../../pages/money-text.ts';
import type { ChooseState, MethodChoice, PaymentSummary, PhoneField } from '../view.ts';
import { Breakdown, GiveUpForm, MethodMark, type PageProps, Payee } from './parts.tsx';

/** Choose a method, give the phone where it is needed, pay; also the page of another try. */
export function ChoosePage(props: PageProps & { readonly state: ChooseState }) {
  const { text, summary, state, path } = props;
  const { totals, currency } = summary;
  const amount = moneyText(totals.totalMinor ?? totals.subtotalMinor, currency, text.locale);
  return (
    <Document
      text={text}
      title={text.choosePageTitle(amount, summary.merchantName)}
      isTest={summary.isTest}
    >
      <Payee text={text} summary={summary} />
      <Notices text={text} state={state} />
      <Breakdown text={text} summary={summary} />
      <form class="choose" method="post" action={`${path}/attempts`}>
        <fieldset class="methods">
          <legend>
            <h1>{text.chooseMethod}</h1>
          </legend>
          {state.methods.map((choice) => (
            <MethodOption text={text} summary={summary} state={state} choice={choice} />
          ))}
        </fieldset>
        {state.phone !== null && <Phone text={text} state={state} phone={state.phone} />}
        <button class="button" type="submit">
          {totals.totalMinor === null ? text.pay : text.payAmount(amount)}
        </button>
        <p class="quiet small">{text.payBefore(timeText(state.expiresAtMs, text.locale))}</p>
      </form>
      <GiveUpForm text={text} summary={summary} path={path} />
    </Document>
  );
}

function Notices({ text, state }: { readonly text: Messages; readonly state: ChooseState }) {
  return (
    <>
      {state.problem !== null && (
        <div class="notice notice-bad" role="alert">
          <strong>{text.problemTitle}</strong>
          <p id="problem">{text.problem[state.problem]}</p>
        </div>
      )}
      {state.lastFailure !== null && (
        <div class="notice notice-bad" role="alert">
          <strong>{text.failureTitle}</strong>
          <p>{text.failure[state.lastFailure]}</p>
          {state.isLastAttempt && <p>{text.lastAttempt}</p>}
        </div>
      )}
    </>
  );
}

function MethodOption(props: {
  readonly text: Messages;
  readonly summary: PaymentSummary;
  readonly state: ChooseState;
  readonly choice: MethodChoice;
}) {
  const { text, summary, state, choice } = props;
  const money = (amountMinor: number) => moneyText(amountMinor, summary.currency, text.locale);
  return (
    <label class={choice.needsPhone ? 'method needs-phone' : 'method'}>
      <input
        type="radio"
        name="method"
        value={choice.method}
        required
        checked={choice.method === state.selected}
        aria-describedby={state.problem === 'method_missing' ? 'problem' : undefined}
      />
      <MethodMark method={choice.method} />
      <span class="method-text">
        <span class="method-name">{text.methodName[choice.method]}</span>
        <span class="method-note">{text.methodHint[choice.method]}</span>
        {choice.commissionMinor > 0 && (
          <span class="method-note">
            <b class="money">{money(choice.chargedMinor)}</b>{' '}
            {text.feeIncluded(money(choice.commissionMinor))}
          </span>
        )}
      </span>
    </label>
  );
}

function Phone(props: {
  readonly text: Messages;
  readonly state: ChooseState;
  readonly phone: PhoneField;
}) {
  const { text, phone } = props;
  const isWrong =
    props.state.problem === 'phone_invalid' || props.state.problem === 'phone_missing';
  return (
    <div class={isWrong ? 'field field-wrong' : 'field'}>
      <label for="phone">{text.phoneLabel}</label>
      <p class="quiet small" id="phone-hint">
        {phone.isReadOnly ? text.phoneFixed : text.phoneHint}
      </p>
      <input
        id="phone"
        name="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength={40}
        value={phone.value}
        readonly={phone.isReadOnly}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'problem phone-hint' : 'phone-hint'}
      />
    </div>
  );
}
