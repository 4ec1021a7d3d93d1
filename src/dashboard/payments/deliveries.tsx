import type { Intent } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DeliveryTry, EventSummary } from '../../intent/protocol.ts';
import { isAllowed } from '../../members/permissions.ts';
import { Facts, Table } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { EVENT_WORDS } from '../../webhooks/payload.ts';
import type { DashboardCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { DeliveryBadge } from '../webhooks/delivery-text.tsx';
import { RESENDABLE } from '../webhooks/event.ts';
import { Untrusted, WhenExactly } from './elements.tsx';
import { paymentPath } from './paths.ts';

interface EventProps {
  readonly call: DashboardCall;
  readonly intent: Intent;
  readonly event: EventSummary;
}

/** What the merchant was told, the latest first, and how that went. */
export function Events(props: {
  readonly call: DashboardCall;
  readonly intent: Intent;
  readonly events: readonly EventSummary[];
}) {
  const { call, intent, events } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <section class="part" aria-labelledby="events">
      <h2 id="events">{text.events}</h2>
      {events.length === 0 && <p class="empty">{text.noEvents}</p>}
      {events.toReversed().map((event) => (
        <EventCard call={call} intent={intent} event={event} />
      ))}
    </section>
  );
}

function EventCard({ call, intent, event }: EventProps) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const isWaiting = event.deliveryStatus === 'waiting' && event.dueAtMs !== null;
  return (
    <article class="card event" id={`event-${event.sequence}`}>
      <div class="card-head">
        <h3>{eventName(event)}</h3>
        <DeliveryBadge call={call} status={event.deliveryStatus} />
        <Resend call={call} intent={intent} event={event} />
      </div>
      <Facts
        rows={[
          [text.eventId, event.eventId],
          [text.announcedAt, <WhenExactly call={call} atMs={event.createdAtMs} />],
          ...(isWaiting
            ? [[text.nextTryAt, <WhenExactly call={call} atMs={event.dueAtMs ?? 0} />] as const]
            : []),
        ]}
      />
      {event.tries.length === 0 ? (
        <p class="quiet">{text.noTries}</p>
      ) : (
        <Tries call={call} event={event} />
      )}
    </article>
  );
}

function Resend({ call, intent, event }: EventProps) {
  const { session, environment } = call;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const isOffered =
    isAllowed(session.role, 'develop') &&
    !session.isSuspended &&
    RESENDABLE.includes(event.deliveryStatus);
  const path = paymentPath(environment, intent.terms.uniqueId);
  return isOffered ? (
    <ButtonForm
      call={call}
      action={`${path}/events/${event.sequence}/resend`}
      label={text.resend}
      describedAs={text.resendEvent(eventName(event))}
    />
  ) : null;
}

function Tries({ call, event }: Omit<EventProps, 'intent'>) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const { locale } = CHECKOUT_TEXTS[call.language];
  return (
    <Table
      caption={`${text.tries}: ${eventName(event)}`}
      columns={[text.time, text.httpStatus, text.duration, text.error, text.excerpt]}
      rows={event.tries
        .map((one) => [
          <WhenExactly call={call} atMs={one.atMs} />,
          <span class="number">{one.httpStatus ?? text.noAnswer}</span>,
          <span class="number">{text.milliseconds(countText(one.durationMs, locale))}</span>,
          one.error === null ? <span class="quiet">—</span> : <Untrusted text={one.error} />,
          <Excerpt answer={one} />,
        ])
        .reverse()}
      empty={text.noTries}
    />
  );
}

function Excerpt({ answer: { answerExcerpt } }: { readonly answer: DeliveryTry }) {
  return answerExcerpt === '' ? (
    <span class="quiet">—</span>
  ) : (
    <pre class="excerpt" dir="auto">
      {shownLines(answerExcerpt)}
    </pre>
  );
}

/** As the merchant's server reads it. */
function eventName({ type }: EventSummary): string {
  return Object.hasOwn(EVENT_WORDS, type)
    ? EVENT_WORDS[type as keyof typeof EVENT_WORDS].event
    : type;
}
