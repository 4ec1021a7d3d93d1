import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Untrusted, When } from '../../ui/elements.tsx';
import { readMerchants } from '../actions/reads.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { ADD_MERCHANT_PATH, merchantPath } from './paths.ts';

/** GET /operator/merchants, newest first. */
export async function showMerchantsPage(call: DeskCall): Promise<Response> {
  return answerDesk(call, <MerchantsPage {...(await readMerchants(call, cursorIn(call)))} />);
}

function MerchantsPage({ items, nextCursor }: Awaited<ReturnType<typeof readMerchants>>) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <ListPage
      active="merchants"
      title={text.nav.merchants}
      head={{
        actions: (
          <a class="button primary" href={ADD_MERCHANT_PATH}>
            {text.addMerchant}
          </a>
        ),
      }}
      columns={[text.name, text.id, text.state, text.people, text.since]}
      rows={items.map(({ id, name, status, members, createdAtMs }) => [
        <a href={merchantPath(id)}>
          <Untrusted text={name} />
        </a>,
        <code class="small">{id}</code>,
        <Badge tone={status === 'active' ? 'good' : 'bad'}>{text.status[status]}</Badge>,
        members,
        <When atMs={createdAtMs} />,
      ])}
      empty={text.merchantsEmpty}
      nextCursor={nextCursor}
    />
  );
}
