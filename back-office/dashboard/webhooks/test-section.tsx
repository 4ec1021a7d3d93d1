import type { ComponentChildren } from 'preact';
import type { TestResult, TestState } from '../../../src/control/rpc/webhooks.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryError } from '../../elements/delivery-error.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Facts, Message } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';
import { PostForm, Submit } from '../forms.tsx';
import type { Refusal } from '../frame.tsx';

/** The form that sends a test webhook, and the result of the one just sent. */
export function TestSection(props: {
  /** The path of the form. */
  readonly path: string;
  readonly title: string;
  readonly state: TestState | undefined;
  /** What it does, where it is not a webhook. */
  readonly hint?: string;
  /** Its fields, if any. */
  readonly children?: ComponentChildren;
}) {
  const { path, title, state, children } = props;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const { hint = text.testHint } = props;
  return (
    <section class="card" id="test">
      <h2>{title}</h2>
      {state?.isBusy && <Message tone="bad">{text.testBusy}</Message>}
      {state?.result !== undefined && <Result result={state.result} />}
      <p class="hint">{hint}</p>
      <PostForm class="form" action={`${path}#test`} novalidate={true}>
        {children}
        <Submit label={text.testSend} isPlain />
      </PostForm>
    </section>
  );
}

/** How the page answers the form: too many tests, an address that cannot be called, or the result. */
export function testRefusal({ language }: DashboardCall, test: TestState, field: string | null) {
  const refusal = test.isBusy ? 429 : 400;
  const text = test.problem && DASHBOARD_TEXTS[language].webhooks.urlProblem[test.problem];
  return {
    problems: text ? [[field, text]] : [],
    status: test.result === undefined ? refusal : 200,
  } satisfies Refusal;
}

function Result(props: { readonly result: TestResult }) {
  const { result } = props;
  const { eventId, sentTo, log, isAccepted, hasResumed } = result;
  const { webhooks: text, frame } = useTexts(DASHBOARD_TEXTS);
  return (
    <>
      <Message tone={isAccepted ? 'good' : 'bad'}>
        <p>{isAccepted ? text.testAccepted : text.testRefused}</p>
        {hasResumed && <p>{text.testResumed}</p>}
      </Message>
      <Facts
        rows={[
          [text.sentTo, <span lang="en">{sentTo}</span>],
          [text.webhookId, <code>{eventId}</code>],
          [text.testStatus, log.httpStatus ?? text.testNoAnswer],
          log.error === null ? null : [text.testError, <DeliveryError error={log.error} />],
          [text.testDuration, text.milliseconds(countText(log.durationMs, frame.locale))],
        ]}
      />
      {log.httpStatus !== null && (
        <div class="stack">
          <h3>{text.testAnswer}</h3>
          {log.answerExcerpt === '' ? (
            <p class="quiet">{text.testNoText}</p>
          ) : (
            <pre dir="auto">{shownLines(log.answerExcerpt)}</pre>
          )}
        </div>
      )}
    </>
  );
}
