import type { Refund, RefundStatus } from '../../domain/refund.ts';
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
  const { title, underway, returned, notReturned } = text.refunds;
  const labels = { underway, returned, failed: notReturned(merchantName) };
  const rows = props.refunds.flatMap(({ status, returnedMinor, updatedAtMs }) => {
    const shown = SHOWN[status];
    return shown === null ? [] : [{ label: labels[shown], returnedMinor, updatedAtMs }];
  });
  return rows.length === 0 ? null : (
    <section class="refunds" aria-labelledby="refunds">
      <h2 id="refunds">{title}</h2>
      <dl class="receipt">
        {rows.map(({ label, returnedMinor, updatedAtMs }) => (
          <Row label={label}>
            {moneyText(returnedMinor, currency, text.locale)}
            <br />
            <time class="small quiet" datetime={new Date(updatedAtMs).toISOString()}>
              {timeText(updatedAtMs, text)}
            </time>
          </Row>
        ))}
      </dl>
    </section>
  );
}
