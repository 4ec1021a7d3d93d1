/** What customers see of a merchant, beside its name. */

/** The merchant of the self-check's sandbox payments. No real merchant may have this id. */
export const SELF_CHECK_MERCHANT_ID = 'kefel-check';

/** The merchant's branding of the checkout page; null: the page's default. */
export interface Branding {
  /** `#rrggbb` in lower case. */
  readonly color: string | null;
  /** SHA-256 of the logo's bytes, in lower-case hexadecimal. */
  readonly logoDigest: string | null;
}

/** Who sells, for receipts; each part null when not set. */
export interface Business {
  readonly legalName: string | null;
  /** The taxpayer's number, ten digits. */
  readonly tin: string | null;
  readonly vatNumber: string | null;
  readonly address: string | null;
  /** An e-mail address or a telephone number. */
  readonly contact: string | null;
}

export type BusinessField = keyof Business;

/** In the order of forms. */
export const BUSINESS_FIELDS = [
  'legalName',
  'tin',
  'vatNumber',
  'address',
  'contact',
] as const satisfies readonly BusinessField[];
