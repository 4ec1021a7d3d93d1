import {
  hasEnded,
  type Intent,
  paidAtMs,
  reportedAttempt,
} from '../../../src/engine/domain/intent.ts';
import { phoneFrom, phoneText } from '../../../src/engine/domain/phone.ts';
import { netSharesMinor, refundedOf } from '../../../src/engine/domain/refund-amounts.ts';
import type { Split } from '../../../src/engine/domain/terms.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import {
  copyFact,
  type FactRow,
  Facts,
  Section,
  Untrusted,
  untrustedRow,
  When,
} from '../../ui/elements.tsx';
import { List } from '../list.tsx';
import { shownAddress } from '../webhooks/elements.tsx';
import { amountsOf } from './amounts.ts';

interface Props {
  readonly intent: Intent;
}

interface CheckoutProps extends Props {
  /** Null: not to be shown here. */
  readonly checkoutUrl: string | null;
}

/** The amounts, the numbers that a customer or the provider names, and the times. */
export function PaymentFacts(props: CheckoutProps) {
  const { intent } = props;
  const { terms, endedAtMs } = intent;
  const { payment: text, payments } = useTexts(DASHBOARD_TEXTS);
  const attempt = reportedAttempt(intent);
  const paidMs = paidAtMs(intent);
  const time = (label: string, atMs: number | null): FactRow =>
    atMs === null ? null : [label, <When atMs={atMs} />];
  return (
    <Section id="facts" title={text.facts}>
      <Facts
        rows={[
          ...amountRows(props),
          copyFact('unique-id', payments.uniqueId, terms.uniqueId),
          copyFact('receipt-number', text.receipt, attempt?.receipt),
          copyFact('reference', text.reference, attempt?.reference),
          untrustedRow(text.description, terms.description),
          untrustedRow(text.debitAccount, terms.debitAccount),
          time(text.createdAt, terms.createdAtMs),
          time(text.expiresAt, hasEnded(intent.status) ? null : terms.expiresAtMs),
          // A late payment was paid after it had ended.
          time(text.endedAt, endedAtMs === paidMs ? null : endedAtMs),
          time(text.paidAt, paidMs),
        ]}
      />
      <CheckoutLink {...props} />
    </Section>
  );
}

function CheckoutLink({ checkoutUrl }: CheckoutProps) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return checkoutUrl === null ? null : (
    <div class="checkout-link">
      <a class="button" href={checkoutUrl} rel="noreferrer" target="_blank">
        {text.openCheckout}
      </a>
      <p class="quiet small">{text.checkoutPrivate}</p>
    </div>
  );
}

function amountRows({ intent }: Props): FactRow[] {
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const amounts = amountsOf(intent);
  const money = useMoney(intent.terms.currency);
  const orDepends = (amountMinor: number | null) =>
    amountMinor === null ? text.dependsOnMethod : money(amountMinor);
  if (amounts.stage === 'unpaid') {
    return [[text.amount, money(amounts.amountMinor)]];
  }
  const bearer = amounts.isCommissionPaidByCustomer
    ? text.commissionByCustomer
    : text.commissionByMerchant;
  const isPaid = amounts.stage === 'paid';
  const isNetKnown = isPaid && amounts.netMinor !== null;
  const keptMinor = amounts.keptMinor ?? 0;
  const hasRefunds = isNetKnown && amounts.refundedMinor > 0;
  const hasShares = isNetKnown && amounts.sharesMinor > 0;
  return [
    [text.amount, money(amounts.amountMinor)],
    amounts.chargedMinor === amounts.amountMinor
      ? null
      : [isPaid ? text.charged : text.customerPays, orDepends(amounts.chargedMinor)],
    [text.commission, `${orDepends(amounts.commissionMinor)} (${bearer})`],
    isNetKnown ? [text.net, money(amounts.netMinor ?? 0)] : null,
    ...(hasRefunds
      ? ([
          [refunds.refunded, money(amounts.refundedMinor)],
          [refunds.netAfterRefunds, money(keptMinor)],
        ] as const)
      : []),
    hasShares ? [text.netAfterSplits, money(keptMinor - amounts.sharesMinor)] : null,
  ];
}

