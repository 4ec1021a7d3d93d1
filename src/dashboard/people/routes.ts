import { JOIN_PATH } from '../../members/invitations.ts';
import type { DashboardRoute, PublicRoute } from '../route.ts';
import {
  beginAddPasskey,
  finishAddPasskey,
  removeOwnPasskey,
  renameOwnPasskey,
  revokeOwnOtherSessions,
  revokeOwnSession,
  showAccount,
  signOut,
} from './account.tsx';
import { beginJoin, finishJoin, showJoin } from './join.tsx';
import { beginSignIn, finishSignIn, showSignIn } from './sign-in.tsx';
import {
  changeMemberRole,
  inviteMember,
  issueRecovery,
  removeTeamMember,
  revokeMemberSessions,
  revokeOpenInvitation,
  showMember,
  showTeam,
} from './team.tsx';

const TEAM = '/dashboard/team';
const MEMBER = `${TEAM}/members/:member` as const;
const ACCOUNT = '/dashboard/account';
const PASSKEYS = `${ACCOUNT}/passkeys` as const;
const SESSIONS = `${ACCOUNT}/sessions` as const;

export const PEOPLE_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: TEAM, permission: 'manage', handle: showTeam },
  { method: 'POST', path: `${TEAM}/invitations`, permission: 'manage', handle: inviteMember },
  {
    method: 'POST',
    path: `${TEAM}/invitations/:invitation/revoke`,
    permission: 'manage',
    handle: revokeOpenInvitation,
  },
  { method: 'GET', path: MEMBER, permission: 'manage', handle: showMember },
  { method: 'POST', path: `${MEMBER}/role`, permission: 'manage', handle: changeMemberRole },
  { method: 'POST', path: `${MEMBER}/remove`, permission: 'manage', handle: removeTeamMember },
  { method: 'POST', path: `${MEMBER}/recovery`, permission: 'manage', handle: issueRecovery },
  {
    method: 'POST',
    path: `${MEMBER}/sessions/revoke`,
    permission: 'manage',
    handle: revokeMemberSessions,
  },
  { method: 'GET', path: ACCOUNT, permission: 'view', handle: showAccount },
  { method: 'POST', path: `${PASSKEYS}/options`, permission: 'view', handle: beginAddPasskey },
  { method: 'POST', path: PASSKEYS, permission: 'view', handle: finishAddPasskey },
  { method: 'POST', path: `${PASSKEYS}/rename`, permission: 'view', handle: renameOwnPasskey },
  { method: 'POST', path: `${PASSKEYS}/remove`, permission: 'view', handle: removeOwnPasskey },
  // One's own sessions are ended whatever becomes of the merchant.
  {
    method: 'POST',
    path: `${SESSIONS}/revoke-others`,
    permission: 'view',
    whenSuspended: true,
    handle: revokeOwnOtherSessions,
  },
  {
    method: 'POST',
    path: `${SESSIONS}/:session/revoke`,
    permission: 'view',
    whenSuspended: true,
    handle: revokeOwnSession,
  },
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
  { method: 'GET', path: JOIN_PATH, handle: showJoin },
  { method: 'POST', path: `${JOIN_PATH}/options`, handle: beginJoin },
  { method: 'POST', path: JOIN_PATH, handle: finishJoin },
];
