import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { CopyText, Section } from '../../ui/elements.tsx';

/** The receipt of a paid payment, to open or to send to the customer. Empty without a `url`. */
export function ReceiptLink({ url }: { readonly url: string | null }) {
  const text = useTexts(DASHBOARD_TEXTS).payment;
  return url === null ? null : (
    <Section id="receipt" title={text.customerReceipt}>
      <CopyText id="receipt-url" label={text.receiptLink} value={url} />
      <p class="quiet small">{text.receiptNote}</p>
      <p>
        <a class="button" href={url} rel="noreferrer" target="_blank">
          {text.openReceipt}
        </a>
      </p>
    </Section>
  );
}
