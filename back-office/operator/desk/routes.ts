import { showAlertsPage, testFromDesk } from './alerts-page.tsx';
import { showAttentionPage, showGroupPage } from './attention-page.tsx';
import { showAuditPage } from './audit-page.tsx';
import type { DeskRoute } from './call.ts';
import { showCheckPage, startFromDesk } from './check-page.tsx';
import { showLetterPage, showLettersPage } from './dead-letters-pages.tsx';
import { exportAudit, exportPayments, exportStatements } from './files.ts';
import { FORM_ROUTES } from './forms.tsx';
import { refreshFromDesk, showHealthPage } from './health-page.tsx';
import { showMerchantPage } from './merchant-page.tsx';
import { showMerchantsPage } from './merchants-page.tsx';
import {
  AUDIT_FILE_PATH,
  GROUP_ROUTE,
  PATHS,
  PROVIDER_LINE_ROUTE,
  PROVIDER_ROUTE,
  SIGN_OUT_PATH,
  STATEMENTS_ROUTE,
} from './paths.ts';
import { showPaymentPage } from './payment-page.tsx';
import { searchPayments, showPaymentsPage } from './payments-page.tsx';
import { showBoardPage } from './provider-board-page.tsx';
import { showFilesPage } from './provider-files-page.tsx';
import { showAssignPage, showLinePage } from './provider-line-page.tsx';
import { showLinesPage } from './provider-lines-page.tsx';
import {
  exportProfile,
  importFromDesk,
  showImportPage,
  showProfilesPage,
} from './provider-profile-pages.tsx';
import {
  confirmFromDesk,
  showPreviewPage,
  showUploadPage,
  uploadFromDesk,
} from './provider-upload-pages.tsx';
import { probeFromDesk, showRailsPage } from './rails-page.tsx';
import { showSheetPage } from './sheet-page.tsx';
import { signOut } from './sign-in.ts';

/** Every page and form of the desk. */
export const DESK_ROUTES: readonly DeskRoute[] = [
  { method: 'GET', path: '/operator', handle: showAttentionPage },
  { method: 'GET', path: GROUP_ROUTE, handle: showGroupPage },

  { method: 'GET', path: '/operator/payments', handle: showPaymentsPage },
  { method: 'POST', path: '/operator/payments', handle: searchPayments },
  {
    method: 'GET',
    path: '/operator/payments/:environment/:merchantId/:uniqueId',
    handle: showPaymentPage,
  },

  { method: 'GET', path: '/operator/merchants', handle: showMerchantsPage },
  { method: 'GET', path: '/operator/merchants/:merchantId', handle: showMerchantPage },
  {
    method: 'GET',
    path: '/operator/merchants/:merchantId/:environment/payments.csv',
    handle: exportPayments,
  },

  { method: 'GET', path: PATHS.sheet, handle: showSheetPage },
  { method: 'GET', path: STATEMENTS_ROUTE, handle: exportStatements },

  { method: 'GET', path: PATHS.providerFiles, handle: showBoardPage },
  { method: 'GET', path: `${PROVIDER_ROUTE}/lines`, handle: showLinesPage },
  { method: 'GET', path: PROVIDER_ROUTE, handle: showFilesPage },
  { method: 'GET', path: `${PROVIDER_ROUTE}/upload`, handle: showUploadPage },
  { method: 'POST', path: `${PROVIDER_ROUTE}/upload`, takesFile: true, handle: uploadFromDesk },
  { method: 'GET', path: `${PROVIDER_ROUTE}/upload/:fileId`, handle: showPreviewPage },
  { method: 'POST', path: `${PROVIDER_ROUTE}/upload/:fileId`, handle: confirmFromDesk },
  { method: 'GET', path: `${PROVIDER_ROUTE}/profiles`, handle: showProfilesPage },
  {
    method: 'GET',
    path: `${PROVIDER_ROUTE}/profiles/:profile/profile.json`,
    handle: exportProfile,
  },
  { method: 'GET', path: `${PROVIDER_ROUTE}/import-profile`, handle: showImportPage },
  {
    method: 'POST',
    path: `${PROVIDER_ROUTE}/import-profile`,
    takesFile: true,
    handle: importFromDesk,
  },
  { method: 'GET', path: PROVIDER_LINE_ROUTE, handle: showLinePage },
  { method: 'GET', path: `${PROVIDER_LINE_ROUTE}/assign`, handle: showAssignPage },
  { method: 'POST', path: `${PROVIDER_LINE_ROUTE}/assign`, handle: searchPayments },

  { method: 'GET', path: '/operator/dead-letters', handle: showLettersPage },
  { method: 'GET', path: '/operator/dead-letters/:id', handle: showLetterPage },

  { method: 'GET', path: '/operator/rails', handle: showRailsPage },
  { method: 'POST', path: '/operator/rails/:environment/:method/probe', handle: probeFromDesk },
  { method: 'GET', path: '/operator/audit', handle: showAuditPage },
  { method: 'GET', path: AUDIT_FILE_PATH, handle: exportAudit },
  { method: 'GET', path: '/operator/health', handle: showHealthPage },
  { method: 'POST', path: '/operator/health/refresh', handle: refreshFromDesk },

  { method: 'GET', path: '/operator/alerts', handle: showAlertsPage },
  { method: 'POST', path: '/operator/alerts/:channel/test', handle: testFromDesk },

  { method: 'GET', path: '/operator/check', handle: showCheckPage },
  { method: 'POST', path: '/operator/check', handle: startFromDesk },

  { method: 'POST', path: SIGN_OUT_PATH, handle: signOut },

  ...FORM_ROUTES,
];
