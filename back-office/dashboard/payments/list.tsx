import type { IntentStatus } from '../../../src/engine/domain/intent.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type {
  ListedPayment,
  Match,
  MatchedField,
  PaymentHit,
  PaymentRow,
  SameOrderPayment,
  Total,
} from '../../../src/lists/book/rows.ts';
import { EXPORT_ROWS_MAX } from '../../elements/csv.ts';
import { isRefunded, StatusBadge, useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, type Pages, Untrusted } from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, may, mayChange, tenantOf, useCall } from '../call.ts';
import { DatePresets, ListedTime } from '../date-fields.tsx';
import { Frame, showPage } from '../frame.tsx';
import { BadCursor, List, type ListRequest, listRequest, PAGE_ROWS } from '../list.tsx';
import { exportPath, paymentPath, paymentsPath, refundPath, withList } from '../paths.ts';
import {
  hasProblems,
  isRestricted,
  type PaymentFilterForm,
  queryOf,
  readFilter,
  STATUSES,
} from './filter.ts';
import { FilterPanel, filterProblems, SearchForm } from './filter-form.tsx';
import { FirstPayment } from './first-payment.tsx';
import { type Search, searchIn, searchQuery } from './sealed-search.ts';
import { type Amount, type ListSummary, summaryOf } from './summary.ts';

/** GET …/payments: what a search found, or a page of the list. */
export async function showPayments(call: DashboardCall): Promise<Response> {
  const searched = await searchIn(call);
  if (searched !== null) {
    const { rows, isFull } = await call.payments.lists.search(tenantOf(call), searched.wanted);
    return showPage(call, <FoundPage {...searched} rows={rows} isFull={isFull} />);
  }
  const form = readFilter(call.url.searchParams);
  if (hasProblems(form)) {
    return showPage(call, <WrongFilters form={form} />, { problems: filterProblems(call, form) });
  }
  const request = listRequest(call);
  const { lists } = call.payments;
  const found = await lists.paymentsWithTotals(
    tenantOf(call),
    form.filter,
    request.cursor,
    PAGE_ROWS,
  );
  const page = <PaymentsPage form={form} request={request} {...found} />;
  return showPage(call, page, { status: request.status });
}

/** With wrong filters: only what is wrong. */
function WrongFilters({ form }: { readonly form: PaymentFilterForm }) {
  return (
    <Frame title={useTexts(DASHBOARD_TEXTS).payments.title} active="payments">
      <div class="list-tools">
        <SearchForm />
        <FilterPanel form={form} />
      </div>
    </Frame>
  );
}

/** Tabs, filters and a page of the list. */
function PaymentsPage(props: {
  readonly form: PaymentFilterForm;
  readonly request: ListRequest;
  readonly page: Page<ListedPayment>;
  readonly totals: readonly Total[] | null;
  readonly apiOrigin: string | null;
}) {
  const { form, request, page, totals, apiOrigin } = props;
  const { cursor, typedCursor } = request;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const summary = totals === null ? null : summaryOf(totals, form);
  const pathWith = (changes: Parameters<typeof queryOf>[1]) =>
    paymentsPath(environment, queryOf(form, changes));
  const isUnfiltered = !isRestricted(form) && form.values.status === '' && cursor === null;
  return (
    <Frame title={text.title} active="payments">
      <BadCursor request={request} />
      {page.rows.length === 0 && isUnfiltered ? (
        <FirstPayment apiOrigin={apiOrigin} steps={null} />
      ) : (
        <>
          <div class="list-top">
            <div class="list-tools">
              <SearchForm />
              <FilterPanel form={form} />
              <a
                class="button"
                href={exportPath(environment, queryOf(form))}
                download
                aria-label={text.export}
              >
                CSV
              </a>
            </div>
            <StatusTabs form={form} summary={summary} />
            <DatePresets
              from={form.values.since}
              to={form.values.until}
              byDefault="all"
              pathTo={(since, until) => pathWith({ since, until })}
            />
            <h2 class="summary">{summaryText(summary)}</h2>
          </div>
          <PaymentTable
            rows={page.rows}
            empty={text.noneFiltered}
            list={queryOf(form, { cursor: typedCursor })}
            pages={{ page, pathTo: (at) => pathWith({ cursor: at }) }}
          />
          <OtherExports form={form} />
        </>
      )}
    </Frame>
  );
}

