import type { DashboardRoute } from '../route.ts';

export const BRANDING_ROUTES: readonly DashboardRoute[] = [];
