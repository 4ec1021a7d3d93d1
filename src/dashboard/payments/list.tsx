import { moneyIn, StatusBadge } from '../../back-office/payment-elements.tsx';
import type { Environment } from '../../domain/method.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { parseCursor } from '../../paging.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';
import { listPayments } from '../../read-model/payments-list.ts';
import { SEARCH_ROWS_MAX, searchPayments } from '../../read-model/search.ts';
import { businessDay, totalsByPeriod } from '../../read-model/totals.ts';
import { answerPage } from '../../ui/answer.ts';
import { Badge, Message, Pager, Table, Untrusted, When } from '../../ui/elements.tsx';
import { type DashboardCall, may, tenantOf } from '../call.ts';
import { Frame } from '../frame.tsx';
import { exportPath, paymentPath, paymentsPath } from '../paths.ts';
import {
  type CurrencyFigures,
  daysPerBar,
  type FigureDays,
  figureDays,
  figuresOf,
} from './figures.ts';
import { FiguresSection } from './figures-section.tsx';
import { type FilterForm, hasProblems, isRestricted, queryOf, readFilter } from './filter.ts';
import { FilterPanel, SearchForm } from './filter-form.tsx';

/** A screen or two on a desktop. */
const PAGE_ROWS = 25;

/**
 * GET …/payments: filters, totals and a page of the list. With wrong filters: only what is wrong.
 */
export async function showPayments(call: DashboardCall): Promise<Response> {
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
  const named = call.url.searchParams.get('cursor');
  const cursor = named === null ? null : parseCursor(named);
  const isBadCursor = named !== null && cursor === null;
  const [list, { days, figures }] = await Promise.all([
    listPayments(call.env.DB, tenantOf(call), form.filter, cursor, PAGE_ROWS),
    readFigures(call, form),
  ]);
  const isFirst = list.rows.length === 0 && !isRestricted(form) && cursor === null;
  const page = (
    <Frame call={call} title={text.title} active="payments">
      {isBadCursor && <Message tone="bad">{text.badCursor}</Message>}
      {isFirst ? (
        <FirstPayment call={call} />
      ) : (
        <>
          <SearchForm call={call} />
          <FilterPanel call={call} form={form} />
          <FiguresSection call={call} form={form} days={days} figures={figures} />
          <div class="list-head">
            <h2>{text.newestFirst}</h2>
            <a class="button" href={exportPath(call.environment, queryOf(form))} download>
              {text.export}
            </a>
          </div>
          <PaymentTable call={call} rows={list.rows} empty={text.noneFiltered} />
          <Pager
            call={call}
            page={list}
            pathTo={(at) => paymentsPath(call.environment, queryOf(form, { cursor: at }))}
          />
        </>
      )}
    </Frame>
  );
  return answerPage(call, page, { status: isBadCursor ? 400 : 200 });
}

/** POST …/payments: the payments of exactly this id or phone number. Changes nothing. */
export async function showSearch(call: DashboardCall): Promise<Response> {
  const text = DASHBOARD_TEXTS[call.language].payments;
  const wanted = call.form.text('search');
  const rows = await searchPayments(call.env, tenantOf(call), wanted);
  const count = countText(rows.length, CHECKOUT_TEXTS[call.language].locale);
  const page = (
    <Frame call={call} title={text.searchTitle} active="payments">
      <SearchForm call={call} value={wanted} />
      {rows.length > 0 && (
        <p role="status">
          {text.found(count)} {rows.length === SEARCH_ROWS_MAX && text.foundMost(count)}
        </p>
      )}
      <PaymentTable call={call} rows={rows} empty={text.foundNone} />
      <p>
        <a class="button" href={paymentsPath(call.environment)}>
          {text.allPayments}
        </a>
      </p>
    </Frame>
  );
  return answerPage(call, page);
}

async function readFigures(
  call: DashboardCall,
  { fromDay, toDay, filter }: FilterForm,
): Promise<{ days: FigureDays | null; figures: readonly CurrencyFigures[] }> {
  const days = figureDays(fromDay, toDay, businessDay(call.nowMs));
  if (days === null) {
    return { days, figures: [] };
  }
  const range = { ...days, method: filter.method };
  const totals = await totalsByPeriod(call.env.DB, tenantOf(call), range, daysPerBar(days));
  const all = figuresOf(totals, days);
  const isWanted = ({ currency }: CurrencyFigures) =>
    filter.currency === undefined || filter.currency === currency;
  return { days, figures: all.filter(isWanted) };
}

function PaymentTable(props: {
  readonly call: DashboardCall;
  readonly rows: readonly PaymentRow[];
  readonly empty: string;
}) {
  const { call, rows, empty } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return (
    <div class="payment-list">
      <Table
        caption={text.title}
        columns={[text.uniqueId, text.amount, text.status, text.method, text.time]}
        rows={rows.map((row) => [
          <a class="id" href={paymentPath(call.environment, row.uniqueId)}>
            <Untrusted text={row.uniqueId} />
          </a>,
          <span class="number">{moneyIn(call, row.currency)(row.amountMinor)}</span>,
          <Marks call={call} row={row} />,
          row.method === null ? (
            <span class="quiet whole">{text.noMethod}</span>
          ) : (
            <span class="whole">{methodName[row.method]}</span>
          ),
          <When call={call} atMs={row.createdAtMs} />,
        ])}
        empty={empty}
      />
    </div>
  );
}

/** The status, and what needs review. */
function Marks({ call, row }: { readonly call: DashboardCall; readonly row: PaymentRow }) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <span class="marks">
      <StatusBadge call={call} status={row.status} />
      {row.late && <Badge tone="wait">{text.late}</Badge>}
      {row.unresolvedAttempts > 0 && <Badge tone="wait">{text.unresolved}</Badge>}
      {row.anomalies > 0 && <Badge tone="bad">{text.anomaly}</Badge>}
    </span>
  );
}

/** Where a merchant's server creates a payment (docs/api.md#calls). */
const CREATE_PATH: Readonly<Record<Environment, string>> = {
  sandbox: '/api/v1/payment/sandbox/intent',
  production: '/api/v1/payment/intent',
};

/** Shown instead of an empty list: the steps to the first payment. */
export function FirstPayment({ call }: { readonly call: DashboardCall }) {
  const { environment, url, config } = call;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const parts = `/dashboard/${environment}`;
  const address = `${config.publicBaseUrl ?? url.origin}${CREATE_PATH[environment]}`;
  return (
    <section class="card first-payment">
      <h2>{text.noneTitle}</h2>
      <p>{environment === 'sandbox' ? text.noneSandbox : text.noneProduction}</p>
      <ol>
        <li>
          <a href={`${parts}/methods`}>{text.stepMethods}</a>
        </li>
        <li>
          <a href={`${parts}/keys`}>{text.stepKey}</a>
        </li>
        <li>
          <a href={`${parts}/webhooks`}>{text.stepWebhook}</a>
        </li>
        <li>
          {text.stepCreate} <code>POST {address}</code>
        </li>
      </ol>
      {!may(call, 'develop') && <p class="quiet">{text.askDeveloper}</p>}
    </section>
  );
}
