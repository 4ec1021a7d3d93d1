import type { Method } from '../../domain/method.ts';
import { Row } from '../../pages/elements.tsx';
import type { Messages } from '../../pages/messages.ts';
import { moneyText } from '../../pages/money-text.ts';
import type { PaymentSummary } from '../view.ts';

/** What every page of a payment is given. */
export interface PageProps {
  readonly text: Messages;
  readonly summary: PaymentSummary;
  /** Path of this payment's page; its forms post below it. */
  readonly path: string;
}

/** Who is paid, and how much. Names are isolated: they may run right to left, or try to mislead. */
export function Payee({ text, summary }: Pick<PageProps, 'text' | 'summary'>) {
  const { totals, currency } = summary;
  return (
    <header class="payee">
      <p class="payee-name">
        <span class="quiet">{text.payTo}</span> <bdi>{summary.merchantName}</bdi>
      </p>
      <p class="amount">
        {moneyText(totals.totalMinor ?? totals.subtotalMinor, currency, text.locale)}
      </p>
      {totals.totalMinor === null && <p class="quiet small">{text.plusCommission}</p>}
      {summary.description !== null && (
        <p class="quiet">
          <bdi>{summary.description}</bdi>
        </p>
      )}
    </header>
  );
}

/** Items and what they add up to, down to the total that is charged. */
export function Breakdown({ text, summary }: Pick<PageProps, 'text' | 'summary'>) {
  const { items, totals, currency } = summary;
  const money = (amountMinor: number) => moneyText(amountMinor, currency, text.locale);
  if (items.length === 0 && totals.commissionMinor === 0) {
    return null;
  }
  return (
    <section class="breakdown" aria-labelledby="details">
      <h2 id="details">{text.details}</h2>
      {items.length > 0 && (
        <ul class="items">
          {items.map((item) => (
            <li>
              <div class="item-text">
                <bdi class="item-name">{item.name}</bdi>
                {item.description !== null && <bdi class="item-note">{item.description}</bdi>}
                {item.quantity > 1 && (
                  <span class="item-note">
                    {item.unitPriceMinor === null
                      ? text.quantity(countText(item.quantity, text))
                      : text.quantityTimes(
                          countText(item.quantity, text),
                          money(item.unitPriceMinor),
                        )}
                  </span>
                )}
              </div>
              {item.lineTotalMinor !== null && (
                <span class="money">{money(item.lineTotalMinor)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      <dl class="totals">
        {totals.commissionMinor !== 0 && (
          <>
            <Row label={text.subtotal}>{money(totals.subtotalMinor)}</Row>
            <Row label={text.commission}>
              {totals.commissionMinor === null
                ? text.commissionByMethod
                : money(totals.commissionMinor)}
            </Row>
          </>
        )}
        {totals.totalMinor !== null && (
          <Row label={text.total} emphasis>
            {money(totals.totalMinor)}
          </Row>
        )}
      </dl>
    </section>
  );
}

function countText(count: number, text: Messages): string {
  return new Intl.NumberFormat(text.locale).format(count);
}

/** Our own lettered tile for a method: no trademark is drawn. */
export function MethodMark({ method }: { readonly method: Method }) {
  return (
    <span class="mark" aria-hidden="true">
      {MARK[method]}
    </span>
  );
}

const MARK: Readonly<Record<Method, string>> = {
  TELE_BIRR: 't',
  TELE_BIRR_USSD: 't#',
  CBE: 'C',
  ETS_SWITCH: 'ES',
  M_PESA: 'M',
  E_BIRR: 'eB',
};

/** The plain way back to the merchant: no form, the payment stays as it is. */
export function MerchantLink(props: {
  readonly text: Messages;
  readonly summary: PaymentSummary;
  readonly isPrimary: boolean;
}) {
  const { text, summary } = props;
  if (summary.returnUrl === null) {
    return null;
  }
  return (
    <p class="way-back">
      <a class={props.isPrimary ? 'button' : 'button button-quiet'} href={summary.returnUrl}>
        {text.returnTo(summary.merchantName)}
      </a>
      {summary.returnHost !== null && <span class="host">{summary.returnHost}</span>}
    </p>
  );
}

/** Ends the payment unpaid and returns to the merchant: a failure for the merchant (decision 25). */
export function GiveUpForm({ text, summary, path }: PageProps) {
  return (
    <form class="give-up" method="post" action={`${path}/give-up`}>
      <button class="button button-quiet" type="submit">
        {summary.returnUrl === null ? text.giveUpNowhere : text.giveUp(summary.merchantName)}
      </button>
      {summary.returnHost !== null && <span class="host">{summary.returnHost}</span>}
    </form>
  );
}
