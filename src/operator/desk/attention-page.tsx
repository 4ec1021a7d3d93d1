import { moneyIn } from '../../back-office/payment-elements.tsx';
import { concurrently } from '../../concurrently.ts';
import type { Intent } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/back-office.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { errorText, log } from '../../log.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';
import type { PageView } from '../../ui/back-office.tsx';
import { Badge, Moment, Table, Untrusted, When } from '../../ui/elements.tsx';
import { type AttentionItem, attentionPage } from '../attention/items.ts';
import { merchantNames } from '../merchant-rows.ts';
import { ageText } from './age.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, Pager } from './frame.tsx';
import { letterPath, merchantPath, PATHS, paymentPath } from './paths.ts';

/** Each payment on the page is read from its object, for the references. */
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
  const [names, references] = await Promise.all([
    merchantNames(env.DB, items.flatMap(merchantOf)),
    referencesOf(call, items),
  ]);
  const rows = items.map((item) => [
    <What call={call} item={item} />,
    <Reference item={item} references={references} />,
    <Amount view={view} item={item} />,
    ...merchantOf(item).map((id) => <a href={merchantPath(id)}>{names.get(id) ?? id}</a>),
    ...(item.type === 'dead_letter' ? [<span class="quiet">—</span>] : []),
    <Age call={call} item={item} />,
  ]);
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

function merchantOf(item: AttentionItem): readonly string[] {
  switch (item.type) {
    case 'dead_letter':
      return [];
    case 'payment':
      return [item.payment.merchantId];
    case 'delivery':
      return [item.event.merchantId];
  }
}

/** By uuid: the references by which the provider knows the attempts that need attention. */
async function referencesOf(
  { env }: DeskCall,
  items: readonly AttentionItem[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const payments = items.flatMap((item) => (item.type === 'payment' ? [item.payment] : []));
  const found = await concurrently(payments, async (payment) => {
    try {
      const read = await intentByUniqueId(env, payment, payment.uniqueId).read();
      return [payment.uuid, read.type === 'not_found' ? [] : concerned(read.intent)] as const;
    } catch (error) {
      // The list must open although one payment does not answer.
      log('warn', 'intent_unavailable', { error: errorText(error) });
      return [payment.uuid, []] as const;
    }
  });
  return new Map(found);
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
  const environment = environmentOf(item);
  return (
    <span class="marks">
      {item.reasons.map((reason) => (
        <Badge tone={reason === 'late_payment' ? 'wait' : 'bad'}>{attention[reason].title}</Badge>
      ))}
      {environment === 'sandbox' && <Badge tone="plain">{pages.environment.sandbox}</Badge>}
    </span>
  );
}

function environmentOf(item: AttentionItem) {
  if (item.type === 'dead_letter') {
    return null;
  }
  return item.type === 'payment' ? item.payment.environment : item.event.environment;
}

/** The link to the page of the item, and the references to look up at the provider. */
function Reference(props: {
  readonly item: AttentionItem;
  readonly references: ReadonlyMap<string, readonly string[]>;
}) {
  const { item, references } = props;
  if (item.type === 'dead_letter') {
    return (
      <a class="id" href={letterPath(item.letter.id)}>
        <Untrusted text={item.letter.id} />
      </a>
    );
  }
  const named = item.type === 'payment' ? item.payment : item.event;
  const known = item.type === 'payment' ? (references.get(item.payment.uuid) ?? []) : [];
  return (
    <span>
      <a class="id" href={`${paymentPath(named)}${item.type === 'delivery' ? '#events' : ''}`}>
        <Untrusted text={named.uniqueId} />
      </a>
      {known.map((reference) => (
        <>
          {' '}
          <code class="small">{reference}</code>
        </>
      ))}
    </span>
  );
}

function Amount({ view, item }: { readonly view: PageView; readonly item: AttentionItem }) {
  return item.type === 'payment' ? (
    <AmountAndMethod view={view} payment={item.payment} />
  ) : (
    <span class="quiet">—</span>
  );
}

/** What the customer pays, and by which method. */
function AmountAndMethod(props: { readonly view: PageView; readonly payment: PaymentRow }) {
  const { view, payment } = props;
  const { methodName } = CHECKOUT_TEXTS[view.language];
  return (
    <span>
      <span class="number whole">{moneyIn(view, payment.currency)(payment.chargedMinor)}</span>{' '}
      {payment.method !== null && (
        <span class="quiet small whole">{methodName[payment.method]}</span>
      )}
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
