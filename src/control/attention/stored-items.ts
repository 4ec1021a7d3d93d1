import { oneOf } from '../../kit/http/fields.ts';
import { type List, when } from '../../kit/platform/paging.ts';
import type { Environment } from '../../kit/tenant.ts';
import { type BookItem, reasonsOfItem } from '../../lists/book/attention-items.ts';
import { ITEM_REASONS, type ItemReason } from '../../lists/book/attention-reasons.ts';
import { patternField } from '../operator/fields.ts';
import type { AttentionItem } from './item.ts';

/** D1's list of what the operator must look at. The merchants' books write it (src/lists/book/attention.ts). */

export interface StoredItem {
  /** A BookItem in JSON. */
  readonly item: string;
  readonly createdAtMs: number;
  readonly id: string;
  readonly paymentUuid: string;
  readonly revision: number;
}

export const STORED_ITEM = `item, created_at_ms AS createdAtMs, id, payment_uuid AS paymentUuid,
  revision`;

/** One kind of items, of one merchant or of all. */
export interface ItemGroup {
  readonly environment: Environment;
  readonly reason: ItemReason;
  /** Undefined: of all. */
  readonly merchantId: string | undefined;
}

export const reasonField = oneOf(ITEM_REASONS);

/** The items of a group, oldest first, so that the operator handles the longest-waiting one first. */
export function itemsOf({ environment, reason, merchantId }: ItemGroup): List<StoredItem> {
  return {
    columns: STORED_ITEM,
    table: 'attention_item',
    index:
      merchantId === undefined ? 'sqlite_autoindex_attention_item_1' : 'attention_item_by_group',
    timeColumn: 'created_at_ms',
    idColumn: 'id',
    isOldestFirst: true,
    conditions: [
      { sql: 'environment = ? AND section = ?', params: [environment, reason] },
      ...when('merchant_id = ?', merchantId),
    ],
    placeOf: ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }),
  };
}

/** An item as the operator sees it. */
export function shownItem(stored: StoredItem): AttentionItem {
  const item: BookItem = JSON.parse(stored.item);
  const atMs = item.type === 'payment' ? item.payment.updatedAtMs : stored.createdAtMs;
  return { ...item, id: itemIdOf(stored), reasons: reasonsOfItem(item), atMs };
}

/** A payment and the revision of its items; of a refund or delivery, its own id as well. */
function itemIdOf({ paymentUuid, revision, id }: StoredItem): string {
  return [paymentUuid, revision, ...(id === paymentUuid ? [] : [id])].join('.');
}

export const itemIdField = patternField(
  /^[0-9a-f-]{36}\.\d{1,15}(?:\.[\w.:=+/-]{1,128})?$/,
  'Must be the id of an item of the list.',
);

/** The parts of an id that `itemIdField` accepts. */
export function itemNamed(text: string): Pick<StoredItem, 'paymentUuid' | 'revision' | 'id'> {
  const [paymentUuid = '', revision, ...rest] = text.split('.');
  return { paymentUuid, revision: Number(revision), id: rest.join('.') || paymentUuid };
}
