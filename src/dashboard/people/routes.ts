import type { DashboardRoute, PublicRoute } from '../route.ts';

export const PEOPLE_ROUTES: readonly DashboardRoute[] = [];

/** The ways in. */
export const SIGN_IN_ROUTES: readonly PublicRoute[] = [];
