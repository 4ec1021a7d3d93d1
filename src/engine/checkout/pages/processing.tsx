import { moneyText } from '../../../kit/i18n/money-text.ts';
import { soonText } from '../../../kit/i18n/time-text.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import type { CheckoutView, PushState, RedirectState } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { ClaimLink } from './claim-link.tsx';
import { Countdown } from './countdown.tsx';
import { ButtonLink, Headline, NoMessage, References } from './elements.tsx';
import { Frame } from './frame.tsx';
import type { PageProps } from './props.ts';

/** How often a waiting page reloads when no script can poll. */
const PUSH_REFRESH_SECONDS = 5;
const CONNECTING_REFRESH_SECONDS = 2;
/** Slower: the customer is on the provider's page and may have this one in another tab. */
const REDIRECT_REFRESH_SECONDS = 15;

/** The customer is, or should be, on the provider's page. */
export function RedirectPage(props: PageProps & { readonly state: RedirectState }) {
  const { state, path } = props;
  const text = useText();
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.redirectTitle(method);
  const isConnecting = state.redirectUrl === null && !state.isUnresolved;
  const afterSeconds =
    isConnecting && !state.isInApp ? CONNECTING_REFRESH_SECONDS : REDIRECT_REFRESH_SECONDS;
  return (
    <Frame
      {...props}
      title={title}
      isPayable
      leavingEndsPayment={state.canAbandon && !state.isUnresolved}
      follow="fast"
      refresh={{ afterSeconds, url: null }}
    >
      <Headline tone="wait">{title}</Headline>
      <p>{redirectLead(text, state, method)}</p>
      {state.redirectUrl !== null && !state.isUnresolved && (
        <ButtonLink href={state.redirectUrl}>{text.continueTo(method)}</ButtonLink>
      )}
      {isConnecting && <Waiting />}
      <TimeLeft {...props} />
      {(isConnecting || state.isUnresolved) && <CheckNow path={path} />}
      <ClaimLink path={path} claimed={state.claimed} />
      {state.canAbandon && (
        <form class="stack-tight center" method="post" action={`${path}/abandon`} data-once>
          <input type="hidden" name="attempt" value={state.attemptId} />
          <button
            class="button"
            type="submit"
            aria-describedby="abandon-note"
            data-busy={text.working}
          >
            {text.anotherMethod}
          </button>
          <p class="quiet small" id="abandon-note">
            {text.abandonWarning}
          </p>
        </form>
      )}
      <Facts {...props} />
    </Frame>
  );
}

function redirectLead(text: CheckoutMessages, state: RedirectState, method: string): string {
  if (state.isUnresolved) {
    return text.unresolvedLead(method);
  }
  if (state.isInApp) {
    return text.pushLeadNoPhone(method);
  }
  return state.redirectUrl === null ? text.redirectWait(method) : text.redirectLead(method);
}

/** The customer confirms on the phone; this page waits for the provider's result. */
export function PushPage(props: PageProps & { readonly state: PushState }) {
  const { view, state, path } = props;
  const text = useText();
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.pushTitle;
  const refresh = { afterSeconds: PUSH_REFRESH_SECONDS, url: null };
  return (
    <Frame {...props} title={title} isPayable follow="fast" refresh={refresh}>
      <Headline tone="wait">{title}</Headline>
      {state.isUnresolved ? <p>{text.unresolvedLead(method)}</p> : <Prompt {...props} />}
      <Waiting />
      <TimeLeft {...props} />
      {state.simulatorUrl !== null && (
        <ButtonLink href={state.simulatorUrl}>{text.pushSimulator}</ButtonLink>
      )}
      <CheckNow path={path} />
      <ClaimLink path={path} claimed={state.claimed} />
      {state.phone === null ? (
        state.mayRetry && <p class="quiet small">{text.anotherTry(method)}</p>
      ) : (
        <NoMessage phone={state.phone}>
          {!state.isUnresolved && <p>{text.pushNothing}</p>}
          <p>{rightNumber(text, state, view)}</p>
        </NoMessage>
      )}
      <Facts {...props} />
    </Frame>
  );
}

/** What customers can do whose request went to another person's phone (docs/decisions.md#31). */
function rightNumber(
  text: CheckoutMessages,
  state: PushState,
  { summary: { merchantName }, nowMs }: CheckoutView,
): string {
  if (!state.mayRetry) {
    return text.startAgain(merchantName);
  }
  if (state.isPhoneFixed) {
    return `${text.phoneFixed} ${text.startAgain(merchantName)}`;
  }
  const soonest =
    state.promptEndsAtMs === null ? null : soonText(state.promptEndsAtMs, nowMs, text);
  const another = text.anotherTry(text.methodName[state.method]);
  return soonest === null ? another : `${another} ${text.earliestTry(soonest)}`;
}

function Facts({ view: { summary } }: PageProps) {
  return (
    <>
      <dl class="receipt small">
        <References summary={summary} />
      </dl>
      <Breakdown summary={summary} isFolded />
    </>
  );
}

function Prompt({ view, state }: PageProps & { readonly state: PushState }) {
  const text = useText();
  const { totals, currency } = view.summary;
  const amount = moneyText(totals.totalMinor ?? totals.subtotalMinor, currency, text.locale);
  const method = text.methodName[state.method];
  if (state.phone === null) {
    return <p>{text.pushLeadNoPhone(method)}</p>;
  }
  return (
    <>
      <p>{text.pushLead(method, state.phone)}</p>
      <ol class="steps">
        {text.pushSteps.map((step) => (
          <li>{typeof step === 'string' ? step : step(amount)}</li>
        ))}
      </ol>
    </>
  );
}

/** A link to check now, for browsers without scripts and automatic reloads. */
function CheckNow({ path }: Pick<PageProps, 'path'>) {
  const text = useText();
  return (
    <ButtonLink href={path} look="second">
      {text.checkNow}
    </ButtonLink>
  );
}

function Waiting() {
  const text = useText();
  return (
    <p class="waiting">
      <span class="pulse" aria-hidden="true" /> {text.waiting}
    </p>
  );
}

/** The time left to confirm, and until when a confirmation may be reported after that. */
function TimeLeft(props: PageProps & { readonly state: PushState | RedirectState }) {
  const { view, state } = props;
  const text = useText();
  const { reportedUntilMs } = state;
  return (
    <>
      {view.remainingMs !== null && (
        <Countdown remainingMs={view.remainingMs} words={text.timeLeftToConfirm}>
          {text.payBefore(soonText(state.dueAtMs, view.nowMs, text))}
        </Countdown>
      )}
      {reportedUntilMs !== null && (
        <p class="quiet small">
          {text.reportedUntil(
            text.methodName[state.method],
            soonText(reportedUntilMs, view.nowMs, text),
          )}
        </p>
      )}
    </>
  );
}
