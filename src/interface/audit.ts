import { type AccessViewer, accessChanges } from '../audit/access-changes.ts';
import { type AuditFilter, type AuditRecord, auditEntries } from '../audit/read.ts';
import type { Cursor } from '../platform/paging.ts';
import type { Plane } from './plane.ts';

/** The entries of payments' audit log from the cursor on; null: of all merchants and of none. */
export function entries(
  { env }: Plane,
  merchantId: string | null,
  filter: AuditFilter,
  cursor: Cursor | null,
): Promise<readonly AuditRecord[]> {
  return auditEntries(env.DB, merchantId, filter, cursor);
}

/** The newest entries that gave someone access, for the notice on the overview. */
export function newAccess(
  { env, nowMs }: Plane,
  viewer: AccessViewer,
): Promise<readonly AuditRecord[]> {
  return accessChanges(env.DB, viewer, nowMs);
}
