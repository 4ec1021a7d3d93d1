import type { DashboardRoute } from '../route.ts';
import { disableMethod, enableMethod, showMethods } from './methods-page.tsx';

const METHODS_PATH = '/dashboard/:environment/methods';

export const METHODS_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: METHODS_PATH, permission: 'view', handle: showMethods },
  {
    method: 'POST',
    path: `${METHODS_PATH}/:method/enable`,
    permission: 'manage',
    handle: enableMethod,
  },
  {
    method: 'POST',
    path: `${METHODS_PATH}/:method/disable`,
    permission: 'manage',
    handle: disableMethod,
  },
];
