import type { DashboardRoute } from '../route.ts';

export const PAYMENTS_ROUTES: readonly DashboardRoute[] = [];
