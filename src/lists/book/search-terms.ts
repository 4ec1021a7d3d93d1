import { idSearchKey, isFoundByTime, isReceiptSearchKey } from '../../engine/domain/search-key.ts';

/**
 * The terms of the full-text index. A writer and a reader must build a term by the same function. The
 * index folds case, so a reader compares a hit with the payment's row.
 */

/** A search by an id's end looks for a term that begins with the reversed end. */
export const END_PREFIX = 'end:';

/**
 * Turns a search key into a term. The tokenizer splits at all other characters. Each character is
 * replaced separately, so a prefix of a key gives a prefix of its term.
 */
export function searchTerm(key: string): string {
  return key.replaceAll(
    /[^0-9A-Za-z:_-]/g,
    (sign) => `$${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The key that finds an id by its end: the beginning of its term. */
export function endSearchKey(id: string): string {
  return END_PREFIX + Array.from({ length: id.length }, (_, index) => id.at(-1 - index)).join('');
}

/** The base-36 digits of an end's second, enough until the year 4453. */
const ENDED_DIGITS = 7;
const LAST_SECOND = 36 ** ENDED_DIGITS - 1;

/** The second of an end or a payment, as a term. Such terms sort by it: ascending or descending. */
export function endedTerm(atMs: number, isAscending: boolean): string {
  const second = Math.max(0, Math.min(Math.floor(atMs / 1_000), LAST_SECOND));
  const [prefix, number] = isAscending ? ['ended:', second] : ['ends:', LAST_SECOND - second];
  return prefix + number.toString(36).padStart(ENDED_DIGITS, '0');
}

/** The first millisecond of the term's second. */
export function endedTermMs(term: string): number {
  const [prefix, digits = ''] = term.split(':');
  const number = Number.parseInt(digits, 36);
  return 1_000 * (prefix === 'ended' ? number : LAST_SECOND - number);
}

/** A term, quoted for a full-text query. */
export function quotedTerm(key: string): string {
  return `"${searchTerm(key)}"`;
}

/** What a payment's entry is built from. */
export interface SearchedPayment {
  readonly uniqueId: string;
  readonly number: number;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
  readonly paidAtMs: number | null;
  readonly searchKeys: readonly string[];
}

/** All terms of a payment, as the text of its entry. */
export function termsOf(payment: SearchedPayment): string {
  const { uniqueId, number, createdAtMs, endedAtMs, paidAtMs, searchKeys } = payment;
  const ids = [uniqueId, ...searchKeys.flatMap(plainIdOf)];
  const keys = [
    idSearchKey(uniqueId),
    idSearchKey(String(number)),
    ...searchKeys.filter((key) => !isFoundByTime(key, createdAtMs)),
    ...ids.map(endSearchKey),
    // Both are one moment, and one term, unless the payment was paid late.
    ...[endedAtMs, paidAtMs ?? endedAtMs].flatMap((atMs) =>
      [true, false].map((isAscending) => endedTerm(atMs, isAscending)),
    ),
  ];
  return [...new Set(keys.map(searchTerm))].sort().join(' ');
}

/** The id in a key, because people read ids and receipts from their end. Digests have no id. */
export function plainIdOf(key: string): readonly string[] {
  const id = key.slice(key.indexOf(':') + 1);
  const isPlain = key === idSearchKey(id) || (isReceiptSearchKey(key) && !id.startsWith('#'));
  return isPlain ? [id] : [];
}
