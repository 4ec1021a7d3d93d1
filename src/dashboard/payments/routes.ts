import type { DashboardRoute } from '../route.ts';
import { cancelPayment, resendEvent } from './actions.ts';
import { exportCsv } from './export.ts';
import { searchAll, showPayments } from './list.tsx';
import { showPayment } from './payment.tsx';

const LIST = '/dashboard/:environment/payments';

export const PAYMENTS_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: LIST, permission: 'view', handle: showPayments },
  // Searching changes nothing: a suspended merchant's people may.
  { method: 'POST', path: LIST, permission: 'view', whenSuspended: true, handle: searchAll },
  { method: 'GET', path: `${LIST}.csv`, permission: 'view', handle: exportCsv },
  { method: 'GET', path: `${LIST}/:uniqueId`, permission: 'view', handle: showPayment },
  {
    method: 'POST',
    path: `${LIST}/:uniqueId/cancel`,
    permission: 'develop',
    handle: cancelPayment,
  },
  {
    method: 'POST',
    path: `${LIST}/:uniqueId/events/:sequence/resend`,
    permission: 'develop',
    handle: resendEvent,
  },
];
