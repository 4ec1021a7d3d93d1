import { countText } from '../../../src/i18n/money-text.ts';
import type { TestResult, TestState } from '../../../src/interface/webhooks.ts';
import type { EndpointEntry } from '../../../src/webhooks/endpoint-store.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Facts, Field, Message, SelectField } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';
import { PostForm } from '../forms.tsx';
import { webhooksPath } from '../paths.ts';

interface Props {
  readonly call: DashboardCall;
  readonly endpoints: readonly EndpointEntry[];
  readonly state: TestState | undefined;
}

/** The form that sends a test webhook, and the result of the one just sent. */
export function TestSection({ call, endpoints, state }: Props) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const selected = state === undefined ? endpoints[0]?.endpointId : state.endpointId;
  return (
    <section class="card" id="test">
      <h2>{text.testTitle}</h2>
      {state?.isBusy && <Message tone="bad">{text.testBusy}</Message>}
      {state?.result !== undefined && <Result call={call} result={state.result} />}
      <p class="hint">{text.testHint}</p>
      <PostForm
        call={call}
        class="form"
        action={webhooksPath(call.environment, '/test#test')}
        novalidate={true}
      >
        {endpoints.length > 0 && (
          <SelectField
            id="endpoint"
            label={text.testTo}
            options={endpoints.map(({ endpointId, url }) => [endpointId, url] as const)}
            selected={selected ?? ''}
          />
        )}
        <Field
          id="test-url"
          label={endpoints.length > 0 ? text.testOther : text.testUrl}
          error={state?.problem ? text.urlProblem[state.problem] : null}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              name="url"
              autocomplete="off"
              value={state?.typed ?? ''}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit">{text.testSend}</button>
        </div>
      </PostForm>
    </section>
  );
}

function Result(props: { readonly call: DashboardCall; readonly result: TestResult }) {
  const { call, result } = props;
  const { eventId, sentTo, log, isAccepted, hasResumed } = result;
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
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
