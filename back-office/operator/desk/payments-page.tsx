import { seal, unseal } from '../../../src/crypto/sealed.ts';
import { ENVIRONMENTS } from '../../../src/domain/method.ts';
import { phoneFrom } from '../../../src/domain/phone.ts';
import { SEARCH_ID_LENGTH_MAX } from '../../../src/domain/search-key.ts';
import type { PaymentRow } from '../../../src/read-model/payment-row.ts';
import { searchPayments as searchOf } from '../../../src/read-model/search.ts';
import { searchAllPayments } from '../../../src/read-model/search-all.ts';
import { moneyIn, StatusBadge } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Message, Table, TextField, Untrusted, When } from '../../ui/elements.tsx';
import { merchantNames } from '../merchant-rows.ts';
import { MERCHANT_ID } from '../schema.ts';
import type { DeskCall } from './call.ts';
import { formToken } from './form-token.ts';
import { answerDesk } from './frame.tsx';
import { merchantPath, PATHS, paymentPath } from './paths.ts';

/** The newest payments of one merchant, in each environment. */
const NEWEST_ROWS = 25;

/** A sealed search works only on this page. */
const SEAL_CONTEXT = 'desk/search';

/** POST /operator/payments: a search may be a phone number, which no URL may show. */
export async function searchPayments(call: DeskCall): Promise<Response> {
  const text = call.form.text('search').slice(0, SEARCH_ID_LENGTH_MAX);
  const merchant = call.form.text('merchant');
  const query = new URLSearchParams({
    ...(text !== '' && {
      search: await seal(call.config.dataEncryptionKeys, text, SEAL_CONTEXT),
    }),
    ...(MERCHANT_ID.test(merchant) && { merchant }),
  });
  return redirectTo(`${PATHS.payments}?${query}`);
}

/** What the address asks for. */
interface Wanted {
  readonly text: string;
  /** Null: of all merchants. */
  readonly merchantId: string | null;
}

/** GET /operator/payments: a search over all merchants, or one merchant's payments. */
export async function showPaymentsPage(call: DeskCall): Promise<Response> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const wanted = await wantedBy(call);
  const rows = await paymentsFor(call, wanted);
  const names = await merchantNames(
    call.env.DB,
    (rows ?? []).map(({ merchantId }) => merchantId),
  );
  const isPhoneOfAll = wanted.merchantId === null && phoneFrom(wanted.text) !== null;
  const children = (
    <>
      <SearchForm call={call} wanted={wanted} token={await formToken(call)} />
      {isPhoneOfAll && (
        <Message tone="bad">
          <p>{text.phoneNeedsMerchant}</p>
        </Message>
      )}
      {rows !== null && <Payments call={call} rows={rows} names={names} />}
    </>
  );
  return answerDesk(call, { active: 'payments', title: text.nav.payments, children });
}

async function wantedBy({ config, view }: DeskCall): Promise<Wanted> {
  const query = view.url.searchParams;
  const merchant = query.get('merchant') ?? '';
  return {
    text: (await unseal(config.dataEncryptionKeys, query.get('search') ?? '', SEAL_CONTEXT)) ?? '',
    merchantId: MERCHANT_ID.test(merchant) ? merchant : null,
  };
}

/** Null when nothing is asked for. */
async function paymentsFor(
  { env, payments }: DeskCall,
  { text, merchantId }: Wanted,
): Promise<readonly PaymentRow[] | null> {
  if (merchantId === null) {
    return text === '' ? null : searchAllPayments(env, text);
  }
  const pages = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const tenant = { environment, merchantId };
      return text === ''
        ? (await payments.lists.payments(tenant, {}, null, NEWEST_ROWS)).rows
        : searchOf(env, tenant, text);
    }),
  );
  return pages.flat().sort((one, other) => other.createdAtMs - one.createdAtMs);
}

function SearchForm(props: {
  readonly call: DeskCall;
  readonly wanted: Wanted;
  readonly token: string;
}) {
  const { call, wanted, token } = props;
  const text = DESK_TEXTS[call.view.language].pages;
  return (
    <form class="form" method="post" action={PATHS.payments}>
      <input type="hidden" name="csrf" value={token} />
      <TextField
        id="search"
        label={text.searchLabel}
        hint={text.searchHint}
        value={wanted.text}
        maxlength={SEARCH_ID_LENGTH_MAX}
        required={false}
      />
      <TextField
        id="merchant"
        label={text.searchMerchant}
        hint={text.searchMerchantHint}
        value={wanted.merchantId ?? ''}
        required={false}
      />
      <button type="submit">{text.search}</button>
    </form>
  );
}

function Payments(props: {
  readonly call: DeskCall;
  readonly rows: readonly PaymentRow[];
  readonly names: ReadonlyMap<string, string>;
}) {
  const { call, rows, names } = props;
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { methodName } = CHECKOUT_TEXTS[view.language];
  return (
    <Table
      caption={text.nav.payments}
      columns={[text.payment, text.amount, text.state, text.method, text.merchant, text.created]}
      rows={rows.map((row) => [
        <a class="id" href={paymentPath(row)}>
          <Untrusted text={row.uniqueId} />
        </a>,
        <span class="number whole">{moneyIn(view, row.currency)(row.chargedMinor)}</span>,
        <StatusBadge call={view} status={row.status} />,
        row.method === null ? text.noMethod : methodName[row.method],
        <span>
          <a href={merchantPath(row.merchantId)}>{names.get(row.merchantId) ?? row.merchantId}</a>
          {row.environment === 'sandbox' && (
            <span class="quiet small"> ({text.environment.sandbox})</span>
          )}
        </span>,
        <When call={view} atMs={row.createdAtMs} />,
      ])}
      empty={text.foundNone}
    />
  );
}
