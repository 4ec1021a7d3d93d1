import type { IntentTerms } from '../../domain/intent.ts';

/** What a valid request body asks for: the part of an intent's terms that the merchant decides. */
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
    | 'simulation'
  > {
  /** Lifetime, within the bounds of the configuration. */
  readonly expireInSeconds: number;
  /** Express: whom to charge, as 251XXXXXXXXX. Null when none usable was given, and for hosted. */
  readonly phone: string | null;
}
