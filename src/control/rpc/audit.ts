import { type AccessViewer, accessChanges } from '../audit/access-changes.ts';
import { type AuditRecord, auditEntries } from '../audit/read.ts';
import { onDatabase, type Plane } from './plane.ts';

/** The entries of payments' audit log from the cursor on; null: of all merchants and of none. */
export const entries = onDatabase(auditEntries);

/** The newest entries that gave someone access, for the notice on the overview. */
export function newAccess(
  { env, nowMs }: Plane,
  viewer: AccessViewer,
): Promise<readonly AuditRecord[]> {
  return accessChanges(env.DB, viewer, nowMs);
}
