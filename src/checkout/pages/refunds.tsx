import type { VNode } from 'preact';
import type { Intent } from '../../domain/intent.ts';
import type { Refund, RefundStatus } from '../../domain/refund.ts';
import { receipt as english } from '../../i18n/en.ts';
import { type Language, languageOf, messagesFor } from '../../i18n/language.ts';
import type { ReceiptMessages } from '../../i18n/messages.ts';
import { moneyText } from '../../i18n/money-text.ts';
import { timeText } from '../../i18n/time-text.ts';
import { Row } from './elements.tsx';

/** Refunds on a customer's receipt. An isolate loads this with the first receipt that has any. */

const TEXTS: Readonly<Record<Language, () => Promise<ReceiptMessages>>> = {
  en: async () => english,
  am: async () => (await import('../../i18n/am.ts')).receipt,
  om: async () => (await import('../../i18n/om.ts')).receipt,
  ti: async () => (await import('../../i18n/ti.ts')).receipt,
};

/** A canceled refund never left the merchant, so the customer need not know of it. */
const SHOWN: Readonly<Record<RefundStatus, 'underway' | 'returned' | 'failed' | null>> = {
  pending: 'underway',
  processing: 'underway',
  unresolved: 'underway',
  requires_action: 'underway',
  succeeded: 'returned',
  failed: 'failed',
  canceled: null,
};

/** What was returned to the customer, or is about to be; null when there is nothing to show. */
export async function receiptRefunds(
  request: Request,
  { refunds, terms }: Intent,
): Promise<VNode | null> {
  const [text, dates] = await Promise.all([TEXTS[languageOf(request)](), messagesFor(request)]);
  const shown = refunds.filter(({ status }) => SHOWN[status] !== null);
  return shown.length === 0 ? null : (
    <section class="refunds" aria-labelledby="refunds">
      <h2 id="refunds">{text.refunds}</h2>
      <dl class="receipt">
        {shown.map((refund) => (
          <Row label={statusText(text, refund, terms.merchantName)}>
            {moneyText(refund.returnedMinor, terms.currency, dates.locale)}
            <br />
            <time class="small quiet" datetime={new Date(refund.updatedAtMs).toISOString()}>
              {timeText(refund.updatedAtMs, dates)}
            </time>
          </Row>
        ))}
      </dl>
    </section>
  );
}

function statusText(text: ReceiptMessages, { status }: Refund, merchantName: string): string {
  switch (SHOWN[status]) {
    case 'returned':
      return text.returned;
    case 'failed':
      return text.notReturned(merchantName);
    default:
      return text.underway;
  }
}
