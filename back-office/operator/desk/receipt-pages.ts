import type { Method } from '../../../src/engine/domain/method.ts';

/**
 * Public pages of receipts, by the number that the provider's message to the customer has, as those
 * messages name them. The operator's own browser opens them: Kefel never does, and a page is no proof
 * that Kefel can check. CBE Birr's page needs the customer's phone number, which the desk does not show.
 */
const PAGES: Readonly<Partial<Record<Method, string>>> = {
  TELE_BIRR: 'https://transactioninfo.ethiotelecom.et/receipt/',
  TELE_BIRR_USSD: 'https://transactioninfo.ethiotelecom.et/receipt/',
  M_PESA: 'https://m-pesabusiness.safaricom.et/receipt/',
};

/** The provider's page of a receipt; null where it has none. */
export function receiptPageUrl(method: Method, receipt: string): string | null {
  const page = PAGES[method];
  return page === undefined ? null : page + encodeURIComponent(receipt);
}
