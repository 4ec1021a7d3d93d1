import { moneyIn } from '../../back-office/payment-elements.tsx';
import { concurrently } from '../../concurrently.ts';
import { type Intent, reportedAttempt } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/back-office.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { errorText, log } from '../../log.ts';
import type { PageView } from '../../ui/back-office.tsx';
import { Badge, Moment, Table, Untrusted, When } from '../../ui/elements.tsx';
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
      <Amount view={view} intent={intent} />,
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

/** The payments of the page by uuid, each read from its object; without those out of reach. */
async function intentsOf(
  { env }: DeskCall,
  items: readonly AttentionItem[],
): Promise<ReadonlyMap<string, Intent>> {
  const named = new Map(
    items.flatMap((item) => paymentOf(item) ?? []).map((one) => [one.uuid, one]),
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
    case 'delivery':
      return { ...item.event, uuid: item.event.paymentUuid };
  }
}

function concerned({ attempts, anomalies, paidAttemptId, late }: Intent): readonly string[] {
  const isConcerned = ({ id, status }: Intent['attempts'][number]) =>
    status === 'unresolved' ||
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
  const named = item.type === 'payment' ? item.payment : item.event;
  const references = item.type === 'payment' && intent !== null ? concerned(intent) : [];
  return (
    <span>
      <a class="id" href={`${paymentPath(named)}${item.type === 'delivery' ? '#events' : ''}`}>
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

/** What the customer pays, and by which method. */
function Amount({ view, intent }: { readonly view: PageView; readonly intent: Intent | null }) {
  if (intent === null) {
    return <span class="quiet">—</span>;
  }
  const { methodName } = CHECKOUT_TEXTS[view.language];
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
