import type { Tenant } from './intent.ts';

/** Keys that find a payment in the read model, besides its columns. */

/** Longer ids cannot be searched for. */
export const SEARCH_ID_LENGTH_MAX = 255;

/** For the id of a transaction, rail, receipt or payment link, unless it `mayContainPhone`. */
export function idSearchKey(id: string): string {
  return `id:${id}`;
}

/**
 * For the reference of an attempt whose provider reports it to a shared address. Leads the report
 * to its payment, of whatever merchant: `findPaymentOfOrder`.
 */
export function orderSearchKey(reference: string): string {
  return `order:${reference}`;
}

/** The nine digits of an Ethiopian mobile number, at any position. */
const PHONE_DIGITS = /[79]\d{8}/;

/**
 * Some providers put the customer's phone number into ids. Only the digest of such an id is stored.
 */
export function mayContainPhone(id: string): boolean {
  return PHONE_DIGITS.test(id);
}

/** For the keyed digest of an id that `mayContainPhone`. */
export function hashedIdSearchKey(digest: string): string {
  return `hashed-id:${digest}`;
}

/** For the keyed digest of a phone number. */
export function phoneSearchKey(digest: string): string {
  return `phone:${digest}`;
}

/** The `owner` of phone digests. Merchant ids contain no slash. */
export function phoneOwner({ environment, merchantId }: Tenant): string {
  return `${environment}/${merchantId}`;
}
