import type { KeyChoices } from '../rows.ts';
import { byKeys, hasKeysOf } from './payment-source.ts';

/** A payment of a customer, as the book names it. */
export interface CustomersPayment {
  readonly id: number;
  readonly uuid: string;
  readonly uniqueId: string;
}

/**
 * A page of the payments that have one of these keys, oldest first, after a place. `next` is the
 * place after the page, and null after the last page.
 */
export function customersPayments(
  sql: SqlStorage,
  keys: KeyChoices,
  after: number,
  limit: number,
): { readonly payments: readonly CustomersPayment[]; readonly next: number | null } {
  const reading = { sql, isAscending: true, withDetails: false };
  const range = { from: after + 1, to: Number.MAX_SAFE_INTEGER };
  const { rows } = byKeys(reading, [keys])(range, limit);
  const last = rows.at(-1);
  return {
    payments: rows
      .filter(({ row }) => hasKeysOf([keys], row))
      .map(({ row: { id, uuid, uniqueId } }) => ({ id, uuid, uniqueId })),
    next: rows.length < limit || last === undefined ? null : last.row.id,
  };
}
