import type { DashboardRoute } from '../route.ts';
import { exportCsv } from './export.ts';
import { showPayments, showSearch } from './list.tsx';
import { cancelPayment, resendFromPayment, showPayment } from './payment.tsx';

const LIST = '/dashboard/:environment/payments';

export const PAYMENTS_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: LIST, permission: 'view', handle: showPayments },
  // Searching changes nothing, so members of a suspended merchant may.
  { method: 'POST', path: LIST, permission: 'view', whenSuspended: true, handle: showSearch },
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
    handle: resendFromPayment,
  },
];
