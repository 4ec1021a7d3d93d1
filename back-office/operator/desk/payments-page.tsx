import { seal, unseal } from '../../../src/crypto/sealed.ts';
import { phoneFrom } from '../../../src/domain/phone.ts';
import { SEARCH_ID_LENGTH_MAX } from '../../../src/domain/search-key.ts';
import type { FoundPayments } from '../../../src/interface/operations.ts';
import { MERCHANT_ID } from '../../../src/operations/fields.ts';
import { moneyIn, StatusBadge } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Message, Table, TextField, Untrusted, When } from '../../ui/elements.tsx';
import type { DeskCall } from './call.ts';
import { formToken } from './form-token.ts';
import { answerDesk } from './frame.tsx';
import { merchantPath, PATHS, paymentPath } from './paths.ts';

/** A sealed search works only on this page. */
const SEAL_CONTEXT = 'desk/search';

/** POST /operator/payments: a search may be a phone number, which no URL may show. */
export async function searchPayments(call: DeskCall): Promise<Response> {
  const text = call.form.text('search').slice(0, SEARCH_ID_LENGTH_MAX);
  const merchant = call.form.text('merchant');
  const query = new URLSearchParams({
    ...(text !== '' && {
      search: await seal(call.config.backOfficeKeys, text, SEAL_CONTEXT),
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
  const { merchantId } = wanted;
  const isAsked = wanted.text !== '' || merchantId !== null;
  const found = isAsked
    ? await call.payments.operations.findPayments(wanted.text, merchantId)
    : null;
  const isPhoneOfAll = merchantId === null && phoneFrom(wanted.text) !== null;
  const children = (
    <>
      <SearchForm call={call} wanted={wanted} token={await formToken(call)} />
      {isPhoneOfAll && (
        <Message tone="bad">
          <p>{text.phoneNeedsMerchant}</p>
        </Message>
      )}
      {found !== null && <Payments call={call} found={found} />}
    </>
  );
  return answerDesk(call, { active: 'payments', title: text.nav.payments, children });
}

async function wantedBy({ config, view }: DeskCall): Promise<Wanted> {
  const query = view.url.searchParams;
  const merchant = query.get('merchant') ?? '';
  return {
    text: (await unseal(config.backOfficeKeys, query.get('search') ?? '', SEAL_CONTEXT)) ?? '',
    merchantId: MERCHANT_ID.test(merchant) ? merchant : null,
  };
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

function Payments(props: { readonly call: DeskCall; readonly found: FoundPayments }) {
  const { view } = props.call;
  const { rows, merchantNames } = props.found;
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
          <a href={merchantPath(row.merchantId)}>
            {merchantNames[row.merchantId] ?? row.merchantId}
          </a>
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
