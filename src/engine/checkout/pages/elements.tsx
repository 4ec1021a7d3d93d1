import type { ComponentChildren } from 'preact';
import { moneyText } from '../../../kit/i18n/money-text.ts';
import { timeText } from '../../../kit/i18n/time-text.ts';
import type { Currency } from '../../../kit/money.ts';
import type { Receipt } from '../receipt.ts';
import { useText } from '../texts.ts';
import type { SummaryProps } from './props.ts';

/** One labeled value of a definition list. */
export function Row(props: {
  readonly label: string;
  readonly emphasis?: boolean;
  /** The value's text once a method is chosen, if it depends on the method. */
  readonly byMethod?: string | null;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={props.emphasis ? 'row row-strong' : 'row'}>
      <dt>{props.label}</dt>
      <dd class="money" data-by-method={props.byMethod ?? undefined}>
        {props.children}
      </dd>
    </div>
  );
}

/** What a customer quotes to support, once there is an attempt. */
export function References({ summary }: SummaryProps) {
  const text = useText();
  return (
    <>
      <Row label={text.orderId}>
        <bdi>{summary.orderId}</bdi>
      </Row>
      {summary.reference !== null && (
        <Row label={text.reference}>
          <code>{summary.reference}</code>
        </Row>
      )}
    </>
  );
}

/** An amount that may break only between its currency and its digits, where text is large. */
export function breakable(money: string): string {
  return money.replaceAll('\u00a0', ' ');
}

/** The amount that a page is about. */
export function Amount(props: {
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly byMethod?: string | undefined;
}) {
  const { amountMinor, currency } = props;
  return (
    <p class="amount" data-by-method={props.byMethod}>
      {breakable(moneyText(amountMinor, currency, useText().locale))}
    </p>
  );
}

/** How and when the customer paid. Of several payments, each with its amount. */
export function PaidFacts({ summary, receipt }: SummaryProps & { readonly receipt: Receipt }) {
  const text = useText();
  const isOnly = receipt.payments.length === 1;
  return receipt.payments.map((payment) => (
    <>
      <Row label={text.paidWith} emphasis={!isOnly}>
        {text.methodName[payment.method]}
        {!isOnly && ` · ${moneyText(payment.chargedMinor, summary.currency, text.locale)}`}
      </Row>
      <Row label={text.paidAt}>
        <Time atMs={payment.paidAtMs} />
      </Row>
      {payment.phone !== null && <Row label={text.phoneLabel}>{payment.phone}</Row>}
      <ReceiptNumber label={text.receipt.number} value={payment.receipt} />
      <ReceiptNumber label={text.receipt.walletNumber} value={payment.walletReceipt} />
    </>
  ));
}

/** What the customer finds in the message of the provider or the wallet. */
function ReceiptNumber(props: { readonly label: string; readonly value: string | null }) {
  return (
    props.value !== null && (
      <Row label={props.label}>
        <code>{props.value}</code>
      </Row>
    )
  );
}

export function Time(props: { readonly atMs: number; readonly class?: string }) {
  const { atMs } = props;
  return (
    <time class={props.class} datetime={new Date(atMs).toISOString()}>
      {timeText(atMs, useText())}
    </time>
  );
}

/** A link that looks like a button, in a line of its own. */
export function ButtonLink(props: {
  readonly href: string;
  /** For a link beside the page's first action. */
  readonly look?: 'second' | 'plain';
  readonly children: string;
}) {
  const { href, look = 'primary' } = props;
  return (
    <p class={look === 'plain' ? 'center' : undefined}>
      <a class={`button ${look}`} href={href}>
        {props.children}
      </a>
    </p>
  );
}

/** For customers who get no message, above all those whose request went to another person's phone. */
export function NoMessage(props: { readonly phone: string; readonly children: ComponentChildren }) {
  const text = useText();
  return (
    <details class="breakdown">
      <summary>
        <h2>{text.pushNothingTitle}</h2>
      </summary>
      <div class="stack">
        <p>{text.wrongNumber(props.phone)}</p>
        {props.children}
      </div>
    </details>
  );
}

export type Tone = 'good' | 'bad' | 'wait' | 'plain';

/** A state's headline with its mark. */
export function Headline(props: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <div class={`headline headline-${props.tone}`}>
      <svg class="sign" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d={SIGN[props.tone]} />
      </svg>
      <h1>{props.children}</h1>
    </div>
  );
}

const SIGN: Readonly<Record<Tone, string>> = {
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M12 6v7.5M12 17.6v.4',
  wait: 'M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M12 7.5V12l3 2',
  plain: 'M7 12h10',
};
