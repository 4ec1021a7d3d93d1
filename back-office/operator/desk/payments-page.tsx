import { MERCHANT_ID } from '../../../src/control/operator/fields.ts';
import type { FoundPayments } from '../../../src/control/rpc/operator.ts';
import { phoneFrom } from '../../../src/engine/domain/phone.ts';
import { SEARCH_LENGTH_MAX } from '../../../src/engine/domain/search-key.ts';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { StatusBadge } from '../../elements/payment-elements.tsx';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Message, Table, Untrusted, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Money } from '../../ui/figures.tsx';
import { AboutPaymentLine } from './about-payment.tsx';
import { merchantIn } from './audit-page.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { merchantPath, type PaymentName, paymentPath } from './paths.ts';

/** Searches are sealed for the pages that search payments. */
const SEAL_CONTEXT = 'desk/search';

/** POST, leads back to the page: a search may be a phone number, which no URL may show. */
export async function searchPayments(call: DeskCall): Promise<Response> {
  const text = call.form.text('search').slice(0, SEARCH_LENGTH_MAX);
  const merchant = call.form.text('merchant');
  const query = new URLSearchParams({
    ...(text !== '' && {
      search: await seal(call.config.backOfficeKeys, text, SEAL_CONTEXT),
    }),
    ...(MERCHANT_ID.test(merchant) && { merchant }),
  });
  return redirectTo(`${call.url.pathname}?${query}`);
}

/** What the address asks for. */
interface Wanted {
  readonly text: string;
  /** Null: of all merchants. */
  readonly merchantId: string | null;
}

/** What is wanted, and what that finds: null without a search. */
interface Search extends Wanted {
  readonly found: FoundPayments | null;
}

/** GET /operator/payments: a search over all merchants, or one merchant's payments. */
export async function showPaymentsPage(call: DeskCall): Promise<Response> {
  const search = await readSearch(call);
  return answerDesk(call, <PaymentsPage {...search} />);
}

export async function readSearch(call: DeskCall): Promise<Search> {
  const merchantId = merchantIn(call);
  const sealed = call.url.searchParams.get('search') ?? '';
  const text = (await unseal(call.config.backOfficeKeys, sealed, SEAL_CONTEXT)) ?? '';
  const isAsked = text !== '' || merchantId !== null;
  const found = isAsked ? await call.payments.operator.findPayments(text, merchantId) : null;
  return { text, merchantId, found };
}

function PaymentsPage(search: Search) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Frame active="payments" title={text.nav.payments}>
      <PaymentSearch {...search} pathTo={paymentPath} />
    </Frame>
  );
}

/** The form of a search, and the payments that it found. */
export function PaymentSearch(props: Search & { readonly pathTo: (name: PaymentName) => string }) {
  const { found, pathTo, ...wanted } = props;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <>
      <SearchForm {...wanted} />
      {wanted.merchantId === null && phoneFrom(wanted.text) !== null && (
        <Message tone="bad">
          <p>{text.phoneNeedsMerchant}</p>
        </Message>
      )}
      {found !== null && !found.isComplete && (
        <Message tone="warning">
          <p>{text.notAllAsked(found.asked)}</p>
        </Message>
      )}
      {found !== null && <Payments {...found} pathTo={pathTo} />}
    </>
  );
}

function SearchForm(wanted: Wanted) {
  const text = useTexts(DESK_TEXTS).pages;
  const { token, url } = useDesk();
  return (
    <form class="form" method="post" action={url.pathname}>
      <input type="hidden" name="csrf" value={token} />
      <TextField
        id="search"
        label={text.searchLabel}
        hint={text.searchHint}
        value={wanted.text}
        maxlength={SEARCH_LENGTH_MAX}
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

function Payments(props: FoundPayments & { readonly pathTo: (name: PaymentName) => string }) {
  const { rows, merchantNames, pathTo } = props;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Table
      caption={text.nav.payments}
      columns={[
        text.payment,
        { title: text.amount, kind: 'figures' },
        text.state,
        text.merchant,
        text.created,
      ]}
      rows={rows.map((row) => [
        <span>
          <a class="id" href={pathTo(row)}>
            <Untrusted text={row.uniqueId} />
          </a>
          <AboutPaymentLine
            {...row}
            transactionIds={row.transactionId === null ? [] : [row.transactionId]}
          />
        </span>,
        <Money minor={row.chargedMinor} currency={row.currency} />,
        <StatusBadge status={row.status} />,
        <span>
          <a href={merchantPath(row.merchantId)}>
            {merchantNames[row.merchantId] ?? row.merchantId}
          </a>
          {row.environment === 'sandbox' && (
            <span class="quiet small"> ({text.environment.sandbox})</span>
          )}
        </span>,
        <When atMs={row.createdAtMs} />,
      ])}
      empty={text.foundNone}
    />
  );
}
