import type {
  AttentionItem,
  DescribedAttention,
  PaymentHint,
} from '../../../src/interface/operations.ts';
import { paymentOf } from '../../../src/operations/needs.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import type { DeskMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Moment, Untrusted, When } from '../../ui/elements.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { letterPath, merchantPath, paymentPath } from './paths.ts';

/** Each payment on the page is read from its object, for references, amount and method. */
const ROWS = 25;

/** GET /operator: what needs the operator's attention, each with a link to its page. */
export async function showAttentionPage(call: DeskCall): Promise<Response> {
  const query = { ...cursorIn(call), limit: String(ROWS) };
  const page = await call.payments.operations.describedAttention(query);
  return answerDesk(call, <AttentionPage {...page} />);
}

function AttentionPage(page: DescribedAttention) {
  const { items, payments, merchantNames, nextCursor, unlisted } = page;
  const { attention, pages: text } = useTexts(DESK_TEXTS);
  const rows = items.map((item) => {
    const payment = paymentOf(item);
    const hint = payments[payment?.uuid ?? ''] ?? null;
    return [
      <What item={item} />,
      <span class="small">{item.reasons.map((reason) => attention[reason].todo).join(' ')}</span>,
      <Reference item={item} hint={hint} />,
      <Amount item={item} hint={hint} />,
      payment !== null && (
        <a href={merchantPath(payment.merchantId)}>
          {merchantNames[payment.merchantId] ?? payment.merchantId}
        </a>
      ),
      <Age item={item} />,
    ];
  });
  return (
    <ListPage
      active="attention"
      title={text.nav.attention}
      columns={[text.what, text.toDo, text.payment, text.amount, text.merchant, text.age]}
      rows={rows}
      empty={text.attentionEmpty}
      nextCursor={nextCursor}
      listClass="compact-list attention-list"
    >
      {unlisted.map(({ environment, merchantId, items: left }) => (
        <p>
          {text.unlisted(left)}{' '}
          <a href={merchantPath(merchantId)}>{merchantNames[merchantId] ?? merchantId}</a>
          {environment === 'sandbox' && ` (${text.environment.sandbox})`}
        </p>
      ))}
    </ListPage>
  );
}

interface Props {
  readonly item: AttentionItem;
}

interface HintProps extends Props {
  readonly hint: PaymentHint | null;
}

function What({ item }: Props) {
  const { attention, pages } = useTexts(DESK_TEXTS);
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
function Reference({ item, hint }: HintProps) {
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
            <code class="small on-desktop">{reference}</code>
          </>
        ))}
    </span>
  );
}

/** Where on the payment's page the item is. */
const PARTS = { payment: '', refund: '', delivery: '#events' } as const;

/** What the customer pays or gets back, and by which method. */
function Amount({ item, hint }: HintProps) {
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const shown =
    item.type === 'refund' ? { ...item.refund, payableMinor: item.refund.returnedMinor } : hint;
  if (shown === null) {
    return null;
  }
  const { payableMinor, currency, method } = shown;
  return (
    <span>
      <span class="number whole">{useMoney(currency)(payableMinor)}</span>{' '}
      {method !== null && <span class="quiet small on-desktop">{methodName[method]}</span>}
    </span>
  );
}

function Age({ item: { atMs } }: Props) {
  const { ageUnits } = useTexts(DESK_TEXTS).pages;
  return (
    <span>
      <Moment atMs={atMs}>{ageText(useDesk().nowMs - atMs, ageUnits)}</Moment>{' '}
      <span class="quiet small on-desktop">
        <When atMs={atMs} />
      </span>
    </span>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long something has waited, in its largest full unit: "3 h". Less than a minute is 0 min. */
function ageText(ms: number, units: DeskMessages['pages']['ageUnits']): string {
  if (ms >= DAY_MS) {
    return units.days(String(Math.floor(ms / DAY_MS)));
  }
  return ms >= HOUR_MS
    ? units.hours(String(Math.floor(ms / HOUR_MS)))
    : units.minutes(String(Math.max(0, Math.floor(ms / MINUTE_MS))));
}
