import type { DashboardRoute } from '../route.ts';

export const WEBHOOKS_ROUTES: readonly DashboardRoute[] = [];
