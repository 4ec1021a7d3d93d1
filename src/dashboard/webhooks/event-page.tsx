import { DeliveryBadge, wireType } from '../../back-office/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DeliveryTry, EventSummary } from '../../intent/protocol.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import {
  CopyText,
  copyRow,
  DoneMessage,
  Facts,
  Untrusted,
  WhenExactly,
} from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { FIXED_HEADERS } from '../../webhooks/transport.ts';
import { type DashboardCall, may } from '../call.ts';
import { PostForm } from '../forms.tsx';
import { noticePage } from '../notices.tsx';
import { eventPath, listIn, paymentPath, webhooksPath, withList } from '../paths.ts';
import { Outcome, RESENDABLE, WebhooksFrame } from './elements.tsx';
import { shownAddress } from './endpoints.ts';
import { type EventDetails, eventState, isOnItsWay, readEvent, resendEvent } from './event.ts';

/** GET …/webhooks/events/:uniqueId/:sequence: the event as its payment's object has it. */
export async function showEvent(call: DashboardCall): Promise<Response> {
  const details = await readEvent(call);
  if (details === null) {
    return noticePage(call, 'not_found');
  }
  // The body holds the customer's data, so only developers see it.
  const body = may(call, 'develop')
    ? await details.client.eventRequestBody(details.event.sequence)
    : null;
  return answerPage(call, <EventPage call={call} details={details} body={body} />);
}

/** POST …/webhooks/events/:uniqueId/:sequence/resend */
export async function resendFromEvent(call: DashboardCall): Promise<Response> {
  const resent = await resendEvent(call);
  return resent === null
    ? noticePage(call, 'not_found')
    : redirectTo(call, withList(resent.path, listIn(call.url)), { done: resent.outcome });
}

interface Props {
  readonly call: DashboardCall;
  readonly details: EventDetails;
}

function EventPage({ call, details, body }: Props & { readonly body: string | null }) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { event } = details;
  const { resent, late } = text.done;
  const mayDevelop = may(call, 'develop');
  return (
    <WebhooksFrame call={call} title={text.eventTitle(wireType(event.type))} active="events">
      {call.request.method === 'GET' && isOnItsWay(call.nowMs)(event) && (
        <div hidden data-live={eventState(event)} />
      )}
      <DoneMessage call={call} texts={{ resent }} />
      <DoneMessage call={call} texts={{ late }} tone="bad" />
      <section class="card">
        <EventFacts call={call} details={details} />
        {mayDevelop && <Resend call={call} details={details} />}
      </section>
      <section class="stack">
        <h2>{text.allTries}</h2>
        <Tries call={call} tries={event.tries} />
      </section>
      {mayDevelop && (
        <section class="card">
          <h2>{text.requestTitle}</h2>
          {body === null ? (
            <p>{text.bodyLater}</p>
          ) : (
            <RequestSent call={call} event={event} body={body} />
          )}
        </section>
      )}
      <p>
        <a href={webhooksPath(call.environment, `/events?${listIn(call.url)}`)}>
          {text.backToEvents}
        </a>
      </p>
    </WebhooksFrame>
  );
}

/** The request as a developer debugs it: its headers, the payment in it, and the exact bytes. */
function RequestSent(props: {
  readonly call: DashboardCall;
  readonly event: EventSummary;
  readonly body: string;
}) {
  const { call, event, body } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  const last = event.tries.findLast(wasSent);
  const headers = {
    ...FIXED_HEADERS,
    'webhook-id': event.eventId,
    'webhook-timestamp': last === undefined ? '…' : String(timestampSeconds(last)),
    'webhook-signature': 'v1,…',
  };
  return (
    <>
      <div class="stack">
        <h3>{text.headers}</h3>
        <p class="hint">{text.headersHint}</p>
        <pre lang="en">
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      </div>
      <div class="stack">
        <h3>{text.content}</h3>
        <p class="hint">{text.contentHint}</p>
        <pre lang="en" class="json" tabindex={0}>
          {shownLines(prettyContent(body))}
        </pre>
      </div>
      <div class="stack">
        <p class="hint">{text.bodyHint}</p>
        <CopyText call={call} id="body" label={text.body} value={body} isLong={true} />
      </div>
    </>
  );
}

/** Some tries end before anything is sent, such as those without a URL. */
function wasSent({ httpStatus, durationMs }: DeliveryTry): boolean {
  return httpStatus !== null || durationMs > 0;
}

/** The time of a try as its header names it. */
function timestampSeconds({ atMs }: DeliveryTry): number {
  return Math.floor(atMs / 1_000);
}

/** The payment, which the request's `body` holds as text, on lines of its own. */
function prettyContent(requestBody: string): string {
  return JSON.stringify(JSON.parse(JSON.parse(requestBody).body), null, 2);
}

function EventFacts({ call, details }: Props) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const { event, uniqueId, destination, isDefault } = details;
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
        [
          text.destination,
          <span>
            {destination === null ? text.nowhere : shownAddress(call, destination)}
            {destination !== null && isDefault && <span class="quiet"> ({text.byDefault})</span>}
          </span>,
        ],
        [text.created, <WhenExactly call={call} atMs={event.createdAtMs} />],
        [
          text.next,
          event.deliveryStatus === 'waiting' && event.dueAtMs !== null ? (
            <WhenExactly call={call} atMs={event.dueAtMs} />
          ) : (
            <span class="quiet">{frame.none}</span>
          ),
        ],
        copyRow(call, 'webhook-id', text.webhookId, event.eventId),
        [text.sequence, String(event.sequence)],
      ]}
    />
  );
}

function Resend({ call, details }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { event, uniqueId } = details;
  const { deliveryStatus, sequence } = event;
  if (!RESENDABLE.includes(deliveryStatus)) {
    const isMoot = deliveryStatus === 'superseded';
    return <p class="quiet">{isMoot ? text.notSuperseded : text.notNow}</p>;
  }
  return (
    <PostForm
      call={call}
      class="stack"
      action={withList(
        eventPath(call.environment, { uniqueId, sequence }, '/resend'),
        listIn(call.url),
      )}
    >
      <p class="hint">{text.againHint[deliveryStatus === 'delivered' ? 'delivered' : 'other']}</p>
      <div class="buttons">
        <button class="primary" type="submit">
          {text.sendAgain}
        </button>
      </div>
    </PostForm>
  );
}

/** Newest first: the last try matters most. */
function Tries(props: { readonly call: DashboardCall; readonly tries: readonly DeliveryTry[] }) {
  const { call, tries } = props;
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
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
              [text.duration, text.milliseconds(countText(entry.durationMs, frame.locale))],
              wasSent(entry) ? ['webhook-timestamp', String(timestampSeconds(entry))] : null,
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
