import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Section } from '../../ui/elements.tsx';

/** The receipt of a paid payment, to open or to send to the customer. Empty without a `url`. */
export function ReceiptLink({ url }: { readonly url: string | null }) {
  const { payment: text, frame } = useTexts(DASHBOARD_TEXTS);
  return url === null ? null : (
    <Section id="receipt" title={text.customerReceipt}>
      <div class="buttons">
        <a class="button" id="receipt-url" href={url} rel="noreferrer" target="_blank">
          {text.openReceipt}
        </a>
        <button
          type="button"
          hidden
          data-copy="receipt-url"
          data-value={url}
          data-copied={frame.copied}
        >
          {text.copyReceipt}
        </button>
      </div>
      <p class="quiet small">{text.receiptNote}</p>
    </Section>
  );
}
