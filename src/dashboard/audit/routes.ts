import type { DashboardRoute } from '../route.ts';
import { showAuditLog } from './audit-page.tsx';

export const AUDIT_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: '/dashboard/audit', permission: 'manage', handle: showAuditLog },
];
