import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DeliveryTry } from '../../intent/protocol.ts';
import { Facts, Field, Message } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { isAccepted } from '../../webhooks/send.ts';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { webhooksPath } from '../paths.ts';
import type { AddressProblem } from './address.ts';

export interface TestState {
  readonly typed: string;
  /** Nothing was sent. */
  readonly problem?: AddressProblem | 'empty';
  readonly isBusy?: boolean;
  readonly result?: TestResult;
}

export interface TestResult {
  readonly eventId: string;
  readonly log: DeliveryTry;
  /** The endpoint was paused and has now gone on. */
  readonly hasResumed: boolean;
}

interface Props {
  readonly call: DashboardCall;
  /** The default address. */
  readonly url: string | null;
  readonly state: TestState | undefined;
}

/** The button that sends a test event, and what became of the one just sent. */
export function TestSection({ call, url, state }: Props) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const error = state?.problem && text.urlProblem[state.problem];
  return (
    <section class="card" id="test">
      <h2>{text.testTitle}</h2>
      {state?.isBusy && <Message tone="bad">{text.testBusy}</Message>}
      {state?.result !== undefined && (
        <Result call={call} sentTo={state.typed} result={state.result} />
      )}
      <p class="hint">{text.testHint}</p>
      <form
        class="form"
        method="post"
        action={webhooksPath(call.environment, '/test#test')}
        novalidate={true}
      >
        <CsrfField session={call.session} />
        <Field id="test-url" label={text.testUrl} error={error}>
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              name="url"
              autocomplete="off"
              value={state?.typed ?? url ?? ''}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit">{text.testSend}</button>
        </div>
      </form>
    </section>
  );
}

function Result(props: {
  readonly call: DashboardCall;
  readonly sentTo: string;
  readonly result: TestResult;
}) {
  const { call, sentTo, result } = props;
  const { eventId, log, hasResumed } = result;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const isGood = isAccepted(log);
  const duration = text.milliseconds(
    countText(log.durationMs, DASHBOARD_TEXTS[call.language].frame.locale),
  );
  return (
    <>
      <Message tone={isGood ? 'good' : 'bad'}>
        <p>{isGood ? text.testAccepted : text.testRefused}</p>
        {hasResumed && <p>{text.testResumed}</p>}
      </Message>
      <Facts
        rows={[
          [text.sentTo, <span lang="en">{sentTo}</span>],
          [text.webhookId, <code>{eventId}</code>],
          [text.testStatus, log.httpStatus ?? text.testNoAnswer],
          ...(log.error === null
            ? []
            : [[text.testError, <code lang="en">{log.error}</code>] as const]),
          [text.testDuration, duration],
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
