import type { Intent } from '../../../src/domain/intent.ts';
import { countText } from '../../../src/i18n/money-text.ts';
import { type EventSummary, RESENDABLE_DELIVERIES } from '../../../src/intent/protocol.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { copyFact, Facts, Section, Table, Untrusted, WhenExactly } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { mayChange, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';

interface EventProps {
  readonly intent: Intent;
  readonly event: EventSummary;
}

/** The payment's events, the latest first, with their deliveries. */
export function Events(
  props: Omit<EventProps, 'event'> & { readonly events: readonly EventSummary[] },
) {
  const { intent, events } = props;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="events" title={text.events} class="part">
      {events.length === 0 && <p class="empty">{text.noEvents}</p>}
      {events.toReversed().map((event) => (
        <EventCard intent={intent} event={event} />
      ))}
    </Section>
  );
}

function EventCard({ intent, event }: EventProps) {
  const call = useCall();
  const { payment: text, events } = useTexts(DASHBOARD_TEXTS);
  return (
    <article class="card event" id={`event-${event.sequence}-${event.position}`}>
      <div class="card-head">
        <h3>{wireType(event.type)}</h3>
        <DeliveryBadge status={event.deliveryStatus} />
        {mayChange(call, 'develop') && RESENDABLE_DELIVERIES.includes(event.deliveryStatus) && (
          <ButtonForm
            action={withList(
              paymentPath(
                call.environment,
                intent.terms.uniqueId,
                `/events/${event.sequence}/resend`,
              ),
              listIn(call.url),
            )}
            fields={{ position: String(event.position) }}
            label={text.resend}
            describedAs={text.resendEvent(wireType(event.type))}
          />
        )}
      </div>
      <Facts
        rows={[
          copyFact(`event-id-${event.sequence}-${event.position}`, text.eventId, event.eventId),
          [text.announcedAt, <WhenExactly atMs={event.createdAtMs} />],
          event.origin === null ? null : [events.destination, event.origin],
          event.deliveryStatus === 'waiting' && event.dueAtMs !== null
            ? [text.nextTryAt, <WhenExactly atMs={event.dueAtMs} />]
            : null,
        ]}
      />
      {event.tries.length === 0 ? <p class="quiet">{text.noTries}</p> : <Tries event={event} />}
    </article>
  );
}

function Tries({ event }: Omit<EventProps, 'intent'>) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  return (
    <Table
      caption={`${text.tries}: ${wireType(event.type)}`}
      columns={[text.time, text.httpStatus, text.duration, text.error, text.excerpt]}
      rows={event.tries
        .map(({ atMs, httpStatus, durationMs, error, answerExcerpt }) => [
          <WhenExactly atMs={atMs} />,
          <span class="number">{httpStatus ?? text.noAnswer}</span>,
          <span class="number">{text.milliseconds(countText(durationMs, locale))}</span>,
          error === null ? <span class="quiet">—</span> : <Untrusted text={error} />,
          answerExcerpt === '' ? (
            <span class="quiet">—</span>
          ) : (
            <pre class="excerpt" dir="auto">
              {shownLines(answerExcerpt)}
            </pre>
          ),
        ])
        .reverse()}
      empty={text.noTries}
    />
  );
}
