import { idSearchKey, isFoundByTime, isReceiptSearchKey } from '../domain/search-key.ts';

/**
 * The terms of the full-text index. A writer and a reader must build a term by the same function. The
 * index folds case, so a reader compares a hit with the payment's row.
 */

/** An id is found by its end as a term that begins with the reversed end. */
export const END_PREFIX = 'end:';

/**
 * A search key as a term: the tokenizer splits a text at any other character. It replaces each
 * character by itself, so a prefix of a key gives a prefix of its term.
 */
export function searchTerm(key: string): string {
  return key.replaceAll(
    /[^0-9A-Za-z:_-]/g,
    (sign) => `$${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The key that finds an id by its end, as a term of which it is the beginning. */
export function endSearchKey(id: string): string {
  return END_PREFIX + Array.from({ length: id.length }, (_, index) => id.at(-1 - index)).join('');
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
  readonly searchKeys: readonly string[];
}

/** All terms of a payment, as the text of its entry. */
export function termsOf(payment: SearchedPayment): string {
  const { uniqueId, number, createdAtMs, searchKeys } = payment;
  const ids = [uniqueId, ...searchKeys.flatMap(plainIdOf)];
  const keys = [
    idSearchKey(uniqueId),
    idSearchKey(String(number)),
    ...searchKeys.filter((key) => !isFoundByTime(key, createdAtMs)),
    ...ids.map(endSearchKey),
  ];
  return [...new Set(keys.map(searchTerm))].sort().join(' ');
}

/** The id in a key: people read ids and receipts from their end. Digests have none. */
function plainIdOf(key: string): readonly string[] {
  const id = key.slice(key.indexOf(':') + 1);
  const isPlain = key === idSearchKey(id) || (isReceiptSearchKey(key) && !id.startsWith('#'));
  return isPlain ? [id] : [];
}
