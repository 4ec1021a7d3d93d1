import { phoneEnd, phoneEndFrom, phoneEndText, phoneFrom } from '../../engine/domain/phone.ts';
import { normalizedReceipt } from '../../engine/domain/receipt.ts';
import { emailFrom, isFoundByDigest } from '../../engine/domain/search-key.ts';
import type { PaymentDetails } from '../../engine/intent/book-message.ts';
import { eventTimeMs } from '../../kit/crypto/event-id.ts';
import type { BookedPayment } from './queries/payment-source.ts';
import { partFinder } from './queries/search.ts';
import type { Match, MatchedField } from './rows.ts';
import { plainIdOf } from './search-terms.ts';

/**
 * The field by which a search found a row; null when the list shows it: the merchant's id, the
 * customer's name and phone.
 */
export function matchOf(text: string, row: BookedPayment, details: PaymentDetails): Match | null {
  const hasPart = partFinder(text);
  const isWhole = (id: string) => id === text || id === normalizedReceipt(text);
  const isFound = (id: string) => isWhole(id) || hasPart(id);
  // The result shows an id that contains a phone number only to a member who typed all of it.
  const isFoundPrivately = (id: string) => (isFoundByDigest(id) ? isWhole(id) : isFound(id));
  const phone = phoneFrom(text);
  const end = phoneEndFrom(text);
  const typed = phone ?? end;
  const isShownPhone =
    details.phone !== undefined && (phone === details.phone || end === phoneEnd(details.phone));
  if (isFound(row.uniqueId) || isShownPhone) {
    return null;
  }
  const { receipt = '', providerReference = '' } = details;
  const otherIds = (JSON.parse(row.searchKeys) as string[]).flatMap(plainIdOf);
  const found: readonly (readonly [MatchedField, string | null | undefined | false])[] = [
    ['number', isFound(String(row.number)) && String(row.number)],
    ['uuid', row.uuid === text.toLowerCase() && row.uuid],
    ['reference', isFound(row.transactionId ?? '') && row.transactionId],
    ['receipt', isFoundPrivately(normalizedReceipt(receipt)) && receipt],
    ['railReference', isFoundPrivately(providerReference) && providerReference],
    ['otherId', otherIds.find(isFound)],
    ['eventId', eventTimeMs(text) !== null && text],
    ['email', emailFrom(text)],
    ['phone', typed === null ? null : phoneEndText(typed)],
    ['otherId', isFoundByDigest(text) && text],
  ];
  const [field, value] = found.find(([, one]) => one) ?? [];
  return field && value ? { field, value } : null;
}