/** What only developers look up. */
export function IdFacts(props: CheckoutProps) {
  const { terms } = props.intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="ids" title={text.ids}>
      <Facts
        rows={[
          copyFact('uuid', text.uuid, terms.uuid),
          copyFact('number', text.number, String(terms.number)),
          untrustedRow(text.paymentLink, terms.paymentLinkUniqueId),
          [text.kindLabel, text.kind[terms.kind]],
          untrustedRow(text.returnUrl, terms.returnUrl),
          untrustedRow(text.callbackUrl, terms.callbackUrl && shownAddress(terms.callbackUrl)) ?? [
            text.callbackUrl,
            text.fromSettings,
          ],
        ]}
      />
      <Metadata {...props} />
      <CheckoutLink {...props} />
    </Section>
  );
}

/** The merchant's own notes; nothing without any. */
function Metadata({ intent: { terms } }: Props) {
  const entries = Object.entries(terms.metadata);
  return entries.length === 0 ? null : (
    <>
      <h3>{useTexts(DASHBOARD_TEXTS).payment.metadata}</h3>
      <Facts rows={entries.map(([key, value]) => [key, <Untrusted text={value} />])} />
    </>
  );
}

/** First the phone, for calling the customer back: the one that pays, then the one known before. */
export function CustomerFacts({ intent }: Props) {
  const { terms } = intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const phones = [reportedAttempt(intent)?.phone, terms.customer?.phone].flatMap((phone) =>
    phone == null ? [] : [phoneText(phone)],
  );
  const rows = [
    phones.length === 0 ? null : ([text.phone, <Phones of={[...new Set(phones)]} />] as const),
    untrustedRow(text.name, terms.customer?.name),
    untrustedRow(text.email, terms.customer?.email),
  ];
  return (
    <Section id="customer" title={text.customer}>
      <Facts rows={rows} />
      {rows.every((row) => row === null) && <p class="quiet">{text.noCustomer}</p>}
    </Section>
  );
}

/** Links that call the customer. A merchant may have sent a text that is no phone number. */
function Phones({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((phone) => {
        const number = phoneFrom(phone);
        return (
          <div>
            {number === null ? <Untrusted text={phone} /> : <a href={`tel:+${number}`}>{phone}</a>}
          </div>
        );
      })}
    </>
  );
}

export function Items({ intent: { terms } }: Props) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const money = useMoney(terms.currency);
  const price = terms.itemPriceBasis === 'unit' ? text.priceUnit : text.priceLine;
  return terms.items.length === 0 ? null : (
    <Section id="items" title={text.items} class="part">
      <List
        title={text.items}
        rows={terms.items}
        columns={[
          [
            text.item,
            ({ name, description }) => (
              <span>
                <Untrusted text={name} />
                {description !== null && (
                  <span class="quiet small">
                    {' '}
                    <Untrusted text={description} />
                  </span>
                )}
              </span>
            ),
          ],
          [text.quantity, ({ quantity }) => countText(quantity, locale), 'figures'],
          [price, ({ priceMinor }) => money(priceMinor), 'figures'],
        ]}
      />
    </Section>
  );
}

export function Splits(props: Props & { readonly bankNames: ReadonlyMap<string, string> }) {
  const { intent, bankNames } = props;
  const { terms } = intent;
  const { payment: text, refunds } = useTexts(DASHBOARD_TEXTS);
  const money = useMoney(terms.currency);
  const refundedMinor = refundedOf(intent).amountMinor;
  const rests = netSharesMinor(intent);
  const rest = (split: Split) => rests[terms.splits.indexOf(split)] ?? 0;
  // A percentage is kept in hundredths, as money is.
  const agreed = ({ type, value }: Split) =>
    type === 'percentage' ? `${majorText(value)}%` : money(value);
  return terms.splits.length === 0 ? null : (
    <Section id="splits" title={text.splits} class="part">
      <List
        title={text.splits}
        rows={terms.splits}
        columns={[
          [text.bank, ({ bank }) => <Untrusted text={bankNames.get(bank) ?? bank} />],
          [text.account, ({ creditAccount }) => <Untrusted text={creditAccount} />],
          [text.shareOf, agreed, 'figures'],
          [text.share, ({ shareMinor }) => money(shareMinor), 'figures'],
          refundedMinor > 0
            ? [refunds.shareAfterRefunds, (split) => money(rest(split)), 'figures']
            : null,
        ]}
      />
    </Section>
  );
}
