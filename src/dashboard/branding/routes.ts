import type { DashboardRoute } from '../route.ts';
import { changeColour, changeLogo, removeColour, removeLogo, showBranding } from './branding.tsx';

const BRANDING = '/dashboard/branding';

export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: BRANDING, permission: 'manage', handle: showBranding },
  { method: 'POST', path: `${BRANDING}/colour`, permission: 'manage', handle: changeColour },
  { method: 'POST', path: `${BRANDING}/colour/remove`, permission: 'manage', handle: removeColour },
  { method: 'POST', path: `${BRANDING}/logo`, permission: 'manage', handle: changeLogo },
  { method: 'POST', path: `${BRANDING}/logo/remove`, permission: 'manage', handle: removeLogo },
];
