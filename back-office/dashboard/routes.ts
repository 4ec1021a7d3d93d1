import { JOIN_PATH } from '../members/invitations.ts';
import type { Permission } from '../members/permissions.ts';
import { redirectTo } from '../ui/answer.ts';
import { showAuditLog } from './audit/audit-page.tsx';
import {
  changeColor,
  changeLogo,
  refuseLargeLogo,
  removeColor,
  removeLogo,
  showBranding,
} from './branding/branding.tsx';
import type { DashboardCall, PublicCall } from './call.ts';
import {
  beginCreateKey,
  beginRollKey,
  createKey,
  renameKey,
  revokeKey,
  rollKey,
  showKey,
  showKeys,
} from './keys/keys.tsx';
import { disableMethod, enableMethod, showMethods } from './methods/methods-page.tsx';
import { dismissAccessNotice } from './overview/access-notice.tsx';
import { showOverview } from './overview/overview-page.tsx';
import { overviewPath } from './paths.ts';
import { exportCsv } from './payments/export.ts';
import { search, showPayments } from './payments/list.tsx';
import { cancelPayment, resendFromPayment, showPayment } from './payments/payment.tsx';
import {
  beginAddPasskey,
  confirmAddPasskey,
  finishAddPasskey,
  removeOwnPasskey,
  renameOwnPasskey,
  revokeOwnOtherSessions,
  revokeOwnSession,
  showAccount,
  signOut,
} from './people/account.tsx';
import { beginJoin, finishJoin, showJoin } from './people/join.tsx';
import { beginSignIn, finishSignIn, showSignIn } from './people/sign-in.tsx';
import {
  beginChangeRole,
  beginInvite,
  beginRecovery,
  changeMemberRole,
  inviteMember,
  issueRecovery,
  removeTeamMember,
  revokeMemberSessions,
  revokeOpenInvitation,
  showMember,
  showTeam,
} from './people/team.tsx';
import { beginRefund, cancelRefund, finishRefund, showRefund } from './refunds/refund.tsx';
import { showRefunds } from './refunds/refunds-page.tsx';
import {
  beginCreateEndpoint,
  beginEditEndpoint,
  beginEnableEndpoint,
  createEndpoint,
  disableEndpoint,
  editEndpoint,
  enableEndpoint,
  removeEndpoint,
  resumeOwnEndpoint,
} from './webhooks/endpoint-forms.ts';
import { showEndpoint, showNewEndpoint } from './webhooks/endpoint-page.tsx';
import { resendFromEvent, showEvent } from './webhooks/event-page.tsx';
import { showEvents } from './webhooks/events-page.tsx';
import { resendMany, showResend } from './webhooks/resend-page.tsx';
import {
  beginRotateSecret,
  beginShowSecret,
  endSecretNow,
  rotateSecret,
  showSecret,
} from './webhooks/secret-forms.ts';
import { changeCallbackHeader, resumePaused, sendTest } from './webhooks/settings-forms.ts';
import { showSettings } from './webhooks/settings-page.tsx';

/** A page or form of signed-in members. `:environment` in the path is `sandbox` or `production`. */
export interface DashboardRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  /** Segments that begin with a colon are parameters. */
  readonly path: `/dashboard${string}`;
  /** What the member's role must grant. */
  readonly permission: Permission;
  /**
   * Whether members of a suspended merchant may post it, because it does not change the merchant.
   */
  readonly whenSuspended?: true;
  readonly handle: (call: DashboardCall) => Promise<Response>;
  /** Answers a form that is too large to read. */
  readonly refuseLarge?: (call: DashboardCall) => Promise<Response>;
}

/** A page or form without a session. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/dashboard${string}`;
  /** Whether it tries no credential, neither a passkey nor an invitation. */
  readonly isOnlyViewed?: true;
  readonly handle: (call: PublicCall) => Promise<Response>;
}

type Path = DashboardRoute['path'];
type Handle = DashboardRoute['handle'];

function get(path: Path, permission: Permission, handle: Handle): DashboardRoute {
  return { method: 'GET', path, permission, handle };
}

function post(path: Path, permission: Permission, handle: Handle): DashboardRoute {
  return { method: 'POST', path, permission, handle };
}

