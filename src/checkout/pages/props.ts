import type { CheckoutMessages } from '../../i18n/messages.ts';
import type { PaymentSummary } from '../summary.ts';
import type { CheckoutView } from '../view.ts';

/** What every page of a payment is given. */
export interface PageProps {
  readonly text: CheckoutMessages;
  readonly view: CheckoutView;
  /** Path of this payment's page; its forms post below it. */
  readonly path: string;
}

/** What a part of the page is given that only says what the payment is about. */
export interface SummaryProps {
  readonly text: CheckoutMessages;
  readonly summary: PaymentSummary;
}
