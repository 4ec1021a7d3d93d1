import { countText } from '../../../src/i18n/money-text.ts';
import { LISTED_STATUSES } from '../../../src/intent/protocol.ts';
import type { Page } from '../../../src/platform/paging.ts';
import type { EventRow } from '../../../src/read-model/events-list.ts';
import type { EndpointEntry } from '../../../src/webhooks/endpoint-store.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Untrusted, When } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { CalendarSwitch, DatePresets } from '../date-fields.tsx';
import { type DaysForm, dayField, readDays } from '../days.ts';
import {
  BadCursor,
  DaysProblem,
  daysFields,
  type FilterField,
  FilterForm,
  List,
  type ListRequest,
  listRequest,
  PAGE_ROWS,
} from '../list.tsx';
import { eventPath, paymentPath, queryFrom, webhooksPath, withList } from '../paths.ts';
import { DAY_NAMES, Outcome, shownAddress, WebhooksFrame } from './elements.tsx';

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
  const request = listRequest(call);
  const { page, endpoints } = await call.payments.lists.events(
    tenantOf(call),
    { deliveryStatus, endpointId, ...days.range },
    request.cursor,
    PAGE_ROWS,
  );
  const shown = { call, filter, request, page, endpoints };
  return answerPage(call, <EventsPage {...shown} />, {
    status: days.problem === null ? request.status : 400,
  });
}

interface Props {
  readonly call: DashboardCall;
  readonly filter: Filter;
  readonly request: ListRequest;
  readonly page: Page<EventRow>;
  readonly endpoints: readonly EndpointEntry[];
}

function EventsPage({ call, filter, request, page, endpoints }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { status = '', days, endpoint } = filter;
  const { from, to } = days;
  const queryWith = (changes: Readonly<Record<string, string>>) =>
    queryFrom({ status, from, to, endpoint, ...changes });
  const pathWith = (changes: Readonly<Record<string, string>>) =>
    webhooksPath(call.environment, `/events?${queryWith(changes)}`);
  return (
    <WebhooksFrame call={call} title={text.title} active="events">
      <BadCursor call={call} request={request} />
      <DaysProblem call={call} days={days} names={DAY_NAMES} />
      <DatePresets
        call={call}
        from={from}
        to={to}
        byDefault="all"
        pathTo={(fromDay, toDay) => pathWith({ from: fromDay, to: toDay })}
      />
      <FilterForm
        call={call}
        action={webhooksPath(call.environment, '/events')}
        fields={fieldsFor(call, filter, endpoints)}
      >
        <button type="submit">{text.filter}</button>
      </FilterForm>
      <CalendarSwitch call={call} />
      <List
        call={call}
        title={text.title}
        columns={[
          text.event,
          text.payment,
          text.status,
          text.destination,
          text.created,
          text.last,
          text.next,
        ]}
        cells={(row) => cellsOf(call, row, queryWith({ cursor: request.typedCursor }))}
        page={page}
        empty={text.empty}
        pathTo={(cursor) => pathWith({ cursor })}
      />
      <p class="quiet small">{text.lag}</p>
    </WebhooksFrame>
  );
}

function fieldsFor(
  call: DashboardCall,
  { status, endpoint, days }: Filter,
  endpoints: readonly EndpointEntry[],
): readonly FilterField[] {
  const text = DASHBOARD_TEXTS[call.language].events;
  const all = ['', text.all] as const;
  const statuses = LISTED_STATUSES.map((one) => [one, text.statuses[one]] as const);
  const addresses = endpoints.map(
    ({ endpointId, url }) => [endpointId, shownAddress(call, url)] as const,
  );
  return [
    { name: 'status', label: text.status, value: status ?? '', input: [all, ...statuses] },
    ...(endpoints.length === 0
      ? []
      : [
          {
            name: 'endpoint',
            label: text.destination,
            value: endpoint,
            input: [all, ...addresses],
          },
        ]),
    ...daysFields({ call, days, names: DAY_NAMES }, text),
  ];
}

/** `list`: the list's query, to which an event's page leads back. */
function cellsOf(call: DashboardCall, row: EventRow, list: string) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const none = <span class="quiet">{frame.none}</span>;
  return [
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
  ];
}

/** The first delivery is at the top of the event's page. */
function anchorOf({ position }: EventRow): string {
  return position === 0 ? '' : `#delivery-${position}`;
}
