import { signLink } from '../../crypto/link-token.ts';
import type { Intent } from '../../domain/intent.ts';
import { hasEnded } from '../../domain/intent.ts';
import { RETENTION_MS } from '../../domain/schedule.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { moneyText } from '../../i18n/money-text.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import type { EventSummary, HistoryEntry } from '../../intent/protocol.ts';
import { isAllowed } from '../../members/permissions.ts';
import { banks } from '../../merchants/directory.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';
import { searchPayments } from '../../read-model/search.ts';
import { answerPage } from '../../ui/answer.ts';
import { Facts, Message, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { Attempts } from './attempts.tsx';
import { Attention } from './attention.tsx';
import { Events } from './deliveries.tsx';
import { StatusBadge } from './elements.tsx';
import { paymentPath, paymentsPath } from './paths.ts';
import { CustomerFacts, IdFacts, Items, PaymentFacts, Splits } from './payment-facts.tsx';
import { Timeline } from './timeline.tsx';

/** The longest id: 255 characters, each at most two of JavaScript's. Longer: no object is asked. */
const UNIQUE_ID_LENGTH_MAX = 2 * 255;
const DAY_MS = 86_400_000;

export type DoneWord = keyof DashboardMessages['payment']['done'];
export type CancelRefusal = keyof DashboardMessages['payment']['cancelRefused'];

/** Everything that the page shows, as the payment is at this moment. */
interface PaymentView {
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  readonly events: readonly EventSummary[];
  readonly bankNames: ReadonlyMap<string, string>;
  /** Null unless the payment can still be paid and the member may have the link. */
  readonly checkoutUrl: string | null;
}

/** GET …/payments/:uniqueId: the payment out of its own object, so nothing of it is out of date. */
export function showPayment(call: DashboardCall): Promise<Response> {
  return paymentPage(call, null);
}

/** The page, with why a cancellation was refused if it was. */
export async function paymentPage(
  call: DashboardCall,
  refusal: CancelRefusal | null,
): Promise<Response> {
  const uniqueId = call.params.uniqueId ?? '';
  if (uniqueId.length > UNIQUE_ID_LENGTH_MAX) {
    return noticePage(call, 'not_found');
  }
  const view = await readView(call, uniqueId);
  if (view === null) {
    const row = await rowLeftOf(call, uniqueId);
    return row === null ? noticePage(call, 'not_found') : answerPage(call, gonePage(call, row));
  }
  const page = <PaymentPage call={call} view={view} refusal={refusal} />;
  return answerPage(call, page, { status: refusal === null ? 200 : 409 });
}

async function readView(call: DashboardCall, uniqueId: string): Promise<PaymentView | null> {
  const { env, config, session } = call;
  const client = intentByUniqueId(env, tenantOf(call), uniqueId);
  const read = await client.read();
  if (read.type === 'not_found') {
    return null;
  }
  const { intent } = read;
  const hasLink = !hasEnded(intent.status) && isAllowed(session.role, 'develop');
  const [history, events, bankNames, token] = await Promise.all([
    client.history(),
    client.events(),
    namesOfBanks(call, intent),
    hasLink
      ? signLink(config.linkSigningKeys, 'checkout', { objectId: client.objectId, attemptIndex: 0 })
      : null,
  ]);
  const checkoutUrl = token === null ? null : `${intent.terms.baseUrl}/checkout/${token}`;
  return { intent, history, events, bankNames, checkoutUrl };
}

async function namesOfBanks(call: DashboardCall, { terms }: Intent) {
  const known = terms.splits.length === 0 ? new Map() : await banks(call.env, call.nowMs);
  return new Map([...known.values()].map(({ code, name }) => [code, name]));
}

/** What the read model still has of a payment whose object keeps no more than that its id is taken. */
async function rowLeftOf(call: DashboardCall, uniqueId: string): Promise<PaymentRow | null> {
  const rows = await searchPayments(call.env, tenantOf(call), uniqueId);
  return rows.find((row) => row.uniqueId === uniqueId) ?? null;
}

function PaymentPage(props: {
  readonly call: DashboardCall;
  readonly view: PaymentView;
  readonly refusal: CancelRefusal | null;
}) {
  const { call, view, refusal } = props;
  const { intent, history, events, bankNames, checkoutUrl } = view;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <Frame call={call} title={text.title(shownText(intent.terms.uniqueId))} active="payments">
      <BackLink call={call} />
      {refusal !== null && <Message tone="bad">{text.cancelRefused[refusal]}</Message>}
      <Done call={call} />
      <Head call={call} intent={intent} />
      <Attention call={call} intent={intent} />
      <div class="cards">
        <PaymentFacts call={call} intent={intent} checkoutUrl={checkoutUrl} />
        <div class="part">
          <IdFacts call={call} intent={intent} />
          <CustomerFacts call={call} intent={intent} />
        </div>
      </div>
      <Items call={call} intent={intent} />
      <Splits call={call} intent={intent} bankNames={bankNames} />
      <Attempts call={call} intent={intent} />
      <Timeline call={call} intent={intent} history={history} />
      <Events call={call} intent={intent} events={events} />
    </Frame>
  );
}

/** What matters most, and the one thing that can be done about it. */
function Head({ call, intent }: { readonly call: DashboardCall; readonly intent: Intent }) {
  const { terms, status } = intent;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const canCancel =
    status === 'open' && isAllowed(call.session.role, 'develop') && !call.session.isSuspended;
  return (
    <div class="payment-head">
      <p class="payment-amount number">
        {moneyText(terms.amountMinor, terms.currency, CHECKOUT_TEXTS[call.language].locale)}
      </p>
      <StatusBadge call={call} status={status} />
      {canCancel && (
        <ButtonForm
          call={call}
          action={`${paymentPath(call.environment, terms.uniqueId)}/cancel`}
          label={text.cancel}
          tone="bad"
          confirm={text.cancelQuestion}
        />
      )}
    </div>
  );
}

function Done({ call }: { readonly call: DashboardCall }) {
  const { done } = DASHBOARD_TEXTS[call.language].payment;
  const word = call.url.searchParams.get('done') ?? '';
  return Object.hasOwn(done, word) ? <Message tone="good">{done[word as DoneWord]}</Message> : null;
}

function BackLink({ call }: { readonly call: DashboardCall }) {
  return (
    <p>
      <a href={paymentsPath(call.environment)}>{DASHBOARD_TEXTS[call.language].payment.back}</a>
    </p>
  );
}

function gonePage(call: DashboardCall, row: PaymentRow) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const shared = CHECKOUT_TEXTS[call.language];
  return (
    <Frame call={call} title={text.title(shownText(row.uniqueId))} active="payments">
      <BackLink call={call} />
      <p>{text.gone(String(RETENTION_MS / DAY_MS))}</p>
      <section class="card">
        <Facts
          rows={[
            [text.amount, moneyText(row.amountMinor, row.currency, shared.locale)],
            [text.status, <StatusBadge call={call} status={row.status} />],
            [text.method, row.method === null ? '—' : shared.methodName[row.method]],
            [text.uuid, row.uuid],
            [text.createdAt, <When call={call} atMs={row.createdAtMs} />],
            [text.updatedAt, <When call={call} atMs={row.updatedAtMs} />],
          ]}
        />
      </section>
    </Frame>
  );
}
