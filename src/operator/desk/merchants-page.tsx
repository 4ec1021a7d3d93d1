import { DESK_TEXTS } from '../../i18n/back-office.ts';
import { Badge, When } from '../../ui/elements.tsx';
import type { OperatorCall } from '../call.ts';
import { merchantPage } from '../merchant-rows.ts';
import { PAGE_ROWS_DEFAULT } from '../page-query.ts';
import { answerList, deskView } from './frame.tsx';

/** GET /operator/merchants, newest first. */
export async function showMerchantsPage(call: OperatorCall): Promise<Response> {
  const view = deskView(call.request);
  const text = DESK_TEXTS[view.language].pages;
  const { items, nextCursor } = await merchantPage(call.env.DB, {
    status: null,
    cursor: call.url.searchParams.get('cursor'),
    limit: PAGE_ROWS_DEFAULT,
  });
  const rows = items.map(({ id, name, status, members, createdAtMs }) => [
    name,
    id,
    <Badge tone={status === 'active' ? 'good' : 'bad'}>{text.status[status]}</Badge>,
    members,
    <When call={view} atMs={createdAtMs} />,
  ]);
  const columns = [text.name, text.id, text.state, text.people, text.since];
  return answerList(call, 'merchants', { columns, rows, empty: text.merchantsEmpty, nextCursor });
}
