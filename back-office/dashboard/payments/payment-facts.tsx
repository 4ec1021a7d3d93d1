import { type Intent, reportedAttempt, type Split } from '../../../src/domain/intent.ts';
import { majorText } from '../../../src/domain/money.ts';
import { phoneText } from '../../../src/domain/phone.ts';
import { netShareMinor, refundedOf } from '../../../src/domain/refund-amounts.ts';
import { countText } from '../../../src/i18n/money-text.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { StatusBadge, useMoney } from '../../elements/payment-elements.tsx';
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

export function PaymentFacts(props: Props & { readonly checkoutUrl: string | null }) {
  const { intent, checkoutUrl } = props;
  const { terms } = intent;
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const shared = useTexts(CHECKOUT_TEXTS);
  const attempt = reportedAttempt(intent);
  return (
    <Section id="facts" title={text.facts}>
      <Facts
        rows={[
          [text.status, <StatusBadge status={intent.status} />],
          intent.failureReason === null ? null : [text.reason, text.failure[intent.failureReason]],
          ...amountRows(props),
          attempt === null ? null : [text.method, shared.methodName[attempt.method]],
          [text.kindLabel, text.kind[terms.kind]],
          untrustedRow(text.description, terms.description),
          untrustedRow(text.debitAccount, terms.debitAccount),
          [text.createdAt, <When atMs={terms.createdAtMs} />],
          [text.expiresAt, <When atMs={terms.expiresAtMs} />],
          intent.endedAtMs === null ? null : [text.endedAt, <When atMs={intent.endedAtMs} />],
        ]}
      />
      {checkoutUrl !== null && (
        <div class="checkout-link">
          <a class="button" href={checkoutUrl} rel="noreferrer" target="_blank">
            {text.openCheckout}
          </a>
          <p class="quiet small">{text.checkoutPrivate}</p>
        </div>
      )}
    </Section>
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
    [isPaid ? text.charged : text.customerPays, orDepends(amounts.chargedMinor)],
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

export function IdFacts({ intent: { terms } }: Props) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <Section id="ids" title={text.ids}>
      <Facts
        rows={[
          copyFact('unique-id', text.uniqueId, terms.uniqueId),
          copyFact('uuid', text.uuid, terms.uuid),
          copyFact('number', text.number, String(terms.number)),
          untrustedRow(text.paymentLink, terms.paymentLinkUniqueId),
          untrustedRow(text.returnUrl, terms.returnUrl),
          untrustedRow(text.callbackUrl, terms.callbackUrl && shownAddress(terms.callbackUrl)) ?? [
            text.callbackUrl,
            text.fromSettings,
          ],
        ]}
      />
    </Section>
  );
}

export function CustomerFacts({ intent: { terms } }: Props) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  const rows = [
    untrustedRow(text.name, terms.customer?.name),
    untrustedRow(text.email, terms.customer?.email),
    untrustedRow(text.phone, phoneText(terms.customer?.phone ?? '')),
  ];
  return (
    <Section id="customer" title={text.customer}>
      <Facts rows={rows} />
      {rows.every((row) => row === null) && <p class="quiet">{text.noCustomer}</p>}
    </Section>
  );
}

/** The merchant's own notes; nothing without any. */
export function MetadataFacts({ intent: { terms } }: Props) {
  const entries = Object.entries(terms.metadata);
  return entries.length === 0 ? null : (
    <Section id="metadata" title={useTexts(DASHBOARD_TEXTS).payment.metadata}>
      <Facts rows={entries.map(([key, value]) => [key, <Untrusted text={value} />])} />
    </Section>
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
          [
            text.quantity,
            ({ quantity }) => <span class="number">{countText(quantity, locale)}</span>,
          ],
          [price, ({ priceMinor }) => <span class="number">{money(priceMinor)}</span>],
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
  const rest = (shareMinor: number) => netShareMinor(terms, shareMinor, refundedMinor);
  const number = (shown: string) => <span class="number">{shown}</span>;
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
          [text.shareOf, (split) => number(agreed(split))],
          [text.share, ({ shareMinor }) => number(money(shareMinor))],
          refundedMinor > 0
            ? [refunds.shareAfterRefunds, ({ shareMinor }) => number(money(rest(shareMinor)))]
            : null,
        ]}
      />
    </Section>
  );
}
