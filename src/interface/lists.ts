import type { Tenant } from '../domain/intent.ts';
import type { Cursor, Page } from '../paging.ts';
import type { PaymentRow } from '../read-model/payment-row.ts';
import { listPayments, type PaymentFilter } from '../read-model/payments-list.ts';
import type { Plane } from './plane.ts';

/** One page of a merchant's payments, newest first. */
export function payments(
  { env }: Plane,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  return listPayments(env.DB, tenant, filter, cursor, limit);
}
