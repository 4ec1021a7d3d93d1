import type { Intent } from '../../../src/engine/domain/intent.ts';
import {
  type DeliveryTry,
  type EventSummary,
  RESENDABLE_DELIVERIES,
} from '../../../src/engine/intent/protocol.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import {
  copyFact,
  DoneMessage,
  Facts,
  Section,
  TechnicalDetails,
  WhenExactly,
} from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { mayChange, useCall } from '../call.ts';
import { ShortTime } from '../date-fields.tsx';
import { ButtonForm } from '../forms.tsx';
import { listIn, paymentPath, withList } from '../paths.ts';
import { Outcome } from '../webhooks/elements.tsx';

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

/** The id of a delivery's card on the page. */
export function cardId({
  sequence,
  position,
}: Pick<EventSummary, 'sequence' | 'position'>): string {
  return `event-${sequence}-${position}`;
}

/** The parameter of the page's address that names the card of an event that was sent again. */
export const EVENT_PARAMETER = 'event';

function EventCard({ intent, event }: EventProps) {
  const call = useCall();
  const { payment: text, events } = useTexts(DASHBOARD_TEXTS);
  const id = cardId(event);
  return (
    <article class="card event" id={id}>
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
      {call.url.searchParams.get(EVENT_PARAMETER) === id && (
        <DoneMessage texts={{ event_resent: text.done.event_resent }} />
      )}
      {/* Before the first try, only this text says why nothing has arrived. */}
      {event.deliveryStatus !== 'delivered' && <p>{events.meaning[event.deliveryStatus]}</p>}
      <Facts
        rows={[
          event.origin === null ? null : [events.destination, event.origin],
          event.deliveryStatus === 'waiting' && event.dueAtMs !== null
            ? [text.nextTryAt, <WhenExactly atMs={event.dueAtMs} />]
            : null,
        ]}
      />
      {event.tries.length > 0 && <Tries event={event} />}
      <TechnicalDetails>
        <Facts
          rows={[
            copyFact(`event-id-${event.sequence}-${event.position}`, text.eventId, event.eventId),
            [text.announcedAt, <WhenExactly atMs={event.createdAtMs} />],
          ]}
        />
      </TechnicalDetails>
    </article>
  );
}

/** A line for each try, the latest first. It opens to show the response. */
function Tries({ event }: Omit<EventProps, 'intent'>) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <ol class="try-lines" reversed aria-label={text.tries}>
      {event.tries.toReversed().map((entry) => (
        <li>
          {entry.answerExcerpt === '' ? (
            <TryLine entry={entry} />
          ) : (
            <details>
              <summary>
                <TryLine entry={entry} />
              </summary>
              <p class="quiet small">{text.excerpt}</p>
              <pre class="excerpt" dir="auto" tabindex={0}>
                {shownLines(entry.answerExcerpt)}
              </pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function TryLine({ entry }: { readonly entry: DeliveryTry }) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { atMs, httpStatus, durationMs, error } = entry;
  return (
    <span class="try-line number">
      <ShortTime atMs={atMs} />
      <Outcome httpStatus={httpStatus} error={error} />
      <span class="quiet">{text.milliseconds(countText(durationMs, locale))}</span>
    </span>
  );
}
