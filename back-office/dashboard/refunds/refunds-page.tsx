import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { RefundRow, ShownRefundStatus } from '../../../src/lists/book/rows.ts';
import { RefundBadge } from '../../elements/payment-refunds.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Untrusted } from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, tenantOf, useCall } from '../call.ts';
import { ListedTime } from '../date-fields.tsx';
import { Frame, showPage } from '../frame.tsx';
import { BadCursor, List, type ListRequest, listRequest, PAGE_ROWS } from '../list.tsx';
import { paymentPath, paymentsPath, queryFrom, refundsPath } from '../paths.ts';

/** The statuses in the order of the tabs: those without an outcome first. */
const STATUSES = [
  'requires_action',
  'processing',
  'pending',
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly ShownRefundStatus[];

/** The payments that can be refunded. */
const PAID = queryFrom({ status: 'succeeded' });

/** GET …/refunds: the refunds of all payments, newest first. An unknown status shows all. */
export async function showRefunds(call: DashboardCall): Promise<Response> {
  const named = call.url.searchParams.get('status');
  const status = STATUSES.find((one) => one === named);
  const request = listRequest(call);
  const { lists } = call.payments;
  const page = await lists.refunds(tenantOf(call), { status }, request.cursor, PAGE_ROWS);
  return showPage(call, <RefundsPage {...{ status, request, page }} />, {
    status: request.status,
  });
}

function RefundsPage(props: {
  readonly status: ShownRefundStatus | undefined;
  readonly request: ListRequest;
  readonly page: Page<RefundRow>;
}) {
  const { status, request, page } = props;
  const { environment } = useCall();
  const { refunds: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const pathTo = (cursor: string) => refundsPath(environment, { status: status ?? '', cursor });
  return (
    <Frame title={text.title} active="refunds">
      <BadCursor request={request} />
      <Navigation
        class="tabs"
        label={payments.status}
        links={[undefined, ...STATUSES].map((one) => ({
          href: refundsPath(environment, { status: one ?? '' }),
          text: one === undefined ? payments.allStatuses : text.status[one],
          isCurrent: one === status,
        }))}
      />
      <div class="compact-list payment-list">
        <List
          title={text.title}
          rows={page.rows}
          empty={
            status === undefined ? (
              <EmptyState
                title={text.none}
                action={
                  <a class="button primary" href={paymentsPath(environment, PAID)}>
                    {text.toPaid}
                  </a>
                }
              >
                {text.noneLead}
              </EmptyState>
            ) : (
              text.noneOfStatus
            )
          }
          pages={{ page, pathTo }}
          columns={[
            [
              text.payment,
              ({ uniqueId }) => (
                <a class="id" href={`${paymentPath(environment, uniqueId)}#refunds`}>
                  <Untrusted text={uniqueId} />
                </a>
              ),
            ],
            [payments.method, ({ method }) => <span class="whole">{methodName[method]}</span>],
            [
              text.amountOfRefund,
              (row) => <Money minor={row.amountMinor} currency={row.currency} />,
              'figures',
            ],
            [payments.status, (row) => <RefundBadge status={row.status} />],
            [text.requestedAt, ({ createdAtMs }) => <ListedTime atMs={createdAtMs} />],
          ]}
        />
      </div>
    </Frame>
  );
}
