import { showHome } from './home.ts';
import type { DashboardRoute, PublicRoute } from './route.ts';

/** Every page and form of signed-in members. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: '/dashboard', permission: 'view', handle: showHome },
];

/** The ways in. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [];
