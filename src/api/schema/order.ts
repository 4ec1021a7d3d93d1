import type { IntentTerms } from '../../domain/intent.ts';

/** A valid request body: the part of an intent's terms that the merchant decides. */
export interface PaymentOrder
  extends Pick<
    IntentTerms,
    | 'kind'
    | 'uniqueId'
    | 'paymentLinkUniqueId'
    | 'amountMinor'
    | 'currency'
    | 'methods'
    | 'items'
    | 'itemPriceBasis'
    | 'splits'
    | 'commissionPaidByCustomer'
    | 'customer'
    | 'description'
    | 'debitAccount'
    | 'returnUrl'
    | 'callbackUrl'
    | 'refundEvents'
    | 'simulation'
    | 'metadata'
  > {
  /** Lifetime, within the bounds of the configuration. */
  readonly expireInSeconds: number;
  /**
   * Express: the phone to charge, as 251XXXXXXXXX. Null without a usable number, and for hosted.
   */
  readonly phone: string | null;
}
