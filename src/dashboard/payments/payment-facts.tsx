import type { ComponentChildren } from 'preact';
import { type Intent, reportedAttempt, type Split } from '../../domain/intent.ts';
import { majorText } from '../../domain/money.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { isAllowed } from '../../members/permissions.ts';
import { Facts, Table, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { endpointOrigin } from '../../webhooks/endpoints.ts';
import type { DashboardCall } from '../call.ts';
import { amountsOf } from './amounts.ts';
import { moneyIn } from './charts.tsx';
import { StatusBadge, Untrusted } from './elements.tsx';

interface Props {
  readonly call: DashboardCall;
  readonly intent: Intent;
}

type Row = readonly [label: string, value: ComponentChildren];

/** Rows of a card; those without a value are left out. */
function Card(props: {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly (Row | null)[];
  readonly children?: ComponentChildren;
}) {
  const { id, title, rows, children } = props;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Facts rows={rows.filter((row) => row !== null)} />
      {children}
    </section>
  );
}

export function PaymentFacts(props: Props & { readonly checkoutUrl: string | null }) {
  const { call, intent, checkoutUrl } = props;
  const { terms } = intent;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const shared = CHECKOUT_TEXTS[call.language];
  const attempt = reportedAttempt(intent);
  return (
    <Card
      id="facts"
      title={text.facts}
      rows={[
        [text.status, <StatusBadge call={call} status={intent.status} />],
        intent.failureReason === null ? null : [text.reason, text.failure[intent.failureReason]],
        ...amountRows(props),
        attempt === null ? null : [text.method, shared.methodName[attempt.method]],
        [text.kindLabel, text.kind[terms.kind]],
        untrusted(text.description, terms.description),
        untrusted(text.debitAccount, terms.debitAccount),
        [text.createdAt, <When call={call} atMs={terms.createdAtMs} />],
        [text.expiresAt, <When call={call} atMs={terms.expiresAtMs} />],
        intent.endedAtMs === null
          ? null
          : [text.endedAt, <When call={call} atMs={intent.endedAtMs} />],
      ]}
    >
      {checkoutUrl !== null && (
        <div class="checkout-link">
          <a class="button" href={checkoutUrl} rel="noreferrer" target="_blank">
            {text.openCheckout}
          </a>
          <p class="quiet small">{text.checkoutPrivate}</p>
        </div>
      )}
    </Card>
  );
}

function amountRows({ call, intent }: Props): (Row | null)[] {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const amounts = amountsOf(intent);
  const money = moneyIn(call, intent.terms.currency);
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
  const hasShares = isNetKnown && amounts.sharesMinor > 0;
  return [
    [text.amount, money(amounts.amountMinor)],
    [isPaid ? text.charged : text.customerPays, orDepends(amounts.chargedMinor)],
    [text.commission, `${orDepends(amounts.commissionMinor)} (${bearer})`],
    isNetKnown ? [text.net, money(amounts.netMinor ?? 0)] : null,
    hasShares ? [text.netAfterSplits, money((amounts.netMinor ?? 0) - amounts.sharesMinor)] : null,
  ];
}

export function IdFacts({ call, intent: { terms } }: Props) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <Card
      id="ids"
      title={text.ids}
      rows={[
        untrusted(text.uniqueId, terms.uniqueId),
        [text.uuid, terms.uuid],
        [text.number, String(terms.number)],
        untrusted(text.paymentLink, terms.paymentLinkUniqueId),
        untrusted(text.returnUrl, terms.returnUrl),
        untrusted(text.callbackUrl, shownAddress(call, terms.callbackUrl)) ?? [
          text.callbackUrl,
          text.fromSettings,
        ],
      ]}
    />
  );
}

/** Whole for those who build the receiver; path and query may hold a secret of the merchant's. */
function shownAddress({ session }: DashboardCall, callbackUrl: string | null): string | null {
  const isWhole = callbackUrl === null || isAllowed(session.role, 'develop');
  return isWhole ? callbackUrl : endpointOrigin(callbackUrl);
}

export function CustomerFacts({ call, intent: { terms } }: Props) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const rows = [
    untrusted(text.name, terms.customer?.name),
    untrusted(text.email, terms.customer?.email),
    untrusted(text.phone, terms.customer?.phone),
  ];
  return (
    <Card id="customer" title={text.customer} rows={rows}>
      {rows.every((row) => row === null) && <p class="quiet">{text.noCustomer}</p>}
    </Card>
  );
}

export function Items({ call, intent: { terms } }: Props) {
  const text = DASHBOARD_TEXTS[call.language].payment;
  const { locale } = CHECKOUT_TEXTS[call.language];
  const money = moneyIn(call, terms.currency);
  return terms.items.length === 0 ? null : (
    <section class="part" aria-labelledby="items">
      <h2 id="items">{text.items}</h2>
      <Table
        caption={text.items}
        columns={[
          text.item,
          text.quantity,
          terms.itemPriceBasis === 'unit' ? text.priceUnit : text.priceLine,
        ]}
        rows={terms.items.map((item) => [
          <span>
            <Untrusted text={item.name} />
            {item.description !== null && (
              <span class="quiet small">
                {' '}
                <Untrusted text={item.description} />
              </span>
            )}
          </span>,
          <span class="number">{countText(item.quantity, locale)}</span>,
          <span class="number">{money(item.priceMinor)}</span>,
        ])}
        empty={text.items}
      />
    </section>
  );
}

export function Splits(props: Props & { readonly bankNames: ReadonlyMap<string, string> }) {
  const { call, intent, bankNames } = props;
  const { terms } = intent;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const money = moneyIn(call, terms.currency);
  const agreed = ({ type, value }: Split) =>
    // Hundredths of a percent read like minor units.
    type === 'percentage' ? `${majorText(value)} %` : money(value);
  return terms.splits.length === 0 ? null : (
    <section class="part" aria-labelledby="splits">
      <h2 id="splits">{text.splits}</h2>
      <Table
        caption={text.splits}
        columns={[text.bank, text.account, text.shareOf, text.share]}
        rows={terms.splits.map((split) => [
          <Untrusted text={bankNames.get(split.bank) ?? split.bank} />,
          <Untrusted text={split.creditAccount} />,
          <span class="number">{agreed(split)}</span>,
          <span class="number">{money(split.shareMinor)}</span>,
        ])}
        empty={text.splits}
      />
    </section>
  );
}

function untrusted(label: string, value: string | null | undefined): Row | null {
  return value == null || value === '' ? null : [label, <bdi>{shownText(value)}</bdi>];
}
