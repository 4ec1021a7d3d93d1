import type { DashboardRoute } from '../route.ts';
import { createKey, renameKey, revokeKey, rollKey, showKey, showKeys } from './keys.tsx';

const KEYS = '/dashboard/:environment/keys';

export const KEYS_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: KEYS, permission: 'view', handle: showKeys },
  { method: 'POST', path: KEYS, permission: 'develop', handle: createKey },
  { method: 'GET', path: `${KEYS}/:key`, permission: 'develop', handle: showKey },
  { method: 'POST', path: `${KEYS}/:key/name`, permission: 'develop', handle: renameKey },
  { method: 'POST', path: `${KEYS}/:key/roll`, permission: 'develop', handle: rollKey },
  { method: 'POST', path: `${KEYS}/:key/revoke`, permission: 'develop', handle: revokeKey },
];
