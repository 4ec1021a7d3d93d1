import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DeliveryTry } from '../../intent/protocol.ts';
import { Facts, Message } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { isAccepted } from '../../webhooks/send.ts';
import type { DashboardCall } from '../call.ts';
import { webhooksPath } from '../paths.ts';
import { AddressForm } from './elements.tsx';
import type { AddressProblem } from './endpoints.ts';

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
  /** The endpoint was paused; its answer has resumed it. */
  readonly hasResumed: boolean;
}

interface Props {
  readonly call: DashboardCall;
  /** The default address. */
  readonly url: string | null;
  readonly state: TestState | undefined;
}

/** The form that sends a test webhook, and the result of the one just sent. */
export function TestSection({ call, url, state }: Props) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card" id="test">
      <h2>{text.testTitle}</h2>
      {state?.isBusy && <Message tone="bad">{text.testBusy}</Message>}
      {state?.result !== undefined && (
        <Result call={call} sentTo={state.typed} result={state.result} />
      )}
      <p class="hint">{text.testHint}</p>
      <AddressForm
        call={call}
        id="test-url"
        action={webhooksPath(call.environment, '/test#test')}
        label={text.testUrl}
        error={state?.problem && text.urlProblem[state.problem]}
        value={state?.typed ?? url ?? ''}
      >
        <button type="submit">{text.testSend}</button>
      </AddressForm>
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
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
  const isGood = isAccepted(log);
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
          log.error === null ? null : [text.testError, <code lang="en">{log.error}</code>],
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
