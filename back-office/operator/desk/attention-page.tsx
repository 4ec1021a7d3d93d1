import { attentionReasons, paymentOf, type Reason } from '../../../src/control/attention/item.ts';
import type {
  AboutPayment,
  AttentionGroup,
  AttentionGroups,
  AttentionItem,
  DescribedAttention,
  DescribedLetter,
} from '../../../src/control/rpc/operator.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import type { DeskMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, Moment, Untrusted, When } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { AboutPaymentLine } from './about-payment.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { ChooseBox, ChooseForm, LeftMessage, leftIn } from './chosen.tsx';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { groupPath, letterPath, merchantPath, PATHS, paymentPath } from './paths.ts';

const ROWS = 25;

/** A larger group is shown as this many and more. */
const GROUP_ITEMS_MAX = 1_000;

/** GET /operator: what needs the operator's attention, by cause, merchant and environment. */
export async function showAttentionPage(call: DeskCall): Promise<Response> {
  const environment = call.url.searchParams.get('environment') ?? 'production';
  const query = { ...cursorIn(call), environment, limit: String(ROWS) };
  const page = await call.payments.operator.attentionGroups(query);
  return answerDesk(call, <AttentionPage {...page} />);
}

function AttentionPage(page: AttentionGroups) {
  const { items: groups, environment, merchantNames, nextCursor, unlisted } = page;
  const { attention, anomalyTodo, pages: text } = useTexts(DESK_TEXTS);
  const todoOf = ({ item, reason }: AttentionGroup) => {
    const known = item === null ? [] : attentionReasons(item, [reason]);
    const todos = known.flatMap(({ anomaly }) => (anomaly === null ? [] : anomalyTodo[anomaly]));
    return todos.length > 0 ? todos.join(' ') : attention[reason].todo;
  };
  const rows = groups.map((group) => [
    <What item={group.item} reasons={group.item?.reasons ?? [group.reason]} />,
    <span class="small">{todoOf(group)}</span>,
    group.item === null ? <GroupLink group={group} /> : <Reference item={group.item} />,
    group.item !== null && <Amount item={group.item} />,
    group.merchantId !== null && (
      <a href={merchantPath(group.merchantId)}>
        {merchantNames[group.merchantId] ?? group.merchantId}
      </a>
    ),
    group.item === null ? <Ages group={group} /> : <Age atMs={group.item.atMs} />,
  ]);
  return (
    <ListPage
      active="attention"
      title={text.nav.attention}
      columns={[
        text.what,
        text.toDo,
        text.payment,
        { title: text.amount, kind: 'figures' },
        text.merchant,
        text.age,
      ]}
      rows={rows}
      empty={text.attentionEmpty}
      nextCursor={nextCursor}
      listClass="compact-list attention-list"
    >
      <Navigation
        class="tabs"
        label={text.environmentLabel}
        links={(['production', 'sandbox'] as const).map((one) => ({
          href: one === 'production' ? PATHS.attention : `${PATHS.attention}?environment=${one}`,
          text: text.environment[one],
          isCurrent: one === environment,
        }))}
      />
      {unlisted.map(({ merchantId, items: left }) => (
        <p>
          {text.unlisted(left)}{' '}
          <a href={merchantPath(merchantId)}>{merchantNames[merchantId] ?? merchantId}</a>
        </p>
      ))}
    </ListPage>
  );

  function GroupLink({ group }: { readonly group: AttentionGroup }) {
    const { reason, merchantId, items } = group;
    const to =
      merchantId === null ? PATHS.deadLetters : groupPath({ environment, reason, merchantId });
    return (
      <a class="id" href={to}>
        {text.items(items, GROUP_ITEMS_MAX)}
      </a>
    );
  }
}

/** The questions about several items of a reason. The others need a decision for each. */
const GROUP_ACTIONS: Readonly<Partial<Record<Reason, readonly (keyof typeof ACTION_TEXTS)[]>>> = {
  unresolved_attempt: ['unpaid', 'review'],
  anomaly: ['review'],
  late_payment: ['review'],
  delivery_dead: ['resend'],
  delivery_paused: ['resend'],
  delivery_undeliverable: ['resend'],
};

const ACTION_TEXTS = {
  review: 'reviewItems',
  unpaid: 'recordUnpaid',
  resend: 'resendItems',
} as const;

/** GET …/attention/:environment/:reason/:merchantId: the items of one group. */
export async function showGroupPage(call: DeskCall): Promise<Response> {
  const { environment = '', reason = '', merchantId = '' } = call.params;
  const query = { ...cursorIn(call), environment, reason, merchantId, limit: String(ROWS) };
  const [page, merchant, left] = await Promise.all([
    call.payments.operator.describedAttention(query),
    call.payments.operator.knownMerchant({ merchantId }),
    leftIn(call),
  ]);
  const known = reason as Exclude<Reason, 'dead_result' | 'dead_message'>;
  return answerDesk(
    call,
    <GroupPage {...page} reason={known} merchantName={merchant.name} left={left} />,
  );
}

