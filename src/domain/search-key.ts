import type { Tenant } from './intent.ts';

/** The keys under which the read model finds a payment besides its own columns. */

/** No id that anybody searches for is longer; one that is cannot be searched for. */
export const SEARCH_ID_LENGTH_MAX = 255;

/** Of an id: a transaction's, a rail's, a receipt's, a payment link's. Not of one that `mayHoldPhone`. */
export function idSearchKey(id: string): string {
  return `id:${id}`;
}

/** Nine digits as an Ethiopian mobile number has them, wherever they stand. */
const PHONE_DIGITS = /[79]\d{8}/;

/** Some rails make their ids of the customer's phone: such an id is found by its digest alone. */
export function mayHoldPhone(id: string): boolean {
  return PHONE_DIGITS.test(id);
}

/** Of the keyed digest of an id that `mayHoldPhone`. */
export function veiledIdSearchKey(digest: string): string {
  return `veiled-id:${digest}`;
}

/** Of the keyed digest of a phone number. */
export function phoneSearchKey(digest: string): string {
  return `phone:${digest}`;
}

/** What a phone's digest is bound to. Merchant ids contain no slash. */
export function phoneOwner({ environment, merchantId }: Tenant): string {
  return `${environment}/${merchantId}`;
}
