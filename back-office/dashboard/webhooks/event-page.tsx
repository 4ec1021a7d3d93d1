import type { DeliveryDetails, EventDetails } from '../../../src/control/rpc/events.ts';
import { type DeliveryTry, RESENDABLE_DELIVERIES } from '../../../src/engine/intent/protocol.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { CopyText, copyFact, Facts, Untrusted, WhenExactly } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { type DashboardCall, may, tenantOf, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { PostForm, Submit } from '../forms.tsx';
import { showPage } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { endpointPath, eventPath, listIn, paymentPath, webhooksPath, withList } from '../paths.ts';
import { Outcome, shownAddress } from './elements.tsx';
import { eventNameIn, eventState, isOnItsWay, resendEvent } from './event.ts';

/** GET …/webhooks/events/:uniqueId/:sequence: the event as its payment's object has it. */
export async function showEvent(call: DashboardCall): Promise<Response> {
  const named = eventNameIn(call);
  // The body holds the customer's data, so only developers see it.
  const wantsBody = may(call, 'develop');
  const details = named && (await call.payments.events.read(tenantOf(call), named, wantsBody));
  return details === null
    ? noticePage(call, 'not_found')
    : showPage(call, <EventPage details={details} />);
}

/** POST …/webhooks/events/:uniqueId/:sequence/resend */
export async function resendFromEvent(call: DashboardCall): Promise<Response> {
  const resent = await resendEvent(call);
  return resent === null
    ? noticePage(call, 'not_found')
    : redirectTo(withList(resent.path, listIn(call.url)), { done: resent.outcome });
}

interface Props {
  readonly details: EventDetails;
}

function EventPage({ details }: Props) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  const { resent, late } = text.done;
  const mayDevelop = may(call, 'develop');
  return (
    <DeveloperFrame
      title={text.eventTitle(wireType(details.type))}
      part="events"
      done={{ resent }}
      notDone={{ late }}
    >
      {call.request.method === 'GET' && details.deliveries.some(isOnItsWay(call.nowMs)) && (
        <div hidden data-live={details.deliveries.map(eventState).join()} />
      )}
      <section class="card">
        <EventFacts details={details} />
      </section>
      {details.deliveries.map((delivery) => (
        <Delivery details={details} delivery={delivery} />
      ))}
      {mayDevelop && (
        <section class="card">
          <h2>{text.requestTitle}</h2>
          {details.requestBody === null ? (
            <p>{text.bodyLater}</p>
          ) : (
            <RequestSent details={details} body={details.requestBody} />
          )}
        </section>
      )}
      <p>
        <a href={webhooksPath(call.environment, `/events?${listIn(call.url)}`)}>
          {text.backToEvents}
        </a>
      </p>
    </DeveloperFrame>
  );
}

/** The request as a developer debugs it: its headers, the payment in it, and the exact bytes. */
function RequestSent(props: { readonly details: EventDetails; readonly body: string }) {
  const { details, body } = props;
  const text = useTexts(DASHBOARD_TEXTS).events;
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
        <CopyText id="body" label={text.body} value={body} isLong={true} />
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

function EventFacts({ details }: Props) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
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
        [text.created, <WhenExactly atMs={createdAtMs} />],
        copyFact('webhook-id', text.webhookId, eventId),
        [text.sequence, String(sequence)],
      ]}
    />
  );
}

interface DeliveryProps extends Props {
  readonly delivery: DeliveryDetails;
}

/** The delivery to one address, with its tries. */
function Delivery({ details, delivery }: DeliveryProps) {
  const call = useCall();
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  const { deliveryStatus, dueAtMs, tries, position } = delivery;
  return (
    <section class="stack" id={`delivery-${position}`}>
      <div class="card">
        <Facts
          rows={[
            [text.destination, <Destination delivery={delivery} />],
            [
              text.status,
              <div class="stack">
                <DeliveryBadge status={deliveryStatus} />
                <span>{text.meaning[deliveryStatus]}</span>
              </div>,
            ],
            [
              text.next,
              deliveryStatus === 'waiting' && dueAtMs !== null ? (
                <WhenExactly atMs={dueAtMs} />
              ) : (
                <span class="quiet">{frame.none}</span>
              ),
            ],
          ]}
        />
        {may(call, 'develop') && <Resend details={details} delivery={delivery} />}
      </div>
      <h2>{text.allTries}</h2>
      <Tries tries={tries} />
    </section>
  );
}

/** A link to the endpoint while it exists. */
function Destination({ delivery }: Pick<DeliveryProps, 'delivery'>) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  const { destination, endpointId, hasEndpoint } = delivery;
  if (destination === null) {
    return <span>{text.nowhere}</span>;
  }
  const address = <span>{shownAddress(destination)}</span>;
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

function Resend({ details, delivery }: DeliveryProps) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  const { uniqueId, sequence } = details;
  const { deliveryStatus, position } = delivery;
  if (!RESENDABLE_DELIVERIES.includes(deliveryStatus)) {
    const isMoot = deliveryStatus === 'superseded';
    return <p class="quiet">{isMoot ? text.notSuperseded : text.notNow}</p>;
  }
  return (
    <PostForm
      class="stack"
      action={withList(
        eventPath(call.environment, { uniqueId, sequence }, '/resend'),
        listIn(call.url),
      )}
      fields={{ position: String(position) }}
    >
      <p class="hint">{text.againHint[deliveryStatus === 'delivered' ? 'delivered' : 'other']}</p>
      <Submit label={text.sendAgain} />
    </PostForm>
  );
}

/** Newest first: the last try matters most. */
function Tries(props: { readonly tries: readonly DeliveryTry[] }) {
  const { tries } = props;
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  if (tries.length === 0) {
    return <p class="empty">{text.noTries}</p>;
  }
  return (
    <ol class="tries" reversed>
      {tries.toReversed().map((entry) => (
        <li class="card">
          <h3>
            <WhenExactly atMs={entry.atMs} />
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
