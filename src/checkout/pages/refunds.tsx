import type { Refund, RefundStatus } from '../../domain/refund.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { moneyText } from '../../i18n/money-text.ts';
import { timeText } from '../../i18n/time-text.ts';
import { useText } from '../texts.ts';
import { Row } from './elements.tsx';
import type { SummaryProps } from './props.ts';

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

/** On a receipt: what was returned to the customer, or is about to be. */
export function Refunds(props: SummaryProps & { readonly refunds: readonly Refund[] }) {
  const { currency, merchantName } = props.summary;
  const text = useText();
  const shown = props.refunds.filter(({ status }) => SHOWN[status] !== null);
  return shown.length === 0 ? null : (
    <section class="refunds" aria-labelledby="refunds">
      <h2 id="refunds">{text.refunds.title}</h2>
      <dl class="receipt">
        {shown.map((refund) => (
          <Row label={statusText(text.refunds, refund, merchantName)}>
            {moneyText(refund.returnedMinor, currency, text.locale)}
            <br />
            <time class="small quiet" datetime={new Date(refund.updatedAtMs).toISOString()}>
              {timeText(refund.updatedAtMs, text)}
            </time>
          </Row>
        ))}
      </dl>
    </section>
  );
}

function statusText(
  text: CheckoutMessages['refunds'],
  { status }: Refund,
  merchantName: string,
): string {
  switch (SHOWN[status]) {
    case 'returned':
      return text.returned;
    case 'failed':
      return text.notReturned(merchantName);
    default:
      return text.underway;
  }
}
