import { DESK_TEXTS } from '../../i18n/texts.ts';
import { withMemberCounts } from '../../members/members.ts';
import { Badge, Table, Untrusted, When } from '../../ui/elements.tsx';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, Pager } from './frame.tsx';
import { merchantPath, PATHS } from './paths.ts';

/** GET /operator/merchants, newest first. */
export async function showMerchantsPage(call: DeskCall): Promise<Response> {
  const { view, env, payments } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { items, nextCursor } = await payments.operations.merchants(cursorIn(view));
  const merchants = await withMemberCounts(env.BACK_OFFICE_DB, items);
  const rows = merchants.map(({ id, name, status, members, createdAtMs }) => [
    <a href={merchantPath(id)}>
      <Untrusted text={name} />
    </a>,
    <code class="small">{id}</code>,
    <Badge tone={status === 'active' ? 'good' : 'bad'}>{text.status[status]}</Badge>,
    members,
    <When call={view} atMs={createdAtMs} />,
  ]);
  const title = text.nav.merchants;
  const children = (
    <>
      <Table
        caption={title}
        columns={[text.name, text.id, text.state, text.people, text.since]}
        rows={rows}
        empty={text.merchantsEmpty}
      />
      <Pager view={view} path={PATHS.merchants} nextCursor={nextCursor} />
    </>
  );
  return answerDesk(call, { active: 'merchants', title, children });
}
