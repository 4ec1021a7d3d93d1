import type { DashboardRoute } from '../route.ts';

export const KEYS_ROUTES: readonly DashboardRoute[] = [];
