import { DESK_TEXTS } from '../../i18n/back-office.ts';
import { answerPage } from '../../ui/answer.ts';
import { Badge, Table, When } from '../../ui/elements.tsx';
import type { OperatorCall } from '../call.ts';
import { merchantPage } from '../merchant-rows.ts';
import { PAGE_ROWS_DEFAULT } from '../page-query.ts';
import { DeskFrame, DeskPager, deskView } from './frame.tsx';

const PATH = '/operator/merchants';

/** GET /operator/merchants, newest first. */
export async function showMerchantsPage(call: OperatorCall): Promise<Response> {
  const view = deskView(call.request);
  const text = DESK_TEXTS[view.language].pages;
  const page = await merchantPage(call.env.DB, {
    status: null,
    cursor: call.url.searchParams.get('cursor'),
    limit: PAGE_ROWS_DEFAULT,
  });
  const rows = page.items.map(({ id, name, status, members, createdAtMs }) => [
    name,
    id,
    <Badge tone={status === 'active' ? 'good' : 'bad'}>{text.status[status]}</Badge>,
    members,
    <When call={view} atMs={createdAtMs} />,
  ]);
  return answerPage(
    call,
    <DeskFrame view={view} title={text.nav.merchants} active="merchants">
      <Table
        caption={text.nav.merchants}
        columns={[text.name, text.id, text.state, text.people, text.since]}
        rows={rows}
        empty={text.merchantsEmpty}
      />
      <DeskPager view={view} path={PATH} nextCursor={page.nextCursor} />
    </DeskFrame>,
  );
}
