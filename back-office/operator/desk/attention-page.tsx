import type { AttentionItem, PaymentHint } from '../../../src/interface/operations.ts';
import { paymentOf } from '../../../src/operations/needs.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Moment, Table, Untrusted, When } from '../../ui/elements.tsx';
import type { PageView } from '../../ui/page.tsx';
import { ageText } from './age.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, Pager } from './frame.tsx';
import { letterPath, merchantPath, PATHS, paymentPath } from './paths.ts';

/** Each payment on the page is read from its object, for references, amount and method. */
const ROWS = 25;

/** GET /operator: what needs the operator's attention, each with a link to its page. */
export async function showAttentionPage(call: DeskCall): Promise<Response> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const query = { ...cursorIn(view), limit: String(ROWS) };
  const page = await call.payments.operations.describedAttention(query);
  const rows = page.items.map((item) => {
    const payment = paymentOf(item);
    const hint = page.payments[payment?.uuid ?? ''] ?? null;
    return [
      <What call={call} item={item} />,
      <Reference item={item} hint={hint} />,
      <Amount view={view} item={item} hint={hint} />,
      payment === null ? (
        <span class="quiet">—</span>
      ) : (
        <a href={merchantPath(payment.merchantId)}>
          {page.merchantNames[payment.merchantId] ?? payment.merchantId}
        </a>
      ),
      <Age call={call} item={item} />,
    ];
  });
  const children = (
    <>
      <Table
        caption={text.nav.attention}
        columns={[text.what, text.payment, text.amount, text.merchant, text.age]}
        rows={rows}
        empty={text.attentionEmpty}
      />
      <Pager view={view} path={PATHS.attention} nextCursor={page.nextCursor} />
    </>
  );
  return answerDesk(call, { active: 'attention', title: text.nav.attention, children });
}

function What({ call, item }: { readonly call: DeskCall; readonly item: AttentionItem }) {
  const { attention, pages } = DESK_TEXTS[call.view.language];
  return (
    <span class="marks">
      {item.reasons.map((reason) => (
        <Badge tone={reason === 'late_payment' ? 'wait' : 'bad'}>{attention[reason].title}</Badge>
      ))}
      {paymentOf(item)?.environment === 'sandbox' && (
        <Badge tone="plain">{pages.environment.sandbox}</Badge>
      )}
    </span>
  );
}

/** The link to the page of the item, and the references to look up at the provider. */
function Reference(props: { readonly item: AttentionItem; readonly hint: PaymentHint | null }) {
  const { item, hint } = props;
  if (item.type === 'dead_letter') {
    return (
      <a class="id" href={letterPath(item.letter.id)}>
        <Untrusted text={item.letter.id} />
      </a>
    );
  }
  const named = paymentOf(item);
  const references = item.type === 'refund' ? [item.refund.transactionId] : hint?.references;
  return (
    <span>
      <a class="id" href={paymentPath(named, PARTS[item.type])}>
        <Untrusted text={named.uniqueId} />
      </a>
      {item.type !== 'delivery' &&
        references?.map((reference) => (
          <>
            {' '}
            <code class="small">{reference}</code>
          </>
        ))}
    </span>
  );
}

/** Where on the payment's page the item is. */
const PARTS = { payment: '', refund: '#refunds', delivery: '#events' } as const;

/** What the customer pays or gets back, and by which method. */
function Amount(props: {
  readonly view: PageView;
  readonly item: AttentionItem;
  readonly hint: PaymentHint | null;
}) {
  const { view, item } = props;
  const hint =
    item.type === 'refund'
      ? { ...item.refund, payableMinor: item.refund.returnedMinor }
      : props.hint;
  if (hint === null) {
    return <span class="quiet">—</span>;
  }
  const { payableMinor, currency, method } = hint;
  const { methodName } = CHECKOUT_TEXTS[view.language];
  return (
    <span>
      <span class="number whole">{moneyIn(view, currency)(payableMinor)}</span>{' '}
      {method !== null && <span class="quiet small whole">{methodName[method]}</span>}
    </span>
  );
}

function Age({ call, item }: { readonly call: DeskCall; readonly item: AttentionItem }) {
  const { ageUnits } = DESK_TEXTS[call.view.language].pages;
  return (
    <span>
      <Moment atMs={item.atMs}>{ageText(call.nowMs - item.atMs, ageUnits)}</Moment>{' '}
      <span class="quiet small">
        <When call={call.view} atMs={item.atMs} />
      </span>
    </span>
  );
}
