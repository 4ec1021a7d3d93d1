import type { Tenant } from '../../kit/tenant.ts';
import type { BookItem } from '../../lists/book/attention-items.ts';
import type { ItemReason } from '../../lists/book/attention-reasons.ts';
import type { DescribedLetter } from '../dead-letters/actions.ts';

/** What the attention list shows. */

/** Why something needs the operator's attention. A payment can have several reasons. */
export type Reason = 'dead_result' | 'dead_message' | ItemReason;

/** What needs attention. */
export type AttentionSubject =
  | { readonly type: 'dead_letter'; readonly letter: DescribedLetter }
  | BookItem;

export type AttentionItem = AttentionSubject & {
  /** Names the item as it is now; of a dead letter, its id. */
  readonly id: string;
  readonly reasons: readonly Reason[];
  readonly atMs: number;
};

/** A dead letter in the attention list. */
export function letterItem(letter: DescribedLetter): AttentionItem {
  const reasons = [letter.kind === 'result' ? 'dead_result' : 'dead_message'] as const;
  return { type: 'dead_letter', id: letter.id, reasons, atMs: letter.storedAtMs, letter };
}

interface NamedPayment extends Tenant {
  readonly uniqueId: string;
  readonly uuid: string;
}

type PaymentSubject = Exclude<AttentionSubject, { readonly type: 'dead_letter' }>;

/** The payment that an item of the list is about; null for a dead letter. */
export function paymentOf(item: PaymentSubject): NamedPayment;
export function paymentOf(item: AttentionSubject): NamedPayment | null;
export function paymentOf(item: AttentionSubject): NamedPayment | null {
  switch (item.type) {
    case 'dead_letter':
      return null;
    case 'payment':
      return item.payment;
    case 'refund':
      return { ...item.refund, uuid: item.refund.paymentUuid };
    case 'delivery':
      return { ...item.event, uuid: item.event.paymentUuid };
  }
}