/** POST …/payments: leads to the payments that the search finds. Changes nothing. */
export async function search(call: DashboardCall): Promise<Response> {
  const query = await searchQuery(call, call.form.text('search'));
  return redirectTo(paymentsPath(call.environment, query));
}

function FoundPage(
  props: Search & { readonly rows: readonly PaymentHit[]; readonly isFull: boolean },
) {
  const { wanted, query, rows, isFull } = props;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const count = countIn(rows.length);
  return (
    <Frame
      title={text.searchTitle}
      active="payments"
      head={{ back: { to: paymentsPath(useCall().environment), text: text.allPayments } }}
    >
      <SearchForm value={wanted} />
      {rows.length > 0 && (
        <p role="status">
          {text.found(count)} {isFull && text.foundMost(count)}
        </p>
      )}
      <PaymentTable rows={rows} empty={text.foundNone} list={query} />
    </Frame>
  );
}

/** Whole phone numbers leave the gateway only when an owner asks for them. */
function OtherExports({ form }: { readonly form: PaymentFilterForm }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const link = (name: string, value: string, label: string) => {
    const query = new URLSearchParams(queryOf(form));
    query.set(name, value);
    return (
      <p class="small">
        <a href={exportPath(call.environment, query.toString())} download>
          {label}
        </a>
      </p>
    );
  };
  return (
    <>
      {link('separator', 'semicolon', text.exportSemicolons)}
      {may(call, 'manage') && link('phones', 'full', text.exportPhones)}
      <p class="small">{text.exportLimit(countIn(EXPORT_ROWS_MAX))}</p>
    </>
  );
}

/** A link to each status that keeps the other filters, with the number of its payments. */
function StatusTabs(props: {
  readonly form: PaymentFilterForm;
  readonly summary: ListSummary | null;
}) {
  const call = useCall();
  const { form, summary } = props;
  const { payments: text, statuses } = useTexts(DASHBOARD_TEXTS);
  const tab = (status: IntentStatus | '', label: string, count: number | undefined) => ({
    href: paymentsPath(call.environment, queryOf(form, { status })),
    text: count === undefined ? label : `${label} ${countIn(count)}`,
    isCurrent: form.values.status === status,
  });
  return (
    <Navigation
      class="tabs"
      label={text.field.status}
      links={[
        tab('', text.allStatuses, summary?.all),
        ...STATUSES.map((status) => tab(status, statuses[status], summary?.counts[status])),
      ]}
    />
  );
}

function summaryText(summary: ListSummary | null): string {
  const text = useTexts(DASHBOARD_TEXTS).payments;
  if (summary === null) {
    return text.newestFirst;
  }
  const { payments, amounts, paid, paidAmounts, refundedAmounts } = summary;
  const sums = (of: readonly Amount[]) =>
    of.map(({ currency, amountMinor }) => useMoney(currency)(amountMinor)).join(' + ');
  // With several statuses, only the paid amount means anything.
  const parts =
    paid > 0 && paid < payments
      ? [text.summary(countIn(payments), ''), text.summaryPaid(countIn(paid), sums(paidAmounts))]
      : [text.summary(countIn(payments), sums(amounts))];
  const refunded =
    refundedAmounts.length === 0 ? [] : [text.summaryRefunded(sums(refundedAmounts))];
  return [...parts, ...refunded].join(' · ');
}

function countIn(count: number): string {
  return countText(count, useTexts(CHECKOUT_TEXTS).locale);
}

