import type { DashboardRoute } from '../route.ts';
import { resendFromEvent, showEvent } from './event-page.tsx';
import { showEvents } from './events-page.tsx';
import { resendMany, showResend } from './resend-page.tsx';
import {
  changeUrl,
  endSecretNow,
  resumePaused,
  rotateSecret,
  sendTest,
  showSecret,
} from './settings-forms.ts';
import { showSettings } from './settings-page.tsx';

const PATH = '/dashboard/:environment/webhooks';
const EVENT = `${PATH}/events/:uniqueId/:sequence` as const;

export const WEBHOOKS_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: PATH, permission: 'view', handle: showSettings },
  { method: 'POST', path: `${PATH}/url`, permission: 'develop', handle: changeUrl },
  { method: 'POST', path: `${PATH}/test`, permission: 'develop', handle: sendTest },
  { method: 'POST', path: `${PATH}/secrets`, permission: 'develop', handle: rotateSecret },
  {
    method: 'POST',
    path: `${PATH}/secrets/:secretId/show`,
    permission: 'develop',
    handle: showSecret,
  },
  {
    method: 'POST',
    path: `${PATH}/secrets/:secretId/end`,
    permission: 'develop',
    handle: endSecretNow,
  },
  {
    method: 'POST',
    path: `${PATH}/endpoints/resume`,
    permission: 'develop',
    handle: resumePaused,
  },
  { method: 'GET', path: `${PATH}/events`, permission: 'view', handle: showEvents },
  { method: 'GET', path: EVENT, permission: 'view', handle: showEvent },
  { method: 'POST', path: `${EVENT}/resend`, permission: 'develop', handle: resendFromEvent },
  { method: 'GET', path: `${PATH}/resend`, permission: 'develop', handle: showResend },
  { method: 'POST', path: `${PATH}/resend`, permission: 'develop', handle: resendMany },
];
