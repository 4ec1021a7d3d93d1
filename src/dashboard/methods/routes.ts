import type { DashboardRoute } from '../route.ts';

export const METHODS_ROUTES: readonly DashboardRoute[] = [];
