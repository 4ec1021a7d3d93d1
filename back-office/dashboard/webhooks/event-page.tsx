import { countText } from '../../../src/i18n/money-text.ts';
import { type DeliveryTry, RESENDABLE_DELIVERIES } from '../../../src/intent/protocol.ts';
import type { DeliveryDetails, EventDetails } from '../../../src/interface/events.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
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
import { type DashboardCall, may, tenantOf } from '../call.ts';
import { PostForm } from '../forms.tsx';
import { noticePage } from '../notices.tsx';
import { endpointPath, eventPath, listIn, paymentPath, webhooksPath, withList } from '../paths.ts';
import { Outcome, shownAddress, WebhooksFrame } from './elements.tsx';
import { eventNameIn, eventState, isOnItsWay, resendEvent } from './event.ts';

/** GET …/webhooks/events/:uniqueId/:sequence: the event as its payment's object has it. */
export async function showEvent(call: DashboardCall): Promise<Response> {
  const named = eventNameIn(call);
  // The body holds the customer's data, so only developers see it.
  const wantsBody = may(call, 'develop');
  const details = named && (await call.payments.events.read(tenantOf(call), named, wantsBody));
  return details === null
    ? noticePage(call, 'not_found')
    : answerPage(call, <EventPage call={call} details={details} />);
}

/** POST …/webhooks/events/:uniqueId/:sequence/resend */
export async function resendFromEvent(call: DashboardCall): Promise<Response> {
  const resent = await resendEvent(call);
  return resent === null
    ? noticePage(call, 'not_found')
    : redirectTo(withList(resent.path, listIn(call.url)), { done: resent.outcome });
}

interface Props {
  readonly call: DashboardCall;
  readonly details: EventDetails;
}

function EventPage({ call, details }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { resent, late } = text.done;
  const mayDevelop = may(call, 'develop');
  return (
    <WebhooksFrame call={call} title={text.eventTitle(wireType(details.type))} active="events">
      {call.request.method === 'GET' && details.deliveries.some(isOnItsWay(call.nowMs)) && (
        <div hidden data-live={details.deliveries.map(eventState).join()} />
      )}
      <DoneMessage call={call} texts={{ resent }} />
      <DoneMessage call={call} texts={{ late }} tone="bad" />
      <section class="card">
        <EventFacts call={call} details={details} />
      </section>
      {details.deliveries.map((delivery) => (
        <Delivery call={call} details={details} delivery={delivery} />
      ))}
      {mayDevelop && (
        <section class="card">
          <h2>{text.requestTitle}</h2>
          {details.requestBody === null ? (
            <p>{text.bodyLater}</p>
          ) : (
            <RequestSent call={call} details={details} body={details.requestBody} />
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
  readonly details: EventDetails;
  readonly body: string;
}) {
  const { call, details, body } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  const sent = details.deliveries.flatMap(({ tries }) => tries.filter(wasSent));
  const last = sent.toSorted((one, other) => one.atMs - other.atMs).at(-1);
  const headers = {
    ...details.fixedHeaders,
    'webhook-id': details.eventId,
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
  const text = DASHBOARD_TEXTS[call.language].events;
  const { uniqueId, eventId, sequence, createdAtMs } = details;
  return (
    <Facts
      rows={[
        [
          text.payment,
          <a href={paymentPath(call.environment, uniqueId)}>
            <Untrusted text={uniqueId} />
          </a>,
        ],
        [text.created, <WhenExactly call={call} atMs={createdAtMs} />],
        copyRow(call, 'webhook-id', text.webhookId, eventId),
        [text.sequence, String(sequence)],
      ]}
    />
  );
}

interface DeliveryProps extends Props {
  readonly delivery: DeliveryDetails;
}

/** The delivery to one address, with its tries. */
function Delivery({ call, details, delivery }: DeliveryProps) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const { deliveryStatus, dueAtMs, tries, position } = delivery;
  return (
    <section class="stack" id={`delivery-${position}`}>
      <div class="card">
        <Facts
          rows={[
            [text.destination, <Destination call={call} delivery={delivery} />],
            [
              text.status,
              <div class="stack">
                <DeliveryBadge call={call} status={deliveryStatus} />
                <span>{text.meaning[deliveryStatus]}</span>
              </div>,
            ],
            [
              text.next,
              deliveryStatus === 'waiting' && dueAtMs !== null ? (
                <WhenExactly call={call} atMs={dueAtMs} />
              ) : (
                <span class="quiet">{frame.none}</span>
              ),
            ],
          ]}
        />
        {may(call, 'develop') && <Resend call={call} details={details} delivery={delivery} />}
      </div>
      <h2>{text.allTries}</h2>
      <Tries call={call} tries={tries} />
    </section>
  );
}

/** A link to the endpoint while it exists. */
function Destination({ call, delivery }: Pick<DeliveryProps, 'call' | 'delivery'>) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { destination, endpointId, hasEndpoint } = delivery;
  if (destination === null) {
    return <span>{text.nowhere}</span>;
  }
  const address = <span>{shownAddress(call, destination)}</span>;
  if (endpointId === null) {
    return (
      <span>
        {address} <span class="quiet">({text.byRequest})</span>
      </span>
    );
  }
  return hasEndpoint ? (
    <a href={endpointPath(call.environment, endpointId)}>{address}</a>
  ) : (
    <span>
      {address} <code>{endpointId}</code>
    </span>
  );
}

function Resend({ call, details, delivery }: DeliveryProps) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { uniqueId, sequence } = details;
  const { deliveryStatus, position } = delivery;
  if (!RESENDABLE_DELIVERIES.includes(deliveryStatus)) {
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
      fields={{ position: String(position) }}
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
