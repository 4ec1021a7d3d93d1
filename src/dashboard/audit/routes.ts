import type { DashboardRoute } from '../route.ts';

export const AUDIT_ROUTES: readonly DashboardRoute[] = [];
