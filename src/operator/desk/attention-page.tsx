import { DESK_TEXTS } from '../../i18n/back-office.ts';
import { answerPage } from '../../ui/answer.ts';
import type { PageView } from '../../ui/back-office.tsx';
import { Table, When } from '../../ui/elements.tsx';
import { type AttentionItem, attentionPage } from '../attention/items.ts';
import type { OperatorCall } from '../call.ts';
import { PAGE_ROWS_DEFAULT } from '../page-query.ts';
import { DeskFrame, DeskPager, deskView } from './frame.tsx';

const PATH = '/operator/attention';

/** GET /operator/attention: what needs a human, and what to do. */
export async function showAttentionPage(call: OperatorCall): Promise<Response> {
  const view = deskView(call.request);
  const text = DESK_TEXTS[view.language].pages;
  const page = await attentionPage(call.env.DB, {
    environment: null,
    cursor: call.url.searchParams.get('cursor'),
    limit: PAGE_ROWS_DEFAULT,
  });
  return answerPage(
    call,
    <DeskFrame view={view} title={text.nav.attention} active="attention">
      <Table
        caption={text.nav.attention}
        columns={[text.what, text.todo, text.where, text.when]}
        rows={page.items.map((item) => cells(view, item))}
        empty={text.attentionEmpty}
      />
      <DeskPager view={view} path={PATH} nextCursor={page.nextCursor} />
    </DeskFrame>,
  );
}

function cells(view: PageView, item: AttentionItem) {
  const texts = item.reasons.map((reason) => DESK_TEXTS[view.language].attention[reason]);
  return [
    <span>{texts.map(({ what }) => what).join(' ')}</span>,
    <span>{texts.map(({ todo }) => todo).join(' ')}</span>,
    <span>{whereText(view, item)}</span>,
    <When call={view} atMs={item.atMs} />,
  ];
}

/** By the names that the command line takes. */
function whereText({ language }: PageView, item: AttentionItem): string {
  if (item.type === 'dead_letter') {
    return `${item.letter.queue} ${item.letter.id}`;
  }
  const { environment, merchantId, uniqueId } = item.type === 'payment' ? item.payment : item.event;
  return `${DESK_TEXTS[language].pages.environment[environment]} ${merchantId} ${uniqueId}`;
}
