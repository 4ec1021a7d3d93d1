import { concurrently } from '../../../src/concurrently.ts';
import { type Intent, reportedAttempt } from '../../../src/domain/intent.ts';
import { intentByUniqueId } from '../../../src/intent/client.ts';
import { errorText, log } from '../../../src/log.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Moment, Table, Untrusted, When } from '../../ui/elements.tsx';
import type { PageView } from '../../ui/page.tsx';
import { type AttentionItem, attentionPage } from '../attention/items.ts';
import { merchantNames } from '../merchant-rows.ts';
import { ageText } from './age.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, Pager } from './frame.tsx';
import { letterPath, merchantPath, PATHS, type PaymentName, paymentPath } from './paths.ts';
import { payableMinor } from './payable.ts';

/** Each payment on the page is read from its object, for references, amount and method. */
const ROWS = 25;

/** GET /operator: what needs the operator's attention, each with a link to its page. */
export async function showAttentionPage(call: DeskCall): Promise<Response> {
  const { view, env } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { items, nextCursor } = await attentionPage(env.DB, {
    environment: null,
    cursor: view.url.searchParams.get('cursor'),
    limit: ROWS,
    nowMs: call.nowMs,
  });
  const [names, intents] = await Promise.all([
    merchantNames(
      env.DB,
      items.flatMap((item) => paymentOf(item)?.merchantId ?? []),
    ),
    intentsOf(call, items),
  ]);
  const rows = items.map((item) => {
    const payment = paymentOf(item);
    const intent = intents.get(payment?.uuid ?? '') ?? null;
    return [
      <What call={call} item={item} />,
      <Reference item={item} intent={intent} />,
      <Amount view={view} item={item} intent={intent} />,
      payment === null ? (
        <span class="quiet">—</span>
      ) : (
        <a href={merchantPath(payment.merchantId)}>
          {names.get(payment.merchantId) ?? payment.merchantId}
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
      <Pager view={view} path={PATHS.attention} nextCursor={nextCursor} />
    </>
  );
  return answerDesk(call, { active: 'attention', title: text.nav.attention, children });
}

/**
 * The payments of the page by uuid, each read from its object; without those out of reach. The row
 * of a refund has all that the page shows.
 */
async function intentsOf(
  { env }: DeskCall,
  items: readonly AttentionItem[],
): Promise<ReadonlyMap<string, Intent>> {
  const named = new Map(
    items
      .filter(({ type }) => type !== 'refund')
      .flatMap((item) => paymentOf(item) ?? [])
      .map((one) => [one.uuid, one]),
  );
  const intents = await concurrently([...named.values()], async (payment) => {
    try {
      const read = await intentByUniqueId(env, payment, payment.uniqueId).read();
      return read.type === 'not_found' ? [] : [read.intent];
    } catch (error) {
      // The list must open although one payment does not answer.
      log('warn', 'intent_unavailable', { error: errorText(error) });
      return [];
    }
  });
  return new Map(intents.flat().map((intent) => [intent.terms.uuid, intent]));
}

interface Named extends PaymentName {
  readonly uuid: string;
}

/** The payment that the item is about; null for a dead letter. */
function paymentOf(item: AttentionItem): Named | null {
  switch (item.type) {
    case 'dead_letter':
      return null;
    case 'payment':
      return item.payment;
    case 'refund':
      return { ...item.refund, uuid: item.refund.paymentUuid };
    case 'delivery':
      return { ...item.event, uuid: item.event.paymentUuid };
  }
}

function concerned({ attempts, anomalies, paidAttemptId, late }: Intent): readonly string[] {
  const isConcerned = ({ id, status, proposal }: Intent['attempts'][number]) =>
    status === 'unresolved' ||
    proposal !== null ||
    anomalies.some(({ attemptId }) => attemptId === id) ||
    (late && id === paidAttemptId);
  return attempts.filter(isConcerned).map(({ reference }) => reference);
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
function Reference(props: { readonly item: AttentionItem; readonly intent: Intent | null }) {
  const { item, intent } = props;
  if (item.type === 'dead_letter') {
    return (
      <a class="id" href={letterPath(item.letter.id)}>
        <Untrusted text={item.letter.id} />
      </a>
    );
  }
  const { named, part, references } = shownOf(item, intent);
  return (
    <span>
      <a class="id" href={paymentPath(named, part)}>
        <Untrusted text={named.uniqueId} />
      </a>
      {references.map((reference) => (
        <>
          {' '}
          <code class="small">{reference}</code>
        </>
      ))}
    </span>
  );
}

/** The payment, the part of its page, and the references to look up. */
function shownOf(
  item: Exclude<AttentionItem, { readonly type: 'dead_letter' }>,
  intent: Intent | null,
): {
  readonly named: PaymentName;
  readonly part: string;
  readonly references: readonly string[];
} {
  switch (item.type) {
    case 'payment':
      return {
        named: item.payment,
        part: '',
        references: intent === null ? [] : concerned(intent),
      };
    case 'refund':
      return { named: item.refund, part: '#refunds', references: [item.refund.transactionId] };
    case 'delivery':
      return { named: item.event, part: '#events', references: [] };
  }
}

/** What the customer pays or gets back, and by which method. */
function Amount(props: {
  readonly view: PageView;
  readonly item: AttentionItem;
  readonly intent: Intent | null;
}) {
  const { view, item, intent } = props;
  const { methodName } = CHECKOUT_TEXTS[view.language];
  if (item.type === 'refund') {
    const { returnedMinor, currency, method } = item.refund;
    return (
      <span>
        <span class="number whole">{moneyIn(view, currency)(returnedMinor)}</span>{' '}
        <span class="quiet small whole">{methodName[method]}</span>
      </span>
    );
  }
  if (intent === null) {
    return <span class="quiet">—</span>;
  }
  const attempt = reportedAttempt(intent);
  return (
    <span>
      <span class="number whole">{moneyIn(view, intent.terms.currency)(payableMinor(intent))}</span>{' '}
      {attempt !== null && <span class="quiet small whole">{methodName[attempt.method]}</span>}
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
