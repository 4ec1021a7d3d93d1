import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Untrusted, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { readMerchants } from '../actions/reads.ts';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { ADD_MERCHANT_PATH, merchantPath, STATEMENTS_PATH } from './paths.ts';

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
    >
      <form class="filters" method="get" action={STATEMENTS_PATH}>
        <TextField
          id="month"
          label={text.month}
          hint={text.monthHint}
          value={monthBefore(useDesk().nowMs)}
        />
        <button type="submit">{text.exportStatements}</button>
      </form>
    </ListPage>
  );
}

/** The newest month of Addis Ababa that has ended. */
function monthBefore(nowMs: number): string {
  const today = businessDay(nowMs);
  const dayOfMonth = Number(dayText(today).slice(-2));
  return dayText(today - dayOfMonth).slice(0, 7);
}
