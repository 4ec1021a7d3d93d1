import { LISTED_STATUSES } from '../../../src/engine/intent/protocol.ts';
import type { EndpointEntry } from '../../../src/engine/webhooks/endpoint-store.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { EventRow } from '../../../src/lists/book/rows.ts';
import { DeliveryBadge, wireType } from '../../elements/delivery-elements.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink, Untrusted } from '../../ui/elements.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { type DashboardCall, may, tenantOf, useCall } from '../call.ts';
import { CalendarSwitch, DatePresets, ListedTime } from '../date-fields.tsx';
import { type DaysForm, daysIn } from '../days.ts';
import { DeveloperFrame } from '../developers.tsx';
import { showPage } from '../frame.tsx';
import {
  BadCursor,
  daysFields,
  daysProblems,
  type FilterField,
  FilterForm,
  List,
  type ListRequest,
  listRequest,
  PAGE_ROWS,
} from '../list.tsx';
import { eventPath, paymentPath, queryFrom, webhooksPath, withList } from '../paths.ts';
import { DAY_NAMES, Outcome, shownAddress } from './elements.tsx';

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
    days: daysIn(query, DAY_NAMES),
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
  return showPage(call, <EventsPage {...{ filter, request, page, endpoints }} />, {
    problems: daysProblems(call, days, DAY_NAMES),
    ...(days.problem === null && { status: request.status }),
  });
}

function EventsPage(props: {
  readonly filter: Filter;
  readonly request: ListRequest;
  readonly page: Page<EventRow>;
  readonly endpoints: readonly EndpointEntry[];
}) {
  const { filter, request, page, endpoints } = props;
  const { environment } = useCall();
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  const { status = '', days, endpoint } = filter;
  const { from, to } = days;
  const none = <span class="quiet">{frame.none}</span>;
  const queryWith = (changes: Readonly<Record<string, string>>) =>
    queryFrom({ status, from, to, endpoint, ...changes });
  const pathWith = (changes: Readonly<Record<string, string>>) =>
    webhooksPath(environment, `/events?${queryWith(changes)}`);
  // An event's page leads back to the list.
  const list = queryWith({ cursor: request.typedCursor });
  if (page.rows.length === 0 && queryWith({}) === '' && request.typedCursor === '') {
    return <NoEvents />;
  }
  return (
    <DeveloperFrame title={text.title} part="events" head={{ actions: <ResendLink /> }}>
      <BadCursor request={request} />
      <DatePresets
        from={from}
        to={to}
        byDefault="all"
        pathTo={(fromDay, toDay) => pathWith({ from: fromDay, to: toDay })}
      />
      <FilterForm
        action={webhooksPath(environment, '/events')}
        fields={fieldsFor(filter, endpoints)}
      >
        <button type="submit">{text.filter}</button>
      </FilterForm>
      <CalendarSwitch />
      <div class="compact-list event-list">
        <List
          title={text.title}
          rows={page.rows}
          empty={text.empty}
          pages={{ page, pathTo: (cursor) => pathWith({ cursor }) }}
          columns={[
            [
              text.event,
              (row) => (
                <a
                  class="id whole"
                  href={withList(eventPath(environment, row), list) + anchorOf(row)}
                >
                  {wireType(row.type)}
                </a>
              ),
            ],
            [
              text.payment,
              ({ uniqueId }) => (
                <a class="clipped" href={paymentPath(environment, uniqueId)}>
                  <Untrusted text={uniqueId} />
                </a>
              ),
            ],
            [text.status, ({ deliveryStatus }) => <DeliveryBadge status={deliveryStatus} />],
            [
              text.destination,
              ({ destinationOrigin: to }) => (to === null ? none : <bdi>{to}</bdi>),
            ],
            [text.created, ({ createdAtMs }) => <ListedTime atMs={createdAtMs} />],
            [text.last, (row) => (row.lastTryAtMs === null ? none : <LastTry row={row} />)],
            [text.next, ({ dueAtMs }) => (dueAtMs === null ? none : <ListedTime atMs={dueAtMs} />)],
          ]}
        />
      </div>
      <p class="quiet small">{text.lag}</p>
    </DeveloperFrame>
  );
}

/** Only developers may resend. */
function ResendLink() {
  const call = useCall();
  const { resendLink } = useTexts(DASHBOARD_TEXTS).webhooks;
  return may(call, 'develop') ? (
    <ButtonLink to={webhooksPath(call.environment, '/resend')}>{resendLink}</ButtonLink>
  ) : null;
}

function NoEvents() {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  const toSettings = (
    <a class="button primary" href={webhooksPath(environment)}>
      {text.toSettings}
    </a>
  );
  return (
    <DeveloperFrame title={text.title} part="events">
      <EmptyState title={text.none} action={toSettings}>
        {text.noneLead}
      </EmptyState>
    </DeveloperFrame>
  );
}

function LastTry({ row }: { readonly row: EventRow }) {
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  return (
    <span>
      <Outcome httpStatus={row.lastHttpStatus} error={row.lastError} />{' '}
      <span class="quiet small nowrap">{text.tries(countText(row.tries, frame.locale))}</span>
    </span>
  );
}

function fieldsFor(
  { status, endpoint, days }: Filter,
  endpoints: readonly EndpointEntry[],
): readonly FilterField[] {
  const text = useTexts(DASHBOARD_TEXTS).events;
  const all = ['', text.all] as const;
  const statuses = LISTED_STATUSES.map((one) => [one, text.statuses[one]] as const);
  const addresses = endpoints.map(
    ({ endpointId, url }) => [endpointId, shownAddress(url)] as const,
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
    ...daysFields(days, DAY_NAMES, text),
  ];
}

/** The first delivery is at the top of the event's page. */
function anchorOf({ position }: EventRow): string {
  return position === 0 ? '' : `#delivery-${position}`;
}
