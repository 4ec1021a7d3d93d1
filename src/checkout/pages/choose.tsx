import { moneyText } from '../../i18n/money-text.ts';
import { timeText } from '../../i18n/time-text.ts';
import type { ChooseState, MethodChoice, PhoneField } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { ContinueOnPhone } from './continue-on-phone.tsx';
import { Countdown } from './countdown.tsx';
import { Headline } from './elements.tsx';
import { Frame } from './frame.tsx';
import { MethodMark } from './method-mark.tsx';
import type { PageProps } from './props.ts';

type ChooseProps = PageProps & { readonly state: ChooseState };

/** A page with more time left than this relies on the script to show the expiry. */
const REFRESH_SECONDS_MAX = 3_600;

/** The page to choose a method and enter a phone number, also for another attempt. */
export function ChoosePage(props: ChooseProps) {
  const { text, view, state, path } = props;
  if (state.methods.length === 0) {
    return <NoTimeLeftPage {...props} />;
  }
  const { summary } = view;
  const { totals, currency } = summary;
  const amount = moneyText(totals.totalMinor ?? totals.subtotalMinor, currency, text.locale);
  const title = text.choosePageTitle(amount, summary.merchantName);
  const remainingMs = view.remainingMs ?? 0;
  const noticed = noticedIn(props);
  return (
    <Frame
      {...props}
      title={noticed === null ? title : `${noticed} · ${title}`}
      isPayable
      isWide
      leaving="ends_payment"
      follow="slow"
      refresh={refreshAtTheEnd(remainingMs, path)}
      aside={
        <>
          <Countdown text={text} remainingMs={remainingMs} words={text.timeLeftToPay}>
            {text.payBefore(timeText(state.dueAtMs, text))}
          </Countdown>
          <Breakdown text={text} summary={summary} isFolded />
          <ContinueOnPhone text={text} path={path} />
        </>
      }
    >
      <Notices {...props} />
      <form class="choose" method="post" action={`${path}/attempts`} data-once data-totals>
        <input type="hidden" name="attempts" value={String(state.attemptsMade)} />
        <fieldset class="methods">
          <legend>
            <h1>{text.chooseMethod}</h1>
          </legend>
          {state.methods.map((choice) => (
            <MethodOption {...props} choice={choice} />
          ))}
          {state.phone !== null && <Phone {...props} phone={state.phone} />}
        </fieldset>
        <TooLate {...props} />
        <div class="pay-bar">
          <button
            class="button"
            type="submit"
            data-busy={text.working}
            data-by-method={totals.totalMinor === null ? text.payAmount('{charged}') : undefined}
          >
            {totals.totalMinor === null ? text.pay : text.payAmount(amount)}
          </button>
        </div>
      </form>
    </Frame>
  );
}

/**
 * Shows the expired page automatically, even without the script; not for payments open for days.
 */
function refreshAtTheEnd(remainingMs: number, path: string) {
  const afterSeconds = Math.ceil(remainingMs / 1_000) + 1;
  // With its URL, because this document may be the response to a form.
  return afterSeconds > REFRESH_SECONDS_MAX ? null : { afterSeconds, url: path };
}

/** The start of the page's title, which a screen reader reads first. */
function noticedIn({ text, state }: ChooseProps): string | null {
  if (state.problem !== null) {
    return text.problemTitle;
  }
  return state.lastFailure !== null || state.mayStillSettle ? text.failureTitle : null;
}

function Notices({ text, state }: ChooseProps) {
  return (
    <>
      {state.problem !== null && (
        <div class="notice notice-bad" role="alert">
          <strong>{text.problemTitle}</strong>
          <p id="problem">{text.problem[state.problem]}</p>
        </div>
      )}
      {state.mayStillSettle && (
        <div class="notice notice-bad" role="alert">
          <strong>{text.failureTitle}</strong>
          <p>{text.failure.abandoned}</p>
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

function MethodOption(props: ChooseProps & { readonly choice: MethodChoice }) {
  const { text, view, state, choice } = props;
  const { totals, currency } = view.summary;
  const money = (amountMinor: number) => moneyText(amountMinor, currency, text.locale);
  const differs = totals.totalMinor === null;
  const fee = choice.commissionMinor > 0 ? money(choice.commissionMinor) : '';
  return (
    <label class={choice.needsPhone ? 'method needs-phone' : 'method'}>
      <input
        type="radio"
        name="method"
        value={choice.method}
        required
        checked={choice.method === state.selected}
        aria-describedby={state.problem === 'method_missing' ? 'problem' : undefined}
        data-charged={differs ? money(choice.chargedMinor) : undefined}
        data-fee={differs ? fee : undefined}
      />
      <MethodMark method={choice.method} />
      <span class="method-text">
        <span class="method-line method-name">
          <span>{text.methodName[choice.method]}</span>
          {fee !== '' && <span class="money">{money(choice.chargedMinor)}</span>}
        </span>
        <span class="method-line method-note">
          <span>{text.methodHint[choice.method]}</span>
          {fee !== '' && <span class="money">{text.feeOf(fee)}</span>}
        </span>
      </span>
    </label>
  );
}

/** The methods that the customer can no longer pay by before the payment expires. */
function TooLate(props: ChooseProps) {
  return props.state.tooLate.length === 0 ? null : <p class="quiet small">{tooLateText(props)}</p>;
}

function tooLateText({ text, state }: ChooseProps): string {
  return text.tooLate(state.tooLate.map((method) => text.methodName[method]).join(', '));
}

/** An open payment that no method can finish before it expires. */
function NoTimeLeftPage(props: ChooseProps) {
  const { text, view, path } = props;
  const title = tooLateText(props);
  const refresh = refreshAtTheEnd(view.remainingMs ?? 0, path);
  return (
    <Frame
      {...props}
      title={title}
      isPayable
      leaving="ends_payment"
      follow="slow"
      refresh={refresh}
    >
      <Notices {...props} />
      <Headline tone="wait">{title}</Headline>
      <p>{text.askForNewPayment(view.summary.merchantName)}</p>
      <Breakdown text={text} summary={view.summary} isFolded />
    </Frame>
  );
}

/**
 * Shown right below the chosen method, by CSS alone. The radios are one tab stop, so the focus
 * order stays the visual order.
 */
function Phone(props: ChooseProps & { readonly phone: PhoneField }) {
  const { text, state, phone } = props;
  const problem = state.problem === 'method_missing' ? null : state.problem;
  const isWrong = problem !== null;
  return (
    <div class={isWrong ? 'field field-wrong' : 'field'}>
      <label for="phone">{text.phoneLabel}</label>
      <p class="quiet small" id="phone-hint">
        {phone.isReadOnly ? text.phoneFixed : text.phoneHint}
      </p>
      {problem !== null && (
        <p class="field-problem" id="phone-problem">
          {text.problem[problem]}
        </p>
      )}
      <input
        id="phone"
        name="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength={40}
        value={phone.value}
        readonly={phone.isReadOnly}
        autofocus={isWrong}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'phone-problem phone-hint' : 'phone-hint'}
      />
    </div>
  );
}
