import { DESK_TEXTS } from '../../i18n/back-office.ts';
import type { PageView } from '../../ui/back-office.tsx';
import { When } from '../../ui/elements.tsx';
import { type AttentionItem, attentionPage } from '../attention/items.ts';
import type { OperatorCall } from '../call.ts';
import { PAGE_ROWS_DEFAULT } from '../page-query.ts';
import { answerList, deskView } from './frame.tsx';

/** GET /operator/attention: what needs the operator's attention, and what to do. */
export async function showAttentionPage(call: OperatorCall): Promise<Response> {
  const view = deskView(call.request);
  const text = DESK_TEXTS[view.language].pages;
  const { items, nextCursor } = await attentionPage(call.env.DB, {
    environment: null,
    cursor: call.url.searchParams.get('cursor'),
    limit: PAGE_ROWS_DEFAULT,
  });
  return answerList(call, 'attention', {
    columns: [text.what, text.todo, text.where, text.when],
    rows: items.map((item) => cells(view, item)),
    empty: text.attentionEmpty,
    nextCursor,
  });
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

/** The names that the command line takes. */
function whereText({ language }: PageView, item: AttentionItem): string {
  if (item.type === 'dead_letter') {
    return `${item.letter.queue} ${item.letter.id}`;
  }
  const { environment, merchantId, uniqueId } = item.type === 'payment' ? item.payment : item.event;
  return `${DESK_TEXTS[language].pages.environment[environment]} ${merchantId} ${uniqueId}`;
}