function postWhenSuspended(path: Path, permission: Permission, handle: Handle): DashboardRoute {
  return { method: 'POST', path, permission, whenSuspended: true, handle };
}

const PAYMENTS = '/dashboard/:environment/payments';
const PAYMENT = `${PAYMENTS}/:uniqueId` as const;
const WEBHOOKS = '/dashboard/:environment/webhooks';
const ENDPOINT = `${WEBHOOKS}/endpoints/:endpoint` as const;
const EVENT = `${WEBHOOKS}/events/:uniqueId/:sequence` as const;
const KEYS = '/dashboard/:environment/keys';
const METHODS = '/dashboard/:environment/methods';
const BRANDING = '/dashboard/branding';
const TEAM = '/dashboard/team';
const MEMBER = `${TEAM}/members/:member` as const;
const ACCOUNT = '/dashboard/account';
const PASSKEYS = `${ACCOUNT}/passkeys` as const;
const SESSIONS = `${ACCOUNT}/sessions` as const;

/** Every page and form of signed-in members. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  get('/dashboard', 'view', showHome),
  get('/dashboard/:environment/overview', 'view', showOverview),
  // Changes nothing but the browser's own memory.
  postWhenSuspended('/dashboard/:environment/overview/access-seen', 'view', dismissAccessNotice),

  get(PAYMENTS, 'view', showPayments),
  // Searching changes nothing, so members of a suspended merchant may.
  postWhenSuspended(PAYMENTS, 'view', search),
  get(`${PAYMENTS}.csv`, 'view', exportCsv),
  get(PAYMENT, 'view', showPayment),
  post(`${PAYMENT}/cancel`, 'develop', cancelPayment),
  get(`${PAYMENT}/refund`, 'refunds', showRefund),
  post(`${PAYMENT}/refund/options`, 'refunds', beginRefund),
  post(`${PAYMENT}/refund`, 'refunds', finishRefund),
  post(`${PAYMENT}/refunds/:refund/cancel`, 'refunds', cancelRefund),
  post(`${PAYMENT}/events/:sequence/resend`, 'develop', resendFromPayment),

  get('/dashboard/:environment/refunds', 'view', showRefunds),

  get(WEBHOOKS, 'view', showSettings),
  post(`${WEBHOOKS}/test`, 'develop', sendTest),
  post(`${WEBHOOKS}/callbacks`, 'develop', changeCallbackHeader),
  post(`${WEBHOOKS}/secrets/options`, 'develop', beginRotateSecret),
  post(`${WEBHOOKS}/secrets`, 'develop', rotateSecret),
  post(`${WEBHOOKS}/secrets/:secretId/show/options`, 'develop', beginShowSecret),
  post(`${WEBHOOKS}/secrets/:secretId/show`, 'develop', showSecret),
  post(`${WEBHOOKS}/secrets/:secretId/end`, 'develop', endSecretNow),
  post(`${WEBHOOKS}/failing/resume`, 'develop', resumePaused),
  post(`${WEBHOOKS}/endpoints`, 'develop', createEndpoint),
  // Before the page and form of an endpoint, whose path also fits.
  get(`${WEBHOOKS}/endpoints/new`, 'develop', showNewEndpoint),
  post(`${WEBHOOKS}/endpoints/options`, 'develop', beginCreateEndpoint),
  get(ENDPOINT, 'view', showEndpoint),
  post(`${ENDPOINT}/options`, 'develop', beginEditEndpoint),
  post(ENDPOINT, 'develop', editEndpoint),
  post(`${ENDPOINT}/enable/options`, 'develop', beginEnableEndpoint),
  post(`${ENDPOINT}/enable`, 'develop', enableEndpoint),
  post(`${ENDPOINT}/disable`, 'develop', disableEndpoint),
  post(`${ENDPOINT}/resume`, 'develop', resumeOwnEndpoint),
  post(`${ENDPOINT}/delete`, 'develop', removeEndpoint),
  post(`${ENDPOINT}/secrets/options`, 'develop', beginRotateSecret),
  post(`${ENDPOINT}/secrets`, 'develop', rotateSecret),
  post(`${ENDPOINT}/secrets/:secretId/show/options`, 'develop', beginShowSecret),
  post(`${ENDPOINT}/secrets/:secretId/show`, 'develop', showSecret),
  post(`${ENDPOINT}/secrets/:secretId/end`, 'develop', endSecretNow),
  get(`${WEBHOOKS}/events`, 'view', showEvents),
  get(EVENT, 'view', showEvent),
  post(`${EVENT}/resend`, 'develop', resendFromEvent),
  get(`${WEBHOOKS}/resend`, 'develop', showResend),
  post(`${WEBHOOKS}/resend`, 'develop', resendMany),

  get(KEYS, 'view', showKeys),
  post(`${KEYS}/options`, 'develop', beginCreateKey),
  post(KEYS, 'develop', createKey),
  get(`${KEYS}/:key`, 'develop', showKey),
  post(`${KEYS}/:key/name`, 'develop', renameKey),
  post(`${KEYS}/:key/roll/options`, 'develop', beginRollKey),
  post(`${KEYS}/:key/roll`, 'develop', rollKey),
  post(`${KEYS}/:key/revoke`, 'develop', revokeKey),

  get(METHODS, 'view', showMethods),
  post(`${METHODS}/:method/enable`, 'manage', enableMethod),
  post(`${METHODS}/:method/disable`, 'manage', disableMethod),

  get(BRANDING, 'manage', showBranding),
  post(`${BRANDING}/color`, 'manage', changeColor),
  post(`${BRANDING}/color/remove`, 'manage', removeColor),
  { ...post(`${BRANDING}/logo`, 'manage', changeLogo), refuseLarge: refuseLargeLogo },
  post(`${BRANDING}/logo/remove`, 'manage', removeLogo),

  get('/dashboard/audit', 'manage', showAuditLog),

  get(TEAM, 'manage', showTeam),
  post(`${TEAM}/invitations/options`, 'manage', beginInvite),
  post(`${TEAM}/invitations`, 'manage', inviteMember),
  post(`${TEAM}/invitations/:invitation/revoke`, 'manage', revokeOpenInvitation),
  get(MEMBER, 'manage', showMember),
  post(`${MEMBER}/role/options`, 'manage', beginChangeRole),
  post(`${MEMBER}/role`, 'manage', changeMemberRole),
  post(`${MEMBER}/remove`, 'manage', removeTeamMember),
  post(`${MEMBER}/recovery/options`, 'manage', beginRecovery),
  post(`${MEMBER}/recovery`, 'manage', issueRecovery),
  post(`${MEMBER}/sessions/revoke`, 'manage', revokeMemberSessions),
  get(ACCOUNT, 'view', showAccount),
  post(`${PASSKEYS}/confirm`, 'view', confirmAddPasskey),
  post(`${PASSKEYS}/options`, 'view', beginAddPasskey),
  post(PASSKEYS, 'view', finishAddPasskey),
  post(`${PASSKEYS}/rename`, 'view', renameOwnPasskey),
  post(`${PASSKEYS}/remove`, 'view', removeOwnPasskey),
  // Members may always end their own sessions.
  postWhenSuspended(`${SESSIONS}/revoke-others`, 'view', revokeOwnOtherSessions),
  postWhenSuspended(`${SESSIONS}/:session/revoke`, 'view', revokeOwnSession),
  postWhenSuspended('/dashboard/sign-out', 'view', signOut),
];

/** Signing in and joining. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [
  { method: 'GET', path: '/dashboard/sign-in', isOnlyViewed: true, handle: showSignIn },
  { method: 'POST', path: '/dashboard/sign-in/options', handle: beginSignIn },
  { method: 'POST', path: '/dashboard/sign-in', handle: finishSignIn },
  { method: 'GET', path: JOIN_PATH, handle: showJoin },
  { method: 'POST', path: `${JOIN_PATH}/options`, handle: beginJoin },
  { method: 'POST', path: JOIN_PATH, handle: finishJoin },
];

/** GET /dashboard: the overview of the environment that the member visited last. */
async function showHome(call: DashboardCall): Promise<Response> {
  return redirectTo(overviewPath(call.environment));
}
