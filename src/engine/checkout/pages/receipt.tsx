import { moneyText } from '../../../kit/i18n/money-text.ts';
import { timeText } from '../../../kit/i18n/time-text.ts';
import { contactLink } from '../../config.ts';
import type { Business } from '../../domain/merchant.ts';
import type { Receipt } from '../receipt.ts';
import { useText } from '../texts.ts';
import type { PaidState } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { Amount, Headline, PaidFacts, References, Row, Time } from './elements.tsx';
import { Help } from './ended.tsx';
import { Frame } from './frame.tsx';
import type { PageProps, SummaryProps } from './props.ts';
import { ReturnButton } from './way-back.tsx';

/** The receipt of a paid payment, which prints as one page. */
export function ReceiptPage(props: PageProps & { readonly state: PaidState }) {
  const { view, receiptPath, state } = props;
  const { receipt } = state;
  const { summary } = view;
  const text = useText();
  const { title } = text.receipt;
  const name = `${title} · ${summary.merchantName}`;
  return (
    <Frame {...props} title={name} previewTitle={name} isPublic={state.isShared}>
      {state.triedAgain ? (
        <>
          <div class="stack-tight screen-only">
            <Headline tone="good">{text.alreadyPaidTitle}</Headline>
            <p>{text.alreadyPaidLead}</p>
          </div>
          <h2>{title}</h2>
        </>
      ) : (
        <Headline tone="good">{title}</Headline>
      )}
      <Amount amountMinor={receipt.netMinor} currency={summary.currency} />
      {receipt.hasPaidTwice && <p class="notice">{text.receipt.paidTwice(summary.merchantName)}</p>}
      <div class="receipt-actions screen-only">
        {receiptPath && (
          <button class="button second" type="button" data-share={receiptPath} hidden>
            {text.receipt.share}
          </button>
        )}
        <button class="button second" type="button" data-print hidden>
          {text.receipt.save}
        </button>
      </div>
      <Sums summary={summary} receipt={receipt} />
      <dl class="receipt">
        <PaidFacts summary={summary} receipt={receipt} />
        <References summary={summary} />
        <Help {...props} />
      </dl>
      <Breakdown summary={summary} isFolded={false} />
      <div class="paper-foot">
        <div class="stack-tight">
          {receipt.business !== null && <Seller business={receipt.business} />}
          <p class="quiet small">
            {text.receipt.noTaxReceipt} {text.receipt.until(timeText(receipt.openUntilMs, text))}
          </p>
        </div>
        {receiptPath && (
          <img src={`${receiptPath}/qr.svg`} width="112" height="112" alt={text.qrAlternative} />
        )}
      </div>
      <ReturnButton summary={summary} />
    </Frame>
  );
}

/** From what was paid to what is left of it after refunds; nothing without refunds. */
function Sums({ summary, receipt }: SummaryProps & { readonly receipt: Receipt }) {
  const text = useText();
  const { underway, returned, notReturned } = text.refunds;
  const labels = { underway, returned, failed: notReturned(summary.merchantName) };
  const money = (amountMinor: number) => moneyText(amountMinor, summary.currency, text.locale);
  return receipt.refunds.length === 0 ? null : (
    <dl class="receipt">
      <Row label={text.receipt.paid}>{money(receipt.paidMinor)}</Row>
      {receipt.refunds.map(({ shown, returnedMinor, atMs }) => (
        <Row label={labels[shown]}>
          {shown === 'returned' && '−'}
          {money(returnedMinor)}
          <br />
          <Time class="small quiet" atMs={atMs} />
        </Row>
      ))}
      <Row label={text.receipt.net} emphasis>
        {money(receipt.netMinor)}
      </Row>
    </dl>
  );
}

/** The merchant as authorities know it: receipts in Ethiopia print "TIN" and "VAT" in any language. */
function Seller({ business }: { readonly business: Business }) {
  const text = useText();
  const { legalName, address, tin, vatNumber, contact } = business;
  const link = contact === null ? null : contactLink(contact);
  return (
    <address class="small">
      <h2>{text.merchant}</h2>
      {[legalName, address].map((line) => line !== null && <bdi>{line}</bdi>)}
      {tin !== null && <span>TIN {tin}</span>}
      {vatNumber !== null && <span>VAT {vatNumber}</span>}
      {link !== null && (
        <a href={link.href}>
          <bdi>{link.text}</bdi>
        </a>
      )}
    </address>
  );
}
