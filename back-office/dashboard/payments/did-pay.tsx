import type { DidPay } from '../../../src/control/payments/did-pay.ts';
import { SEARCH_LENGTH_MAX } from '../../../src/engine/domain/search-key.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { ListedPayment, PaymentHit } from '../../../src/lists/book/rows.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Facts, Message, Untrusted, WhenExactly } from '../../ui/elements.tsx';
import { Field } from '../../ui/fields.tsx';
import { type DashboardCall, tenantOf, useCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame, showPage } from '../frame.tsx';
import { didPayPath, paymentPath } from '../paths.ts';
import { searchIn, searchQuery } from './sealed-search.ts';

/**
 * "Did this customer pay?": the answer to a customer who shows a message on their phone, in words and
 * before any table.
 */

/** GET …/did-pay: the form, and the answer to the question in its address. */
export async function showDidPay(call: DashboardCall): Promise<Response> {
  const asked = await searchIn(call);
  const answer = asked && (await call.payments.lists.didPay(tenantOf(call), asked.wanted));
  return showPage(call, <DidPayPage typed={asked?.wanted ?? ''} answer={answer} />);
}

/** POST …/did-pay: leads to the answer. Changes nothing. */
export async function askDidPay(call: DashboardCall): Promise<Response> {
  const text = call.form.text('shown').trim();
  const query = text === '' ? '' : await searchQuery(call, text);
  return redirectTo(didPayPath(call.environment, query));
}

function DidPayPage(props: { readonly typed: string; readonly answer: DidPay | null }) {
  const { typed, answer } = props;
  const text = useTexts(DASHBOARD_TEXTS).didPay;
  return (
    <Frame title={text.title} active="didPay">
      {answer !== null && <Answer {...answer} />}
      {/* Posted, because what is typed may be a phone number, and addresses end up in logs. */}
      <form class="card" method="post" action={didPayPath(useCall().environment)}>
        <CsrfField />
        <Field id="shown" label={text.field} hint={text.hint}>
          {(attributes) => (
            <input
              {...attributes}
              name="shown"
              type="text"
              value={typed}
              required
              maxlength={SEARCH_LENGTH_MAX}
              autocomplete="off"
              spellcheck={false}
            />
          )}
        </Field>
        <div class="buttons">
          <button class="primary" type="submit">
            {text.check}
          </button>
        </div>
      </form>
    </Frame>
  );
}

function Answer({ payments, isFull, elsewhere }: DidPay) {
  const text = useTexts(DASHBOARD_TEXTS).didPay;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  if (payments.length === 0) {
    const { title, advice } = text.elsewhere[elsewhere];
    return (
      <Message tone={elsewhere === 'another_merchant' ? 'bad' : 'warning'}>
        <h2>{title}</h2>
        <p>{advice}</p>
      </Message>
    );
  }
  return (
    <div class="verdicts" role="status">
      {payments.length > 1 && <p>{text.several(countText(payments.length, locale))}</p>}
      {payments.map((payment) => (
        <Verdict payment={payment} />
      ))}
      {isFull && <p class="quiet small">{text.newest}</p>}
    </div>
  );
}

type VerdictName = keyof DashboardMessages['didPay']['verdict'];

const TONES: Readonly<Record<VerdictName, 'good' | 'bad' | 'warning'>> = {
  paid: 'good',
  partlyReturned: 'warning',
  returning: 'bad',
  returned: 'bad',
  unknown: 'warning',
  waiting: 'warning',
  notPaid: 'bad',
};

/** Unknown is not failed: the customer must not pay again while the money may have moved. */
function verdictOf(payment: ListedPayment): VerdictName {
  const { status, amountMinor, refundedMinor, unresolvedAttempts } = payment;
  if (status === 'succeeded') {
    if (payment.openRefunds > 0) {
      return 'returning';
    }
    const isAllReturned = refundedMinor >= amountMinor;
    return refundedMinor === 0 ? 'paid' : isAllReturned ? 'returned' : 'partlyReturned';
  }
  if (status === 'processing' || unresolvedAttempts > 0) {
    return 'unknown';
  }
  return status === 'open' ? 'waiting' : 'notPaid';
}

function Verdict(props: { readonly payment: ListedPayment & Partial<Pick<PaymentHit, 'match'>> }) {
  const { payment } = props;
  const { uniqueId, currency, method, customerName, maskedPhone, paidAtMs, createdAtMs } = payment;
  const { environment } = useCall();
  const { didPay: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const verdict = verdictOf(payment);
  const advice = (text.advice as Partial<Record<VerdictName, string>>)[verdict];
  const customer = [customerName, maskedPhone].filter((known) => known !== null).join(' ');
  return (
    <section class={`notice notice-${TONES[verdict]}`}>
      <h2>
        {text.verdict[verdict]}:{' '}
        <span class="number">{useMoney(currency)(payment.chargedMinor)}</span>
      </h2>
      {advice !== undefined && <p>{advice}</p>}
      {verdict === 'paid' && payment.match?.field === 'receipt' && <p>{text.once}</p>}
      {(payment.anomalies > 0 || payment.sameOrder !== undefined) && <p>{text.review}</p>}
      <Facts
        rows={[
          [
            paidAtMs === null ? text.createdAt : text.paidAt,
            <WhenExactly atMs={paidAtMs ?? createdAtMs} />,
          ],
          method === null ? null : [payments.method, methodName[method]],
          customer === '' ? null : [payments.customer, <Untrusted text={customer} />],
          [
            payments.uniqueId,
            <a class="id" href={paymentPath(environment, uniqueId)}>
              <Untrusted text={uniqueId} />
            </a>,
          ],
        ]}
      />
    </section>
  );
}
