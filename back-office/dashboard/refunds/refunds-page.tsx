import type { RefundRow, ShownRefundStatus } from '../../../src/read-model/refunds-list.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { RefundBadge } from '../../elements/payment-refunds.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Untrusted, When } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { Frame } from '../frame.tsx';
import { BadCursor, List, listRequest, PAGE_ROWS } from '../list.tsx';
import { paymentPath, refundsPath } from '../paths.ts';

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
  const { refunds: text, payments } = DASHBOARD_TEXTS[call.language];
  const named = call.url.searchParams.get('status');
  const status = STATUSES.find((one) => one === named);
  const request = listRequest(call);
  const { lists } = call.payments;
  const page = await lists.refunds(tenantOf(call), { status }, request.cursor, PAGE_ROWS);
  return answerPage(
    call,
    <Frame call={call} title={text.title} active="refunds">
      <BadCursor call={call} request={request} />
      <Navigation
        class="tabs"
        label={payments.status}
        links={[undefined, ...STATUSES].map((one) => ({
          href: refundsPath(call.environment, { status: one ?? '' }),
          text: one === undefined ? payments.allStatuses : text.status[one],
          isCurrent: one === status,
        }))}
      />
      <div class="payment-list">
        <List
          call={call}
          title={text.title}
          columns={[
            text.payment,
            text.amountOfRefund,
            payments.status,
            payments.method,
            text.requestedAt,
          ]}
          cells={(row) => cellsOf(call, row)}
          page={page}
          empty={text.none}
          pathTo={(next) => refundsPath(call.environment, { status: status ?? '', cursor: next })}
        />
      </div>
    </Frame>,
    { status: request.status },
  );
}

function cellsOf(call: DashboardCall, row: RefundRow) {
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return [
    <a class="id" href={`${paymentPath(call.environment, row.uniqueId)}#refunds`}>
      <Untrusted text={row.uniqueId} />
    </a>,
    <span class="number">{moneyIn(call, row.currency)(row.amountMinor)}</span>,
    <RefundBadge call={call} status={row.status} />,
    <span class="whole">{methodName[row.method]}</span>,
    <When call={call} atMs={row.createdAtMs} />,
  ];
}
