import type { MethodLogos, Support } from '../../config.ts';
import type { PaymentSummary } from '../summary.ts';
import type { CheckoutView, ChooseState } from '../view.ts';

/** The props of every page of a payment. */
export interface PageProps {
  readonly view: CheckoutView;
  /** Path of this payment's page; its forms post below it. */
  readonly path: string;
  /** The part of the page's query that the language switch keeps. */
  readonly query?: string;
  /** Paths of the logos that the operator supplies. */
  readonly logos?: MethodLogos;
  /** Path of a paid payment's receipt. */
  readonly receiptPath?: string | null;
  /** Where the customer finds help once the payment has ended. */
  readonly support?: Support;
}

/** The props of a part that only shows what the payment is for. */
export interface SummaryProps {
  readonly summary: PaymentSummary;
}

/** The props of the page to choose a method, and of its parts. */
export type ChooseProps = PageProps & { readonly state: ChooseState };
