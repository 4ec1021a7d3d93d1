import { countText } from '../../../src/i18n/money-text.ts';
import { LISTED_STATUSES } from '../../../src/intent/protocol.ts';
import { type Page, parseCursor } from '../../../src/paging.ts';
import type { EventRow } from '../../../src/read-model/events-list.ts';
import type { EndpointEntry } from '../../../src/webhooks/endpoint-store.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Pager, SelectField, Table, Untrusted, When } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { CalendarSwitch, DatePresets } from '../date-fields.tsx';
import { type DaysForm, dayField, readDays } from '../days.ts';
import { eventPath, paymentPath, queryFrom, webhooksPath, withList } from '../paths.ts';
import {
  DaysFields,
  DaysProblemMessage,
  Outcome,
  shownAddress,
  WebhooksFrame,
} from './elements.tsx';

/** About two screens of a phone. */
const ROWS = 25;
const BAD_REQUEST = 400;

interface Filter {
  readonly status: (typeof LISTED_STATUSES)[number] | undefined;
  readonly days: DaysForm;
  /** An endpoint's id, or empty: all. */
  readonly endpoint: string;
}

/** GET …/webhooks/events */
export async function showEvents(call: DashboardCall): Promise<Response> {
  const query = call.url.searchParams;
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  const filter: Filter = {
    status: LISTED_STATUSES.find((status) => status === textOf('status')),
    days: readDays(dayField(textOf, 'from'), dayField(textOf, 'to')),
    endpoint: textOf('endpoint'),
  };
  const { status: deliveryStatus, days, endpoint } = filter;
  const endpointId = endpoint === '' ? undefined : endpoint;
  const cursor = parseCursor(textOf('cursor'));
  const isGood = days.problem === null;
  const { page, endpoints } = await call.payments.lists.events(
    tenantOf(call),
    { deliveryStatus, endpointId, ...days.range },
    cursor,
    ROWS,
  );
  return answerPage(
    call,
    <EventsPage call={call} filter={filter} page={page} endpoints={endpoints} />,
    {
      status: isGood ? 200 : BAD_REQUEST,
    },
  );
}

interface Props {
  readonly call: DashboardCall;
  readonly filter: Filter;
  readonly page: Page<EventRow>;
  readonly endpoints: readonly EndpointEntry[];
}

function EventsPage({ call, filter, page, endpoints }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { status = '', days, endpoint } = filter;
  const { from, to } = days;
  const cursor = call.url.searchParams.get('cursor') ?? '';
  const pathWith = (changes: Readonly<Record<string, string>>) =>
    webhooksPath(
      call.environment,
      `/events?${queryFrom({ status, from, to, endpoint, ...changes })}`,
    );
  return (
    <WebhooksFrame call={call} title={text.title} active="events">
      <DaysProblemMessage call={call} days={days} />
      <DatePresets
        call={call}
        from={from}
        to={to}
        byDefault="all"
        pathTo={(fromDay, toDay) => pathWith({ from: fromDay, to: toDay })}
      />
      <FilterForm call={call} filter={filter} endpoints={endpoints} />
      <CalendarSwitch call={call} />
      <EventsTable
        call={call}
        page={page}
        list={queryFrom({ status, from, to, endpoint, cursor })}
      />
      <Pager call={call} page={page} pathTo={(at) => pathWith({ cursor: at })} />
      <p class="quiet small">{text.lag}</p>
    </WebhooksFrame>
  );
}

function FilterForm({ call, filter, endpoints }: Omit<Props, 'page'>) {
  const text = DASHBOARD_TEXTS[call.language].events;
  return (
    <form class="filters" method="get" action={webhooksPath(call.environment, '/events')}>
      <SelectField
        id="status"
        label={text.status}
        options={[
          ['', text.all],
          ...LISTED_STATUSES.map((status) => [status, text.statuses[status]] as const),
        ]}
        selected={filter.status ?? ''}
      />
      {endpoints.length > 0 && (
        <SelectField
          id="endpoint"
          label={text.destination}
          options={[
            ['', text.all],
            ...endpoints.map(
              ({ endpointId, url }) => [endpointId, shownAddress(call, url)] as const,
            ),
          ]}
          selected={filter.endpoint}
        />
      )}
      <DaysFields call={call} days={filter.days} />
      <button type="submit">{text.filter}</button>
    </form>
  );
}

function EventsTable({
  call,
  page: { rows },
  list,
}: Pick<Props, 'call' | 'page'> & { readonly list: string }) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const none = <span class="quiet">{frame.none}</span>;
  return (
    <Table
      caption={text.title}
      columns={[
        text.event,
        text.payment,
        text.status,
        text.destination,
        text.created,
        text.last,
        text.next,
      ]}
      rows={rows.map((row) => [
        <a class="whole" href={withList(eventPath(call.environment, row), list) + anchorOf(row)}>
          {wireType(row.type)}
        </a>,
        <a href={paymentPath(call.environment, row.uniqueId)}>
          <Untrusted text={row.uniqueId} />
        </a>,
        <DeliveryBadge call={call} status={row.deliveryStatus} />,
        row.destinationOrigin === null ? none : <span>{row.destinationOrigin}</span>,
        <When call={call} atMs={row.createdAtMs} />,
        row.lastTryAtMs === null ? (
          none
        ) : (
          <span>
            <Outcome httpStatus={row.lastHttpStatus} error={row.lastError} />{' '}
            <span class="quiet small nowrap">{text.tries(countText(row.tries, frame.locale))}</span>
          </span>
        ),
        row.dueAtMs === null ? none : <When call={call} atMs={row.dueAtMs} />,
      ])}
      empty={text.empty}
    />
  );
}

/** The first delivery is at the top of the event's page. */
function anchorOf({ position }: EventRow): string {
  return position === 0 ? '' : `#delivery-${position}`;
}
