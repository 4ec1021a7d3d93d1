import { JOIN_PATH } from '../members/invitations.ts';
import { redirectTo } from '../ui/answer.ts';
import { showAuditLog } from './audit/audit-page.tsx';
import { BRANDING_ROUTES } from './branding/branding.tsx';
import { type DashboardCall, may } from './call.ts';
import { KEY_ROUTES } from './keys/keys.tsx';
import { LINK_ROUTES } from './links/links.tsx';
import { METHOD_ROUTES } from './methods/methods-page.tsx';
import { NOTIFICATION_ROUTES } from './notifications/notifications.tsx';
import { dismissAccessNotice } from './overview/access-notice.tsx';
import { showOverview } from './overview/overview-page.tsx';
import { exportStatement } from './overview/statement.ts';
import { AUDIT_PATH, overviewPath, paymentsPath, tillPath } from './paths.ts';
import { askDidPay, showDidPay } from './payments/did-pay.tsx';
import { exportCsv } from './payments/export.ts';
import { search, showPayments } from './payments/list.tsx';
import { cancelPayment, resendFromPayment, showPayment } from './payments/payment.tsx';
import { ACCOUNT_ROUTES } from './people/account.tsx';
import { beginJoin, finishJoin, showJoin } from './people/join.tsx';
import { beginSignIn, finishSignIn, showSignIn } from './people/sign-in.tsx';
import { TEAM_ROUTES } from './people/team.tsx';
import {
  beginRefund,
  cancelRefund,
  finishRefund,
  reviewRefund,
  showRefund,
} from './refunds/refund.tsx';
import { showRefunds } from './refunds/refunds-page.tsx';
import { showRequests } from './requests/requests-page.tsx';
import { type DashboardRoute, get, type PublicRoute, post, postWhenReadOnly } from './route.ts';
import { TILL_ROUTES } from './till/till.tsx';
import { ENDPOINT_ROUTES } from './webhooks/endpoints.tsx';
import { resendFromEvent, showEvent } from './webhooks/event-page.tsx';
import { showEvents } from './webhooks/events-page.tsx';
import { resendMany, showResend } from './webhooks/resend-page.tsx';
import { SETTINGS_ROUTES } from './webhooks/settings-page.tsx';

const OVERVIEW = '/dashboard/:environment/overview';
const PAYMENTS = '/dashboard/:environment/payments';
const DID_PAY = '/dashboard/:environment/did-pay';
const PAYMENT = `${PAYMENTS}/:uniqueId` as const;
const WEBHOOKS = '/dashboard/:environment/webhooks';
const EVENT = `${WEBHOOKS}/events/:uniqueId/:sequence` as const;

/**
 * Where a member starts: the overview of the environment that they visited last. Cashiers and viewers
 * work with customers' payments, a till with its own.
 */
function firstPath(call: DashboardCall): string {
  if (!may(call, 'view')) {
    return tillPath(call.environment);
  }
  return may(call, 'develop') ? overviewPath(call.environment) : paymentsPath('production');
}

/** Every page and form of signed-in members. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  get('/dashboard', 'account', async (call) => redirectTo(firstPath(call))),
  get(OVERVIEW, 'view', showOverview),
  get(`${OVERVIEW}.csv`, 'view', exportStatement),
  // Changes nothing but the browser's own memory.
  postWhenReadOnly(`${OVERVIEW}/access-seen`, 'view', dismissAccessNotice),

  get(PAYMENTS, 'view', showPayments),
  // Searching changes nothing, so members of a suspended merchant may.
  postWhenReadOnly(PAYMENTS, 'view', search),
  get(DID_PAY, 'view', showDidPay),
  postWhenReadOnly(DID_PAY, 'view', askDidPay),
  get(`${PAYMENTS}.csv`, 'view', exportCsv),
  get(PAYMENT, 'view', showPayment),
  post(`${PAYMENT}/cancel`, 'develop', cancelPayment),
  get(`${PAYMENT}/refund`, 'refunds', showRefund),
  post(`${PAYMENT}/refund/review`, 'refunds', reviewRefund),
  post(`${PAYMENT}/refund/options`, 'refunds', beginRefund),
  post(`${PAYMENT}/refund`, 'refunds', finishRefund),
  post(`${PAYMENT}/refunds/:refund/cancel`, 'refunds', cancelRefund),
  post(`${PAYMENT}/events/:sequence/resend`, 'develop', resendFromPayment),
  get('/dashboard/:environment/refunds', 'view', showRefunds),

  ...LINK_ROUTES,
  ...TILL_ROUTES,
  ...NOTIFICATION_ROUTES,

  ...SETTINGS_ROUTES,
  ...ENDPOINT_ROUTES,
  get(`${WEBHOOKS}/events`, 'view', showEvents),
  get(EVENT, 'view', showEvent),
  post(`${EVENT}/resend`, 'develop', resendFromEvent),
  get(`${WEBHOOKS}/resend`, 'develop', showResend),
  post(`${WEBHOOKS}/resend`, 'develop', resendMany),

  ...KEY_ROUTES,
  get('/dashboard/:environment/requests', 'develop', showRequests),
  ...METHOD_ROUTES,
  ...BRANDING_ROUTES,
  get(AUDIT_PATH, 'manage', showAuditLog),
  ...TEAM_ROUTES,
  ...ACCOUNT_ROUTES,
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
