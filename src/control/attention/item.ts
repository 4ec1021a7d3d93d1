import type { Anomaly } from '../../engine/domain/intent.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { BookItem } from '../../lists/book/attention-items.ts';
import type { ItemReason } from '../../lists/book/attention-reasons.ts';
import type { DescribedLetter } from '../dead-letters/actions.ts';
import { type LostBook, lostBookName } from '../health/lost-books.ts';

/** What the attention list shows. */

/** Why something needs the operator's attention. A payment can have several reasons. */
export type Reason = 'lost_book' | 'dead_result' | 'dead_message' | ItemReason;

/** What needs attention. */
export type AttentionSubject =
  | { readonly type: 'dead_letter'; readonly letter: DescribedLetter }
  | { readonly type: 'book'; readonly book: LostBook }
  | BookItem;

export type AttentionItem = AttentionSubject & {
  /** Names the item as it is now; of a dead letter, its id; of a book, its name. */
  readonly id: string;
  readonly reasons: readonly Reason[];
  readonly atMs: number;
};

/** A reason for attention; an anomaly with its kind, where the list knows it. */
export interface AttentionReason {
  readonly reason: Reason;
  readonly anomaly: Anomaly['kind'] | null;
}

/** The reasons of an item, with one for each kind of its anomalies. */
export function attentionReasons(
  item: AttentionSubject,
  reasons: readonly Reason[],
): readonly AttentionReason[] {
  const kinds = (item.type === 'payment' && item.anomalyKinds) || [];
  return reasons.flatMap((reason): readonly AttentionReason[] =>
    reason === 'anomaly' && kinds.length > 0
      ? kinds.map((anomaly) => ({ reason, anomaly }))
      : [{ reason, anomaly: null }],
  );
}

/** A dead letter in the attention list. */
export function letterItem(letter: DescribedLetter): AttentionItem {
  const reasons = [letter.kind === 'result' ? 'dead_result' : 'dead_message'] as const;
  return { type: 'dead_letter', id: letter.id, reasons, atMs: letter.storedAtMs, letter };
}

/** A lost book in the attention list. */
export function bookItem(book: LostBook): AttentionItem {
  const reasons = ['lost_book'] as const;
  return { type: 'book', id: lostBookName(book), reasons, atMs: book.lostAtMs, book };
}

interface NamedPayment extends Tenant {
  readonly uniqueId: string;
  readonly uuid: string;
}

type PaymentSubject = Exclude<AttentionSubject, { readonly type: 'dead_letter' | 'book' }>;

/** The payment that an item of the list is about; null for a dead letter and a book. */
export function paymentOf(item: PaymentSubject): NamedPayment;
export function paymentOf(item: AttentionSubject): NamedPayment | null;
export function paymentOf(item: AttentionSubject): NamedPayment | null {
  switch (item.type) {
    case 'dead_letter':
    case 'book':
      return null;
    case 'payment':
      return item.payment;
    case 'refund':
      return { ...item.refund, uuid: item.refund.paymentUuid };
    case 'delivery':
      return { ...item.event, uuid: item.event.paymentUuid };
  }
}
