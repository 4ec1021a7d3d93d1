import type { CheckoutMessages } from '../../i18n/messages.ts';
import type { PaymentSummary } from '../summary.ts';
import type { CheckoutView } from '../view.ts';

/** The props of every page of a payment. */
export interface PageProps {
  readonly text: CheckoutMessages;
  readonly view: CheckoutView;
  /** Path of this payment's page; its forms post below it. */
  readonly path: string;
}

/** The props of a part that only shows what the payment is for. */
export interface SummaryProps {
  readonly text: CheckoutMessages;
  readonly summary: PaymentSummary;
}