/** On a phone a payment takes two lines: see `.payment-list` for the places of the columns. */
export function PaymentTable(props: {
  readonly rows: readonly (ListedPayment & Partial<Pick<PaymentHit, 'match'>>)[];
  readonly empty: string;
  /** The list's query, to which a payment's page leads back. */
  readonly list: string;
  readonly pages?: Pages;
}) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return (
    <div class="compact-list payment-list">
      <List
        {...props}
        title={text.title}
        columns={[
          [
            text.uniqueId,
            ({ uniqueId }) => (
              <a class="id" href={withList(paymentPath(environment, uniqueId), props.list)}>
                <Untrusted text={uniqueId} />
              </a>
            ),
          ],
          [text.customer, (row) => <Customer row={row} match={row.match ?? null} />],
          [text.amount, (row) => <ListedAmount row={row} />, 'figures'],
          [text.status, (row) => <Marks row={row} />],
          [text.time, ({ createdAtMs }) => <ListedTime atMs={createdAtMs} />],
          [
            text.method,
            ({ method }) => (
              <span class={method === null ? 'quiet whole' : 'whole'}>
                {method === null ? text.noMethod : methodName[method]}
              </span>
            ),
          ],
        ]}
      />
    </div>
  );
}

/** The name and masked phone, and below them another field that a search matched, if any. */
function Customer(props: { readonly row: ListedPayment; readonly match: Match | null }) {
  const { row, match } = props;
  const { customerName: name, maskedPhone: phone } = row;
  return name === null && phone === null && match === null ? null : (
    <span class="customer">
      {name !== null && <Untrusted text={name} />}{' '}
      {phone !== null && <span class="quiet small number">{phone}</span>}
      {match !== null && (
        <span class="match quiet small">
          {useFieldText()[match.field]}: <Untrusted text={match.value} />
        </span>
      )}
    </span>
  );
}

function useFieldText(): Readonly<Record<MatchedField, string>> {
  const { payments, payment } = useTexts(DASHBOARD_TEXTS);
  return { ...payment, otherId: payments.otherId };
}

/** The amount, and what was returned of it. */
function ListedAmount({ row }: { readonly row: PaymentRow }) {
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return (
    <span>
      <Money minor={row.amountMinor} currency={row.currency} />
      {row.refundedMinor > 0 && (
        <span class="refunded quiet small">
          {text.refundedOf(useMoney(row.currency)(row.refundedMinor))}
        </span>
      )}
    </span>
  );
}

/** The status and what needs review. A refund replaces "Paid", which it implies. */
function Marks({ row }: { readonly row: ListedPayment }) {
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return (
    <span class="marks">
      {row.refundedMinor > 0 ? (
        <Badge tone="plain">
          {row.refundedMinor < row.amountMinor ? text.refundedPart : text.refundedAll}
        </Badge>
      ) : (
        <StatusBadge {...row} />
      )}
      {row.openRefunds > 0 && <Badge tone="wait">{text.refundOpen}</Badge>}
      {row.late && <Badge tone="wait">{text.late}</Badge>}
      {row.unresolvedAttempts > 0 && <Badge tone="wait">{text.unresolved}</Badge>}
      {row.anomalies > 0 && <Badge tone="bad">{text.anomaly}</Badge>}
      {row.sameOrder && <SameOrderMark row={row} others={row.sameOrder} />}
    </span>
  );
}

/** On a phone the whole row leads to the payment's page, which has the link to the refund too. */
function SameOrderMark(props: {
  readonly row: PaymentRow;
  readonly others: readonly SameOrderPayment[];
}) {
  const call = useCall();
  const { row, others } = props;
  const { payments: text, refunds } = useTexts(DASHBOARD_TEXTS);
  return [row, ...others].some(isRefunded) ? (
    <Badge tone="plain">{text.sameOrderRefunded}</Badge>
  ) : (
    <>
      <Badge tone="bad">{text.sameOrder}</Badge>
      {mayChange(call, 'refunds') && (
        <a class="on-desktop small" href={refundPath(call, row.uniqueId)}>
          {refunds.refund}
        </a>
      )}
    </>
  );
}
