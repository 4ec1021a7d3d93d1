import { timeText } from '../../i18n/time-text.ts';
import type { PushState, RedirectState } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { Countdown } from './countdown.tsx';
import { Headline, References } from './elements.tsx';
import { Frame } from './frame.tsx';
import type { PageProps } from './props.ts';

/** How often a waiting page reloads when no script can poll. */
const PUSH_REFRESH_SECONDS = 5;
const CONNECTING_REFRESH_SECONDS = 2;
/** Slower: the customer is on the provider's page and may have this one in another tab. */
const REDIRECT_REFRESH_SECONDS = 15;

/** The customer is, or should be, on the provider's page. */
export function RedirectPage(props: PageProps & { readonly state: RedirectState }) {
  const { text, state, path } = props;
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.redirectTitle(method);
  const isConnecting = state.redirectUrl === null && !state.isUnresolved;
  const afterSeconds = isConnecting ? CONNECTING_REFRESH_SECONDS : REDIRECT_REFRESH_SECONDS;
  return (
    <Frame
      {...props}
      title={title}
      isPayable
      leaving={state.canAbandon && !state.isUnresolved ? 'ends_payment' : 'leaves_it'}
      follow="fast"
      refresh={{ afterSeconds, url: null }}
    >
      <Headline tone="wait">{title}</Headline>
      <p>{redirectLead(props, method)}</p>
      {state.redirectUrl !== null && !state.isUnresolved && (
        <p>
          <a class="button" href={state.redirectUrl}>
            {text.continueTo(method)}
          </a>
        </p>
      )}
      {isConnecting && <Waiting text={text} />}
      <TimeLeft {...props} />
      {(isConnecting || state.isUnresolved) && <CheckNow text={text} path={path} />}
      {state.canAbandon && (
        <form class="stack-tight center" method="post" action={`${path}/abandon`} data-once>
          <input type="hidden" name="attempt" value={state.attemptId} />
          <button
            class="button button-second"
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

function redirectLead(props: { text: PageProps['text']; state: RedirectState }, method: string) {
  if (props.state.isUnresolved) {
    return props.text.unresolvedLead(method);
  }
  return props.state.redirectUrl === null
    ? props.text.redirectWait(method)
    : props.text.redirectLead(method);
}

/** The customer confirms on the phone; this page waits for the provider's result. */
export function PushPage(props: PageProps & { readonly state: PushState }) {
  const { text, state, path } = props;
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.pushTitle;
  const refresh = { afterSeconds: PUSH_REFRESH_SECONDS, url: null };
  return (
    <Frame {...props} title={title} isPayable leaving="leaves_it" follow="fast" refresh={refresh}>
      <Headline tone="wait">{title}</Headline>
      {state.isUnresolved ? <p>{text.unresolvedLead(method)}</p> : <Prompt {...props} />}
      <Waiting text={text} />
      <TimeLeft {...props} />
      {state.simulatorUrl !== null && (
        <p>
          <a class="button" href={state.simulatorUrl}>
            {text.pushSimulator}
          </a>
        </p>
      )}
      <CheckNow text={text} path={path} />
      {state.phone !== null && !state.isUnresolved && (
        <details class="breakdown">
          <summary>
            <h2>{text.pushNothingTitle}</h2>
          </summary>
          <p>{text.pushNothing}</p>
        </details>
      )}
      {state.mayRetry && (
        <p class="quiet small">
          {text.anotherTry(method)} {!state.isUnresolved && text.pushCancel}
        </p>
      )}
      <Facts {...props} />
    </Frame>
  );
}

function Facts({ text, view: { summary } }: PageProps) {
  return (
    <>
      <dl class="receipt small">
        <References text={text} summary={summary} />
      </dl>
      <Breakdown text={text} summary={summary} isFolded />
    </>
  );
}

function Prompt({ text, state }: PageProps & { readonly state: PushState }) {
  const method = text.methodName[state.method];
  if (state.phone === null) {
    return <p>{text.pushLeadNoPhone(method)}</p>;
  }
  return (
    <>
      <p>{text.pushLead(method, state.phone)}</p>
      <ol class="steps">
        {text.pushSteps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </>
  );
}

/** A link to check now, for browsers without scripts and automatic reloads. */
function CheckNow({ text, path }: Pick<PageProps, 'text' | 'path'>) {
  return (
    <p>
      <a class="button button-second" href={path}>
        {text.checkNow}
      </a>
    </p>
  );
}

function Waiting({ text }: Pick<PageProps, 'text'>) {
  return (
    <p class="waiting">
      <span class="pulse" aria-hidden="true" /> {text.waiting}
    </p>
  );
}

/** The time left to confirm, and until when a confirmation may be reported after that. */
function TimeLeft(props: PageProps & { readonly state: PushState | RedirectState }) {
  const { text, view, state } = props;
  const { reportedUntilMs } = state;
  return (
    <>
      {view.remainingMs !== null && (
        <Countdown text={text} remainingMs={view.remainingMs} words={text.timeLeftToConfirm}>
          {text.payBefore(timeText(state.dueAtMs, text))}
        </Countdown>
      )}
      {reportedUntilMs !== null && (
        <p class="quiet small">
          {text.reportedUntil(text.methodName[state.method], timeText(reportedUntilMs, text))}
        </p>
      )}
    </>
  );
}
