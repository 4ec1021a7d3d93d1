import type { OperatorRoute } from '../call.ts';
import { showAttentionPage } from './attention-page.tsx';
import { showHealthPage } from './health-page.tsx';
import { showMerchantsPage } from './merchants-page.tsx';

/** Pages for browsers. GET only: the router accepts Basic authorization for them. */
export const DESK_ROUTES: readonly (OperatorRoute & { readonly method: 'GET' })[] = [
  { method: 'GET', path: '/operator', handle: showHealthPage },
  { method: 'GET', path: '/operator/attention', handle: showAttentionPage },
  { method: 'GET', path: '/operator/merchants', handle: showMerchantsPage },
];
