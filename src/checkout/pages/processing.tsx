import { Document } from '../../pages/document.tsx';
import { Headline } from '../../pages/elements.tsx';
import type { PushState, RedirectState } from '../view.ts';
import { Breakdown, GiveUpForm, MerchantLink, type PageProps, Payee } from './parts.tsx';

/** How often a page that waits fetches itself. */
const PUSH_REFRESH_SECONDS = 4;
const CONNECTING_REFRESH_SECONDS = 2;
/** The customer is on the rail's page, but may have this one open beside it. */
const REDIRECT_REFRESH_SECONDS = 15;

/** The customer is, or should be, on the rail's page. */
export function RedirectPage(props: PageProps & { readonly state: RedirectState }) {
  const { text, summary, state, path } = props;
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.redirectTitle(method);
  const isConnecting = state.redirectUrl === null && !state.isUnresolved;
  const afterSeconds = isConnecting ? CONNECTING_REFRESH_SECONDS : REDIRECT_REFRESH_SECONDS;
  return (
    <Document
      text={text}
      title={title}
      isTest={summary.isTest}
      refresh={{ afterSeconds, url: null }}
    >
      <Payee text={text} summary={summary} />
      <Headline tone="wait">{title}</Headline>
      <p>{redirectLead(props, method)}</p>
      {state.redirectUrl !== null && !state.isUnresolved && (
        <p>
          <a class="button" href={state.redirectUrl}>
            {text.continueTo(method)}
          </a>
        </p>
      )}
      {state.canAbandon && (
        <form class="abandon" method="post" action={`${path}/abandon`}>
          <input type="hidden" name="attempt" value={state.attemptId} />
          <button class="button button-second" type="submit" aria-describedby="abandon-note">
            {text.anotherMethod}
          </button>
          <p class="quiet small" id="abandon-note">
            {text.abandonWarning}
          </p>
        </form>
      )}
      <Breakdown text={text} summary={summary} />
      {state.canAbandon ? (
        <GiveUpForm text={text} summary={summary} path={path} />
      ) : (
        <MerchantLink text={text} summary={summary} isPrimary={false} />
      )}
    </Document>
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

/** The customer confirms on the phone; this page waits for the word of the rail. */
export function PushPage(props: PageProps & { readonly state: PushState }) {
  const { text, summary, state, path } = props;
  const method = text.methodName[state.method];
  const title = state.isUnresolved ? text.unresolvedTitle : text.pushTitle;
  const refresh = { afterSeconds: PUSH_REFRESH_SECONDS, url: null };
  return (
    <Document text={text} title={title} isTest={summary.isTest} refresh={refresh}>
      <Payee text={text} summary={summary} />
      <Headline tone="wait">{title}</Headline>
      {state.isUnresolved ? (
        <p>{text.unresolvedLead(method)}</p>
      ) : (
        <>
          <p>
            {state.phone === null
              ? text.pushLeadNoPhone(method)
              : text.pushLead(method, state.phone)}
          </p>
          {state.phone !== null && (
            <ol class="steps">
              {text.pushSteps.map((step) => (
                <li>{step}</li>
              ))}
            </ol>
          )}
        </>
      )}
      <p class="waiting" role="status">
        <span class="pulse" aria-hidden="true" /> {text.waiting}
      </p>
      <p>
        <a class="button button-second" href={path}>
          {text.checkNow}
        </a>
      </p>
      <Breakdown text={text} summary={summary} />
      <MerchantLink text={text} summary={summary} isPrimary={false} />
    </Document>
  );
}
