import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DeliveryTry } from '../../intent/protocol.ts';
import { isAllowed } from '../../members/permissions.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { CopyText, Facts, Message, Untrusted, WhenExactly } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { eventPath, paymentPath, webhooksPath } from '../paths.ts';
import { DeliveryBadge, Outcome, wireType } from './delivery-text.tsx';
import { type EventDetails, RESENDABLE, readEvent } from './event.ts';
import { Parts } from './parts.tsx';
import { sendAgain } from './send-again.ts';

/** GET /dashboard/:environment/webhooks/events/:uniqueId/:sequence: as the payment's object has it. */
export async function showEvent(call: DashboardCall): Promise<Response> {
  const details = await readEvent(call);
  if (details === null) {
    return noticePage(call, 'not_found');
  }
  // It tells of a customer: for those who build the receiver.
  const body = isAllowed(call.session.role, 'develop')
    ? await details.client.eventRequestBody(details.event.sequence)
    : null;
  return answerPage(call, <EventPage call={call} details={details} body={body} />);
}

/** POST …/webhooks/events/:uniqueId/:sequence/resend */
export async function resendOne(call: DashboardCall): Promise<Response> {
  const sent = await sendAgain(call);
  return sent === null
    ? noticePage(call, 'not_found')
    : redirectTo(call, sent.path, { done: sent.outcome });
}

interface Props {
  readonly call: DashboardCall;
  readonly details: EventDetails;
}

function EventPage({ call, details, body }: Props & { readonly body: string | null }) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { event } = details;
  const done = call.url.searchParams.get('done');
  const mayDevelop = isAllowed(call.session.role, 'develop');
  return (
    <Frame call={call} title={text.eventTitle(wireType(event.type))} active="webhooks">
      <Parts call={call} active="events" />
      {done === 'resent' && <Message tone="good">{text.done.resent}</Message>}
      {(done === 'late' || done === 'paused') && <Message tone="bad">{text.done[done]}</Message>}
      <section class="card">
        <EventFacts call={call} details={details} />
        {mayDevelop && <SendAgain call={call} details={details} />}
      </section>
      <section class="stack">
        <h2>{text.allTries}</h2>
        <Tries call={call} tries={event.tries} />
      </section>
      {mayDevelop && (
        <section class="card">
          <h2>{text.bodyTitle}</h2>
          {body === null ? (
            <p>{text.bodyLater}</p>
          ) : (
            <>
              <p class="hint">{text.bodyHint}</p>
              <CopyText call={call} id="body" label={text.body} value={body} isLong={true} />
            </>
          )}
        </section>
      )}
      <p>
        <a href={webhooksPath(call.environment, '/events')}>{text.backToEvents}</a>
      </p>
    </Frame>
  );
}

function EventFacts({ call, details }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { event, uniqueId } = details;
  return (
    <Facts
      rows={[
        [
          text.payment,
          <a href={paymentPath(call.environment, uniqueId)}>
            <Untrusted text={uniqueId} />
          </a>,
        ],
        [
          text.status,
          <div class="stack">
            <DeliveryBadge call={call} status={event.deliveryStatus} />
            <span>{text.meaning[event.deliveryStatus]}</span>
          </div>,
        ],
        [text.destination, <Destination call={call} details={details} />],
        [text.created, <WhenExactly call={call} atMs={event.createdAtMs} />],
        [
          text.next,
          event.deliveryStatus === 'waiting' && event.dueAtMs !== null ? (
            <WhenExactly call={call} atMs={event.dueAtMs} />
          ) : (
            <span class="quiet">{DASHBOARD_TEXTS[call.language].frame.none}</span>
          ),
        ],
        [text.webhookId, <code>{event.eventId}</code>],
        [text.sequence, String(event.sequence)],
      ]}
    />
  );
}

/** Whole for those who build the receiver; path and query may hold a secret of the merchant's. */
function Destination({ call, details }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { destination, isDefault } = details;
  if (destination === null) {
    return <span>{text.nowhere}</span>;
  }
  const isWhole = isAllowed(call.session.role, 'develop');
  const shown = isWhole ? destination : (URL.parse(destination)?.origin ?? '');
  return (
    <span>
      {shown}
      {isDefault && <span class="quiet"> ({text.byDefault})</span>}
    </span>
  );
}

function SendAgain({ call, details }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { event, paused, uniqueId } = details;
  const { deliveryStatus, sequence } = event;
  if (!RESENDABLE.includes(deliveryStatus)) {
    const isMoot = deliveryStatus === 'superseded';
    return <p class="quiet">{isMoot ? text.notSuperseded : text.notNow}</p>;
  }
  const label = deliveryStatus === 'waiting' ? text.sendNow : text.sendAgain;
  return (
    <form
      class="stack"
      method="post"
      action={eventPath(call.environment, { uniqueId, sequence }, '/resend')}
    >
      <CsrfField session={call.session} />
      {paused !== null && (
        <>
          <input type="hidden" name="resume" value="1" />
          <p>{text.endpointPaused(paused.origin)}</p>
        </>
      )}
      <p class="hint">{text.againHint[deliveryStatus === 'delivered' ? 'delivered' : 'other']}</p>
      <div class="buttons">
        <button class="primary" type="submit">
          {paused === null ? label : text.resumeAndSend}
        </button>
      </div>
    </form>
  );
}

/** Newest first: what happened last is what one comes for. */
function Tries(props: { readonly call: DashboardCall; readonly tries: readonly DeliveryTry[] }) {
  const { call, tries } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  const { locale } = DASHBOARD_TEXTS[call.language].frame;
  if (tries.length === 0) {
    return <p class="empty">{text.noTries}</p>;
  }
  return (
    <ol class="tries" reversed>
      {tries.toReversed().map((entry) => (
        <li class="card">
          <h3>
            <WhenExactly call={call} atMs={entry.atMs} />
          </h3>
          <Facts
            rows={[
              [text.result, <Outcome httpStatus={entry.httpStatus} error={entry.error} />],
              [text.duration, text.milliseconds(countText(entry.durationMs, locale))],
            ]}
          />
          {entry.answerExcerpt !== '' && (
            <div class="stack">
              <h4>{text.answer}</h4>
              <pre dir="auto">{shownLines(entry.answerExcerpt)}</pre>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
