import type { IntentTerms } from './terms.ts';

type Chosen = Pick<IntentTerms, 'environment' | 'kind' | 'amountMinor' | 'methods' | 'expiresAtMs'>;

/** Terms of a payment that no merchant asked for, such as the one of a test webhook. */
export function plainTerms(terms: Chosen & Partial<IntentTerms>): IntentTerms {
  return {
    merchantId: '',
    merchantName: '',
    merchantNumber: 1,
    branding: null,
    business: null,
    uniqueId: '',
    uuid: '',
    number: 1,
    bookVolume: 0,
    paymentLinkUniqueId: null,
    currency: 'ETB',
    items: [],
    itemPriceBasis: 'unit',
    splits: [],
    commissionPaidByCustomer: false,
    customer: null,
    description: null,
    debitAccount: null,
    returnUrl: null,
    callbackUrl: null,
    isCallbackIgnored: false,
    refundEvents: false,
    simulation: null,
    metadata: {},
    baseUrl: '',
    createdAtMs: 0,
    ...terms,
  };
}
