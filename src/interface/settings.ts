import { prepare } from '../database.ts';
import type { Plane } from './plane.ts';

/** What a member sees of their merchant on every page. */
export interface MerchantFacts {
  readonly name: string;
  /** Members of a suspended merchant can read but not change anything. */
  readonly isSuspended: boolean;
}

/** Read from D1 for each request, so that a suspension holds at once. Null for an unknown merchant. */
export async function merchant({ env }: Plane, id: string): Promise<MerchantFacts | null> {
  const sql = 'SELECT name, status FROM merchants WHERE id = ?1';
  const row = await prepare(env.DB, { sql, params: [id] }).first<{
    readonly name: string;
    readonly status: string;
  }>();
  return row && { name: row.name, isSuspended: row.status === 'suspended' };
}
