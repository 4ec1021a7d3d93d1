/** In its own file, because the command line names them too. */
export const MERCHANT_STATUSES = ['active', 'suspended', 'closed'] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];
