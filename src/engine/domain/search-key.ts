import type { Tenant } from '../../kit/tenant.ts';
import { hasAtMost } from '../../kit/text.ts';
import { ID_CHARACTERS_MAX, REFERENCE_LENGTH, referenceTimeMs } from './identifiers.ts';

/** Keys that find a payment in the book, besides its columns. */

/**
 * What a search form takes, in UTF-16 units: the longest id with blanks around it. A longer text that
 * is cut to it finds nothing either.
 */
export const SEARCH_LENGTH_MAX = 2 * ID_CHARACTERS_MAX + 90;

/** Whether the text is as short as every id of a merchant. A search by a longer one finds nothing. */
export function isSearchable(text: string): boolean {
  return hasAtMost(text, ID_CHARACTERS_MAX);
}

/**
 * The key of the id of a transaction, rail, refund or payment link, unless it `isFoundByDigest`.
 */
export function idSearchKey(id: string): string {
  return `id:${id}`;
}

/**
 * Whether a search finds the payment of this key by the time in the id: the id is the reference of
 * one of its attempts.
 */
export function isFoundByTime(key: string, createdAtMs: number): boolean {
  const id = key.slice(idSearchKey('').length);
  return (
    key === idSearchKey(id) &&
    id.length === REFERENCE_LENGTH &&
    referenceTimeMs(id) === Math.floor(createdAtMs / 1000) * 1000
  );
}

/** The nine digits of an Ethiopian mobile number, at any position. */
const PHONE_DIGITS = /[79]\d{8}/;

/** Longer ids would fill the message of a payment with many refunds. */
const PLAIN_ID_LENGTH_MAX = 64;

/**
 * Whether only the digest of an id is stored. Some providers put the customer's phone number into
 * ids, and a merchant's own ids may be long.
 */
export function isFoundByDigest(id: string): boolean {
  return id.length > PLAIN_ID_LENGTH_MAX || PHONE_DIGITS.test(id);
}

/**
 * What a digest is of: an id that `isFoundByDigest`, a phone number, its `phoneEnd`, a normalized
 * e-mail address, one word of a name, a `metadataText`, or a `paymentLinkUniqueId`: its list must
 * not have payments that another id of this text finds.
 */
const DIGEST_PREFIXES = {
  id: 'hashed-id:',
  phone: 'phone:',
  phoneEnd: 'phone-end:',
  email: 'email:',
  name: 'name:',
  metadata: 'meta:',
  link: 'link:',
} as const;

/** The key of a keyed digest. */
export function digestSearchKey(kind: keyof typeof DIGEST_PREFIXES, digest: string): string {
  return `${DIGEST_PREFIXES[kind]}${digest}`;
}

const RECEIPT_PREFIX = 'receipt:';

/**
 * The key of a `normalizedReceipt`, unless it `isFoundByDigest`. The books of all merchants have the
 * same key for a receipt, so that one key finds every payment that has the receipt.
 */
export function receiptSearchKey(receipt: string): string {
  return `${RECEIPT_PREFIX}${receipt}`;
}

/** The key of the digest of a `normalizedReceipt`, which itself never begins with this sign. */
export function hashedReceiptSearchKey(digest: string): string {
  return `${RECEIPT_PREFIX}#${digest}`;
}

/** The key of a receipt that a customer claims, by the key of that receipt: it conflicts with none. */
export function claimSearchKey(receiptKey: string): string {
  return `claimed-${receiptKey}`;
}

export function isReceiptSearchKey(key: string): boolean {
  return key.startsWith(RECEIPT_PREFIX);
}

/** One entry of a payment's metadata. Keys contain no `=`, so no two entries have one text. */
export function metadataText(key: string, value: string): string {
  return `${key}=${value}`;
}

/** The key of a till's payments; of null, the key of those of all tills. No id has its prefix. */
export function tillSearchKey(tillId: string | null): string {
  return `till:${tillId ?? ''}`;
}

/** More words than a person's name has, and few enough for a search term of each. */
const NAME_WORDS_MAX = 6;
/** The limit bounds the work on hostile text. */
const NAME_LENGTH_MAX = 200;

/** Rows of seven letters of the Ethiopic script, and the rows that are spoken like them. */
const HOMOPHONES: readonly (readonly [from: string, to: string])[] = [
  ['ሐሑሒሓሔሕሖ', 'ሀሁሂሀሄህሆ'],
  ['ኀኁኂኃኄኅኆ', 'ሀሁሂሀሄህሆ'],
  ['ሠሡሢሣሤሥሦ', 'ሰሱሲሳሴስሶ'],
  ['ዐዑዒዓዔዕዖ', 'አኡኢአኤእኦ'],
  ['ፀፁፂፃፄፅፆ', 'ጸጹጺጻጼጽጾ'],
  ['ሃኣ', 'ሀአ'],
];
const SPOKEN = new Map(
  HOMOPHONES.flatMap(([from, to]) =>
    [...from].map((letter, index) => [letter, to[index] ?? letter]),
  ),
);

/** The words that find a name, in any order, case and Ethiopic spelling. */
export function nameWords(name: string): readonly string[] {
  const text = name.slice(0, NAME_LENGTH_MAX).normalize('NFKC').toLowerCase();
  const spoken = Array.from(text, (letter) => SPOKEN.get(letter) ?? letter).join('');
  return [...new Set(spoken.match(/[\p{L}\p{M}\p{N}]{2,}/gu))].slice(0, NAME_WORDS_MAX);
}

/** An e-mail address as it is compared, or null when the text is none. */
export function emailFrom(text: string): string | null {
  const email = text.trim().toLowerCase();
  return isSearchable(email) && /^\S+@\S+$/.test(email) ? email : null;
}

/** The `owner` of digests. Merchant ids contain no slash. */
export function digestOwner({ environment, merchantId }: Tenant): string {
  return `${environment}/${merchantId}`;
}