function GroupPage(
  props: DescribedAttention & {
    readonly reason: Reason;
    readonly merchantName: string;
    readonly left: Awaited<ReturnType<typeof leftIn>>;
  },
) {
  const { items, nextCursor, reason, merchantName, left } = props;
  const { attention, pages: text } = useTexts(DESK_TEXTS);
  const { params, url } = useDesk();
  const { title, what, todo } = attention[reason];
  const names = GROUP_ACTIONS[reason] ?? [];
  const rows = items.map((item) => [
    names.length > 0 && <ChooseBox id={item.id} name={paymentOf(item)?.uniqueId ?? item.id} />,
    <span>
      {(item.reasons.length > 1 || reason === 'anomaly') && (
        <What item={item} reasons={item.reasons} />
      )}
      <Reference item={item} />
    </span>,
    <Amount item={item} />,
    <Age atMs={item.atMs} />,
  ]);
  const actions = names.map((name) => ({
    path: `${url.pathname}/${name}`,
    text: text[ACTION_TEXTS[name]],
  }));
  return (
    <ListPage
      active="attention"
      title={title}
      columns={[text.chosen, text.payment, { title: text.amount, kind: 'figures' }, text.age]}
      rows={rows}
      empty={text.groupEmpty}
      nextCursor={nextCursor}
      head={{
        back: {
          to:
            params.environment === 'sandbox'
              ? `${PATHS.attention}?environment=sandbox`
              : PATHS.attention,
          text: text.nav.attention,
        },
      }}
      listClass="compact-list chosen-list"
      around={(list) =>
        items.length === 0 || actions.length === 0 ? (
          list
        ) : (
          <ChooseForm actions={actions}>{list}</ChooseForm>
        )
      }
    >
      <LeftMessage left={left} />
      <p>
        <a href={merchantPath(params.merchantId ?? '')}>
          <bdi>{shownText(merchantName)}</bdi>
        </a>
        {params.environment === 'sandbox' && ` (${text.environment.sandbox})`}
      </p>
      <p>
        {what} {todo}
      </p>
    </ListPage>
  );
}

interface Props {
  readonly item: AttentionItem;
}

function What(props: { readonly item: AttentionItem | null; readonly reasons: readonly Reason[] }) {
  const { item, reasons } = props;
  const { attention } = useTexts(DESK_TEXTS);
  const { anomalyTitle } = useTexts(DASHBOARD_TEXTS).payment;
  const shown =
    item === null
      ? reasons.map((reason) => ({ reason, anomaly: null }))
      : attentionReasons(item, reasons);
  return (
    <span class="marks">
      {shown.map(({ reason, anomaly }) => (
        <Badge tone={reason === 'late_payment' ? 'wait' : 'bad'}>
          {anomaly === null ? attention[reason].title : anomalyTitle[anomaly]}
        </Badge>
      ))}
    </span>
  );
}

/** The link to the page of the item, and what to look up at the provider. */
function Reference({ item }: Props) {
  if (item.type === 'dead_letter') {
    return <LetterReference {...item.letter} />;
  }
  if (item.type === 'book') {
    return (
      <a class="id" href={merchantPath(item.book.merchantId)}>
        <Untrusted text={item.id} />
      </a>
    );
  }
  const named = paymentOf(item);
  return (
    <span>
      <a class="id" href={paymentPath(named, PARTS[item.type])}>
        <Untrusted text={named.uniqueId} />
      </a>
      <AboutPaymentLine {...item.about} />
    </span>
  );
}

/** The link to a letter, and the payment that it is about. */
export function LetterReference({ id, payment }: Pick<DescribedLetter, 'id' | 'payment'>) {
  return (
    <span>
      <a class="id" href={letterPath(id)}>
        <Untrusted text={id} />
      </a>
      {payment !== null && (
        <>
          <span class="clipped small">
            <Untrusted text={payment.uniqueId} />
          </span>
          <AboutPaymentLine {...payment} />
        </>
      )}
    </span>
  );
}

/** Where on the payment's page the item is. */
const PARTS = { payment: '', refund: '', delivery: '#events' } as const;

function aboutOf(item: AttentionItem): AboutPayment | null {
  switch (item.type) {
    case 'dead_letter':
      return item.letter.payment;
    case 'book':
      return null;
    default:
      return item.about;
  }
}

/** What the customer pays or gets back. */
function Amount({ item }: Props) {
  const about = aboutOf(item);
  return about === null ? null : <AboutAmount {...about} />;
}

export function AboutAmount({
  amountMinor,
  currency,
}: Pick<AboutPayment, 'amountMinor' | 'currency'>) {
  return <span class="number whole">{useMoney(currency)(amountMinor)}</span>;
}

export function Age({ atMs }: { readonly atMs: number }) {
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

/** Since when the oldest and the newest item wait. */
function Ages({ group: { oldestAtMs, newestAtMs } }: { readonly group: AttentionGroup }) {
  const { ageUnits } = useTexts(DESK_TEXTS).pages;
  const { nowMs } = useDesk();
  const [oldest, newest] = [oldestAtMs, newestAtMs].map((atMs) => ageText(nowMs - atMs, ageUnits));
  return (
    <span>
      <Moment atMs={oldestAtMs}>{oldest ?? ''}</Moment>
      {newest !== oldest && (
        <>
          {' – '}
          <Moment atMs={newestAtMs}>{newest ?? ''}</Moment>
        </>
      )}{' '}
      <span class="quiet small on-desktop">
        <When atMs={oldestAtMs} />
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
