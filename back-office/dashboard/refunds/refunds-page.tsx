import { parseCursor } from '../../../src/paging.ts';
import type { RefundRow, ShownRefundStatus } from '../../../src/read-model/refunds-list.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { RefundBadge } from '../../elements/payment-refunds.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Message, Pager, Table, Untrusted, When } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { Frame } from '../frame.tsx';
import { paymentPath, refundsPath } from '../paths.ts';

/** A screen or two on a desktop. */
const PAGE_ROWS = 25;

/** The statuses in the order of the tabs: those without an outcome first. */
const STATUSES = [
  'requires_action',
  'processing',
  'pending',
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly ShownRefundStatus[];

/** GET …/refunds: the refunds of all payments, newest first. An unknown status shows all. */
export async function showRefunds(call: DashboardCall): Promise<Response> {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const named = call.url.searchParams.get('status');
  const status = STATUSES.find((one) => one === named);
  const at = call.url.searchParams.get('cursor');
  const cursor = at === null ? null : parseCursor(at);
  const isBadCursor = at !== null && cursor === null;
  const page = await call.payments.lists.refunds(tenantOf(call), { status }, cursor, PAGE_ROWS);
  return answerPage(
    call,
    <Frame call={call} title={text.title} active="refunds">
      {isBadCursor && (
        <Message tone="bad">{DASHBOARD_TEXTS[call.language].payments.badCursor}</Message>
      )}
      <Navigation
        class="tabs"
        label={DASHBOARD_TEXTS[call.language].payments.status}
        links={[undefined, ...STATUSES].map((one) => ({
          href: refundsPath(call.environment, { status: one ?? '' }),
          text:
            one === undefined
              ? DASHBOARD_TEXTS[call.language].payments.allStatuses
              : text.status[one],
          isCurrent: one === status,
        }))}
      />
      <RefundTable call={call} rows={page.rows} />
      <Pager
        call={call}
        page={page}
        pathTo={(next) => refundsPath(call.environment, { status: status ?? '', cursor: next })}
      />
    </Frame>,
    { status: isBadCursor ? 400 : 200 },
  );
}

function RefundTable(props: { readonly call: DashboardCall; readonly rows: readonly RefundRow[] }) {
  const { call, rows } = props;
  const { refunds: text, payments } = DASHBOARD_TEXTS[call.language];
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return (
    <div class="payment-list">
      <Table
        caption={text.title}
        columns={[
          text.payment,
          text.amountOfRefund,
          payments.status,
          payments.method,
          text.requestedAt,
        ]}
        rows={rows.map((row) => [
          <a class="id" href={`${paymentPath(call.environment, row.uniqueId)}#refunds`}>
            <Untrusted text={row.uniqueId} />
          </a>,
          <span class="number">{moneyIn(call, row.currency)(row.amountMinor)}</span>,
          <RefundBadge call={call} status={row.status} />,
          <span class="whole">{methodName[row.method]}</span>,
          <When call={call} atMs={row.createdAtMs} />,
        ])}
        empty={text.none}
      />
    </div>
  );
}
