import type { Attempt } from '../domain/attempt.ts';
import type { IntentTerms } from '../domain/terms.ts';

/** The length of `RailOrder.orderId`. */
export const ORDER_ID_CHARACTERS = 79;

/** Everything an adapter may know about one attempt. */
export interface RailOrder {
  readonly terms: IntentTerms;
  readonly attempt: Attempt;
  /** The amount that the customer pays, including the commission if the customer bears it. */
  readonly chargedMinor: number;
  /** Signed link to this attempt: the unguessable last segment of its callback URL. */
  readonly attemptToken: string;
  /** Where the provider reports this attempt: `<base URL>/rails/<rail id>/<attempt token>`. */
  readonly callbackUrl: string;
  /**
   * Only for a rail with an `openCallback`: an order id of 79 letters and digits (A-Z, 2-7)
   * that names this attempt and that only we can sign. The attempt's reference is the short form: a
   * shared address finds it too, because the reference names the merchant.
   */
  readonly orderId?: string;
  /** The payment's checkout page. */
  readonly checkoutUrl: string;
  /** Where the provider sends the customer back to: runs a status query, then shows that page. */
  readonly returnUrl: string;
}
