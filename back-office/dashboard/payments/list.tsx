import type { IntentStatus } from '../../../src/domain/intent.ts';
import { countText } from '../../../src/i18n/money-text.ts';
import type { Page } from '../../../src/platform/paging.ts';
import type { PaymentRow } from '../../../src/read-model/payment-row.ts';
import { moneyIn, StatusBadge } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { Badge, Untrusted, When } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, may, tenantOf } from '../call.ts';
import { DatePresets } from '../date-fields.tsx';
import { Frame } from '../frame.tsx';
import { BadCursor, List, listRequest, PAGE_ROWS } from '../list.tsx';
import { exportPath, paymentPath, paymentsPath, withList } from '../paths.ts';
import {
  hasProblems,
  isRestricted,
  type PaymentFilterForm,
  queryOf,
  readFilter,
  STATUSES,
} from './filter.ts';
import { FilterPanel, SearchForm } from './filter-form.tsx';
import { FirstPayment } from './first-payment.tsx';
import { type Search, searchIn, searchQuery } from './sealed-search.ts';
import { type Amount, type ListSummary, summaryOf } from './summary.ts';

/**
 * GET …/payments: what a search found, or tabs, filters and a page of the list. With wrong filters: only what is wrong.
 */
export async function showPayments(call: DashboardCall): Promise<Response> {
  const searched = await searchIn(call);
  if (searched !== null) {
    return showFound(call, searched);
  }
  const form = readFilter(call.url.searchParams);
  const text = DASHBOARD_TEXTS[call.language].payments;
  if (hasProblems(form)) {
    const page = (
      <Frame call={call} title={text.title} active="payments">
        <SearchForm call={call} />
        <FilterPanel call={call} form={form} />
      </Frame>
    );
    return answerPage(call, page, { status: 400 });
  }
  const request = listRequest(call);
  const { cursor, typedCursor, status } = request;
  const {
    page: list,
    totals,
    apiOrigin,
  } = await call.payments.lists.paymentsWithTotals(tenantOf(call), form.filter, cursor, PAGE_ROWS);
  const summary = totals === null ? null : summaryOf(totals, form);
  const isUnfiltered = !isRestricted(form) && form.values.status === '' && cursor === null;
  const page = (
    <Frame call={call} title={text.title} active="payments">
      <BadCursor call={call} request={request} />
      {list.rows.length === 0 && isUnfiltered ? (
        <FirstPayment call={call} apiOrigin={apiOrigin} />
      ) : (
        <>
          <div class="list-top">
            <SearchForm call={call} />
            <StatusTabs call={call} form={form} summary={summary} />
            <div class="list-tools">
              <DatePresets
                call={call}
                from={form.values.since}
                to={form.values.until}
                byDefault="all"
                pathTo={(since, until) =>
                  paymentsPath(call.environment, queryOf(form, { since, until }))
                }
              />
              <FilterPanel call={call} form={form} />
            </div>
            <div class="list-head">
              <h2 class="summary">{summaryText(call, summary)}</h2>
              <a href={exportPath(call.environment, queryOf(form))} download>
                {text.export}
              </a>
            </div>
          </div>
          <PaymentTable
            call={call}
            page={list}
            empty={text.noneFiltered}
            list={queryOf(form, { cursor: typedCursor })}
            pathTo={(at) => paymentsPath(call.environment, queryOf(form, { cursor: at }))}
          />
          <OtherExports call={call} form={form} />
        </>
      )}
    </Frame>
  );
  return answerPage(call, page, { status });
}

/** POST …/payments: leads to the payments that the search finds. Changes nothing. */
export async function search(call: DashboardCall): Promise<Response> {
  const query = await searchQuery(call, call.form.text('search'));
  return redirectTo(paymentsPath(call.environment, query));
}

async function showFound(call: DashboardCall, { wanted, query }: Search): Promise<Response> {
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { rows, isFull } = await call.payments.lists.search(tenantOf(call), wanted);
  const count = countText(rows.length, CHECKOUT_TEXTS[call.language].locale);
  const page = (
    <Frame call={call} title={text.searchTitle} active="payments">
      <SearchForm call={call} value={wanted} />
      {rows.length > 0 && (
        <p role="status">
          {text.found(count)} {isFull && text.foundMost(count)}
        </p>
      )}
      <PaymentTable
        call={call}
        page={{ rows, nextCursor: null, previousCursor: null }}
        empty={text.foundNone}
        list={query}
      />
      <p>
        <a class="button" href={paymentsPath(call.environment)}>
          {text.allPayments}
        </a>
      </p>
    </Frame>
  );
  return answerPage(call, page);
}

