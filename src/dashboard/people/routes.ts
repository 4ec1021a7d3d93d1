import type { DashboardRoute, PublicRoute } from '../route.ts';
import { beginJoin, finishJoin, showJoin } from './join.tsx';
import { beginSignIn, finishSignIn, showSignIn } from './sign-in.tsx';
import { signOut } from './sign-out.ts';

export const PEOPLE_ROUTES: readonly DashboardRoute[] = [
  {
    method: 'POST',
    path: '/dashboard/sign-out',
    permission: 'view',
    whenSuspended: true,
    handle: signOut,
  },
];

/** The ways in. */
export const SIGN_IN_ROUTES: readonly PublicRoute[] = [
  { method: 'GET', path: '/dashboard/sign-in', handle: showSignIn },
  { method: 'POST', path: '/dashboard/sign-in/options', handle: beginSignIn },
  { method: 'POST', path: '/dashboard/sign-in', handle: finishSignIn },
  { method: 'GET', path: '/dashboard/join/:token', handle: showJoin },
  { method: 'POST', path: '/dashboard/join/:token/options', handle: beginJoin },
  { method: 'POST', path: '/dashboard/join/:token', handle: finishJoin },
];
