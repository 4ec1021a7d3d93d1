import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { type Page, parseCursor, readPage } from '../../paging.ts';
import { type EventRow, eventsOf } from '../../read-model/events-list.ts';
import { answerPage } from '../../ui/answer.ts';
import { Field, Message, Pager, Table, Untrusted, When } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { type DaysForm, readDays } from '../days.ts';
import { Frame } from '../frame.tsx';
import { eventPath, paymentPath, webhooksPath } from '../paths.ts';
import { DaysFields } from './days-fields.tsx';
import { DeliveryBadge, LISTED_STATUSES, Outcome, wireType } from './delivery-text.tsx';
import { Parts } from './parts.tsx';

/** A page of the list: two screens of a phone or so. */
const ROWS = 25;
const BAD_REQUEST = 400;

interface Filter {
  readonly status: (typeof LISTED_STATUSES)[number] | undefined;
  readonly days: DaysForm;
}

/** GET /dashboard/:environment/webhooks/events */
export async function showEvents(call: DashboardCall): Promise<Response> {
  const query = call.url.searchParams;
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  const filter: Filter = {
    status: LISTED_STATUSES.find((status) => status === textOf('status')),
    days: readDays(textOf('from'), textOf('to')),
  };
  const { status: deliveryStatus, days } = filter;
  const cursor = parseCursor(textOf('cursor'));
  const isGood = days.problem === null;
  const page: Page<EventRow> = isGood
    ? await readPage(
        call.env.DB,
        eventsOf(tenantOf(call), { deliveryStatus, ...days.range }),
        cursor,
        ROWS,
      )
    : { rows: [], nextCursor: null, previousCursor: null };
  return answerPage(call, <EventsPage call={call} filter={filter} page={page} />, {
    status: isGood ? 200 : BAD_REQUEST,
  });
}

interface Props {
  readonly call: DashboardCall;
  readonly filter: Filter;
  readonly page: Page<EventRow>;
}

function EventsPage({ call, filter, page }: Props) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { problem } = filter.days;
  const pathAt = (cursor: string | null) =>
    cursor === null ? null : webhooksPath(call.environment, `/events?${queryOf(filter, cursor)}`);
  return (
    <Frame call={call} title={text.title} active="webhooks">
      <Parts call={call} active="events" />
      {problem !== null && (
        <Message tone="bad">
          <a href={`#${problem.field}`}>{text[problem.kind]}</a>
        </Message>
      )}
      <FilterForm call={call} filter={filter} />
      <EventsTable call={call} rows={page.rows} />
      <Pager call={call} newer={pathAt(page.previousCursor)} older={pathAt(page.nextCursor)} />
      <p class="quiet small">{text.lag}</p>
    </Frame>
  );
}

function queryOf({ status, days }: Filter, cursor: string): URLSearchParams {
  const { from, to } = days;
  const entries = Object.entries({ status: status ?? '', from, to, cursor });
  return new URLSearchParams(entries.filter(([, value]) => value !== ''));
}

function FilterForm({ call, filter }: Pick<Props, 'call' | 'filter'>) {
  const text = DASHBOARD_TEXTS[call.language].events;
  return (
    <form class="filters" method="get" action={webhooksPath(call.environment, '/events')}>
      <Field id="status" label={text.status}>
        {(attributes) => (
          <select {...attributes} name="status">
            <option value="">{text.all}</option>
            {LISTED_STATUSES.map((status) => (
              <option value={status} selected={status === filter.status}>
                {text.statuses[status]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DaysFields call={call} days={filter.days} />
      <button type="submit">{text.filter}</button>
    </form>
  );
}

function EventsTable({
  call,
  rows,
}: {
  readonly call: DashboardCall;
  readonly rows: Page<EventRow>['rows'];
}) {
  const text = DASHBOARD_TEXTS[call.language].events;
  const { locale, none } = DASHBOARD_TEXTS[call.language].frame;
  return (
    <Table
      caption={text.title}
      columns={[text.event, text.payment, text.status, text.created, text.last, text.next]}
      rows={rows.map((row) => [
        <a class="whole" href={eventPath(call.environment, row)}>
          {wireType(row.type)}
        </a>,
        <a href={paymentPath(call.environment, row.uniqueId)}>
          <Untrusted text={row.uniqueId} />
        </a>,
        <DeliveryBadge call={call} status={row.deliveryStatus} />,
        <When call={call} atMs={row.createdAtMs} />,
        row.lastTryAtMs === null ? (
          <span class="quiet">{none}</span>
        ) : (
          <span>
            <Outcome httpStatus={row.lastHttpStatus} error={row.lastError} />{' '}
            <span class="quiet small nowrap">{text.tries(countText(row.tries, locale))}</span>
          </span>
        ),
        row.dueAtMs === null ? (
          <span class="quiet">{none}</span>
        ) : (
          <When call={call} atMs={row.dueAtMs} />
        ),
      ])}
      empty={text.empty}
    />
  );
}
