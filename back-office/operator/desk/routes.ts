import { showAttentionPage } from './attention-page.tsx';
import { showAuditPage } from './audit-page.tsx';
import type { DeskRoute } from './call.ts';
import { routesOf } from './change.tsx';
import {
  DISCARD_LETTER,
  RETRY_LETTER,
  showLetterPage,
  showLettersPage,
} from './dead-letters-pages.tsx';
import { showHealthPage } from './health-page.tsx';
import {
  INVITE_MEMBER,
  LIMIT_REFUNDS,
  REACTIVATE_MERCHANT,
  SUSPEND_MERCHANT,
} from './merchant-changes.tsx';
import { showMerchantPage } from './merchant-page.tsx';
import { showMerchantsPage } from './merchants-page.tsx';
import { RESOLVE_ATTEMPT, REVIEW_PAYMENT } from './payment-changes.tsx';
import { showPaymentPage } from './payment-page.tsx';
import { searchPayments, showPaymentsPage } from './payments-page.tsx';
import { probeFromDesk, showRailsPage } from './rails-page.tsx';
import { REPEAT_REFUND, REQUEST_REFUND, RESOLVE_REFUND } from './refund-changes.tsx';

/** Every page and form of the desk. */
export const DESK_ROUTES: readonly DeskRoute[] = [
  { method: 'GET', path: '/operator', handle: showAttentionPage },

  { method: 'GET', path: '/operator/payments', handle: showPaymentsPage },
  { method: 'POST', path: '/operator/payments', handle: searchPayments },
  {
    method: 'GET',
    path: '/operator/payments/:environment/:merchantId/:uniqueId',
    handle: showPaymentPage,
  },
  ...routesOf(RESOLVE_ATTEMPT),
  ...routesOf(REVIEW_PAYMENT),
  ...routesOf(REQUEST_REFUND),
  // Before the decisions, whose path would match it too.
  ...routesOf(REPEAT_REFUND),
  ...routesOf(RESOLVE_REFUND),

  { method: 'GET', path: '/operator/merchants', handle: showMerchantsPage },
  { method: 'GET', path: '/operator/merchants/:merchantId', handle: showMerchantPage },
  ...routesOf(SUSPEND_MERCHANT),
  ...routesOf(REACTIVATE_MERCHANT),
  ...routesOf(INVITE_MEMBER),
  ...routesOf(LIMIT_REFUNDS),

  { method: 'GET', path: '/operator/dead-letters', handle: showLettersPage },
  { method: 'GET', path: '/operator/dead-letters/:id', handle: showLetterPage },
  ...routesOf(RETRY_LETTER),
  ...routesOf(DISCARD_LETTER),

  { method: 'GET', path: '/operator/rails', handle: showRailsPage },
  { method: 'POST', path: '/operator/rails/:environment/:method/probe', handle: probeFromDesk },
  { method: 'GET', path: '/operator/audit', handle: showAuditPage },
  { method: 'GET', path: '/operator/health', handle: showHealthPage },
];