/** Whole phone numbers leave the gateway only when an owner asks for them. */
function OtherExports({
  call,
  form,
}: {
  readonly call: DashboardCall;
  readonly form: PaymentFilterForm;
}) {
  const text = DASHBOARD_TEXTS[call.language].payments;
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
    </>
  );
}

/** A link to each status that keeps the other filters, with the number of its payments. */
function StatusTabs(props: {
  readonly call: DashboardCall;
  readonly form: PaymentFilterForm;
  readonly summary: ListSummary | null;
}) {
  const { call, form, summary } = props;
  const { payments: text, statuses } = DASHBOARD_TEXTS[call.language];
  const tab = (status: IntentStatus | '', label: string, count: number | undefined) => ({
    href: paymentsPath(call.environment, queryOf(form, { status })),
    text: count === undefined ? label : `${label} ${countIn(call, count)}`,
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

function summaryText(call: DashboardCall, summary: ListSummary | null): string {
  const text = DASHBOARD_TEXTS[call.language].payments;
  if (summary === null) {
    return text.newestFirst;
  }
  const { payments, amounts, paid, paidAmounts, refundedAmounts } = summary;
  const sums = (of: readonly Amount[]) =>
    of.map(({ currency, amountMinor }) => moneyIn(call, currency)(amountMinor)).join(' + ');
  // Of several statuses only the paid amount means anything.
  const parts =
    paid > 0 && paid < payments
      ? [
          text.summary(countIn(call, payments), ''),
          text.summaryPaid(countIn(call, paid), sums(paidAmounts)),
        ]
      : [text.summary(countIn(call, payments), sums(amounts))];
  const refunded =
    refundedAmounts.length === 0 ? [] : [text.summaryRefunded(sums(refundedAmounts))];
  return [...parts, ...refunded].join(' · ');
}

function countIn({ language }: DashboardCall, count: number): string {
  return countText(count, CHECKOUT_TEXTS[language].locale);
}

function PaymentTable(props: {
  readonly call: DashboardCall;
  readonly page: Page<PaymentRow>;
  readonly empty: string;
  /** The list's query, to which a payment's page leads back. */
  readonly list: string;
  readonly pathTo?: (cursor: string) => string;
}) {
  const { call, list } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return (
    <div class="payment-list">
      <List
        {...props}
        title={text.title}
        columns={[text.uniqueId, text.amount, text.status, text.method, text.time]}
        cells={(row) => [
          <a class="id" href={withList(paymentPath(call.environment, row.uniqueId), list)}>
            <Untrusted text={row.uniqueId} />
          </a>,
          <ListedAmount call={call} row={row} />,
          <Marks call={call} row={row} />,
          row.method === null ? (
            <span class="quiet whole">{text.noMethod}</span>
          ) : (
            <span class="whole">{methodName[row.method]}</span>
          ),
          <When call={call} atMs={row.createdAtMs} />,
        ]}
      />
    </div>
  );
}

/** The amount, and what was returned of it. */
function ListedAmount({ call, row }: { readonly call: DashboardCall; readonly row: PaymentRow }) {
  const money = moneyIn(call, row.currency);
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <span>
      <span class="number">{money(row.amountMinor)}</span>
      {row.refundedMinor > 0 && (
        <span class="refunded quiet small">{text.refundedOf(money(row.refundedMinor))}</span>
      )}
    </span>
  );
}

/** The status, and what needs review. */
function Marks({ call, row }: { readonly call: DashboardCall; readonly row: PaymentRow }) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <span class="marks">
      <StatusBadge call={call} status={row.status} />
      <RefundMark call={call} row={row} />
      {row.late && <Badge tone="wait">{text.late}</Badge>}
      {row.unresolvedAttempts > 0 && <Badge tone="wait">{text.unresolved}</Badge>}
      {row.anomalies > 0 && <Badge tone="bad">{text.anomaly}</Badge>}
    </span>
  );
}

function RefundMark({ call, row }: { readonly call: DashboardCall; readonly row: PaymentRow }) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <>
      {row.refundedMinor > 0 && (
        <Badge tone="plain">
          {row.refundedMinor < row.amountMinor ? text.refundedPart : text.refundedAll}
        </Badge>
      )}
      {row.openRefunds > 0 && <Badge tone="wait">{text.refundOpen}</Badge>}
    </>
  );
}
