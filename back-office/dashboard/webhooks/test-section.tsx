import type { TestResult, TestState } from '../../../src/control/rpc/webhooks.ts';
import type { EndpointEntry } from '../../../src/engine/webhooks/endpoint-store.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Facts, Message } from '../../ui/elements.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { useCall } from '../call.ts';
import { PostForm, Submit } from '../forms.tsx';
import { webhooksPath } from '../paths.ts';

/** The form that sends a test webhook, and the result of the one just sent. */
export function TestSection(props: {
  readonly endpoints: readonly EndpointEntry[];
  readonly state: TestState | undefined;
}) {
  const { endpoints, state } = props;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const selected = state === undefined ? endpoints[0]?.endpointId : state.endpointId;
  return (
    <section class="card" id="test">
      <h2>{text.testTitle}</h2>
      {state?.isBusy && <Message tone="bad">{text.testBusy}</Message>}
      {state?.result !== undefined && <Result result={state.result} />}
      <p class="hint">{text.testHint}</p>
      <PostForm class="form" action={webhooksPath(environment, '/test#test')} novalidate={true}>
        {endpoints.length > 0 && (
          <SelectField
            id="endpoint"
            label={text.testTo}
            options={endpoints.map(({ endpointId, url }) => [endpointId, url] as const)}
            selected={selected ?? ''}
          />
        )}
        <TextField
          id="test-url"
          type="url"
          name="url"
          label={endpoints.length > 0 ? text.testOther : text.testUrl}
          value={state?.typed ?? ''}
          required={false}
        />
        <Submit label={text.testSend} isPlain />
      </PostForm>
    </section>
  );
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
