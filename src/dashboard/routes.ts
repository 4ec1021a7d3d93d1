import { AUDIT_ROUTES } from './audit/audit-page.tsx';
import { BRANDING_ROUTES } from './branding/routes.ts';
import { showHome } from './home.ts';
import { KEYS_ROUTES } from './keys/routes.ts';
import { METHODS_ROUTES } from './methods/routes.ts';
import { PAYMENTS_ROUTES } from './payments/routes.ts';
import { PEOPLE_ROUTES, SIGN_IN_ROUTES } from './people/routes.ts';
import type { DashboardRoute, PublicRoute } from './route.ts';
import { WEBHOOKS_ROUTES } from './webhooks/routes.ts';

/** Every page and form of signed-in members. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: '/dashboard', permission: 'view', handle: showHome },
  ...PAYMENTS_ROUTES,
  ...WEBHOOKS_ROUTES,
  ...KEYS_ROUTES,
  ...METHODS_ROUTES,
  ...BRANDING_ROUTES,
  ...AUDIT_ROUTES,
  ...PEOPLE_ROUTES,
];

/** The ways in. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = SIGN_IN_ROUTES;
