import { Document } from '../../pages/document.tsx';
import { Headline, Row } from '../../pages/elements.tsx';
import type { Messages } from '../../pages/messages.ts';
import { moneyText, timeText } from '../../pages/money-text.ts';
import type { CheckoutState, PaidState } from '../view.ts';
import { Breakdown, MerchantLink, type PageProps, Payee } from './parts.tsx';

/** Long enough to read that it worked. */
const RETURN_AFTER_SECONDS = 5;

/** The receipt, and the way back to the merchant. */
export function PaidPage(props: PageProps & { readonly state: PaidState }) {
  const { text, summary, state } = props;
  const amount = moneyText(state.chargedMinor, summary.currency, text.locale);
  const refresh =
    summary.returnUrl === null
      ? null
      : { afterSeconds: RETURN_AFTER_SECONDS, url: summary.returnUrl };
  return (
    <Document text={text} title={text.paidTitle} isTest={summary.isTest} refresh={refresh}>
      <Headline tone="good">{text.paidTitle}</Headline>
      <p class="amount">{amount}</p>
      <dl class="receipt">
        <Row label={text.merchant}>
          <bdi>{summary.merchantName}</bdi>
        </Row>
        <Row label={text.paidWith}>{text.methodName[state.method]}</Row>
        <Row label={text.paidAt}>
          <time datetime={new Date(state.paidAtMs).toISOString()}>
            {timeText(state.paidAtMs, text.locale)}
          </time>
        </Row>
        <Row label={text.reference}>
          <code>{state.reference}</code>
        </Row>
      </dl>
      <Breakdown text={text} summary={summary} />
      <MerchantLink text={text} summary={summary} isPrimary />
      {summary.returnUrl !== null && (
        <p class="quiet small center">{text.returningSoon(summary.merchantName)}</p>
      )}
    </Document>
  );
}

export type UnpaidState = Extract<CheckoutState, { kind: 'failed' | 'expired' | 'canceled' }>;

/** The payment ended without money. */
export function UnpaidPage(props: PageProps & { readonly state: UnpaidState }) {
  const { text, summary, state } = props;
  const title = {
    failed: text.failedTitle,
    expired: text.expiredTitle,
    canceled: text.canceledTitle,
  }[state.kind];
  return (
    <Document text={text} title={title} isTest={summary.isTest}>
      <Payee text={text} summary={summary} />
      <Headline tone={state.kind === 'failed' ? 'bad' : 'plain'}>{title}</Headline>
      <p>{unpaidLead(text, state, summary.merchantName)}</p>
      {state.mayStillSettle && <p class="notice">{text.mayStillSettle(summary.merchantName)}</p>}
      <MerchantLink text={text} summary={summary} isPrimary />
    </Document>
  );
}

function unpaidLead(text: Messages, state: UnpaidState, merchantName: string): string {
  switch (state.kind) {
    case 'failed': {
      const reason = state.reason === null ? '' : `${text.failedReason[state.reason]} `;
      return reason + text.failedLead(merchantName);
    }
    case 'expired':
      return text.expiredLead(merchantName);
    case 'canceled':
      return text.canceledLead(merchantName);
  }
}
