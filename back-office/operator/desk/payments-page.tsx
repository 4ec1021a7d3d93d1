import { MERCHANT_ID } from '../../../src/control/operator/fields.ts';
import type { FoundPayments } from '../../../src/control/rpc/operations.ts';
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
import { merchantPath, PATHS, paymentPath } from './paths.ts';

/** A sealed search works only on this page. */
const SEAL_CONTEXT = 'desk/search';

/** POST /operator/payments: a search may be a phone number, which no URL may show. */
export async function searchPayments(call: DeskCall): Promise<Response> {
  const text = call.form.text('search').slice(0, SEARCH_LENGTH_MAX);
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
  const merchantId = merchantIn(call);
  const sealed = call.url.searchParams.get('search') ?? '';
  const text = (await unseal(call.config.backOfficeKeys, sealed, SEAL_CONTEXT)) ?? '';
  const isAsked = text !== '' || merchantId !== null;
  const found = isAsked ? await call.payments.operations.findPayments(text, merchantId) : null;
  return answerDesk(call, <PaymentsPage text={text} merchantId={merchantId} found={found} />);
}

function PaymentsPage({ found, ...wanted }: Wanted & { readonly found: FoundPayments | null }) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Frame active="payments" title={text.nav.payments}>
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
      {found !== null && <Payments {...found} />}
    </Frame>
  );
}

function SearchForm(wanted: Wanted) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <form class="form" method="post" action={PATHS.payments}>
      <input type="hidden" name="csrf" value={useDesk().token} />
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

function Payments({ rows, merchantNames }: FoundPayments) {
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
          <a class="id" href={paymentPath(row)}>
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
