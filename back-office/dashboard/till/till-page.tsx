import type { Sales } from '../../../src/control/rpc/till.ts';
import { SALE_NOTE_CHARACTERS_MAX } from '../../../src/control/till/sale.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { isRefunded, StatusBadge } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Member } from '../../members/members.ts';
import { Badge, Section, Untrusted } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Money, StatTile, StatTiles } from '../../ui/figures.tsx';
import { mayChange, useCall } from '../call.ts';
import { dateText, ListedTime } from '../date-fields.tsx';
import { PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { BadCursor, type FilterField, FilterForm, List, type ListRequest } from '../list.tsx';
import { queryFrom, tillPath } from '../paths.ts';

export interface TypedSale {
  readonly amount: string;
  readonly note: string;
}

export interface TillProps {
  readonly request: ListRequest;
  readonly sales: Sales;
  readonly day: number;
  /** As its field shows it. */
  readonly shownDay: string;
  /** The members who sell, to choose from; empty for a till itself. */
  readonly tills: readonly Member[];
  /** Null: all of them. */
  readonly chosen: string | null;
  readonly typed: TypedSale;
}

export function TillPage(props: TillProps) {
  const { request } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).till;
  return (
    <Frame title={text.title} active="till">
      <BadCursor request={request} />
      {mayChange(call, 'sell') && <SaleForm typed={props.typed} />}
      <DaySection {...props} />
    </Frame>
  );
}

/** The script holds it back without a connection, and loads a page again that Back has restored. */
function SaleForm({ typed }: { readonly typed: TypedSale }) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).till;
  return (
    <section class="card till" data-till="">
      <PostForm action={tillPath(environment)} class="stack" once novalidate>
        {/* Never restored by the browser: each form is a sale of its own. */}
        <input type="hidden" name="nonce" value={crypto.randomUUID()} autocomplete="off" />
        <TextField id="amount" label={text.amount} inputmode="decimal" value={typed.amount} />
        <TextField
          id="note"
          label={text.note}
          hint={text.noteHint}
          value={typed.note}
          maxlength={SALE_NOTE_CHARACTERS_MAX}
          required={false}
        />
        <button class="primary wide" type="submit">
          {text.take}
        </button>
        <Connection />
      </PostForm>
    </section>
  );
}

/** Says so when the connection is lost. */
export function Connection() {
  const text = useTexts(DASHBOARD_TEXTS).till;
  return <p class="till-connection" role="status" data-connection={text.offline} />;
}

/** The sales that were begun on a day, and the sum of those that are paid. */
function DaySection({ request, sales, day, shownDay, tills, chosen }: TillProps) {
  const call = useCall();
  const { environment } = call;
  const { till: text, payments, frame } = useTexts(DASHBOARD_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const { page, sum = { amountMinor: 0, payments: 0, refundedMinor: 0 } } = sales;
  const query = { day: shownDay, till: chosen ?? '' };
  const pathTo = (cursor: string) => tillPath(environment, `?${queryFrom({ ...query, cursor })}`);
  const fields: readonly FilterField[] = [
    { name: 'day', label: text.day, value: shownDay, input: 'day' },
    ...(tills.length < 2
      ? []
      : [
          {
            name: 'till',
            label: text.till,
            value: chosen ?? '',
            input: [['', text.all], ...tills.map(({ id, name }) => [id, name] as const)] as const,
          },
        ]),
  ];
  return (
    <Section id="day-sales" title={text.salesOf(dateText(day))}>
      <StatTiles>
        <StatTile
          isLead
          label={text.sum}
          value={<Money minor={sum.amountMinor} currency="ETB" />}
          hint={text.count(countText(sum.payments, frame.locale))}
        />
        {sum.refundedMinor > 0 && (
          <StatTile
            label={text.returned}
            value={<Money minor={sum.refundedMinor} currency="ETB" />}
          />
        )}
      </StatTiles>
      <div class="compact-list till-list">
        <List
          title={text.salesOf(dateText(day))}
          rows={page.rows}
          empty={text.none}
          pages={{ page, pathTo }}
          columns={[
            [
              payments.amount,
              ({ uniqueId, amountMinor, currency }) => (
                <a href={tillPath(environment, `/${encodeURIComponent(uniqueId)}`)}>
                  <Money minor={amountMinor} currency={currency} />
                </a>
              ),
              'figures',
            ],
            [
              payments.status,
              (row) => (
                <>
                  <StatusBadge status={row.status} failureReason={row.failureReason} />{' '}
                  {isRefunded(row) && <Badge tone="plain">{text.returned}</Badge>}
                </>
              ),
            ],
            [payments.method, ({ method }) => method && methodName[method]],
            [text.noteTitle, ({ note }) => note && <Untrusted text={note} />],
            tills.length === 0
              ? null
              : [text.till, ({ tillName }) => tillName && <Untrusted text={tillName} />],
            [text.time, ({ createdAtMs }) => <ListedTime atMs={createdAtMs} />],
          ]}
        />
      </div>
      <FilterForm action={tillPath(environment)} fields={fields}>
        <button type="submit">{text.show}</button>
      </FilterForm>
      {request.cursor === null && <p class="hint">{text.dayHint}</p>}
    </Section>
  );
}
